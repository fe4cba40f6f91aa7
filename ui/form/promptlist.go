package form

import (
	"strconv"
	"strings"
	"unicode"

	"askd/broker/ask"
)

// moveFocus goes round the rows, the free-form row included.
func (p *Prompt) moveFocus(by int) {
	g := p.open()
	n := len(g.shown()) + 1
	g.row = (g.row + by + n) % n
}

// freeFocused reports whether the focus is on the free-form row.
func (p *Prompt) freeFocused() bool {
	g := p.open()
	return g.row == len(g.shown())
}

// confirmRow is Enter in a list. On the free-form row it always opens the editor; on an option it records the page.
func (p *Prompt) confirmRow() {
	g := p.open()
	switch {
	case p.freeFocused():
		p.openEditor()
	case g.multi():
		p.record(g.ticks())
	default:
		p.record(&pageAnswer{options: []int{g.shown()[g.row]}})
	}
}

// escapeList takes a filter away first; one of white space alone is a filter too.
func (p *Prompt) escapeList() {
	g := p.open()
	if g.filter == "" {
		p.dismiss()
		return
	}
	g.setFilter("")
}

// space is filter text in a single-select list and ticks in a multi-select one.
func (p *Prompt) space() {
	g := p.open()
	switch {
	case !g.multi():
		g.setFilter(g.filter + " ")
	case !p.freeFocused():
		g.ticked[g.row] = !g.ticked[g.row]
	case ask.Blank(g.text):
		p.openEditor()
	default:
		g.textTicked = !g.textTicked
	}
}

// digitInList focuses an option, on a multi-select page it ticks it too. A number that no option has is filter text where
// there is a filter; the free-form row's own number is no option's.
func (p *Prompt) digitInList(n int) {
	g := p.open()
	switch {
	case n >= 1 && n <= len(g.shown()):
		g.row = n - 1
		if g.multi() {
			p.space()
		}
	case !g.multi():
		g.setFilter(g.filter + strconv.Itoa(n))
	}
}

// typeText extends the filter by what was typed or pasted. A filter has one line: white space and control characters become
// spaces, and the line break that a copied line ends with says nothing.
func (p *Prompt) typeText(text string) {
	if p.Mode() != PromptList || p.open().multi() {
		return
	}
	text = oneLine(strings.TrimRight(text, "\r\n"))
	if text != "" {
		p.open().setFilter(p.open().filter + text)
	}
}

// oneLine turns every character that moves the cursor into a space.
func oneLine(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

func (p *Prompt) eraseFilter() {
	g := p.open()
	if g.filter != "" {
		g.setFilter(withoutLast(g.filter))
	}
}

// clickRow stands for the key that acts on a row: Enter on the focused row of a single-select list, the digit elsewhere.
func (p *Prompt) clickRow(i int) {
	if p.Mode() != PromptList {
		return
	}
	g := p.open()
	n := len(g.shown())
	switch {
	case i < 0 || i > n:
	case i == n:
		p.openEditor()
	case g.multi():
		g.row = i
		p.space()
	case i == g.row:
		p.confirmRow()
	default:
		g.row = i
	}
}
