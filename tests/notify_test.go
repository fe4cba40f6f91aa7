package tests

import (
	"os"
	"path/filepath"
	"testing"

	"askd/tests/tmuxtest"
)

// TestNotifyTerminal: an accepted question rings the terminal, which marks the window in tmux, and its title says how many
// wait; a refused one does not. Neither moves the focus.
func TestNotifyTerminal(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.askd()
	c := connect(t, p, "s")
	c.call("tool.call", askParams(1, `{"questions":[]}`))
	if s.Rung() {
		t.Fatal("a refused question rang")
	}
	if s.Title() != "askd" {
		t.Errorf("the title is %q", s.Title())
	}
	c.begin(2, twoQuestions)
	within(t, "the bell", s.Rung)
	within(t, "the title with one", func() bool { return s.Title() == "askd (1)" })
	c.begin(3, twoQuestions)
	within(t, "the title with two", func() bool { return s.Title() == "askd (2)" })
}

// TestNotifyCommand: headless, a configured command still hears of the question.
func TestNotifyCommand(t *testing.T) {
	p := newPlace(t)
	told := filepath.Join(p.dir, "told")
	serve(t, p)
	c := connect(t, p, "s")
	var saved struct{ Saved bool }
	c.must("settings.set", `{"key":"notifications.channels","value":["bell",{"type":"command","command":"printf %s \"$ASK_NOTIFY_MESSAGE\" > '`+told+`.part' && mv '`+told+`.part' '`+told+`'"}]}`, &saved)
	if !saved.Saved {
		t.Fatal("the setting was not saved")
	}
	c.begin(1, twoQuestions)
	within(t, "the command", func() bool { return exists(told) })
	raw, err := os.ReadFile(told)
	if err != nil || string(raw) != "Question waiting: Store" {
		t.Errorf("the command was told %q, %v", raw, err)
	}
}
