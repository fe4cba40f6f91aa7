package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// lowSizes are screens in which an overlay does not fit whole.
var lowSizes = [][2]int{{20, 5}, {20, 6}, {24, 7}, {30, 8}, {40, 7}, {40, 9}, {80, 6}, {80, 8}}

// TestLowOverlays: whatever the size, an overlay shows the row that has the focus and a key that acts.
func TestLowOverlays(t *testing.T) {
	for _, size := range lowSizes {
		for name, rows := range map[string]int{"z": len(quietChoices), "?": len(settingRows)} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				s := newStage(t, size[0], size[1])
				queue(s)
				s.keys(name)
				for i := range rows {
					got := s.frame()
					if strings.Count(got, "│ ❯ ") != 1 || !strings.Contains(got, "Enter ") {
						t.Fatalf("row %d:\n%s", i+1, got)
					}
					s.keys("down")
				}
			})
		}
	}
}

// TestLowOffer: the offer of the same answer keeps its keys in sight.
func TestLowOffer(t *testing.T) {
	for _, size := range lowSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := newStage(t, 120, 40)
			three(s)
			s.keys("2", "1", "1")
			s.screen.SetSize(size[0], size[1])
			s.has("Y yes · Esc no")
		})
	}
}

// TestLowNotices: what asks for a key is in sight whole.
func TestLowNotices(t *testing.T) {
	for _, size := range [][2]int{{30, 7}, {40, 7}, {40, 8}, {80, 7}} {
		for _, c := range []struct {
			keys []string
			want string
		}{
			{[]string{"n", "x", "enter", "esc"}, "again to discard."},
			{[]string{"n", "x", "enter", "ctrl+q"}, "Esc stays"},
			{[]string{"tab", "tab", "1"}, "Press 1 again"},
			{[]string{"esc"}, "back"},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", c.want, size[0], size[1]), func(t *testing.T) {
				s := newStage(t, size[0], size[1])
				s.desk.grace = 3 * time.Second
				s.desk.ask(storage(s.clock))
				s.keys(c.keys...)
				s.has(c.want)
			})
		}
	}
}

// TestHeldArrowMoves: only what decides counts once while its key is held down.
func TestHeldArrowMoves(t *testing.T) {
	s := newStage(t, 80, 24)
	s.keys("z")
	for range 3 {
		s.raw("down")
		s.clock.pass(5 * time.Millisecond)
	}
	if got := s.pane.overlay.(*quietMenu).row; got != 3 {
		t.Errorf("row %d after three arrows", got)
	}
	s.keys("esc")
	s.raw("z", "z")
	if s.pane.overlay == nil {
		t.Error("the key that opened it, held down, chose")
	}
}
