package ui

import (
	"strings"

	"askd/config"
	"askd/ui/form"
)

// The published words of the details pane.
const (
	noDetails      = "*No additional details provided for this option.*"
	freeDetails    = "Open the editor to write **any** answer.\n\n*Use this when none of the listed options fit.*"
	selectedNow    = "it is currently **selected**."
	notSelectedNow = "it is currently **not selected**."
)

// detailLines are the details of the focused row.
func (p *Pane) detailLines(v *view, columns int) []line {
	rows := v.pick.Rows()
	i := v.pick.FocusedRow()
	if i >= len(rows) {
		return nil
	}
	if i != v.pick.focus {
		v.pick.focus, v.pick.details = i, 0
	}
	return p.rowDetails(v, rows[i], columns)
}

// tallestDetails is how many lines the longest details of a page take, so that the frame stands still while the focus
// moves.
func (p *Pane) tallestDetails(v *view, columns int) int {
	n := len(p.rowDetails(v, form.PromptRow{Option: -1}, columns))
	for i, o := range v.pick.Question().Options {
		row := form.PromptRow{Option: i, Label: o.Label, Description: o.Description, Preview: o.Preview}
		n = max(n, len(p.rowDetails(v, row, columns)))
	}
	return n
}

// rowDetails are a heading, what there is to say, and what the key does.
func (p *Pane) rowDetails(v *view, r form.PromptRow, columns int) []line {
	if r.Option < 0 {
		out := append([]line{text(customHeading, roleTitle), nil}, p.marked.markdown(freeDetails, columns)...)
		return append(out, p.filterQuote("Current filter: ", v.pick.Filter(), columns)...)
	}
	out := append(p.textLines(r.Label, columns, roleTitle), nil)
	out = append(out, p.marked.markdown(toSay(r), columns)...)
	out = append(out, nil, p.look.ruleLine(columns))
	out = append(out, p.marked.markdown(p.pressText(v, r), columns)...)
	return append(out, p.filterQuote("Filter: ", v.pick.Filter(), columns)...)
}

func toSay(r form.PromptRow) string {
	for _, s := range []string{r.Preview, r.Description} {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return noDetails
}

// pressText says what the key does to a row.
func (p *Pane) pressText(v *view, r form.PromptRow) string {
	switch {
	case !v.pick.Multi():
		return "Press `" + p.look.say(config.KeyLabel(first(p.conf.Pi.Keys(config.PiConfirm)))) + "` to select this option."
	case r.Ticked:
		return "Press `space` to toggle this option; " + selectedNow
	}
	return "Press `space` to toggle this option; " + notSelectedNow
}

// filterQuote repeats the filter below the details; nothing without one.
func (p *Pane) filterQuote(head, filter string, columns int) []line {
	if filter == "" {
		return nil
	}
	room := columns - 2 - width(head)
	return []line{nil, {{text: p.look.say("│ "), role: roleMuted}, {text: head}, {text: cutHead(shownLine(filter), room), role: roleCode}}}
}

// drawDetails draws a window of the details. A first or last row of dots says that there is more.
func (p *Pane) drawDetails(v *view, lines []line, r rect) {
	p.canvas.areas = append(p.canvas.areas, region{r, target{kind: hitContext}})
	v.pick.details = clampTop(v.pick.details, len(lines), r.h)
	top := v.pick.details
	seen := append([]line(nil), lines[top:min(len(lines), top+r.h)]...)
	more := text("…", roleMuted)
	if top > 0 && len(seen) > 1 {
		seen[0] = more
	}
	if top+r.h < len(lines) && len(seen) > 0 {
		seen[len(seen)-1] = more
	}
	v.clipped = v.clipped || len(lines) > r.h
	p.canvas.lines(r, seen)
}
