package ui

import (
	"strings"
	"testing"
	"time"
)

// A clock that was set back makes nothing younger than now.
func TestAgesAfterAClockJump(t *testing.T) {
	for _, d := range []time.Duration{-time.Second, -365 * 24 * time.Hour} {
		if a, b, c := age(d), ago(d), took(d); a != "now" || b != "just now" || strings.Contains(c, "-") {
			t.Errorf("%v: %q, %q, %q", d, a, b, c)
		}
	}
}
