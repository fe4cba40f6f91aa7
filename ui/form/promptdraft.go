package form

import (
	"slices"

	"askd/broker/ask"
)

// Draft is all that Restore needs to put the prompt back, nil while it is as NewPrompt left it. The text of an open editor
// stands in its EditorDraft alone. SavedAt is zero: a prompt has no clock. It shares nothing with the prompt.
func (p *Prompt) Draft() *ask.Draft {
	d := &ask.Draft{Tab: p.at}
	for i := range p.pages {
		q, ok := p.pages[i].draft()
		if p.editing && i == p.at {
			d.Editor = &ask.EditorDraft{Kind: kindCustom, Question: q.ID, Text: q.CustomText}
			q.CustomText = ""
		}
		if ok {
			d.Questions = append(d.Questions, q)
		}
	}
	if d.Tab == 0 && d.Questions == nil && d.Editor == nil {
		return nil
	}
	return d
}

// draft gives the page's part of a draft and whether there is anything in it.
func (g *page) draft() (ask.QuestionDraft, bool) {
	d := ask.QuestionDraft{
		ID: g.question.ID, CustomText: g.text, CustomSelected: g.textTicked, Filter: g.filter, Row: g.row,
	}
	for i, on := range g.ticked {
		if on {
			d.Selected = append(d.Selected, g.question.Options[i].Value)
		}
	}
	if g.answer != nil {
		d.Confirmed = &ask.Confirmed{CustomText: g.answer.text}
		for _, i := range g.answer.options {
			d.Confirmed.Selected = append(d.Confirmed.Selected, g.question.Options[i].Value)
		}
	}
	return d, g.worked() || g.text != "" || g.filter != "" || g.row != 0
}

// Restore puts a draft back in place of whatever the prompt holds. What the draft says of unknown questions and options, or
// against the rules of a page, is left out. nil gives an untouched prompt. It never ends the prompt.
func (p *Prompt) Restore(d *ask.Draft) {
	p.reset()
	if d == nil {
		return
	}
	for i := range d.Questions {
		if n := p.find(d.Questions[i].ID); n >= 0 {
			p.pages[n].restore(&d.Questions[i])
		}
	}
	if p.Batch() {
		p.at = min(max(d.Tab, 0), len(p.pages))
	}
	p.restoreEditor(d.Editor)
	for i := range p.pages {
		if !p.editing || i != p.at {
			p.pages[i].textTicked = p.pages[i].textTicked && !ask.Blank(p.pages[i].text)
		}
	}
}

// restoreEditor opens the editor with its unsaved text. An editor is always on the open page, so the page follows it.
func (p *Prompt) restoreEditor(d *ask.EditorDraft) {
	if d == nil || d.Kind != kindCustom {
		return
	}
	n := p.find(d.Question)
	if n < 0 {
		return
	}
	p.at = n
	p.openEditor()
	p.open().text = d.Text
}

func (p *Prompt) find(id string) int {
	return slices.IndexFunc(p.pages, func(g page) bool { return g.question.ID == id })
}

func (g *page) restore(d *ask.QuestionDraft) {
	*g = newPage(g.question)
	g.text = d.CustomText
	if g.multi() {
		g.textTicked = d.CustomSelected
		for _, i := range g.options(d.Selected) {
			g.ticked[i] = true
		}
	} else {
		g.filter = oneLine(d.Filter)
	}
	g.row = min(max(d.Row, 0), len(g.shown()))
	g.restoreAnswer(d.Confirmed)
}

// restoreAnswer takes no answer that the page could not have been confirmed with.
func (g *page) restoreAnswer(c *ask.Confirmed) {
	if c == nil {
		return
	}
	a := &pageAnswer{options: g.options(c.Selected), text: ask.Trim(c.CustomText)}
	n := len(a.options)
	if a.text != "" {
		n++
	}
	if n == 1 || n > 1 && g.multi() {
		g.answer = a
	}
}

// options are the indices of the options with the values, ascending; nil when there are none.
func (g *page) options(values []string) []int {
	var out []int
	for i, o := range g.question.Options {
		if slices.Contains(values, o.Value) {
			out = append(out, i)
		}
	}
	return out
}
