package broker_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

const grace = 3 * time.Second

// holding is a world in which cancels are held, with a clock.
type holding struct {
	*world
	clock *clock
}

func newHolding(t *testing.T) *holding {
	h := &holding{clock: &clock{at: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), timers: map[*timer]struct{}{}}}
	h.world = newWorldWith(t, filepath.Join(t.TempDir(), "askd.db"), func(o *broker.Options) {
		o.Now, o.After = h.clock.now, h.clock.after
	})
	h.behaviour.Store(&broker.Behaviour{UndoCancel: grace})
	return h
}

// cancelForm cancels form n of session s in the pane and waits until that is held.
func (h *holding) cancelForm(n int) *answer {
	h.tb.Helper()
	a := newAnswer(h.tb, "cancel "+id(n))
	h.Cancel(key("s", n), first, a.done)
	until(h.tb, "the held cancel", func() bool { return len(h.Snapshot().Cancelling) > 0 })
	return a
}

func (h *holding) undo(n int) error {
	a := newAnswer(h.tb, "undo "+id(n))
	h.UndoCancel(key("s", n), a.done)
	_, err := a.wait()
	return err
}

// want waits for the outcome of a call and compares its kind and way.
func (a *answer) want(kind ask.OutcomeKind, via ask.Via) {
	a.tb.Helper()
	if p := a.outcome().Provenance; p.Outcome != kind || p.Via != via {
		a.tb.Errorf("%s ended as %s via %s, want %s via %s", a.what, p.Outcome, p.Via, kind, via)
	}
}

// TestCancelIsHeld: it is offered nowhere, not on disk and told to nobody until its time is over; then it is what it was.
func TestCancelIsHeld(t *testing.T) {
	h := newHolding(t)
	c := h.session("s")
	call := c.ask(1)
	done := h.cancelForm(1)
	if s := h.Snapshot(); len(s.Entries) != 0 || s.Cancelling[0].CancelUntil != h.clock.now().Add(grace) {
		t.Errorf("offered: %d, until %v", len(s.Entries), s.Cancelling[0].CancelUntil)
	}
	if q := c.queue(); len(q) != 1 || !q[0].Cancelling {
		t.Errorf("queue.list has %+v", q)
	}
	h.clock.move(grace-time.Millisecond, false)
	c.settle()
	if rec, _ := h.stored("s", 1); rec.Outcome != nil || !call.open() || !done.open() {
		t.Error("it was told before its time")
	}
	h.clock.move(time.Millisecond, false)
	call.want(ask.Cancelled, ask.ViaPane)
	if _, err := done.wait(); err != nil {
		t.Error(err)
	}
	if err := h.undo(1); !errors.Is(err, broker.ErrNotPending) {
		t.Errorf("taking it back too late gave %v", err)
	}
}

// TestCancelIsTakenBack: the form waits as before, with its draft, and can be answered or cancelled again.
func TestCancelIsTakenBack(t *testing.T) {
	h := newHolding(t)
	c := h.session("s")
	call := c.ask(1)
	for range 2 {
		done := h.cancelForm(1)
		draft := newAnswer(t, "draft")
		h.SaveDraft(key("s", 1), &ask.Draft{Tab: 1}, 0, draft.done)
		if _, err := draft.wait(); err != nil {
			t.Error(err)
		}
		for range 2 { // the second from another pane, at the same moment
			if err := h.undo(1); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := done.wait(); !errors.Is(err, broker.ErrTakenBack) {
			t.Errorf("the cancel ended with %v", err)
		}
		h.entry("s", 1, "offered again", func(e *broker.Entry) bool { return e != nil && e.Draft != nil && e.CancelUntil.IsZero() })
		h.clock.move(2*grace, false)
		c.settle()
	}
	if !call.open() {
		t.Fatal("the form has ended")
	}
	c.choose(1)
	call.want(ask.Answered, ask.ViaRemote)
}

// TestHeldCancelOfTwoPanes: two panes that cancel at the same moment have cancelled once; it can be taken back, and both hear of
// it.
func TestHeldCancelOfTwoPanes(t *testing.T) {
	for name, back := range map[string]bool{"taken back": true, "left alone": false} {
		t.Run(name, func(t *testing.T) {
			h := newHolding(t)
			c := h.session("s")
			call := c.ask(1)
			one, two := h.cancelForm(1), newAnswer(t, "the other pane's cancel")
			h.Cancel(key("s", 1), ask.Response{}, two.done)
			c.settle()
			if !call.open() || len(h.Snapshot().Cancelling) != 1 {
				t.Error("the second has ended it")
			}
			want := error(nil)
			if back {
				must(t, h.undo(1))
				want = broker.ErrTakenBack
			} else {
				h.clock.move(grace, false)
				call.want(ask.Cancelled, ask.ViaPane)
			}
			for _, a := range []*answer{one, two} {
				if _, err := a.wait(); !errors.Is(err, want) {
					t.Errorf("%s ended with %v, want %v", a.what, err, want)
				}
			}
		})
	}
}

// TestHeldCancelGivesWay: whatever ends the form meanwhile does so at once, exactly once, and the cancel hears of it.
func TestHeldCancelGivesWay(t *testing.T) {
	for _, tt := range []struct {
		name  string
		end   func(*holding, *client)
		kind  ask.OutcomeKind
		via   ask.Via
		heard error
	}{
		{"a cancel from outside", func(_ *holding, c *client) { c.respond(1, `{"kind":"cancel"}`).responded() }, ask.Cancelled, ask.ViaRemote, nil},
		{"an answer from outside", func(_ *holding, c *client) { c.choose(1) }, ask.Answered, ask.ViaRemote, broker.ErrNotPending},
		{"an answer in another pane", func(h *holding, _ *client) { h.submit("s", 1) }, ask.Answered, ask.ViaPane, broker.ErrNotPending},
		{"the agent's abort", func(_ *holding, c *client) { c.abort(1, "user") }, ask.Interrupted, ask.ViaAskd, broker.ErrNotPending},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHolding(t)
			c := h.session("s")
			c.ask(1)
			done := h.cancelForm(1)
			tt.end(h, c)
			if _, err := done.wait(); !errors.Is(err, tt.heard) || tt.heard == nil && err != nil {
				t.Errorf("the cancel ended with %v, want %v", err, tt.heard)
			}
			until(t, "the outcome", func() bool { rec, _ := h.stored("s", 1); return rec.Outcome != nil })
			h.clock.move(2*grace, false)
			c.settle()
			rec, _ := h.stored("s", 1)
			if o := rec.Outcome; len(rec.Earlier) != 0 || o.Kind != tt.kind || o.Via != tt.via {
				t.Errorf("stored %s via %s, and %d before", o.Kind, o.Via, len(rec.Earlier))
			}
		})
	}
}

// TestHeldCancelAndItsDeadline: the time of the question runs on.
func TestHeldCancelAndItsDeadline(t *testing.T) {
	q := newQuestions(t)
	q.behaviour.Store(&broker.Behaviour{UndoCancel: 30 * time.Second})
	q.settings.Settings.Timeout = 10 * time.Second
	c := q.session("s")
	call := c.put(1, batch)
	c.accepted(1)
	done := newAnswer(t, "cancel")
	q.Cancel(key("s", 1), ask.Response{}, done.done)
	c.settle()
	q.clock.move(10*time.Second, false)
	call.want(ask.TimedOut, ask.ViaAskd)
	if _, err := done.wait(); !errors.Is(err, broker.ErrNotPending) {
		t.Errorf("the cancel ended with %v", err)
	}
}

// TestHeldCancelOutlivesAskd: a clean stop stores it, since the person did cancel; after the death of askd the form waits, with
// its draft.
func TestHeldCancelOutlivesAskd(t *testing.T) {
	h := newHolding(t)
	c := h.session("s")
	c.ask(1)
	h.cancelForm(1)
	h.restart()
	if rec, _ := h.stored("s", 1); rec.Outcome == nil || rec.Outcome.Kind != ask.Cancelled || rec.Outcome.Result == nil {
		t.Errorf("after a clean stop: %+v", rec.Outcome)
	}
	c = h.session("s")
	c.ask(2)
	draft := newAnswer(t, "draft")
	h.SaveDraft(key("s", 2), &ask.Draft{Tab: 1}, 0, draft.done)
	if _, err := draft.wait(); err != nil {
		t.Fatal(err)
	}
	h.cancelForm(2)
	dead := h.desk // it never gets to store anything more
	must(t, dead.journal.Close())
	h.load()
	h.run()
	h.entry("s", 2, "waiting", func(e *broker.Entry) bool { return e != nil && e.Draft != nil && e.Draft.Tab == 1 })
	dead.stop()
}

// TestHeldCancelOfAParkedForm: what is off its branch is not cancelled.
func TestHeldCancelOfAParkedForm(t *testing.T) {
	h := newHolding(t)
	c := h.connect("askd-pi")
	info := broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}, Instance: "i"}
	c.open(info)
	c.ask(1)
	done := h.cancelForm(1)
	info.Epoch, info.Reason = 1, "tree"
	c.open(info)
	if _, err := done.wait(); !errors.Is(err, broker.ErrNotPending) {
		t.Errorf("the cancel ended with %v", err)
	}
	h.clock.move(2*grace, false)
	c.settle()
	if rec, _ := h.stored("s", 1); rec.Outcome != nil {
		t.Errorf("it ended as %s", rec.Outcome.Kind)
	}
}

// TestHeldCancelThatCannotBeStored opens the form again.
func TestHeldCancelThatCannotBeStored(t *testing.T) {
	h := newHolding(t)
	c := h.session("s")
	c.ask(1)
	done := h.cancelForm(1)
	h.disk.fail("before-outcome-committed")
	h.clock.move(grace, false)
	if _, err := done.wait(); err == nil || errors.Is(err, broker.ErrNotPending) {
		t.Errorf("the cancel ended with %v", err)
	}
	h.entry("s", 1, "open again", func(e *broker.Entry) bool { return e != nil && !e.Settling })
}
