package ui

import (
	"strings"
	"testing"
	"time"
)

// TestUnseenFormIsNotAnswered: where the pane is too small to show a form no key acts on it, and what was being written goes on.
func TestUnseenFormIsNotAnswered(t *testing.T) {
	s := newStage(t, 10, 3)
	s.desk.ask(storage(s.clock))
	if got := s.frame(); !strings.Contains(got, "1 waiting\npane too\nsmall") {
		t.Errorf("the screen:\n%s", got)
	}
	s.keys("1", "tab", "enter", "1", "1", "enter", "d", "y", "z", "1", "?", "enter", "esc", "esc", "ctrl+c", "ctrl+c")
	for _, what := range []string{"submit", "cancel", "defer", "shown", "quiet"} {
		if calls := s.desk.made(what); len(calls) != 0 {
			t.Errorf("%s of a form that cannot be seen: %v", what, calls)
		}
	}
	s.screen.SetSize(80, 24)
	s.frame()
	s.raw("4")
	if s.pane.onScreen().area != nil {
		t.Error("a key counted that was meant for a pane too small")
	}
	s.keys("4", "a")
	s.screen.SetSize(10, 3)
	s.keys("b", "x", "backspace", "enter", "c")
	s.screen.SetSize(80, 24)
	s.frame()
	s.raw("d")
	s.clock.pass(time.Second)
	if got := s.pane.onScreen().form.Editor(); got == nil || got.Text != "abcd" {
		t.Errorf("written across the sizes: %+v", got)
	}
}
