package ui

import (
	"path/filepath"
	"strings"

	"askd/ui/files"
)

// completion is the list of file paths for the @ reference at the cursor of the open editor (contract, "`@` remains a fixed
// file-reference affordance"). It begins with the first @ of an editor and ends with it.
type completion struct {
	index    *files.Index
	view     *view
	serial   int    // of the editor
	at       int    // where the reference's @ stands in the text, -1 for no reference
	query    string // what stands after it
	quoted   bool
	asked    bool   // the index has been asked for query
	answered string // what paths answers
	paths    []string
	row, top int
	put      bool // the person chose before the answer to query was here
	away     int  // the @ whose list was closed by hand, -1 for none
}

const (
	// popupRows is how many paths can be seen at once.
	popupRows = 6
	// mostPaths is how many can be reached by going down; typing on is the way to the others.
	mostPaths = 60
)

// open reports whether the list has anything to show.
func (c *completion) open() bool { return c != nil && c.at >= 0 && c.at != c.away && len(c.paths) > 0 }

// folderOf is the folder that @ references of a form are relative to; empty when it is on another machine or unknown.
func (p *Pane) folderOf(v *view) string {
	a := v.form.Request().Asker
	if a.Host != "" && a.Host != p.host || !filepath.IsAbs(a.Cwd) {
		return ""
	}
	return a.Cwd
}

// follow keeps the list at the cursor: it looks at what stands before it after anything that may have changed that.
func (p *Pane) follow() {
	v := p.onScreen()
	if v == nil || v.area == nil || v.closed() {
		p.endCompletion()
		return
	}
	if c := p.complete; c != nil && (c.view != v || c.serial != v.serial) {
		p.endCompletion()
	}
	at, query, quoted := v.reference()
	if p.complete == nil {
		folder := p.folderOf(v)
		if at < 0 || folder == "" {
			return
		}
		p.complete = &completion{index: files.Start(folder, p.o.Go), view: v, serial: v.serial, at: -1, away: -1}
	}
	p.complete.move(p, at, query, quoted)
}

// move takes the list to another reference or to another text of the same one.
func (c *completion) move(p *Pane, at int, query string, quoted bool) {
	if at != c.at {
		c.paths, c.asked, c.away = nil, false, -1
	}
	if at == c.at && query == c.query && c.asked {
		return
	}
	c.at, c.query, c.quoted, c.put = at, query, quoted, false
	if at < 0 || at == c.away {
		return
	}
	c.asked = true
	c.index.Search(query, mostPaths, func(paths []string) {
		p.post(func() { c.answer(p, at, query, paths) })
	})
}

// answer takes what the index has found, unless the person has typed on meanwhile.
func (c *completion) answer(p *Pane, at int, query string, paths []string) {
	if p.complete != c || c.at != at || c.query != query {
		return
	}
	if c.answered != query || len(c.paths) == 0 {
		c.row, c.top = 0, 0
	}
	c.answered, c.paths = query, paths
	c.row = max(0, min(c.row, len(paths)-1))
	if c.put {
		c.choose(p)
	}
}

// endCompletion forgets the list and stops reading the folder.
func (p *Pane) endCompletion() {
	if p.complete != nil {
		p.complete.index.Stop()
		p.complete = nil
	}
}

// reference is the @ reference that ends at the cursor: where it begins, -1 for none, and what follows its @.
func (v *view) reference() (at int, query string, quoted bool) {
	text, start := v.beforeCursor()
	at, query, ok := files.Token(text)
	if !ok || v.area.HasSelection() {
		return -1, "", false
	}
	return at, query, strings.HasPrefix(text[at+1:start], `"`)
}

// beforeCursor is the text up to the cursor and its length.
func (v *view) beforeCursor() (text string, end int) {
	text = v.area.GetText()
	_, _, end = v.area.GetSelection()
	end = min(end, len(text))
	return text[:end], end
}

// completionKeys are the keys that belong to the list while it is open.
var completionKeys = map[string]func(*completion, *Pane){
	"up":       func(c *completion, _ *Pane) { c.step(-1) },
	"down":     func(c *completion, _ *Pane) { c.step(+1) },
	"pageUp":   func(c *completion, _ *Pane) { c.step(-popupRows) },
	"pageDown": func(c *completion, _ *Pane) { c.step(+popupRows) },
	"tab":      (*completion).choose,
	"enter":    (*completion).choose,
	"esc":      func(c *completion, _ *Pane) { c.away = c.at },
}

// completionKey gives a key to the open list; false when it is not for it. A key that ends the list counts once: held down
// it must not reach the editor.
func (p *Pane) completionKey(s stroke) bool {
	act := completionKeys[s.name]
	if act == nil || !p.complete.open() {
		return false
	}
	switch s.name {
	case "tab", "enter", "esc":
		if s.repeats != pressed {
			return true
		}
		p.guard.spent = true
	}
	act(p.complete, p)
	return true
}

func (c *completion) step(by int) { c.row = min(max(c.row+by, 0), len(c.paths)-1) }

// choose puts the focused path into the text. The list may still answer an earlier query; then the newest decides.
func (c *completion) choose(p *Pane) {
	if c.answered != c.query {
		c.put = true
		return
	}
	c.put = false
	if len(c.paths) == 0 {
		return
	}
	ref := files.Reference(c.paths[c.row])
	text, end := c.view.beforeCursor()
	rest := c.view.area.GetText()[len(text):]
	if c.quoted && strings.HasPrefix(rest, `"`) {
		end++
		rest = rest[1:]
	}
	if strings.HasSuffix(ref, " ") && strings.HasPrefix(rest, " ") {
		end++
	}
	c.view.area.Replace(c.at, end, ref)
	p.follow()
}

// chooseAt is a click on a path of the list.
func (c *completion) chooseAt(p *Pane, i int) {
	if c.open() && i < len(c.paths) {
		c.row = i
		c.choose(p)
	}
}

// completionHints say what the keys do while the list is open.
func completionHints() []hint {
	return []hint{{"Tab/Enter choose", 1}, {"↑ ↓ move", 3}, {"Esc close list", 2}}
}

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
	p.canvas.wipe(box)
	body := p.drawPopupFrame(box, min(len(c.paths), popupRows), above)
	c.top = reveal(c.top, c.row, c.row+1, body.h)
	c.top = p.drawText(body, c.lines(body.w-1), c.top, hitPath)
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
		p.canvas.screen.Put(box.x, y, side[0], styles[roleAccent])
		p.canvas.screen.Put(box.x+box.w-1, y, side[1], styles[roleAccent])
	}
	return body
}

// lines are the paths, the focused one marked; of a long path the end is what tells it apart.
func (c *completion) lines(columns int) []line {
	out := make([]line, len(c.paths))
	for i, path := range c.paths {
		pointer, r := "  ", rolePlain
		if i == c.row {
			pointer, r = "❯ ", roleFocused
		}
		l := line{{text: pointer, role: roleAccent}, {text: pad(cutHead(shownLine(path), columns-2), columns-2), role: r}}
		out[i] = l.with(target{kind: hitPath, index: i})
	}
	return out
}

// cutHead shortens s to columns from its beginning, with a sign when something is missing.
func cutHead(s string, columns int) string {
	if width(s) <= columns {
		return s
	}
	rest := s
	for rest != "" && width(rest) > columns-1 {
		_, rest, _ = cluster(rest)
	}
	return "…" + rest
}
