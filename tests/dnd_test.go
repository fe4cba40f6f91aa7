package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/tmuxtest"
)

// TestDoNotDisturb: a person puts everything off with a key; what is asked meanwhile rings nothing and takes no screen, its
// agent is told, and when the person ends it there is one notice of all that waits and the first form comes up.
func TestDoNotDisturb(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.askd()
	c := connect(t, p, "docs")
	told := filepath.Join(p.dir, "told")
	var saved struct{ Saved bool }
	c.must("settings.set", `{"key":"notifications.channels","value":["bell",{"type":"command","command":"echo \"$ASK_NOTIFY_MESSAGE\" >> '`+told+`'"}]}`, &saved)
	s.Keys("z")
	s.WaitFor("1. for 15 minutes, until")
	s.Keys("Enter")
	s.WaitFor("Do not disturb until ")
	first := c.begin(1, dbQuestion)
	c.begin(2, twoQuestions)
	if text := c.notice("notify").Params; !strings.Contains(string(text), "the question is kept") {
		t.Errorf("the agent is told %s", text)
	}
	screen := s.WaitFor("2 waiting: Alt+Q shows them.")
	if strings.Contains(screen, "Which database?") || s.Rung() || exists(told) {
		t.Errorf("the person was disturbed:\n%s", screen)
	}
	s.Keys("z")
	s.WaitFor("❯ 4. off")
	s.Keys("Enter")
	s.WaitFor("Which database?")
	within(t, "the notice", func() bool { return exists(told) })
	within(t, "the bell", s.Rung)
	raw, err := os.ReadFile(told)
	if err != nil || string(raw) != "Do not disturb is over: 2 questions wait\n" {
		t.Errorf("the command was told %q, %v", raw, err)
	}
	if !c.respond(1, choosePostgres).OK {
		t.Error("the answer was refused")
	}
	if o := c.ended(first); o.Provenance.Outcome != "answered" {
		t.Errorf("ended as %+v", o.Provenance)
	}
}
