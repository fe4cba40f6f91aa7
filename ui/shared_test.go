package ui

import (
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// elsewhere has another pane keep a draft of the form on screen.
func (s *stage) elsewhere(serial uint64, d *ask.Draft) {
	s.t.Helper()
	s.desk.set(func(snap *broker.Snapshot) {
		copied := *snap.Entries[0]
		copied.Draft, copied.Drafted = d, broker.Drafted{Serial: serial, By: deskID + 1}
		snap.Entries[0] = &copied
	})
}

// writing is a draft with an open editor for an answer of one's own to the first question of storage.
func writing(text string) *ask.Draft {
	return &ask.Draft{Row: 3, Editor: &ask.EditorDraft{Kind: "custom", Question: "store", Text: text}}
}

// lastDraft is the newest draft that the pane has kept.
func (s *stage) lastDraft() call {
	s.t.Helper()
	calls := s.desk.made("draft")
	if len(calls) == 0 {
		s.t.Fatal("no draft was kept")
	}
	return calls[len(calls)-1]
}

// TestFollowsAnotherPane: what is entered elsewhere shows here, said to be so, and what is entered here goes on from it.
func TestFollowsAnotherPane(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("down")
	s.elsewhere(7, writing("a graph store"))
	s.frame()
	s.has("a graph store", atItElsewhere)
	s.raw("enter") // meant for what stood here before
	s.frame()
	if n := len(s.desk.made("submit")) + len(s.desk.made("draft")); n != 1 || !strings.Contains(s.text(), "a graph store") {
		t.Errorf("a key took the changed form at once: %d calls\n%s", n, s.text())
	}
	s.keys("!")
	got := s.lastDraft()
	if got.Basis != 7 || got.Draft.Editor == nil || got.Draft.Editor.Text != "a graph store!" {
		t.Errorf("kept %+v, basis %d", got.Draft, got.Basis)
	}
	if strings.Contains(s.text(), atItElsewhere) {
		t.Error("the pane that types says that another is at it")
	}
	s.elsewhere(7, writing("a graph store")) // the snapshot before what was typed here
	s.frame()
	s.has("a graph store!")
	s.elsewhere(9, nil)
	if s.frame(); strings.Contains(s.text(), "graph") {
		t.Errorf("the draft that was taken away elsewhere is still here:\n%s", s.text())
	}
}

// TestDraftMovedIsSaid: a key that was pressed in both panes at once is never lost without a word.
func TestDraftMovedIsSaid(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.desk.refuse = broker.ErrDraftMoved
	s.keys("down")
	s.has("This form was changed in another pane", "enter your last key again")
	s.desk.refuse = nil
	s.keys("down")
	if strings.Contains(s.text(), "at the same moment") {
		t.Error("it is still said after the next key")
	}
}

// TestAnsweredInAnotherPane: a form that was only followed here leaves with a word on it; what was entered here stays.
func TestAnsweredInAnotherPane(t *testing.T) {
	for mine, want := range map[bool]string{false: "✓ answered elsewhere · saved for checkout-api", true: "What you entered can be read and copied here"} {
		s := newStage(t, 80, 24)
		e := storage(s.clock)
		s.desk.ask(e)
		s.frame()
		s.elsewhere(7, writing("a graph"))
		s.frame()
		if mine {
			s.keys("!")
		}
		s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), SessionName: e.SessionName, Kind: ask.Answered, At: s.clock.Now()})
		s.frame()
		s.has(strings.Fields(want)...)
		if got := strings.Contains(s.text(), "a graph!"); got != mine {
			t.Errorf("typed here %t, shown %t:\n%s", mine, got, s.text())
		}
	}
}

// TestPromptFollowsAnotherPane: prompts of ask_user_question follow as well.
func TestPromptFollowsAnotherPane(t *testing.T) {
	s := newStage(t, 80, 24)
	s.batch(inline())
	s.frame()
	s.clock.pass(time.Second)
	s.elsewhere(3, &ask.Draft{Questions: []ask.QuestionDraft{{ID: "q1", Filter: "zzz"}}})
	s.frame()
	s.has("zzz", "Another pane is at this form")
}
