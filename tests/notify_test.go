package tests

import (
	"os"
	"path/filepath"
	"strings"
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

// TestNotifyThroughTmux: desktop notices reach the terminal outside tmux where tmux lets them through, cleaned, in the
// configured order. A channel that fails or hangs hinders neither the others nor the form.
func TestNotifyThroughTmux(t *testing.T) {
	server := tmuxtest.Start(t)
	server.LetThrough()
	outside := &lockedBuffer{}
	server.AttachTo(outside)
	p := newPlace(t)
	s := openShell(t, server, p, 80, 24)
	s.askd()
	s.Show() // tmux lets through what a visible pane sends
	s.WaitShown()
	c := connect(t, p, "s")
	c.must("settings.set", `{"key":"notifications.channels","value":["osc9",{"type":"command","command":"exit 7"},{"type":"command","command":"sleep 600"},"osc777"]}`, nil)
	open := c.begin(1, strings.Replace(dbQuestion, `"questions":[{`, `"questions":[{"label":"a;b\u001b]0;evil\u0007",`, 1))
	within(t, "the first notice", func() bool { return strings.Contains(outside.String(), "\x1b]9;Question waiting: a;b␛]0;evil␇\a") })
	if !c.respond(1, choosePostgres).OK { // while the command hangs
		t.Fatal("the answer was refused")
	}
	if o := c.ended(open); o.Provenance.Outcome != "answered" {
		t.Errorf("ended as %+v", o)
	}
	within(t, "the notice after the command that hangs", func() bool {
		return strings.Contains(outside.String(), "\x1b]777;notify;pi-agent-ask;Question waiting: a:b␛]0:evil␇\a")
	})
	if strings.Contains(outside.String(), "evil\a") {
		t.Error("text of the agent has ended a sequence")
	}
}
