package ui

import (
	"fmt"
	"strings"

	"askd/ui/form"
)

// block are the lines of all option rows, and where the focused one and the open editor lie among them.
type block struct {
	lines    []line
	from, to int // of the focused row
	editor   int // first line of the open editor, -1 for none
	editorH  int
}

// rowStyle is what the rows of one question share.
type rowStyle struct {
	multi   bool
	numbers int // columns of the widest number
	columns int
	indent  int // of what stands under a label
	editorH int // height of the editor, should one be open
	look    *look
	wraps   *wrapCache
	away    bool // the keys go elsewhere
}

func newRowStyle(rows []form.Row, multi bool, columns, editorH int, look *look, wraps *wrapCache) rowStyle {
	s := rowStyle{multi: multi, numbers: len(fmt.Sprint(len(rows))), columns: columns, editorH: editorH, look: look, wraps: wraps}
	s.indent = 2 + s.numbers + 2
	if multi {
		s.indent += width(look.boxes[1])
	}
	if s.indent > columns/3 {
		s.indent = min(s.indent, 4)
	}
	return s
}

// rowBlock lays out the rows of a question in columns columns.
func (s rowStyle) rowBlock(rows []form.Row) block {
	b := block{editor: -1}
	for i, r := range rows {
		from := len(b.lines)
		b.lines = append(b.lines, s.label(r, len(rows))...)
		b.lines = append(b.lines, s.description(r)...)
		if r.Editing {
			b.editor, b.editorH = len(b.lines), s.editorH
			b.lines = append(b.lines, make([]line, s.editorH)...)
			b.lines = append(b.lines, s.attached(r)...)
		} else {
			b.lines = append(b.lines, s.saved(r)...)
		}
		for j := from; j < len(b.lines); j++ {
			b.lines[j] = s.clickable(b.lines[j], i)
		}
		if r.Focused {
			b.from, b.to = from, len(b.lines)
		}
	}
	return b
}

// clickable makes the whole width of a row's line its target.
func (s rowStyle) clickable(l line, i int) line {
	if n := s.columns - l.width(); n > 0 {
		l = append(l, span{text: strings.Repeat(" ", n)})
	}
	return l.with(target{kind: hitRow, index: i})
}

func (s rowStyle) label(r form.Row, n int) []line {
	pointer := s.look.pointing(r.Focused)
	head := fmt.Sprintf("%*d. ", s.numbers, r.Number)
	if s.multi {
		head += which(s.look.boxes, r.Selected)
	}
	label := s.wraps.wrap(r.Label+s.look.tail(r.Focused, r.Selected, r.Number, n), s.columns-2-width(head))
	out := make([]line, len(label))
	for i, part := range label {
		if i > 0 {
			pointer, head = "  ", strings.Repeat(" ", width(head))
		}
		out[i] = line{{text: pointer, role: s.pointerRole()}, {text: head + part, role: s.labelRole(r), caret: r.Focused && i == 0}}
	}
	if !s.multi && r.Selected && s.look.chosen != "" {
		last := len(out) - 1
		if out[last].width()+2 <= s.columns {
			out[last] = append(out[last], span{text: s.look.chosen, role: roleSuccess})
		}
	}
	return out
}

// pointerRole and labelRole keep the focus quiet while the keys go elsewhere.
func (s rowStyle) pointerRole() role {
	if s.away {
		return roleMuted
	}
	return roleAccent
}

func (s rowStyle) labelRole(r form.Row) role {
	r.Focused = r.Focused && !s.away
	switch {
	case r.Selected && r.Focused:
		return roleBoth
	case r.Selected:
		return roleSelected
	case r.Focused:
		return roleFocused
	}
	return rolePlain
}

const recommended = "(recommended)"

// description is the muted text under a label; a recommendation stands before it in the warning colour.
func (s rowStyle) description(r form.Row) []line {
	if !r.Recommended {
		if r.Description == "" {
			return nil
		}
		return s.under(r.Description, roleMuted)
	}
	full := recommended
	if r.Description != "" {
		full += " | " + r.Description
	}
	out := s.under(full, roleMuted)
	if rest, ok := strings.CutPrefix(out[0][1].text, recommended); ok {
		out[0] = line{out[0][0], {text: recommended, role: roleWarning}, {text: rest, role: roleMuted}}
	}
	return out
}

// under are lines below a label.
func (s rowStyle) under(what string, r role) []line {
	parts := s.wraps.wrap(what, s.columns-s.indent)
	out := make([]line, len(parts))
	for i, part := range parts {
		out[i] = line{{text: strings.Repeat(" ", s.indent)}, {text: part, role: r}}
	}
	return out
}

// saved is what the person has saved with a row: its note, its free-form text.
func (s rowStyle) saved(r form.Row) []line {
	var out []line
	if r.CustomText != "" || r.Images > 0 {
		out = s.under(withImages(r.CustomText, r.Images), roleTyped)
	}
	if r.Note != "" || r.NoteImages > 0 {
		out = append(out, s.under("Note: "+withImages(r.Note, r.NoteImages), roleTyped)...)
	}
	return out
}

// attached is the marker of the images in the open editor of a row.
func (s rowStyle) attached(r form.Row) []line {
	if n := r.Images + r.NoteImages; n > 0 {
		return s.under(withImages("", n), roleTyped)
	}
	return nil
}

// withImages adds the marker of attachments to a text.
func withImages(text string, n int) string {
	switch n {
	case 0:
		return text
	case 1:
		return strings.TrimSpace(text + " [1 image]")
	default:
		return strings.TrimSpace(fmt.Sprintf("%s [%d images]", text, n))
	}
}

// widest is the width that the rows would take on lines of any length, for the column beside a context.
func (s rowStyle) widest(rows []form.Row) int {
	n := 0
	for _, r := range rows {
		about := width(shownLine(r.Description))
		if r.Recommended {
			about += width(recommended + " | ")
		}
		n = max(n, s.indent+width(shownLine(r.Label)), s.indent+about)
	}
	return n
}
