package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestWatchShowsChangesOnce: the same queue is shown once, only the wanted session's forms, fields that askctl does not
// know included.
func TestWatchShowsChangesOnce(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &output{w: &out}, json: true, now: func() time.Time { return testNow }}
	w := &watcher{a: a, session: "s"}
	for _, raw := range []string{
		`{"requests":[]}`,
		`{"requests":[{"session":"other","requestId":"x"}]}`,
		`{"requests":[{"session":"s","requestId":"a\u001b","new":12345678901234567890},{"session":"other","requestId":"x"}]}`,
		`{"requests":[{"session":"s","requestId":"a\u001b","new":12345678901234567890}]}`,
	} {
		if err := w.show(json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	want := "[]\n" + `[{"session":"s","requestId":"a\u001b","new":12345678901234567890}]` + "\n"
	if out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
	if err := w.show(json.RawMessage(`{"requests":7}`)); err == nil || !strings.Contains(err.Error(), "update it") {
		t.Errorf("a queue of another shape: %v", err)
	}
}

// TestWatchRedraws: on a terminal each new state replaces the one before, never higher than the terminal is.
func TestWatchRedraws(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &output{w: &out, width: 80, size: func() (int, int) { return 60, 6 }}, now: func() time.Time { return testNow }}
	w := &watcher{a: a}
	many := `{"requests":[` + strings.Repeat(`{"session":"s","requestId":"a","createdAt":"2026-03-01T11:59:00Z","askerOnline":true},`, 20) + `{"session":"s","requestId":"b"}]}`
	for _, raw := range []string{`{"requests":[]}`, many, many} {
		if err := w.show(json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	screens := strings.Split(out.String(), "\x1b[H\x1b[2J")
	if len(screens) != 3 || screens[1] != "Nothing is waiting.\n" {
		t.Fatalf("%q", screens)
	}
	if lines := strings.Count(screens[2], "\n"); lines != 5 || !strings.Contains(screens[2], "more lines\n") {
		t.Errorf("%d lines:\n%s", lines, screens[2])
	}
}

func TestClip(t *testing.T) {
	for _, row := range []struct {
		text          string
		columns, most int
		want          string
	}{
		{"a\nb\nc\n", 80, 3, "a\nb\nc\n"},
		{"a\nb\nc\nd\n", 80, 3, "a\nb\n… 2 more lines\n"},
		{"a\nb\n", 80, 1, "… 2 more lines"},
		{"a\nb\n", 6, 0, "… 2 m…"},
		{"1234567890\nb\nc\n", 5, 4, "1234567890\nb\nc\n"},
		{"1234567890\nb\nc\n", 5, 3, "1234567890\n… 2 …\n"},
		{"1234567890\nb\nc\n", 4, 3, "… 3…\n"},
		{"\x1b[1m漢字\x1b[0m\nb\n", 4, 2, "\x1b[1m漢字\x1b[0m\nb\n"},
	} {
		if got := clip(row.text, row.columns, row.most); got != row.want {
			t.Errorf("clip(%q, %d, %d) = %q, want %q", row.text, row.columns, row.most, got, row.want)
		}
	}
}
