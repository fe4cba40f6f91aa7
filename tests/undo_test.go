package tests

import (
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/tmuxtest"
)

// TestUndoCancel: a cancel with Esc is told to nobody while it can be taken back; taken back the form stands there with all
// that was entered, and left alone the agent is told. A clean stop of askd does not wait for it.
func TestUndoCancel(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	writeSettings(t, filepath.Join(p.dir, "agent"), `{"schemaVersion":5,"behaviour":{"undoCancel":30}}`)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.askd()
	c := connect(t, p, "docs")
	first := c.begin(1, twoQuestions)
	s.WaitFor("Which database?")
	s.PressUntil("2", "How long are orders kept?")
	s.PressUntil("Escape", "Press cancel/dismiss again")
	s.PressUntil("Escape", "Cancelled: ")
	var queue struct{ Requests []struct{ Cancelling bool } }
	c.must("queue.list", `{}`, &queue)
	if len(queue.Requests) != 1 || !queue.Requests[0].Cancelling {
		t.Errorf("queue.list has %+v", queue)
	}
	s.Keys("M-u")
	screen := s.WaitFor("How long are orders kept?")
	if !strings.Contains(screen, "☒ Store") {
		t.Errorf("what was entered is lost:\n%s", screen)
	}
	s.PressUntil("Escape", "Press cancel/dismiss again")
	s.PressUntil("Escape", "Cancelled: ")
	var saved struct{ Saved bool }
	c.must("settings.set", `{"key":"behaviour.undoCancel","value":1}`, &saved)
	second := c.begin(2, dbQuestion)
	s.WaitFor("Which database?")
	if !c.respond(1, `{"kind":"cancel"}`).OK {
		t.Error("a cancel from outside was refused")
	}
	if o := c.ended(first); o.Provenance.Outcome != "cancelled" {
		t.Errorf("the first ended as %+v", o.Provenance)
	}
	s.WaitGone("Cancelled: ")
	s.PressUntil("Escape", "Cancelled: ")
	if o := c.ended(second); o.Provenance.Outcome != "cancelled" || o.Provenance.Via != "pane" {
		t.Errorf("the second ended as %+v", o.Provenance)
	}
	s.WaitGone("Cancelled: ")
}
