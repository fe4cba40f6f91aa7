package form

import (
	"strings"
	"unicode"

	"askd/broker/ask"
)

// confirmReview submits; with questions unanswered only the second time in a row, the first time it warns.
func (p *Prompt) confirmReview() {
	if p.Unanswered() > 0 && !p.warned {
		p.warned = true
		return
	}
	p.submit()
}

// jump goes to the question of a number; any other digit does nothing.
func (p *Prompt) jump(n int) {
	if n >= 1 && n <= len(p.pages) {
		p.openPage(n - 1)
	}
}

// Unanswered is the number of questions without a recorded answer.
func (p *Prompt) Unanswered() int {
	n := 0
	for i := range p.pages {
		if p.pages[i].answer == nil {
			n++
		}
	}
	return n
}

// Warned reports whether the review page has warned of unanswered questions, so that the next PromptConfirm submits without
// them. Leaving the page forgets it.
func (p *Prompt) Warned() bool { return p.warned }

// Review lists the questions as the review page shows them. Texts are as they came; a summary has no line breaks.
func (p *Prompt) Review() []PromptReviewItem {
	out := make([]PromptReviewItem, len(p.pages))
	for i := range p.pages {
		out[i] = PromptReviewItem{Number: i + 1, Question: p.pages[i].question.Prompt, Summary: p.pages[i].summary()}
	}
	return out
}

func (g *page) summary() string {
	if g.answer == nil {
		return ""
	}
	var parts []string
	for _, i := range g.answer.options {
		parts = append(parts, g.question.Options[i].Label)
	}
	if g.answer.text != "" {
		parts = append(parts, g.answer.text)
	}
	return collapse(strings.Join(parts, ", "))
}

// collapse puts a text on one line: every run of white space is one space.
func collapse(text string) string {
	return strings.Join(strings.FieldsFunc(ask.Trim(text), unicode.IsSpace), " ")
}
