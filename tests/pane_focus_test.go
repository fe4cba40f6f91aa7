package tests

import (
	"fmt"
	"testing"

	"askd/tests/tmuxtest"
)

// TestFocusBetweenAgentAndPane goes from an agent's terminal to askd's and back, in a tmux that somebody looks at. Asking and
// answering move nothing.
func TestFocusBetweenAgentAndPane(t *testing.T) {
	server := tmuxtest.Start(t)
	p := newPlace(t)
	s := openShell(t, server, p, 120, 40)
	agent := server.Run(tmuxtest.Program{Dir: p.dir, Env: p.env("PS1=agent> "), Argv: []string{"bash", "--norc", "--noprofile", "-i"}})
	server.Attach()
	agent.WaitFor("agent>")
	agent.Show()
	agent.WaitShown()
	s.askd()

	c := dialRaw(t, p.socket).hello()
	c.must("session.open", fmt.Sprintf(`{"id":"a","name":"a","cwd":"/src/a","ui":"tui","reason":"startup","branch":[],"terminal":{"kind":"tmux","id":%q}}`, agent.ID()), nil)
	c.begin(1, dbQuestion)
	s.WaitFor("Which database?")
	if !agent.Shown() {
		t.Fatal("asking has moved the focus")
	}
	var moved struct{ Moved bool }
	c.must("pane.focus", `{}`, &moved)
	if !moved.Moved {
		t.Fatal("the focus was not moved to askd's pane")
	}
	s.WaitShown()
	s.Keys("M-q")
	s.WaitFor("Alt+Q agent")
	if !s.Shown() {
		t.Fatal("the first key has left the pane")
	}
	s.Keys("M-q")
	agent.WaitShown()
	s.WaitFor("Enter confirm")

	other := connect(t, p, "other") // of no terminal: it is not known where the person is, and the pane is shown nowhere else
	other.must("pane.focus", `{}`, &moved)
	s.WaitShown()
	if !moved.Moved {
		t.Error("the pane's own session is on a terminal, yet the focus was not moved")
	}
}

// TestFocusOnAsk: a person who has said so is taken to the pane by a question.
func TestFocusOnAsk(t *testing.T) {
	server := tmuxtest.Start(t)
	p := newPlace(t)
	s := openShell(t, server, p, 120, 40)
	agent := server.Run(tmuxtest.Program{Dir: p.dir, Env: p.env("PS1=agent> "), Argv: []string{"bash", "--norc", "--noprofile", "-i"}})
	server.Attach()
	agent.Show()
	s.askd()
	agent.WaitShown()
	c := dialRaw(t, p.socket).hello()
	c.must("session.open", fmt.Sprintf(`{"id":"a","name":"a","cwd":"/src/a","ui":"tui","reason":"startup","branch":[],"terminal":{"kind":"tmux","id":%q}}`, agent.ID()), nil)
	var saved struct{ Saved bool }
	c.must("settings.set", `{"key":"pane.focusOnAsk","value":true}`, &saved)
	if !saved.Saved {
		t.Fatal("the setting was not saved")
	}
	c.begin(1, dbQuestion)
	s.WaitShown()
	s.WaitFor("Which database?")
}

// TestFocusWithoutPane: a daemon without a pane has nothing to focus.
func TestFocusWithoutPane(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	var moved struct{ Moved bool }
	connect(t, p, "a").must("pane.focus", `{}`, &moved)
	if moved.Moved {
		t.Error("the focus was moved to a pane that is not there")
	}
}
