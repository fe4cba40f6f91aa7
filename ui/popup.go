package ui

// drawCompletion draws the list below the line that is being written, or above it where there is more room.
func (p *Pane) drawCompletion(l frameLayout) {
	c, v := p.complete, p.onScreen()
	if !c.open() || c.view != v || p.inInbox || v.editor.h == 0 {
		return
	}
	x, y := v.anchor(c)
	screen := rect{0, l.head.y + l.head.h, l.foot.w, l.foot.y - l.head.h}
	box, above := popupBox(screen, x, y, c.wide(), len(c.paths))
	if box.h < 1 {
		return
	}
	if p.look.plain { // nothing of the form beside it
		box.x, box.w = 0, screen.w
	}
	p.canvas.wipe(box)
	body := p.drawPopupFrame(box, min(len(c.paths), popupRows), above)
	c.top = reveal(c.top, c.row, c.row+1, body.h)
	c.top = p.drawText(body, c.lines(p.look, body.w-1), c.top, hitPath)
}

// anchor is where the reference's @ stands on the screen; at the editor's edge when its line has been broken.
func (v *view) anchor(c *completion) (x, y int) {
	_, _, row, column := v.area.GetCursor()
	top, left := v.area.GetOffset()
	back := 1 + width(shownLine(c.query))
	if c.quoted {
		back++
	}
	return v.editor.x + max(0, column-left-back), v.editor.y + row - top
}

// wide is how many columns the paths want.
func (c *completion) wide() int {
	n := 0
	for _, path := range c.paths {
		n = max(n, width(shownLine(path)))
	}
	return n
}

// Columns of the list besides its paths: sides, pointer and marks of more.
const popupFrame = 6

// popupBox is where a list of n paths lies for a reference at x, y: as wide as it needs within the screen. It has a border
// line at the end away from the text where there is room for one.
func popupBox(screen rect, x, y, columns, n int) (box rect, above bool) {
	rows := min(n, popupRows) + 1
	below, over := screen.y+screen.h-(y+1), y-screen.y
	above = below < rows && over > below
	room := below
	if above {
		room = over
	}
	h := min(rows, room)
	w := min(columns+popupFrame, screen.w)
	box = rect{max(0, min(x-2, screen.x+screen.w-w)), y + 1, w, h}
	if above {
		box.y = y - h
	}
	return box, above
}

// drawPopupFrame draws the border of a list of rows rows and returns what is inside.
func (p *Pane) drawPopupFrame(box rect, rows int, above bool) rect {
	body := rect{box.x + 1, box.y, box.w - 2, box.h}
	edge := -1
	if box.h > min(rows, 1) {
		body.h--
		edge = box.y + box.h - 1
	}
	ends := [2]string{"└", "┘"}
	if above && edge >= 0 {
		body.y, edge, ends = box.y+1, box.y, [2]string{"┌", "┐"}
	}
	for y := box.y; y < box.y+box.h; y++ {
		side := [2]string{"│", "│"}
		if y == edge {
			side = ends
			p.canvas.rule(rect{box.x, y, box.w, 1}, roleAccent)
		}
		p.canvas.stroke(box.x, y, side[0], roleAccent)
		p.canvas.stroke(box.x+box.w-1, y, side[1], roleAccent)
	}
	return body
}

// lines are the paths, the focused one marked; of a long path the end is what tells it apart.
func (c *completion) lines(look *look, columns int) []line {
	out := make([]line, len(c.paths))
	for i, path := range c.paths {
		pointer, r := look.pointing(i == c.row), rolePlain
		if i == c.row {
			r = roleFocused
		}
		l := line{{text: pointer, role: roleAccent}, {text: pad(cutHead(shownLine(path), columns-2), columns-2), role: r}}
		out[i] = l.with(target{kind: hitPath, index: i})
	}
	return out
}

// cutHead shortens s to columns from its beginning, with a sign when something is missing.
func cutHead(s string, columns int) string {
	over := width(s) - columns
	if over <= 0 {
		return s
	}
	rest := s
	for over++; rest != "" && over > 0; { // one more for the sign
		var w int
		_, rest, w = cluster(rest)
		over -= w
	}
	return "…" + rest
}
