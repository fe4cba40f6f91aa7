package main

import (
	"strings"

	"github.com/rivo/uniseg"
)

// gap stands between two columns.
const gap = 2

// column is one column of a table. A column with Min shrinks down to it when the terminal is narrow; Below moves to a
// line of its own under the row when shrinking is not enough.
type column struct {
	head  string
	min   int // 0: never shrinks
	right bool
	below bool
	loose bool // in a file or a pipe, where nothing is cut, only short texts are aligned
}

// looseWidth is what a loose column is aligned to at most.
const looseWidth = 60

// cell is one field of a row. Text is already clean.
type cell struct {
	text  string
	style style
}

// table is rows under a head, aligned by the width that text has on a screen.
type table struct {
	columns []column
	rows    [][]cell
}

func (t *table) add(cells ...cell) { t.rows = append(t.rows, cells) }

// write prints the table. On a terminal no line is wider than it, as far as columns can shrink.
func (t *table) write(o *output) {
	shown, under := t.layout(o.width)
	head := make([]cell, len(t.columns))
	for i, c := range t.columns {
		head[i] = cell{c.head, bold}
	}
	t.writeRow(o, head, shown, nil)
	for _, row := range t.rows {
		t.writeRow(o, row, shown, under)
	}
}

// layout gives the width of every column, -1 for one that moved below, and the columns that did.
func (t *table) layout(limit int) (widths, under []int) {
	widths = t.natural()
	if limit == 0 {
		for i, c := range t.columns {
			if c.loose {
				widths[i] = min(widths[i], looseWidth)
			}
		}
		return widths, nil
	}
	if total(widths) <= limit {
		return widths, nil
	}
	if total(t.smallest(widths)) > limit {
		for i, c := range t.columns {
			if c.below {
				widths[i] = -1
				under = append(under, i)
			}
		}
	}
	t.shrink(widths, limit)
	return widths, under
}

func (t *table) natural() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = uniseg.StringWidth(c.head)
	}
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], uniseg.StringWidth(c.text))
		}
	}
	return widths
}

func (t *table) smallest(widths []int) []int {
	small := make([]int, len(widths))
	for i, w := range widths {
		small[i] = t.floor(i, w)
	}
	return small
}

func (t *table) floor(i, width int) int {
	if c := t.columns[i]; c.min > 0 {
		return min(c.min, width)
	}
	return width
}

// shrink takes columns off the widest column that may still give some, until the table fits or none may.
func (t *table) shrink(widths []int, limit int) {
	for over := total(widths) - limit; over > 0; over-- {
		widest := -1
		for i, w := range widths {
			if w > t.floor(i, w) && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func total(widths []int) int {
	sum := -gap
	for _, w := range widths {
		if w >= 0 {
			sum += w + gap
		}
	}
	return sum
}

func (t *table) writeRow(o *output, row []cell, widths, under []int) {
	var b strings.Builder
	space := 0
	for i, c := range row {
		if widths[i] < 0 {
			continue
		}
		text := c.text
		if o.width > 0 {
			text = cut(text, widths[i])
		}
		pad := max(0, widths[i]-uniseg.StringWidth(text))
		if t.columns[i].right {
			space, pad = space+pad, 0
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", space))
			b.WriteString(o.paint(c.style, text))
			space = 0
		} else {
			pad = widths[i]
		}
		space += pad + gap
	}
	o.printf("%s\n", b.String())
	for _, i := range under {
		o.printf("  %s\n", o.paint(row[i].style, row[i].text))
	}
}

// cut shortens text to a width, between what a reader sees as characters, and marks the cut.
func cut(text string, width int) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	if width <= 0 {
		return ""
	}
	kept, used := 0, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used+g.Width() > width-1 {
			break
		}
		used += g.Width()
		_, kept = g.Positions()
	}
	return text[:kept] + "…"
}
