package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"askd/config"
)

// at finds where a text stands on the screen.
func (s *stage) at(what string) (x, y int) {
	s.t.Helper()
	for y, l := range strings.Split(s.look(), "\n") {
		if i := strings.Index(l, what); i >= 0 {
			return width(l[:i]), y
		}
	}
	s.t.Fatalf("%q is not on the screen:\n%s", what, s.look())
	return 0, 0
}

// click presses and releases the button over a text.
func (s *stage) click(what string) {
	s.t.Helper()
	x, y := s.at(what)
	s.clock.pass(time.Second)
	s.screen.InjectMouse(x, y, tcell.ButtonPrimary, 0)
	s.screen.InjectMouse(x, y, tcell.ButtonNone, 0)
}

func TestClicks(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.start()
	s.sees("Which store")
	s.click("SQLite")
	s.sees("How long are orders kept?")
	s.click("7 years")
	s.sees("[x] 7 years")
	s.click("Store")
	s.sees("SQLite ✓")
	s.click("Review")
	s.sees("Review answers")
	s.click("Submit")
	s.sees("Press 1 again")
	s.click("Submit")
	s.sees("✓ saved")
}

func TestPressAloneDoesNothing(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.start()
	x, y := s.at("SQLite")
	s.clock.pass(time.Second)
	s.screen.InjectMouse(x, y, tcell.ButtonPrimary, 0)
	s.screen.InjectMouse(x, y+3, tcell.ButtonPrimary, 0)
	s.screen.InjectMouse(x, y+3, tcell.ButtonNone, 0)
	s.inject("down")
	s.sees("❯ 2. SQLite")
}

func TestClickAfterFocusOutOnlyRestoresFocus(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.start()
	s.sees("Which store")
	s.clock.pass(time.Second)
	if err := s.screen.PostEvent(tcell.NewEventFocus(false)); err != nil {
		t.Fatal(err)
	}
	if err := s.screen.PostEvent(tcell.NewEventFocus(true)); err != nil {
		t.Fatal(err)
	}
	s.click("SQLite")
	s.click("Files")
	s.sees("How long")
	if got := s.inLoop(func() bool {
		return s.pane.onScreen().form.Response().Choices[0].Selected[0] == 2
	}); !got {
		t.Error("the first click chose")
	}
}

func TestClickWithinTheGuardDoesNothing(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.start()
	x, y := s.at("SQLite")
	s.clock.pass(config.Guard / 2)
	s.screen.InjectMouse(x, y, tcell.ButtonPrimary, 0)
	s.screen.InjectMouse(x, y, tcell.ButtonNone, 0)
	s.inject("down")
	s.sees("❯ 2. SQLite")
}

func TestClickWhileTheInboxHasTheFocusOnlyRestoresFocus(t *testing.T) {
	s := newStage(t, 120, 40)
	queue(s)
	s.start()
	s.sees("Which store")
	s.inject("alt+q")
	s.sees("Enter open")
	s.click("SQLite")
	s.sees("Enter confirm")
	s.click("SQLite")
	s.sees("How long are orders kept?")
}

func TestWheelScrollsWhatLiesUnderIt(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(long(s.clock))
	s.start()
	x, y := s.at("Line 3 ")
	s.screen.InjectMouse(x, y, tcell.WheelDown, 0)
	s.until("the prompt to scroll", func() bool { return !strings.Contains(s.look(), "Line 1 ") })
	x, y = s.at("Option 1")
	s.screen.InjectMouse(x, y, tcell.WheelDown, 0)
	s.until("the rows to scroll", func() bool { return !strings.Contains(s.look(), "❯") })
	s.inject("down")
	s.sees("❯  2. [ ] Option 2")
}

func TestMouseCanBeLeftToTheTerminal(t *testing.T) {
	s := newStage(t, 80, 24)
	s.start()
	s.inject("f2")
	s.until("the mouse to be left", func() bool { return s.inLoop(func() bool { return s.pane.quiet }) })
}
