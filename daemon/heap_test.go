package daemon

import (
	"runtime/debug"
	"testing"
)

// TestRoomToStart: collections wait during the start alone, and what the person has set stands.
func TestRoomToStart(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	before := percent()
	for gogc, want := range map[string]int{"": startHeap, "50": before, "off": before} {
		over := roomToStart(gogc)
		if got := percent(); got != want {
			t.Errorf("GOGC=%q: %d while askd starts, want %d", gogc, got, want)
		}
		over()
		if got := percent(); got != before {
			t.Errorf("GOGC=%q: %d afterwards, want %d", gogc, got, before)
		}
	}
}
