package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"askd/broker/ask"
	"askd/config"
)

func TestTitleCountsWhatWaits(t *testing.T) {
	s := newStage(t, 80, 24)
	s.frame()
	if got := s.screen.GetTitle(); got != "askd" {
		t.Errorf("title %q", got)
	}
	queue(s)
	s.frame()
	if got := s.screen.GetTitle(); got != "askd (2)" {
		t.Errorf("title %q", got)
	}
}

func TestDeskHearsOfThePane(t *testing.T) {
	s := newStage(t, 80, 24)
	s.start()
	s.screen.SetSize(100, 30)
	if err := s.screen.PostEvent(tcell.NewEventResize(100, 30)); err != nil {
		t.Fatal(err)
	}
	s.until("the new size", func() bool { return s.inLoop(func() bool { return s.pane.size == [2]int{100, 30} }) })
	s.pane.Stop()
	s.until("the pane to detach", func() bool {
		sizes := s.desk.made("size")
		return len(sizes) == 3 && cap(sizes[2].Response.Choices) == 0
	})
}

func TestOpenFromOutside(t *testing.T) {
	s := newStage(t, 80, 24)
	queue(s)
	s.start()
	s.sees("Which store")
	for view, want := range map[string]string{"settings": "Live settings", "queue": "Enter open"} {
		if !s.pane.Open(view, ask.Key{}) {
			t.Errorf("%s is unknown", view)
		}
		s.sees(want)
	}
	s.pane.Open("form", ask.Key{Session: "docs-site", Request: "b1"})
	s.sees("Which Tone?")
	if s.pane.Open("nothing", ask.Key{}) {
		t.Error("an unknown view was opened")
	}
}

// TestOpenedFromOutsideTakesNoKeyAtOnce: what was meant for the form changes no setting and opens nothing.
func TestOpenedFromOutsideTakesNoKeyAtOnce(t *testing.T) {
	for view, keys := range map[string][]string{"settings": {"enter", "space", "down", "esc"}, "queue": {"z", "?", "h", "enter", "esc"}, "history": {"e", "/", "esc"}} {
		t.Run(view, func(t *testing.T) {
			s := newStage(t, 80, 24)
			queue(s)
			s.remember()
			s.frame()
			s.clock.pass(time.Minute)
			s.pane.Open(view, ask.Key{})
			s.frame()
			before := s.settings.Current().Settings.Behaviour
			overlay, inInbox := s.pane.overlay, s.pane.inInbox
			s.clock.pass(config.Guard - time.Millisecond)
			s.raw(keys...)
			if s.pane.overlay != overlay || s.pane.inInbox != inInbox || s.settings.Current().Settings.Behaviour != before {
				t.Errorf("a key counted that was meant for the form:\n%s", s.frame())
			}
			s.clock.pass(time.Second)
			s.raw("esc")
			if s.pane.overlay != nil || s.pane.inInbox {
				t.Errorf("Esc does not close it:\n%s", s.frame())
			}
		})
	}
}

// Without any colour the focus still shows: the pointer, and letters that are bold or reversed.
func TestFocusShowsWithoutColour(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("down")
	for what, want := range map[string]tcell.AttrMask{"2. SQLite": tcell.AttrBold, "☐ Store": tcell.AttrReverse} {
		x, y := place(s.text(), what)
		cells, w, _ := s.screen.GetContents()
		fg, bg, attrs := cells[y*w+x].Style.Decompose()
		if attrs&want == 0 || fg != tcell.ColorDefault || bg != tcell.ColorDefault {
			t.Errorf("%q is drawn with attributes %v, colours %v on %v", what, attrs, fg, bg)
		}
	}
}

func place(screen, what string) (x, y int) {
	for y, l := range strings.Split(screen, "\n") {
		if i := strings.Index(l, what); i >= 0 {
			return width(l[:i]), y
		}
	}
	return 0, 0
}

func TestFormUnderAnOverlayIsNotShownYet(t *testing.T) {
	s := newStage(t, 80, 24)
	s.keys("?")
	s.desk.ask(storage(s.clock))
	s.keys("down")
	if n := len(s.desk.made("shown")); n != 0 {
		t.Fatal("a form under the settings counts as shown")
	}
	s.clock.pass(time.Second)
	s.raw("esc")
	s.frame()
	s.raw("1")
	if got := s.frame(); !strings.Contains(got, "Which store") {
		t.Errorf("a key meant for the settings chose:\n%s", got)
	}
	if n := len(s.desk.made("shown")); n != 1 {
		t.Errorf("shown %d times", n)
	}
}
