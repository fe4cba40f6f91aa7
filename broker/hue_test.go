package broker_test

import (
	"fmt"
	"testing"

	"askd/broker"
)

// hues are the colours of the sessions in the queue.
func (c *client) hues() map[string]int {
	out := map[string]int{}
	for _, r := range c.queue() {
		out[r.Session] = r.Hue
	}
	return out
}

// TestHues: sessions that wait have colours of their own while there are free ones, and keep them.
func TestHues(t *testing.T) {
	w := newWorld(t)
	first := w.session("session-0")
	first.ask(1)
	mine := first.hues()["session-0"]
	if mine < 1 || mine > broker.Hues {
		t.Fatalf("colour %d", mine)
	}
	var last *client
	for i := 1; i < broker.Hues; i++ {
		last = w.session(fmt.Sprintf("session-%d", i))
		last.ask(1)
	}
	all := first.hues()
	taken := map[int]string{}
	for session, hue := range all {
		if other, ok := taken[hue]; ok {
			t.Errorf("%s and %s share colour %d while another is free", session, other, hue)
		}
		taken[hue] = session
	}
	more := w.session("one more")
	more.ask(1)
	if hue := more.hues()["one more"]; hue < 1 || hue > broker.Hues {
		t.Errorf("colour %d where all are taken", hue)
	}
	if again := first.hues(); again["session-0"] != mine || again["session-3"] != all["session-3"] {
		t.Errorf("colours changed from %v to %v", all, again)
	}

	// The one that has left the queue gives its colour away, and comes back with it when it is free.
	gone := all["session-5"]
	last.choose(1)
	last.settle()
	last.ask(2)
	if got := last.hues()["session-5"]; got != gone {
		t.Errorf("it comes back with %d, not with %d", got, gone)
	}
}
