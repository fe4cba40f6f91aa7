package main

import (
	"fmt"
	"strconv"
	"time"
)

// momentHelp says how a person writes a time.
const momentHelp = "a date (2026-01-31), a time (2026-01-31T15:04) or how long ago (12h, 90d, 6w)"

// layouts are the ways to write a time; without a zone it is the local one.
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

// spans are the units in which a time that lies back is given.
var spans = map[byte]func(now time.Time, n int) time.Time{
	'h': func(now time.Time, n int) time.Time { return now.Add(-time.Duration(n) * time.Hour) },
	'd': func(now time.Time, n int) time.Time { return now.AddDate(0, 0, -n) },
	'w': func(now time.Time, n int) time.Time { return now.AddDate(0, 0, -7*n) },
}

// moment reads a time as a person writes it.
func moment(s string, now time.Time) (time.Time, error) {
	if s != "" {
		n, err := strconv.ParseUint(s[:len(s)-1], 10, 16) // more of any unit lies before all writing
		if back, ok := spans[s[len(s)-1]]; ok && err == nil {
			return back(now, int(n)), nil
		}
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write %s", s, momentHelp)
}

// wireTime writes a time for askd; the zero time is no bound.
func wireTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
