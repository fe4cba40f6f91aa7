package ui

import (
	"time"

	"askd/broker/ask"
	"askd/config"
	"askd/ui/form"
)

const (
	// heldKey is the longest gap between two events of a key that is held down; people press slower.
	heldKey = 40 * time.Millisecond
	// heldChain is the longest such gap once a key has shown itself to be held: some terminals repeat slowly.
	heldChain = 100 * time.Millisecond
	// heldStart is the longest time for which keyboards wait before they begin to repeat a held key.
	heldStart = 700 * time.Millisecond
)

// guard keeps a keystroke that was meant for something else from answering. The zero value guards nothing.
type guard struct {
	front ask.Key   // the form that has the screen and the keys
	since time.Time // by the pane's clock
	real  time.Time // by the clock that stamps key events
	last  string    // the key before
	at    time.Time
	chain bool   // last has shown itself to be a key that is held down
	spent bool   // last closed something: held down it would reach what lay below
	mash  string // the key that has ended or closed something, as long as it is pressed again and again without a pause
	known bool   // the form itself has been on the screen for longer: text may be typed into it
}

// took notes which form has the screen; a form that has just taken it is guarded from now on.
func (g *guard) took(front ask.Key, now time.Time) {
	if g.front != front {
		g.front, g.since, g.real, g.known, g.mash = front, now, time.Now(), false, g.last
	}
}

// again guards the form that has the screen as if it had just taken it: what is on it has changed by itself. Only what is
// typed into an editor still counts, unless the form is too new for that too.
func (g *guard) again(now time.Time) {
	g.known = g.known || !g.fresh(now)
	g.since, g.real = now, time.Now()
}

// closed reports whether committing and discarding input is to be ignored: the form is too new, or the key was pressed
// before it was drawn.
func (g *guard) closed(now, pressed time.Time) bool {
	return g.fresh(now) || pressed.Before(g.real)
}

// fresh reports whether the form has only just taken the screen.
func (g *guard) fresh(now time.Time) bool { return now.Sub(g.since) < config.Guard }

// moment is when something rose over the screen that the person has not asked for. The zero value is long past.
type moment struct {
	since time.Time // by the pane's clock
	real  time.Time // by the clock that stamps key events
}

// early reports whether input may have been meant for what was there before.
func (m moment) early(now, pressed time.Time) bool {
	return now.Sub(m.since) < config.Guard || pressed.Before(m.real)
}

// roseItself guards what has just come over the screen by itself.
func (p *Pane) roseItself() { p.rose = moment{p.o.Now(), time.Now()} }

// repeats says what a key event may be besides a press.
type repeats int

const (
	pressed  repeats = iota
	perhaps          // so soon after the same key that only the next event can tell
	heldDown         // the key before, still held down
)

// repeat notes a key and says whether it may be the key before, still held down.
func (g *guard) repeat(key string, now time.Time) repeats {
	gap, same := now.Sub(g.at), key == g.last
	ended := g.spent || !g.since.Before(g.at) // the key before ended a form; held down it would reach the next one
	g.spent = false
	if g.mash != key || gap >= config.Guard {
		g.mash = ""
	}
	g.last, g.at = key, now
	g.chain = g.chain && same && gap < heldChain
	switch {
	case g.chain:
		return heldDown
	case same && (gap < heldKey || ended && gap < heldStart):
		return perhaps
	}
	return pressed
}

// secondAfter is for how long a press that may be a held key has to stand alone before it counts: one that would confirm
// something, because keyboards wait before they repeat a held key, so that its second event looks like a second press; and
// one right after the same key. The event after it tells.
const secondAfter = 100 * time.Millisecond

// second is a second press that has not stood alone for long enough yet.
type second struct {
	view *view
	fire func()
	key  string
	at   time.Time
}

// confirms reports whether an event would be the second press that discards something.
func confirms(f *form.Form, e form.Event) bool {
	do, ok := e.(form.Do)
	return ok && confirming[do.Command] != form.NoticeNone && f.Notice().Kind == confirming[do.Command]
}

// confirming are the notices that the same command again takes as a yes.
var confirming = map[form.Command]form.NoticeKind{
	form.Cancel: form.NoticeDismiss, form.Dismiss: form.NoticeDismiss, form.ChangeType: form.NoticeType,
}

// feedKey gives the event of a committing key to a form, what may be a held key only once it stands alone.
func (p *Pane) feedKey(v *view, s stroke, e form.Event) {
	if !confirms(v.form, e) && s.repeats == pressed {
		p.feed(v, e)
		return
	}
	p.second = &second{view: v, fire: func() { p.feed(v, e) }, key: s.name, at: p.o.Now()}
	p.nudge()
}

// settleSecond decides on a second press before another key is looked at; true when that key shows it to be a held one.
func (p *Pane) settleSecond(key string) bool {
	if p.second == nil {
		return false
	}
	if key == p.second.key && p.o.Now().Sub(p.second.at) < secondAfter {
		p.second, p.guard.chain = nil, true
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
		s.fire()
	}
}
