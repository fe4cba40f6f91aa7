package daemon

import (
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
	"askd/config"
)

// TestNoticeNamesTheMachine: a question of another machine says so, and its name steers no terminal.
func TestNoticeNamesTheMachine(t *testing.T) {
	for host, want := range map[string]string{
		"":                      "\x1b]9;Question waiting: Store\a",
		"devbox":                "\x1b]9;Question waiting: devbox · Store\a",
		strings.Repeat("é", 99): "\x1b]9;Question waiting: " + strings.Repeat("é", 32) + " · Store\a",
		"dev\x1b[2J\abox\n":     "",
	} {
		n, out := running(t, time.Hour, config.Channel{Kind: config.OSC9})
		r := question("Store", "Which?")
		r.Asker = ask.Asker{Host: host}
		n.announce(r)
		got := next(t, out)
		if want != "" && got != want {
			t.Errorf("from %q: %q, not %q", host, got, want)
		}
		if inner := strings.TrimSuffix(strings.TrimPrefix(got, "\x1b]9;"), "\a"); strings.ContainsAny(inner, "\x1b\a\n") {
			t.Errorf("from %q: %q", host, got)
		}
	}
}
