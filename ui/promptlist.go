package ui

import (
	"fmt"
	"strings"

	"askd/ui/form"
)

// The published words of a prompt's list.
const (
	filterHead        = "Filter: "
	filterPlaceholder = "type to filter"
	freePlaceholder   = "Type something."
	freeHint          = "Enter a custom response"
	noOptions         = "No matching options"
)

// descriptionIndent is how far what stands under a label is indented.
const descriptionIndent = 6

// mostDraft is how many lines the free-form row shows of a draft: the editor has all of it.
const mostDraft = 3

// choiceStyle is what the rows of one prompt page share.
type choiceStyle struct {
	multi   bool
	look    *look
	split   bool // the details stand beside the rows, not under them
	columns int
	away    bool // the keys go elsewhere
	wraps   *wrapCache
}

// items are the rows of a page, each with the lines that it takes.
func (s choiceStyle) items(rows []form.PromptRow) (items [][]line, focus int) {
	items = make([][]line, len(rows))
	for i, r := range rows {
		lines := append(s.label(r, len(rows)), s.under(r)...)
		for j := range lines {
			lines[j] = fillTo(lines[j], s.columns).with(target{kind: hitRow, index: i})
		}
		items[i] = lines
		if r.Focused {
			focus = i
		}
	}
	return items, focus
}

// fillTo makes a line columns wide, so that all of it can be clicked.
func fillTo(l line, columns int) line {
	if n := columns - l.width(); n > 0 {
		return append(l, span{text: strings.Repeat(" ", n)})
	}
	return l
}

// label is the line of a row with its number; in a single-select list it goes on below where it is long.
func (s choiceStyle) label(r form.PromptRow, n int) []line {
	head := s.head(r)
	room := max(1, s.columns-head.width())
	texts := s.labelTexts(r, room, n)
	out := make([]line, len(texts))
	for i, t := range texts {
		if i > 0 {
			head = text(strings.Repeat(" ", head.width()), rolePlain)
		}
		out[i] = append(head, span{text: t, role: s.labelRole(r)})
	}
	return out
}

// head is the pointer, the number and the box to tick.
func (s choiceStyle) head(r form.PromptRow) line {
	pointer, at := s.look.choosing(r.Focused), roleAccent
	number := s.labelRole(r)
	if s.away {
		at = roleMuted
	}
	if !s.multi {
		return line{{text: pointer, role: at}, {text: fmt.Sprintf("%d. ", r.Number), role: number, caret: r.Focused}}
	}
	box := span{text: s.look.ticks[0], role: number}
	if r.Ticked {
		box = span{text: s.look.ticks[1], role: roleSuccess}
	}
	return line{{text: pointer, role: at}, {text: fmt.Sprintf("%d. ", r.Number), role: roleMuted, caret: r.Focused}, box}
}

func (s choiceStyle) labelTexts(r form.PromptRow, room, n int) []string {
	what := r.Label
	if r.Option < 0 {
		if what = r.Text; what == "" {
			what = freePlaceholder
		}
	}
	if tail := s.look.tail(r.Focused, r.Ticked, r.Number, n); s.multi && tail != "" {
		return s.wraps.wrap(what+tail, room)
	}
	if s.multi {
		return []string{cut(shownLine(what), room)}
	}
	if r.Option < 0 {
		what = cut(shownLine(what), room*mostDraft)
	}
	return s.wraps.wrap(what+s.look.place(r.Focused, "option", r.Number, n), room)
}

func (s choiceStyle) labelRole(r form.PromptRow) role {
	switch {
	case r.Focused && !s.away:
		return roleFocused
	case r.Option < 0 && r.Text == "":
		return roleMuted
	}
	return rolePlain
}

// under are the lines below a label: its description, or what the free-form row is for.
func (s choiceStyle) under(r form.PromptRow) []line {
	what := r.Description
	if r.Option < 0 {
		if what = freeHint; r.Text != "" {
			return nil
		}
	}
	if s.split || strings.TrimSpace(what) == "" {
		return nil
	}
	indent := min(descriptionIndent, s.columns/3)
	parts := s.wraps.wrap(what, s.columns-indent)
	out := make([]line, len(parts))
	for i, part := range parts {
		out[i] = line{{text: strings.Repeat(" ", indent)}, {text: part, role: roleMuted}}
	}
	return out
}

// filterLine is what stands over a single-select list. Of a long filter the end is what the person is typing.
func filterLine(filter string, columns int) line {
	if filter == "" {
		return line{{text: filterHead, role: rolePlain}, {text: filterPlaceholder, role: roleMuted}}
	}
	return line{{text: filterHead, role: rolePlain}, {text: cutHead(shownLine(filter), columns-width(filterHead)), role: roleAccent}}
}

// pageList is a page's list, ready to be cut to the rows that it gets.
type pageList struct {
	head  []line // stays where it is: the filter, and that nothing matches
	items [][]line
	focus int
}

func (l pageList) height() int {
	n := len(l.head)
	for _, item := range l.items {
		n += len(item)
	}
	return n
}

// window is the list in limit rows, and whether something of it is out of sight. With one row there is the focused item
// alone.
func (l pageList) window(limit int, of string) ([]line, bool) {
	if l.height() <= limit {
		return append(append([]line(nil), l.head...), concat(l.items)...), false
	}
	head := l.head
	if limit <= len(head) {
		head = nil
	}
	return append(append([]line(nil), head...), windowItems(l.items, l.focus, limit-len(head), of)...), true
}

// windowItems are as many whole items as limit rows hold: the focused one, those after it, those before it, and a last row
// that says which of how many it is.
func windowItems(items [][]line, focus, limit int, of string) []line {
	if limit <= 0 || focus >= len(items) {
		return nil
	}
	room := limit
	if limit > 1 {
		room--
	}
	from, to := focus, focus+1
	used := len(items[focus])
	for to < len(items) && used+len(items[to]) <= room {
		used += len(items[to])
		to++
	}
	for from > 0 && used+len(items[from-1]) <= room {
		from--
		used += len(items[from])
	}
	out := concat(items[from:to])
	out = out[:min(len(out), room)]
	if limit > 1 {
		out = append(out, text(fmt.Sprintf("  (%d%s%d)", focus+1, of, len(items)), roleMuted))
	}
	return out
}

func concat(items [][]line) []line {
	var out []line
	for _, item := range items {
		out = append(out, item...)
	}
	return out
}
