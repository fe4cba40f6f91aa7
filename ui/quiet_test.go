package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/config"
)

// TestQuietFormsTakeNoScreen: what is asked while the person is not to be disturbed stands in the inbox, opens from there,
// and comes up by itself once that is over.
func TestQuietFormsTakeNoScreen(t *testing.T) {
	s := newStage(t, 100, 24)
	until := s.clock.Now().Add(26 * time.Minute)
	s.desk.set(func(snap *broker.Snapshot) { snap.Quiet = broker.Quiet{Until: until} })
	e := storage(s.clock)
	e.QuietUntil = until
	s.desk.ask(e)
	for _, part := range []string{"When an agent asks", "1 waiting: Alt+Q shows them.", "Do not disturb until 15:30 · Z to end"} {
		if got := s.frame(); !strings.Contains(got, part) {
			t.Errorf("%q is not on the screen:\n%s", part, got)
		}
	}
	s.keys("alt+q", "enter")
	if got := s.frame(); !strings.Contains(got, "Which store holds the orders?") || !strings.Contains(got, "until 15:30 · Z to end") {
		t.Fatalf("it does not open:\n%s", got)
	}
	s.keys("2", "4") // an editor, where the key is text
	if got := s.frame(); !strings.Contains(got, "until 15:30 · Alt+Q, Z to end") {
		t.Errorf("no way to end it from an editor:\n%s", got)
	}
	s.keys("z")
	if len(s.desk.made("quiet")) != 0 || s.pane.overlay != nil {
		t.Error("a letter was no text")
	}
}

// TestQuietOfManySessions: the foot stays the form's.
func TestQuietOfManySessions(t *testing.T) {
	s := newStage(t, 80, 24)
	until := s.clock.Now().Add(26 * time.Minute)
	s.desk.set(func(snap *broker.Snapshot) {
		snap.Quiet.Sessions = map[string]time.Time{}
		for n := range config.QuietSessions {
			id := fmt.Sprintf("s%02d", n)
			snap.Quiet.Sessions[id] = until
			snap.Sessions = append(snap.Sessions, broker.SessionView{ID: id, Name: strings.Repeat("long ", 60)})
		}
	})
	s.desk.ask(storage(s.clock))
	for _, part := range []string{"Which store holds the orders?", "until 15:30, 30 more · Z to end"} {
		if got := strings.Join(strings.Fields(s.frame()), " "); !strings.Contains(got, part) {
			t.Errorf("%q is not on the screen:\n%s", part, s.frame())
		}
	}
}

// TestQuietEnds: what was kept back takes the screen by itself once it may, and is guarded like any form.
func TestQuietEnds(t *testing.T) {
	s := newStage(t, 80, 24)
	until := s.clock.Now().Add(26 * time.Minute)
	other := small(s.clock, "docs", "b1", "Tone", 0, false)
	other.QuietUntil = until
	s.desk.ask(other)
	if got := s.frame(); !strings.Contains(got, "When an agent asks") {
		t.Errorf("a form has taken the screen:\n%s", got)
	}
	s.desk.SetQuiet("", time.Time{}, func(error) {})
	if got := s.frame(); !strings.Contains(got, "Tone?") || strings.Contains(got, "Do not disturb until") {
		t.Errorf("it does not come up:\n%s", got)
	}
	s.clock.pass(config.Guard - time.Millisecond)
	s.raw("1")
	s.raw("enter")
	if n := len(s.desk.made("submit")); n != 0 {
		t.Error("a key in flight has answered it")
	}
}

// TestQuietIsChosen in the inbox, with nothing open and on a form, for everything or for one session.
func TestQuietIsChosen(t *testing.T) {
	tomorrow := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		setUp   func(*stage)
		keys    []string
		session string
		want    func(now time.Time) time.Time
	}{
		{"nothing open", func(*stage) {}, []string{"z", "enter"}, "", func(now time.Time) time.Time { return now.Add(15 * time.Minute) }},
		{"the key again", func(*stage) {}, []string{"z", "z"}, "", func(now time.Time) time.Time { return now.Add(15 * time.Minute) }},
		{"an hour", func(*stage) {}, []string{"z", "down", "enter"}, "", func(now time.Time) time.Time { return now.Add(time.Hour) }},
		{"tomorrow", queue, []string{"alt+q", "z", "3"}, "", func(time.Time) time.Time { return tomorrow }},
		{"the session of the focused row", queue, []string{"alt+q", "down", "z", "tab", "3"}, "docs-site", func(time.Time) time.Time { return tomorrow }},
		{"the session of the form", queue, []string{"z", "tab", "3"}, "checkout-api", func(time.Time) time.Time { return tomorrow }},
		{"everything after all", queue, []string{"z", "tab", "tab", "3"}, "", func(time.Time) time.Time { return tomorrow }},
		{"off", func(s *stage) { s.desk.SetQuiet("", tomorrow, func(error) {}); s.desk.calls = nil }, []string{"z", "z"}, "", func(time.Time) time.Time { return time.Time{} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			tt.setUp(s)
			s.keys(tt.keys...)
			got := only(t, s.desk, "quiet")
			if want := tt.want(s.clock.Now()); got.Key.Session != tt.session || got.Until.Sub(want).Abs() > 2*time.Second {
				t.Errorf("%q until %v, want %q until %v", got.Key.Session, got.Until, tt.session, want)
			}
			if s.pane.overlay != nil {
				t.Error("the choice stays open")
			}
			if n := len(s.desk.made("submit")) + len(s.desk.made("cancel")); n != 0 {
				t.Errorf("%d forms ended by it", n)
			}
		})
	}
}

// TestQuietIsLeft: Esc changes nothing, a held key chooses nothing, and a desk that cannot keep it says so.
func TestQuietIsLeft(t *testing.T) {
	s := newStage(t, 80, 24)
	s.keys("z", "down", "esc")
	if len(s.desk.made("quiet")) != 0 || s.pane.overlay != nil {
		t.Error("leaving has chosen")
	}
	s.clock.pass(time.Second)
	for range 5 {
		s.raw("z")
		s.clock.pass(30 * time.Millisecond)
	}
	if len(s.desk.made("quiet")) != 0 {
		t.Error("a held key has chosen")
	}
	s.desk.fail = errors.New("no space left on device")
	s.clock.pass(time.Second)
	s.keys("1")
	s.pane.turn()
	if got := s.frame(); !strings.Contains(got, "This could not be kept: no space left on device.") {
		t.Errorf("nothing is said:\n%s", got)
	}
}
