package broker_test

import (
	"slices"
	"sync"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// announced keeps what a broker has said waits for input.
type announced struct {
	mu  sync.Mutex
	ids []string
}

func (a *announced) hear(r *ask.Request) {
	a.mu.Lock()
	a.ids = append(a.ids, r.ID)
	a.mu.Unlock()
}

func (a *announced) heard() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.ids)
}

// TestAnnounced: one notice for each ask, when its form waits (contract, "Notifications"): for a foreground one when it is
// asked, for a background one when it is shown. What was there before askd started is no news.
func TestAnnounced(t *testing.T) {
	w := newWorld(t)
	w.PaneSize(80, 24)
	c := w.connect("askd-pi")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
	expect := func(what string, want ...string) {
		t.Helper()
		c.settle()
		if got := w.announced.heard(); !slices.Equal(got, want) {
			t.Errorf("%s: announced %v, want %v", what, got, want)
		}
	}
	c.ask(1)
	expect("a foreground form, behind another or not", id(1))
	w.Shown(key("s", 1))
	expect("its first screen", id(1))
	c.call(2, `{"questions":[]}`).outcome()
	expect("a refused call", id(1))
	c.queueForm(3)
	c.queueForm(4)
	expect("queued forms", id(1))
	w.Shown(key("s", 3))
	w.Shown(key("s", 3))
	expect("a queued form on the screen", id(1), id(3))
	headless := w.headless("h", "print")
	headless.offered(5)
	headless.settle()
	expect("another surface's form", id(1), id(3))

	w.restart()
	w.PaneSize(80, 24)
	c = w.connect("askd-pi")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Reason: "startup", Branch: []broker.BranchEvent{asked(3, true), asked(4, true)}})
	w.Shown(key("s", 3))
	w.Shown(key("s", 4))
	expect("after a restart", id(1), id(3))
}
