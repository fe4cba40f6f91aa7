package form

import (
	"slices"

	"askd/broker/ask"
)

// Batch reports whether there are several questions, and with them a review page and pages to turn.
func (p *Prompt) Batch() bool { return len(p.pages) > 1 }

// Page is the index of the open page; the number of questions is the review page.
func (p *Prompt) Page() int { return p.at }

// Pages are the question pages in the order asked, without the review page.
func (p *Prompt) Pages() []PromptPage {
	out := make([]PromptPage, len(p.pages))
	for i := range p.pages {
		out[i] = PromptPage{Number: i + 1, Current: i == p.at, Answered: p.pages[i].answer != nil}
	}
	return out
}

// Question is the open page's question as it was asked, nil on the review page.
func (p *Prompt) Question() *ask.Question {
	if p.onReview() {
		return nil
	}
	return p.open().question
}

// Multi reports whether the open page takes several answers; false on the review page.
func (p *Prompt) Multi() bool { return !p.onReview() && p.open().multi() }

// Filter is what the open single-select page is filtered by, empty elsewhere. It has no line breaks.
func (p *Prompt) Filter() string {
	if p.onReview() {
		return ""
	}
	return p.open().filter
}

// NoMatch reports whether the filter leaves no option, so that only the free-form row is shown.
func (p *Prompt) NoMatch() bool { return !p.onReview() && len(p.open().shown()) == 0 }

// FocusedRow is the focused row of the open page as Rows gives it; 0 on the review page.
func (p *Prompt) FocusedRow() int {
	if p.onReview() {
		return 0
	}
	return p.open().row
}

// Rows are the rows of the open page: the options that the filter leaves, the best match first, then the free-form row,
// which has no label of its own. Nil on the review page.
func (p *Prompt) Rows() []PromptRow {
	if p.onReview() {
		return nil
	}
	g := p.open()
	shown := g.shown()
	out := make([]PromptRow, 0, len(shown)+1)
	for _, i := range shown {
		o := &g.question.Options[i]
		out = append(out, PromptRow{
			Option: i, Label: o.Label, Description: o.Description, Preview: o.Preview, Ticked: g.ticked[i],
		})
	}
	out = append(out, PromptRow{Option: -1, Ticked: g.textTicked && !ask.Blank(g.text), Text: collapse(g.text)})
	for i := range out {
		out[i].Number, out[i].Focused = i+1, i == g.row
	}
	return out
}

// Text is what stands in the open editor, empty when none is open. Typing comes back through PromptEdit.
func (p *Prompt) Text() string {
	if !p.editing || p.onReview() {
		return ""
	}
	return p.open().text
}

// Serial grows each time an editor opens, so that a view knows when to load Text afresh.
func (p *Prompt) Serial() int { return p.serial }

// Dirty reports whether ending the prompt would lose something: a recorded answer, a tick, or text.
func (p *Prompt) Dirty() bool {
	return slices.ContainsFunc(p.pages, func(g page) bool { return g.worked() })
}

// Response is the whole prompt as it would be submitted now: one choice a question, of the pages that were confirmed. Ticks
// and text that were not are no answer. It shares nothing with the prompt.
func (p *Prompt) Response() ask.Response {
	r := ask.Response{Choices: make([]ask.Choice, len(p.pages))}
	for i := range p.pages {
		r.Choices[i] = p.pages[i].choice()
	}
	return r
}
