package tests

import (
	"strings"
	"testing"

	"askd/tests/tmuxtest"
)

// reads waits until a text stands at the terminal's cursor: what a screen reader finds there.
func (s shell) reads(text string) {
	s.t.Helper()
	s.Wait(text+" at the cursor", func(string) bool { return strings.HasPrefix(s.AtCursor(), text) })
}

// TestPlainPane: askd --plain in a real terminal has no line and no mark on the screen, and its cursor follows the focus and
// the text that is written. A pane that is attached with --plain does the same beside it.
func TestPlainPane(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	server := tmuxtest.Start(t)
	s := openShell(t, server, p, 80, 24)
	s.command(`clear; "$ASKD" --plain`)
	s.WaitFor("nothing is waiting")
	c := connect(t, p, "checkout-api")
	open := c.begin(1, twoQuestions)
	screen := s.WaitFor("Question 1 of 2: Store, not answered")
	for _, r := range screen {
		if r > 0x7e {
			t.Fatalf("%q is on the screen:\n%s", r, screen)
		}
	}
	s.reads("1. Postgres, option 1 of")
	s.Keys("Down")
	s.reads("2. SQLite, option 2 of")
	beside := openShell(t, server, p, 60, 20)
	beside.command(`clear; "` + program(t, "askctl") + `" attach --plain`)
	beside.WaitFor("Question 1 of 2: Store, not answered")
	beside.reads("2. SQLite, option 2 of") // panes share what was entered
	beside.Keys("C-q")
	beside.WaitFor("Detached")
	s.PressUntil("3", "Type answer...")
	s.Type("graph")
	s.WaitFor("graph")
	s.Keys("Left", "Left")
	s.reads("ph")
	s.PressUntil("Enter", "Question 2 of 2: Retention, not answered")
	s.reads("1. 2 years, option 1 of")
	s.PressUntil("Tab", "Review of 2 questions")
	s.reads("1. Submit, action 1 of 2")
	s.PressUntil("Enter", "nothing is waiting")
	if o := c.ended(open); !strings.Contains(o.text(), "Store: graph") || o.Provenance.Via != "pane" {
		t.Errorf("answered %q by %+v", o.text(), o.Provenance)
	}
}

// TestPlainVariable: ASKD_PLAIN is enough, and 0 in it is none.
func TestPlainVariable(t *testing.T) {
	t.Parallel()
	server := tmuxtest.Start(t)
	for value, plain := range map[string]bool{"1": true, "0": false} {
		p := newPlace(t)
		s := openShell(t, server, p, 80, 24)
		s.command(`clear; ASKD_PLAIN=` + value + ` "$ASKD"`)
		s.WaitFor("nothing is waiting")
		c := connect(t, p, "checkout-api")
		c.begin(1, twoQuestions)
		s.WaitFor("Which database?")
		if got := strings.Contains(s.Screen(), "Question 1 of 2"); got != plain {
			t.Errorf("ASKD_PLAIN=%s: plain %t:\n%s", value, got, s.Screen())
		}
	}
}
