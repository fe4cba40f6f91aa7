package ui

import (
	"time"

	"askd/broker/ask"
	"askd/config"
	"askd/ui/form"
)

// heldKey is the longest gap between two events of a key that is held down; people press slower.
const heldKey = 50 * time.Millisecond

// guard keeps a keystroke that was meant for something else from answering. The zero value guards nothing.
type guard struct {
	front ask.Key   // the form that has the screen and the keys
	since time.Time // by the pane's clock
	real  time.Time // by the clock that stamps key events
	last  string    // the key before
	at    time.Time
	gap   time.Duration // since the same key before; never for another
}

// took notes which form has the screen; a form that has just taken it is guarded from now on.
func (g *guard) took(front ask.Key, now time.Time) {
	if g.front != front {
		g.front, g.since, g.real = front, now, time.Now()
	}
}

// closed reports whether committing and discarding input is to be ignored: the form is too new, or the key was pressed
// before it was drawn.
func (g *guard) closed(now, pressed time.Time) bool {
	return now.Sub(g.since) < config.Guard || pressed.Before(g.real)
}

// held notes a key and reports whether it is the key before, still held down.
func (g *guard) held(key string, now time.Time) bool {
	g.gap = never
	if key == g.last {
		g.gap = now.Sub(g.at)
	}
	g.last, g.at = key, now
	return g.gap < heldKey
}

// Keyboards wait before they repeat a held key, so that its second event looks like a second press. Where a second press
// of the same key confirms something, it counts only when it stands alone: nothing of that key for secondBefore before
// it and for secondAfter behind it.
const (
	secondBefore = 120 * time.Millisecond
	secondAfter  = 100 * time.Millisecond
)

// second is a second press that has not stood alone for long enough yet.
type second struct {
	view  *view
	event form.Event
	key   string
	at    time.Time
}

// confirms reports whether an event would be the second press that a form waits for.
func confirms(f *form.Form, e form.Event) bool {
	switch e := e.(type) {
	case form.Do:
		return confirming[e.Command] != form.NoticeNone && f.Notice().Kind == confirming[e.Command]
	case form.Digit:
		actions := f.Actions()
		return f.Mode() == form.ModeReview && e.N <= len(actions) && actions[e.N-1].Pending
	}
	return false
}

// confirming are the notices that the same command again takes as a yes.
var confirming = map[form.Command]form.NoticeKind{
	form.Cancel: form.NoticeDismiss, form.Dismiss: form.NoticeDismiss, form.ChangeType: form.NoticeType,
}

// feedKey gives the event of a key to a form, a second press only once it stands alone.
func (p *Pane) feedKey(v *view, s stroke, e form.Event) {
	if !confirms(v.form, e) {
		p.feed(v, e)
		return
	}
	if p.guard.gap >= secondBefore {
		p.second = &second{view: v, event: e, key: s.name, at: p.o.Now()}
		p.nudge()
	}
}

// settleSecond decides on a second press before another key is looked at; true when that key shows it to be a held one.
func (p *Pane) settleSecond(key string) bool {
	if p.second == nil {
		return false
	}
	if key == p.second.key && p.o.Now().Sub(p.second.at) < secondAfter {
		p.second = nil
		return true
	}
	p.fireSecond()
	return false
}

// fireSecond lets a second press count.
func (p *Pane) fireSecond() {
	s := p.second
	p.second = nil
	if p.views[p.current] == s.view {
		p.feed(s.view, s.event)
	}
}
