package ui

import (
	"time"

	"askd/broker/ask"
	"askd/config"
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
	held := key == g.last && now.Sub(g.at) < heldKey
	g.last, g.at = key, now
	return held
}
