package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"askd/broker/ask"
)

// A span is a piece of one line in one role, a line is spans from left to right. What a line stands for can be clicked.
type span struct {
	text   string
	role   role
	target target
	caret  bool // the cursor of a screen reader belongs at its beginning
}

type line []span

func text(s string, r role) line { return line{{text: s, role: r}} }

func (l line) width() int {
	n := 0
	for _, s := range l {
		n += width(s.text)
	}
	return n
}

// with makes the whole line one click target.
func (l line) with(t target) line {
	for i := range l {
		l[i].target = t
	}
	return l
}

// String is the line's text, for tests.
func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// targetKind says what a click or the wheel hits.
type targetKind uint8

// The kinds of target.
const (
	hitNothing targetKind = iota
	hitRow
	hitTab
	hitAction
	hitEntry // an entry of the inbox
	hitPrompt
	hitContext
	hitRows
	hitEditor
	hitInbox
	hitReview
	hitSetting
	hitPath // a path of the list at the cursor
	hitPast // a question of the history
)

type target struct {
	kind  targetKind
	index int
	key   ask.Key
}

type rect struct{ x, y, w, h int }

func (r rect) has(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// rows is the part of r from row top on, n rows high.
func (r rect) rows(top, n int) rect {
	top = min(max(top, 0), r.h)
	return rect{r.x, r.y + top, r.w, max(0, min(n, r.h-top))}
}

type region struct {
	rect
	target target
}

// canvas is a screen being drawn, together with what lies where on it.
type canvas struct {
	screen tcell.Screen
	hits   []region // later ones lie above earlier ones
	areas  []region // what the wheel scrolls
	bottom rect     // the rule above the foot; no rows where there is none
	look   *look
	caret  *[2]int // where the cursor of a screen reader belongs; nil until something says so
}

// hit is what a click at a position means.
func (c *canvas) hit(x, y int) target { return find(c.hits, x, y) }

// area is what the wheel at a position scrolls.
func (c *canvas) area(x, y int) target { return find(c.areas, x, y) }

func find(regions []region, x, y int) target {
	for i := len(regions) - 1; i >= 0; i-- {
		if regions[i].has(x, y) {
			return regions[i].target
		}
	}
	return target{}
}

// line draws l into the first row of r. What does not fit is cut with a sign.
func (c *canvas) line(r rect, l line) {
	if r.w <= 0 || r.h <= 0 {
		return
	}
	x, room := r.x, r.w
	over := l.width() > room
	if over {
		room--
	}
	for _, s := range l {
		n := c.span(x, r.y, room-(x-r.x), s)
		if s.caret && n > 0 {
			c.rest(x, r.y)
		}
		if s.target.kind != hitNothing && n > 0 {
			c.hits = append(c.hits, region{rect{x, r.y, n, 1}, s.target})
		}
		x += n
		if over && x-r.x >= room {
			break
		}
	}
	if over {
		c.screen.Put(min(x, r.x+room), r.y, "…", styles[roleMuted])
	}
}

// span draws a piece and returns the columns used.
func (c *canvas) span(x, y, room int, s span) int {
	rest, used, style := s.text, 0, styles[s.role]
	for rest != "" {
		var first string
		var w int
		first, rest, w = cluster(rest)
		if used+w > room {
			break
		}
		if w > 0 {
			c.screen.Put(x+used, y, first, style)
		}
		used += w
	}
	return used
}

// lines draws as many lines as r has rows.
func (c *canvas) lines(r rect, ls []line) {
	for i := range min(len(ls), r.h) {
		c.line(r.rows(i, 1), ls[i])
	}
}

// right draws l at the right end of r's first row, if it leaves room columns free; it reports whether it did.
func (c *canvas) right(r rect, l line, room int) bool {
	w := l.width()
	if w == 0 || r.w-w < room {
		return false
	}
	c.line(rect{r.x + r.w - w, r.y, w, 1}, l)
	return true
}

// rule draws a horizontal rule.
func (c *canvas) rule(r rect, role role) {
	c.line(r, text(c.look.say(strings.Repeat("─", max(0, r.w))), role))
}

// viewport draws a window of ls that begins at top, with marks in the last column where there is more. It returns the
// top that it really used.
func (c *canvas) viewport(r rect, ls []line, top int) int {
	top = clampTop(top, len(ls), r.h)
	if r.h <= 0 {
		return top
	}
	body := rect{r.x, r.y, r.w - 1, r.h}
	if len(ls) <= r.h {
		body.w = r.w
	}
	c.lines(body, ls[top:])
	if top > 0 {
		c.mark(r, 0, "▴")
	}
	if top+r.h < len(ls) {
		c.mark(r, r.h-1, "▾")
	}
	return top
}

func (c *canvas) mark(r rect, row int, mark string) {
	c.stroke(r.x+r.w-1, r.y+row, mark, roleAccent)
}

// stroke draws one of the pane's own marks or a piece of a line.
func (c *canvas) stroke(x, y int, mark string, role role) {
	c.screen.Put(x, y, c.look.say(mark), styles[role])
}

// rest says where the cursor of a screen reader belongs; the first who says so is right.
func (c *canvas) rest(x, y int) {
	if c.caret == nil {
		c.caret = &[2]int{x, y}
	}
}

func clampTop(top, lines, height int) int { return max(0, min(top, lines-height)) }
