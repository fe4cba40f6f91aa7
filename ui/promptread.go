package ui

import (
	"strings"

	"askd/ui/form"
)

// newPromptReader is a reader of the open page of a prompt: the question whole, with its options and their previews.
func newPromptReader(v *view) *reader {
	q := v.pick.Question()
	if q == nil {
		return &reader{title: reviewHeading, text: func(p *Pane, columns int) []line {
			lines := p.answerLines(v, columns)
			for _, l := range lines {
				l.with(target{})
			}
			return lines
		}}
	}
	return &reader{title: q.Label, text: func(p *Pane, columns int) []line {
		out := p.textLines(q.Prompt, columns, roleStrong)
		for _, row := range v.pick.Rows() {
			out = append(append(out, nil), p.readRow(v, row, columns)...)
		}
		return out
	}}
}

// readRow is one row with all that is known of it.
func (p *Pane) readRow(v *view, row form.PromptRow, columns int) []line {
	row.Focused = false
	style := choiceStyle{multi: v.pick.Multi(), columns: columns, look: p.look, wraps: &p.wraps}
	items, _ := style.items([]form.PromptRow{row})
	out := items[0]
	for _, l := range out {
		l.with(target{})
	}
	if strings.TrimSpace(row.Preview) == "" {
		return out
	}
	blank := text(strings.Repeat(" ", descriptionIndent), rolePlain)
	out = append(out, nil)
	return append(out, indented(p.wholePreview(row.Preview, columns-descriptionIndent), blank, blank)...)
}

// wholePreview is a preview to be read: what is too long to be looked at as Markdown stands as it came.
func (p *Pane) wholePreview(source string, columns int) []line {
	if len(source) > mostMarkdown {
		return p.textLines(source, max(1, columns), rolePlain)
	}
	return p.marked.markdown(source, columns)
}
