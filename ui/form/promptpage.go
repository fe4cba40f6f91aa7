package form

import (
	"slices"

	"askd/broker/ask"
)

// page is what the person has done with one question of a prompt.
type page struct {
	question   *ask.Question
	filter     string      // single-select only
	row        int         // focused row among those shown
	ticked     []bool      // by option index, multi-select only
	text       string      // the free-form answer as far as it is written, recorded or not
	textTicked bool        // multi-select only; never with blank text, except while that text is being written
	answer     *pageAnswer // what the page was confirmed with, nil while it was not; never changed, only replaced
}

// pageAnswer is a recorded answer: options, or a free-form text, or on a multi-select page both.
type pageAnswer struct {
	options []int // by option index, ascending
	text    string
}

func newPage(q *ask.Question) page { return page{question: q, ticked: make([]bool, len(q.Options))} }

func (g *page) multi() bool { return g.question.Type == ask.Multi }

// shown are the indices of the options that the list shows, in its order; the free-form row comes after them.
func (g *page) shown() []int { return filterOptions(g.question.Options, g.filter) }

// setFilter goes back to the first row, as every change of the filter does.
func (g *page) setFilter(f string) { g.filter, g.row = f, 0 }

// ticks is the answer of a multi-select page as it is ticked; with nothing ticked, its focused option alone.
func (g *page) ticks() *pageAnswer {
	a := &pageAnswer{}
	for i, on := range g.ticked {
		if on {
			a.options = append(a.options, i)
		}
	}
	if g.textTicked {
		a.text = ask.Trim(g.text)
	}
	if a.options == nil && a.text == "" {
		a.options = []int{g.row}
	}
	return a
}

func (g *page) choice() ask.Choice {
	c := ask.Choice{Type: ask.Single}
	if g.multi() {
		c.Type = ask.Multi
	}
	if g.answer != nil {
		c.Selected, c.CustomText = slices.Clone(g.answer.options), g.answer.text
	}
	return c
}

// worked reports whether the person has put anything into the page that leaving the prompt would lose.
func (g *page) worked() bool {
	return g.answer != nil || !ask.Blank(g.text) || slices.Contains(g.ticked, true)
}

func (g *page) clone() page {
	c := *g
	c.ticked = slices.Clone(g.ticked)
	return c
}

func (g *page) equal(o *page) bool {
	return g.filter == o.filter && g.row == o.row && g.text == o.text && g.textTicked == o.textTicked &&
		slices.Equal(g.ticked, o.ticked) && g.answer.equal(o.answer)
}

func (a *pageAnswer) equal(o *pageAnswer) bool {
	if a == nil || o == nil {
		return a == o
	}
	return a.text == o.text && slices.Equal(a.options, o.options)
}
