package ui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"askd/ui/form"
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
				s := newStage(t, max(size[0], leastColumns), max(size[1], leastRows)) // where keys act
				scene.make(s)
				s.screen.SetSize(size[0], size[1])
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
	for columns, want := range map[int]string{
		17: " ←2 ☐ Three 3→",
		20: " ← 2 … ☐ Three … 3 →",
		28: " ←2 ☐ Three   ☐ Four 2→",
		31: " ←1 ☐ Two   ☐ Three   ☐ Four 2→",
		80: " ←  ☐ One   ☐ Two   ☐ Three   ☐ Four   ☐ Five   ☰ Review  →",
	} {
		if got := countedTabs(tabs, columns).String(); got != want {
			t.Errorf("counted, %d columns: %q, want %q", columns, got, want)
		}
	}
}

// Wherever tabs are left out the strip says how many at each end, and it never is wider than its place and the margin.
func TestTabStripCounts(t *testing.T) {
	for open := range 31 {
		tabs := make([]form.Tab, 31)
		for i := range tabs {
			tabs[i] = form.Tab{Label: fmt.Sprintf("Part %d", i+1), Active: i == open, Review: i == 30}
		}
		for columns := 18; columns < 400; columns += 7 {
			_, from, to := shownTabs(tabs, columns)
			got := countedTabs(tabs, columns)
			left, right := strings.Fields(got[0].text), strings.Fields(got[len(got)-1].text)
			if n := count(left, "←"); n != from {
				t.Errorf("tab %d, %d columns: %q says %d on the left, want %d", open, columns, got, n, from)
			}
			if n := count(right, "→"); n != 30-to {
				t.Errorf("tab %d, %d columns: %q says %d on the right, want %d", open, columns, got, n, 30-to)
			}
			if got.width() > columns+1 {
				t.Errorf("tab %d, %d columns: %q", open, columns, got)
			}
		}
	}
}

// TestTabStripOfManyTabs: a number that has no room is not said to be another.
func TestTabStripOfManyTabs(t *testing.T) {
	tabs := make([]form.Tab, 501)
	for i := range tabs {
		tabs[i] = form.Tab{Label: fmt.Sprintf("Question number %03d", i), Active: i == 250}
	}
	for columns, want := range map[int][2]string{73: {" ← 99+ …", "… 99+ →"}, 18: {"←9+", "9+→"}} {
		if got := countedTabs(tabs, columns); got[0].text != want[0] || got[len(got)-1].text != want[1] {
			t.Errorf("%d columns: %q", columns, got)
		}
	}
}

// count is the number beside an arrow, 0 for none.
func count(fields []string, arrow string) int {
	n, _ := strconv.Atoi(strings.NewReplacer(arrow, "", "…", "").Replace(strings.Join(fields, "")))
	return n
}

// The row that has the focus is named as a row, at every width and from the tenth row on too.
func TestRowCounter(t *testing.T) {
	s := newStage(t, 40, 12)
	s.desk.ask(many(s.clock, 4, 12))
	s.has("─ row 1/13 ─", "←  ☐ Part 1   ☐ Part 2   ☐ Part 3 2→")
	s.keys("end", "down")
	s.keys("esc", "up", "up")
	s.has("─ row 11/13 ─")
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
