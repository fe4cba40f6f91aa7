package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// plainScene is a scene of the pane, drawn plain.
type plainScene struct {
	name string
	make func(s *stage)
}

// plainScenes are all scenes of both tools.
func plainScenes() []plainScene {
	var out []plainScene
	for _, s := range scenes {
		out = append(out, plainScene{s.name, s.make})
	}
	for _, s := range promptScenes {
		out = append(out, plainScene{"prompt-" + s.name, s.make})
	}
	return out
}

// plainGoldens are the scenes whose plain screens are compared whole.
var plainGoldens = map[string]bool{
	"idle": true, "single": true, "multi": true, "note": true, "custom": true, "review": true, "skipped": true, "settings": true, "keys": true, "inbox": true,
	"settled": true, "long": true, "many-options": true, "paths": true, "quiet-menu": true, "reader": true, "undo": true, "taken": true,
	"history": true, "history-search": true, "history-answer": true, "history-many": true, "busy-inbox": true, "same": true,
	"prompt-single": true, "prompt-multi": true, "prompt-multi-draft": true, "prompt-batch": true, "prompt-review-warned": true, "prompt-overlay": true,
	"prompt-editor": true, "prompt-deadline": true, "prompt-long": true, "prompt-reader": true,
}

func plainStage(t *testing.T, w, h int) *stage {
	s := newStage(t, w, h)
	s.settings.loaded.Settings.Pane.Plain = true
	return s
}

// suppliedMarks are the scenes in which agents themselves send characters of the kind.
var suppliedMarks = map[string]bool{"hostile": true, "history-hostile": true, "prompt-hostile": true}

// decorative reports lines, boxes, arrows, marks and the dots between words.
func decorative(r rune) bool {
	return r >= 0x2190 && r <= 0x2bff || strings.ContainsRune("·•—×▎", r)
}

// TestPlainScreens: in plain mode nothing of the pane's own is a line or a mark, and the cursor always stands somewhere.
func TestPlainScreens(t *testing.T) {
	for _, scene := range plainScenes() {
		for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
			name := fmt.Sprintf("plain-%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := plainStage(t, size[0], size[1])
				scene.make(s)
				got := s.frame()
				if plainGoldens[scene.name] {
					golden(t, name, got)
				}
				for _, r := range got {
					if decorative(r) && !suppliedMarks[scene.name] {
						t.Errorf("%q stands on a plain screen:\n%s", r, got)
						break
					}
				}
				if x, y, shown := s.screen.GetCursor(); !shown || x < 0 || y < 0 || x >= size[0] || y >= size[1] {
					t.Errorf("the cursor is at %d, %d, shown %t", x, y, shown)
				}
			})
		}
	}
}

// atCursor is the text of the screen from the cursor on.
func (s *stage) atCursor() string {
	s.t.Helper()
	lines := strings.Split(s.frame(), "\n")
	x, y, shown := s.screen.GetCursor()
	if !shown || y >= len(lines) {
		s.t.Fatalf("no cursor: %d, %d, %t", x, y, shown)
	}
	head, _ := splitAt(lines[y], x)
	return lines[y][len(head):]
}

// reads checks what a screen reader finds at the cursor.
func (s *stage) reads(want string) {
	s.t.Helper()
	if got := s.atCursor(); !strings.HasPrefix(got, want) {
		s.t.Errorf("at the cursor stands %q, want %q:\n%s", got, want, s.text())
	}
}

// TestPlainCursor: the cursor follows the focus through forms, prompts and everything that stands over them.
func TestPlainCursor(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		s := plainStage(t, size[0], size[1])
		queue(s)
		s.reads("1. Postgres, option 1 of 4")
		s.keys("down")
		s.reads("2. SQLite, option 2 of 4")
		s.keys("n", "no")
		s.keys("left")
		s.reads("o")
		s.keys("enter", "4", "abc")
		s.keys("left", "left")
		s.reads("bc")
		s.keys("esc", "2")
		s.has("Question 2 of 2: Ret", ", not answered")
		s.reads("1. 2 years, option 1 of 4")
		s.keys("space")
		s.has("1. 2 years, option 1 of 4, selected")
		s.keys("tab")
		s.reads("1. Submit")
		s.keys("down")
		s.reads("2. ")
		s.keys("alt+q")
		s.reads("checkout-api")
		s.keys("down")
		s.reads("docs-site")
		s.keys("?")
		s.reads("Auto-submit")
		s.keys("down")
		s.reads("Confirm dismiss")
		s.keys("esc", "z")
		s.reads("1. for 15 minutes")
		s.keys("esc")
		s.remember()
		s.keys("h", "down")
		s.has("History")
		if got := s.atCursor(); got == "" || strings.HasPrefix(got, " ") {
			t.Errorf("%v: in the history the cursor stands at %q", size, got)
		}
	}
}

func TestPlainPromptCursor(t *testing.T) {
	s := plainStage(t, 80, 24)
	s.prompt(overlaid(), gatesQuestion())
	s.reads("1. Unit tests, option 1 of 4, not selected")
	s.keys("down", "space")
	s.reads("2. Linters, option 2 of 4, selected")
	s.keys("up", "up", "enter", "a licence scan")
	s.keys("left", "left")
	s.reads("an")
}

// TestPlainIsLive: the setting changes the look of the pane as it stands, and back.
func TestPlainIsLive(t *testing.T) {
	s := newStage(t, 120, 40)
	queue(s)
	before := s.frame()
	s.settings.loaded.Settings.Pane.Plain = true
	if !strings.Contains(s.frame(), "Question 1 of 2: Store, not answered") {
		t.Errorf("not plain:\n%s", s.text())
	}
	s.settings.loaded.Settings.Pane.Plain = false
	if after := s.frame(); after != before {
		t.Errorf("not as before:\n%s", after)
	}
	s.pane.o.Plain = true
	if s.frame() == before {
		t.Error("the option alone is not enough")
	}
}

// TestPlainStandsStill: nothing changes by itself within a minute, not even a time that runs out.
func TestPlainStandsStill(t *testing.T) {
	s := plainStage(t, 80, 24)
	s.prompt(inline(), logsQuestion()).Request.Deadline = s.clock.Now().Add(5 * time.Minute)
	before := s.frame()
	if !strings.Contains(before, "5 min left") {
		t.Errorf("no time left:\n%s", before)
	}
	if next := s.pane.next(); next < time.Minute-time.Second {
		t.Errorf("drawn again in %v", next)
	}
	s.clock.pass(59 * time.Second)
	if after := s.frame(); after != before {
		t.Errorf("changed within a minute:\n%s", after)
	}
	s.desk.grace = 4 * time.Second
	s.keys("esc")
	if next := s.pane.next(); next < time.Second*30 {
		t.Errorf("with a cancel that can be taken back drawn again in %v", next)
	}
}

// TestPlainGuard: the first moments of a form ignore what decides, as ever.
func TestPlainGuard(t *testing.T) {
	s := plainStage(t, 80, 24)
	queue(s)
	s.frame()
	for _, e := range keyEvents("2") {
		s.pane.key(e)
	}
	s.has("1. Postgres, option 1 of 4, not selected")
	s.keys("2")
	s.has("Question 2 of 2: Retention, not answered")
}

// TestPlainLeavesSuppliedText: what agents wrote keeps its marks and lines, in forms and in prompts.
func TestPlainLeavesSuppliedText(t *testing.T) {
	const marks = "a → b · c ✓ │ ❯ ☒"
	s := plainStage(t, 120, 40)
	e := small(s.clock, "shop "+marks, "r", marks, 0, false)
	e.Request.Questions[0].Options[0].Label = "label " + marks
	e.Request.Questions[0].Options[0].Description = "about " + marks
	s.desk.ask(e)
	s.has("shop "+marks, "Question 1 of 1: "+marks, "label "+marks+", option 1", "about "+marks)
	s.keys("alt+q")
	s.has("shop "+marks, "stands still: "+marks)
	s = plainStage(t, 120, 40)
	q := sessionsQuestion()
	q.Label, q.Prompt, q.Options[0].Label, q.Options[0].Description = "head "+marks, "ask "+marks, "label "+marks, "about "+marks
	s.prompt(inline(), q)
	s.has("head "+marks, "ask "+marks, "label "+marks, "about "+marks)
}
