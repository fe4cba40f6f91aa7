package ui

import (
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// TestCancelGoesOnAtOnce: what comes next has the screen, a line says how the cancel is taken back and for how long, and it
// comes back as it was left, guarded like any form.
func TestCancelGoesOnAtOnce(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.grace = 3 * time.Second
	a, b := storage(s.clock), small(s.clock, "docs", "b1", "Tone", 0, false)
	s.desk.ask(a, b)
	s.keys("2", "4", "my own words", "enter", "shift+tab", "esc", "esc")
	if got := s.frame(); !strings.Contains(got, "Tone?") || !strings.Contains(got, "Cancelled: Store · Retention · Alt+U takes it back (") {
		t.Fatalf("the next form is not there:\n%s", got)
	}
	if got := s.frame(); strings.Contains(got, "1/2") || strings.Contains(got, "next:") {
		t.Errorf("the cancelled form is still offered:\n%s", got)
	}
	s.raw("alt+u")
	if got := s.frame(); !strings.Contains(got, "How long are orders kept?") || !strings.Contains(got, "my own words") || strings.Contains(got, "Cancelled:") {
		t.Fatalf("it is not as it was left:\n%s", got)
	}
	if got := s.frame(); strings.Contains(got, "again to discard") {
		t.Errorf("the next Esc would discard it:\n%s", got)
	}
	before := s.frame()
	s.clock.pass(config.Guard - time.Millisecond)
	s.raw("esc")
	s.raw("1")
	if got := s.frame(); got != before {
		t.Errorf("a key acted within the guard:\n%s", got)
	}
	s.keys("tab", "1", "1")
	want := ask.Choice{Type: ask.Single, Selected: []int{1}}
	if got := only(t, s.desk, "submit"); got.Key != a.Key() || got.Response.Choices[0].Selected[0] != want.Selected[0] || got.Response.Choices[1].CustomText != "my own words" {
		t.Errorf("sent %+v", got)
	}
}

// TestCancelIsTakenBackFromAnywhere: in an editor, the inbox, the settings, a prompt and with nothing open.
func TestCancelIsTakenBackFromAnywhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		next func(*clock) *broker.Entry
		keys []string
	}{
		{"nothing open", nil, nil},
		{"an editor", storage, []string{"4", "some text"}},
		{"a note", storage, []string{"n", "some text"}},
		{"the inbox", storage, []string{"alt+q"}},
		{"the settings", storage, []string{"?"}},
		{"the history", storage, []string{"ctrl+r"}},
		{"the choice of quiet", storage, []string{"z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.desk.grace = 30 * time.Second
			gone := small(s.clock, "docs", "b1", "Tone", time.Minute, false)
			s.desk.ask(gone)
			s.keys("esc")
			if tt.next != nil {
				s.desk.ask(tt.next(s.clock))
			}
			s.keys(tt.keys...)
			s.keys("alt+u")
			if got := s.frame(); s.pane.current != gone.Key() || s.pane.inInbox || s.pane.overlay != nil {
				t.Errorf("it has not come back:\n%s", got)
			}
			if tt.next != nil && len(tt.keys) == 2 {
				s.pane.openEntry(s.desk.Snapshot().Entries[0].Key())
				if got := s.frame(); !strings.Contains(got, "some text") {
					t.Errorf("what was being written is lost:\n%s", got)
				}
			}
		})
	}
}

// TestCancelTooLate says so, and the line counts down and goes with the cancel.
// TestCancelInAnotherPaneTakesNoFormFromTheHands: who is writing in this pane reads on there, writes into no other form, and
// goes on when the cancel is taken back.
func TestCancelInAnotherPaneTakesNoFormFromTheHands(t *testing.T) {
	s := newStage(t, 100, 30)
	queue(s)
	s.keys("4", "mine")
	v := s.pane.onScreen()
	k := v.entry.Key()
	s.desk.grace = time.Hour
	s.desk.holdCancel(k, ask.Response{}, func(error) {})
	s.frame()
	s.keys("n", "o", "d", "1")
	s.has("This question was cancelled in another pane; Alt+U takes that back.", "mine")
	if s.pane.onScreen() != v {
		t.Fatalf("another form took the keys:\n%s", s.frame())
	}
	s.keys("alt+u")
	s.has("!cancelled in another pane")
	s.keys("!")
	if e := v.form.Editor(); s.pane.onScreen() != v || e == nil || e.Text != "mine!" {
		t.Errorf("it does not go on:\n%s", s.frame())
	}
	s.desk.holdCancel(k, ask.Response{}, func(error) {})
	s.has("Alt+U takes that back")
	s.desk.set(func(snap *broker.Snapshot) {
		snap.Cancelling, snap.Recent = nil, append(snap.Recent, broker.Settled{Key: k, Kind: ask.Cancelled})
	})
	s.has("This question was cancelled elsewhere.", "!Alt+U takes that back")
}

func TestCancelTooLate(t *testing.T) {
	s := newStage(t, 40, 12)
	s.desk.grace = 3 * time.Second
	e := small(s.clock, "docs", "b1", "Tone", 0, true)
	s.desk.ask(e)
	s.frame()
	s.clock.pass(time.Second)
	s.raw("ctrl+c") // in a background form
	if got := s.frame(); !strings.Contains(got, "(3 s)") {
		t.Errorf("nothing is said:\n%s", got)
	}
	s.clock.pass(1500 * time.Millisecond)
	if got := s.frame(); !strings.Contains(got, "(2 s)") {
		t.Errorf("the seconds stand still:\n%s", got)
	}
	if next := s.pane.next(); next > time.Second {
		t.Errorf("the next second comes in %s", next)
	}
	s.desk.undo = nil // it is being stored
	s.raw("alt+u")
	s.frame()
	s.desk.set(func(snap *broker.Snapshot) { snap.Cancelling = nil })
	got := s.frame()
	if !strings.Contains(got, "Too late: Tone has ended meanwhile.") || strings.Contains(got, "takes it back") {
		t.Errorf("nothing is said:\n%s", got)
	}
	s.clock.pass(time.Second)
	s.raw("alt+u") // nothing to take back
	if n := len(s.desk.made("undo")); n != 1 {
		t.Errorf("%d cancels were taken back", n)
	}
}

// TestUndoIsSetInTheSettings: the row goes through its steps.
func TestUndoIsSetInTheSettings(t *testing.T) {
	s := newStage(t, 80, 24)
	s.keys("?", "down", "down", "down", "down", "down")
	for _, want := range []string{"Take back a cancel", "[3 s]"} {
		if got := s.frame(); !strings.Contains(got, want) {
			t.Fatalf("%q is not there:\n%s", want, got)
		}
	}
	for _, want := range []string{"[5 s]", "[10 s]", "[30 s]", "[off]", "[3 s]"} {
		s.keys("enter")
		for range 1000 {
			if got := s.frame(); strings.Contains(got, want) && !s.pane.overlay.(*settingsList).saving {
				break
			}
		}
		if got := s.frame(); !strings.Contains(got, want) {
			t.Fatalf("%q is not there:\n%s", want, got)
		}
	}
}
