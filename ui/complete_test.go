package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"askd/broker"
)

// folder makes a real folder with empty files.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, n := range names {
		p := filepath.Join(root, n)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var project = []string{
	"README.md", "go.mod", "cmd/askd/main.go", "docs/guide one.md", "ui/editor.go", "ui/editor_test.go", "ui/form/api.go",
	"ui/設計/とても長い名前の設計書とその説明.md",
}

// inFolder is a form whose asker works in a folder of this machine.
func inFolder(s *stage, dir string) *broker.Entry {
	e := storage(s.clock)
	e.Request.Asker.Cwd = dir
	return e
}

// offered waits until the list at the cursor has n paths and gives the frame.
func (s *stage) offered(n int) string {
	s.t.Helper()
	var got string
	s.wait(fmt.Sprintf("%d paths", n), func() bool {
		got = s.frame()
		return s.pane.complete != nil && len(s.pane.complete.paths) == n
	})
	return got
}

// wait polls without an event loop, at most ten seconds.
func (s *stage) wait(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			s.t.Fatalf("timed out waiting for %s:\n%s", what, s.frame())
		case <-tick.C:
		}
	}
}

// written is the text of the open editor.
func (s *stage) written() string { return s.pane.onScreen().form.Editor().Text }

func TestPathsAreOfferedInEveryEditor(t *testing.T) {
	for name, keys := range map[string][]string{
		"answer": {"4"}, "option note": {"n"}, "question note": {"N"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.desk.ask(inFolder(s, folder(t, project...)))
			s.keys(keys...)
			s.keys("see @ed")
			got := s.offered(4)
			for _, want := range []string{"❯ ui/editor.go", "  ui/editor_test.go", "Tab/Enter choose"} {
				if !strings.Contains(got, want) {
					t.Errorf("no %q:\n%s", want, got)
				}
			}
			s.keys("down", "enter")
			if got := s.written(); got != "see @ui/editor_test.go " {
				t.Errorf("text %q", got)
			}
			s.has("!Tab/Enter choose")
		})
	}
}

func TestEnterSubmitsOnceTheListIsClosed(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.keys("4", "@api")
	s.offered(1)
	s.keys("tab")
	s.has("@ui/form/api.go", "!Tab/Enter choose")
	s.keys("enter")
	s.has("How long are orders kept?")
}

// Held down, the Enter that chose a path must not go on to submit.
func TestHeldEnterOnlyChooses(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.keys("4", "@api")
	s.offered(1)
	s.clock.pass(time.Second)
	s.raw("enter")
	s.frame()
	s.clock.pass(500 * time.Millisecond)
	for range 20 {
		s.raw("enter")
		s.clock.pass(30 * time.Millisecond)
		s.frame()
	}
	s.clock.pass(time.Second)
	s.has("@ui/form/api.go", "Which store")
}

func TestEscapeClosesTheListOnly(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.keys("4", "@ed")
	s.offered(4)
	s.keys("esc")
	s.has("!Tab/Enter choose", "Enter submit", "@ed")
	s.keys("i")
	s.has("!Tab/Enter choose")
	s.keys(" or @ap")
	s.offered(1)
	s.has("Tab/Enter choose")
	s.keys("esc", "esc")
	s.has("❯ 4. Type your own", "!Enter submit")
}

func TestTypingNarrowsAndFoldersGoOn(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.keys("4", "@")
	s.offered(14)
	s.keys("ui/fo")
	s.offered(2)
	s.keys("tab")
	if got := s.written(); got != "@ui/form/" {
		t.Fatalf("text %q", got)
	}
	s.offered(1)
	s.keys("tab", "and")
	if got := s.written(); got != "@ui/form/api.go and" {
		t.Errorf("text %q", got)
	}
}

func TestPathsWithBlanksAreQuoted(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.keys("4", "日本 @guide")
	s.offered(1)
	s.keys("tab", "x")
	if got := s.written(); got != `日本 @"docs/guide one.md" x` {
		t.Errorf("text %q", got)
	}
	s.keys("ctrl+j", `@"guide one" y`, "left", "left", "left", "e")
	s.keys("backspace")
	s.offered(1)
	s.keys("tab")
	if got, want := s.written(), "日本 @\"docs/guide one.md\" x\n@\"docs/guide one.md\" y"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// A choice made before the answer to the newest query is there waits for it.
func TestChoosingIsNeverStale(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.keys("4", "@e")
	s.wait("paths", func() bool { s.frame(); return s.pane.complete.open() })
	s.clock.pass(time.Second)
	s.raw("dit", "enter")
	s.wait("the choice", func() bool { s.frame(); return s.written() == "@ui/editor.go " })
}

func TestNoPathsForOtherMachines(t *testing.T) {
	dir := folder(t, project...)
	for host, offered := range map[string]bool{"": true, "elsewhere.example": false, "here": true} {
		s := newStage(t, 80, 24)
		s.pane.host = "here"
		e := inFolder(s, dir)
		e.Request.Asker.Host = host
		s.desk.ask(e)
		s.keys("4", "@ed")
		if got := s.pane.complete != nil; got != offered {
			t.Errorf("host %q: offered %v", host, got)
		}
	}
}

func TestListEndsWithItsEditor(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)), small(s.clock, "docs-site", "b1", "Tone", time.Minute, true))
	s.keys("4", "@ed")
	s.offered(4)
	s.keys("alt+q", "down", "enter")
	if s.pane.complete != nil {
		t.Error("the folder is read on for a form that is not on screen")
	}
	s.keys("alt+q", "up", "enter", "i")
	s.offered(2)
	s.keys("esc", "esc")
	if s.pane.complete != nil {
		t.Error("the folder is read on without an editor")
	}
}

func TestListByMouseAndWheel(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.start()
	s.sees("Which store")
	s.clock.pass(time.Second)
	s.inject("4", "@ed")
	s.sees("ui/editor_test.go")
	x, y := s.at("ui/editor_test.go")
	s.screen.InjectMouse(x, y, tcell.WheelDown, 0)
	s.sees("❯ docs/guide one.md")
	s.click("ui/editor_test.go")
	s.until("the path", func() bool { return s.inLoop(func() bool { return s.written() == "@ui/editor_test.go " }) })
}

// The list fits every screen and never covers the line that is being written.
func TestListFitsTheScreen(t *testing.T) {
	dir := folder(t, project...)
	for _, size := range [][2]int{{20, 5}, {26, 6}, {40, 10}, {40, 12}, {64, 11}, {91, 13}, {117, 17}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := newStage(t, size[0], size[1])
			s.desk.ask(inFolder(s, dir))
			s.keys("4", "@")
			s.offered(14)
			for range 14 {
				s.keys("down")
				if got := s.frame(); !strings.Contains(got, "@") {
					t.Fatalf("the list covers the text:\n%s", got)
				}
			}
		})
	}
}

func (s *stage) paths(t *testing.T) {
	s.desk.ask(inFolder(s, folder(t, project...)))
	s.keys("4", "As in @")
	s.offered(14)
	s.keys("down", "down", "down", "down", "down", "down", "down")
}

// File names are supplied text too.
func TestHostileFileNames(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(inFolder(s, folder(t, "[red]x.md", "a\u202egpj.md", "b\x1b[31m.md", "c\u009b31m.md")))
	s.keys("4", "@md")
	got := s.offered(3)
	if !strings.Contains(got, "[red]x.md") || strings.ContainsAny(got, "\x1b\u202e\u009b") {
		t.Errorf("drawn as\n%q", got)
	}
	for range 3 {
		s.keys("tab", "@md")
		s.offered(3)
		s.keys("down")
	}
	if got := s.frame(); strings.ContainsAny(got, "\x1b\u202e\u009b") {
		t.Errorf("drawn as\n%q", got)
	}
}
