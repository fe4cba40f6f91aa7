package form

import "askd/broker/ask"

// openEditor opens the free-form answer of the open page with what was written before.
func (p *Prompt) openEditor() {
	g := p.open()
	g.row = len(g.shown())
	p.editing = true
	p.serial++
}

func (p *Prompt) editText(text string) {
	if p.Mode() == PromptEditor {
		p.open().text = text
	}
}

// leaveEditor keeps the text on the page as it was typed. That is no answer and no tick; a tick whose text has been emptied
// goes with it.
func (p *Prompt) leaveEditor() {
	p.editing = false
	g := p.open()
	g.textTicked = g.textTicked && !ask.Blank(g.text)
}

// confirmText is the editor's submit key. On a single-select page the text is the answer, and blank text a refusal to answer
// at all; on a multi-select page it only becomes one more ticked row.
func (p *Prompt) confirmText() {
	g := p.open()
	text := ask.Trim(g.text)
	switch {
	case g.multi():
		g.text, g.textTicked = text, text != ""
		p.editing = false
	case text == "":
		p.dismiss()
	default:
		g.text = text
		p.record(&pageAnswer{text: text})
	}
}
