package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"askd/broker"
)

// TestQuietTimes reads until when as a person writes it.
func TestQuietTimes(t *testing.T) {
	now := time.Date(2026, 5, 1, 14, 30, 0, 0, time.Local)
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 5, day, hour, minute, 0, 0, time.Local) }
	for _, tt := range []struct {
		line string
		want time.Time
		bad  string
	}{
		{"30m", at(1, 15, 0), ""},
		{"1h30m", at(1, 16, 0), ""},
		{"2d", at(3, 14, 30), ""},
		{"off", time.Time{}, ""},
		{"until 15:30", at(1, 15, 30), ""},
		{"until 9:00", at(2, 9, 0), ""},
		{"until tomorrow 15:30", at(2, 15, 30), ""},
		{"until 2026-05-04T08:00", at(4, 8, 0), ""},
		{"until 2026-05-04 08:00", at(4, 8, 0), ""},
		{"until 2026-04-30T08:00", time.Time{}, "has passed"},
		{"until", time.Time{}, `"until" is no time`},
		{"until 25:00", time.Time{}, `"25:00" is no time`},
		{"-5m", time.Time{}, `"-5m" is no time: write how long (30m`},
		{"0s", time.Time{}, "is no time"},
		{"30m now", time.Time{}, `unexpected argument "now"`},
		{"lunch", time.Time{}, `"lunch" is no time`},
	} {
		got, err := quietTime(strings.Fields(tt.line), now)
		switch {
		case tt.bad != "":
			if err == nil || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%q gives %v, %v", tt.line, got, err)
			}
		case err != nil || !got.Equal(tt.want):
			t.Errorf("%q is %v, %v; want %v", tt.line, got, err, tt.want)
		}
	}
}

// TestMCPSaysQuiet: the progress of an MCP call says until when the person is not to be disturbed, and no longer than that.
func TestMCPSaysQuiet(t *testing.T) {
	now := time.Date(2026, 5, 1, 14, 30, 0, 0, time.UTC)
	a := &app{now: func() time.Time { return now }, newID: func() string { return "id" }}
	b := newBridge(a, mcpOptions{session: "s"})
	defer b.stop()
	const plain = "Waiting for the person's answer in askd"
	if got := b.waitingText(); got != plain {
		t.Errorf("without a connection: %q", got)
	}
	b.link = &link{}
	raw, err := json.Marshal(broker.SessionState{QuietUntil: new(now.Add(time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	b.link.notify("session.state", raw)
	if got, want := b.waitingText(), plain+"; the person has asked not to be disturbed until 15:30"; got != want {
		t.Errorf("progress %q, want %q", got, want)
	}
	now = now.Add(2 * time.Hour)
	if got := b.waitingText(); got != plain {
		t.Errorf("after its end: %q", got)
	}
}
