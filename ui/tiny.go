package ui

import "github.com/gdamore/tcell/v2"

// tiny reports whether the screen is too small to show a form. A pane that has not been drawn yet is.
func (p *Pane) tiny() bool { return p.size[0] < leastColumns || p.size[1] < leastRows }

// tinyKey takes a key that nobody can see the effect of: askd can be left, and whoever was writing when the pane became small
// goes on writing. Nothing else acts on what cannot be seen.
func (p *Pane) tinyKey(s stroke) {
	v := p.onScreen()
	switch {
	case p.global(s.name) == "quit":
		p.globalKey(s)
	case v == nil || v.area == nil || p.overlay != nil || p.inInbox || v.closed() || v.busy():
	case writes(s.event):
		v.typeKey(s.event)
	}
}

// writes reports whether a key puts a character into a text or takes one away.
func writes(e *tcell.EventKey) bool {
	switch e.Key() {
	case tcell.KeyRune:
		return e.Modifiers()&^tcell.ModShift == 0
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		return true
	}
	return false
}
