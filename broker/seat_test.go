package broker_test

import (
	"errors"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// kept keeps a draft from a seat and gives what came of it.
func kept(t *testing.T, s *broker.Seat, k ask.Key, text string, basis uint64) error {
	t.Helper()
	saved := newAnswer(t, "draft")
	s.SaveDraft(k, &ask.Draft{Questions: []ask.QuestionDraft{{ID: "db", CustomText: text}}}, basis, saved.done)
	_, err := saved.wait()
	return err
}

// typed is what the draft of the only form says now, and who kept it.
func typed(s *broker.Seat) (string, broker.Drafted) {
	entries := s.Snapshot().Entries
	if len(entries) == 0 || entries[0].Draft == nil {
		return "", broker.Drafted{}
	}
	return entries[0].Draft.Questions[0].CustomText, entries[0].Drafted
}

// TestDraftsOfTwoSeats: each pane sees what the other keeps, and none overwrites what it has not seen.
func TestDraftsOfTwoSeats(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.ask(1)
	one, two, k := w.Seat, w.Broker.Seat(), key("s", 1)
	one.PaneSize(80, 24)
	two.PaneSize(100, 30)
	must(t, kept(t, one, k, "a", 0))
	must(t, kept(t, one, k, "ab", 0))
	var seen broker.Drafted
	until(t, "the draft of the first in the second", func() bool {
		<-two.Changed()
		text, by := typed(two)
		seen = by
		return text == "ab"
	})
	if seen.By != one.ID() {
		t.Errorf("kept by %d, want %d", seen.By, one.ID())
	}
	if err := kept(t, two, k, "mine", 0); !errors.Is(err, broker.ErrDraftMoved) {
		t.Errorf("a draft over one that was not seen: %v", err)
	}
	must(t, kept(t, two, k, "abc", seen.Serial))
	if err := kept(t, one, k, "abx", 0); !errors.Is(err, broker.ErrDraftMoved) {
		t.Errorf("the first wrote over the second: %v", err)
	}
	until(t, "the draft of the second in the first", func() bool {
		<-one.Changed()
		text, by := typed(one)
		return text == "abc" && by.By == two.ID()
	})
	if n := len(c.told("queue.changed")); n != 0 {
		t.Errorf("a draft told %d watchers", n)
	}
}

// TestOneSeatIsQuiet: alone, a keystroke makes no snapshot.
func TestOneSeatIsQuiet(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.ask(1)
	w.PaneSize(80, 24)
	c.settle()
	before := w.Snapshot().Serial
	must(t, kept(t, w.Seat, key("s", 1), "a", 0))
	c.settle()
	if after := w.Snapshot().Serial; after != before {
		t.Errorf("snapshot %d after %d", after, before)
	}
}

// TestSeatsLeave: a pane is attached as long as one seat is taken, and a seat that was left is woken no more.
func TestSeatsLeave(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	two := w.Broker.Seat()
	w.PaneSize(80, 24)
	two.PaneSize(100, 30)
	if got, want := c.settle().Pane, (broker.Pane{Attached: true, Columns: 80, Rows: 24, Panes: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	w.PaneSize(0, 0)
	if got, want := c.settle().Pane, (broker.Pane{Attached: true, Columns: 100, Rows: 30, Panes: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	select {
	case <-w.Changed():
	default:
	}
	c.ask(1)
	c.settle()
	select {
	case <-w.Changed():
		t.Error("a seat that was left was woken")
	default:
	}
	two.PaneSize(0, 0)
	if got := c.settle().Pane; got != (broker.Pane{}) {
		t.Errorf("%+v after both have left", got)
	}
	if n := len(c.told("pane.changed")); n != 2 {
		t.Errorf("told of %d changes, want 2", n)
	}
}
