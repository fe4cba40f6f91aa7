package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Whatever the size, nothing panics, and the row that has the focus can be seen.
func TestEverySizeShowsTheFocus(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {19, 5}, {20, 4}, {20, 5}, {20, 6}, {24, 7}, {30, 8}, {40, 10}, {40, 12}, {60, 9}, {80, 15}, {90, 16}, {115, 20}, {120, 12}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := newStage(t, size[0], size[1])
			s.desk.ask(long(s.clock))
			for row := 1; row <= 13; row++ {
				got := s.frame()
				fits := size[0] >= leastColumns && size[1] >= leastRows
				if fits && !focusOn(got, row) && !(row == 13 && strings.Contains(got, "Type answer")) {
					t.Fatalf("row %d has the focus and cannot be seen:\n%s", row, got)
				}
				s.clock.pass(time.Second)
				s.raw("down")
			}
		})
	}
}

func focusOn(screen string, row int) bool {
	for _, l := range strings.Split(screen, "\n") {
		if strings.Contains(strings.ReplaceAll(l, "  ", " "), fmt.Sprintf("❯ %d.", row)) {
			return true
		}
	}
	return false
}

func TestScenesAtOddSizes(t *testing.T) {
	for _, scene := range scenes {
		for _, size := range [][2]int{{1, 1}, {20, 5}, {26, 6}, {33, 9}, {64, 11}, {91, 13}, {117, 17}} {
			t.Run(fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1]), func(t *testing.T) {
				s := newStage(t, size[0], size[1])
				scene.make(s)
				s.frame()
			})
		}
	}
}

func TestTabStripNarrows(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(five(s.clock))
	s.keys("tab", "tab")
	tabs := s.pane.onScreen().form.Tabs()
	for columns, want := range map[int]string{
		28: " ←  ☐ Three   ☐ Four  →",
		31: " ←  ☐ Two   ☐ Three   ☐ Four  →",
		80: " ←  ☐ One   ☐ Two   ☐ Three   ☐ Four   ☐ Five   ☰ Review  →",
	} {
		if got := tabLine(tabs, columns).String(); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}

func TestLongPromptIsReachable(t *testing.T) {
	s := newStage(t, 40, 12)
	s.desk.ask(long(s.clock))
	seen := map[string]bool{}
	for range 200 {
		for _, l := range strings.Split(s.frame(), "\n") {
			for i := range 60 {
				if strings.Contains(l+" ", fmt.Sprintf("Line %d ", i+1)) {
					seen[fmt.Sprint(i+1)] = true
				}
			}
		}
		s.clock.pass(time.Second)
		s.raw("pageDown")
	}
	if len(seen) != 60 {
		t.Errorf("%d of 60 lines could be reached", len(seen))
	}
}

func TestContextScrollsAlone(t *testing.T) {
	s := newStage(t, 120, 24)
	queue(s)
	before := s.frame()
	s.keys("ctrl+down", "shift+pageDown")
	after := s.frame()
	if before == after || !strings.Contains(after, "▴") || !strings.Contains(after, "❯ 1. Postgres") {
		t.Errorf("the context did not scroll alone:\n%s", after)
	}
}
