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
	if v == nil || v.form == nil || v.area == nil || v.closed() {
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
	if len(c.paths) == 0 {
		return // the folder may still be being read: then there is another answer to the same query
	}
	c.put = false
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
