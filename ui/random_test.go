package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"askd/broker"
	"askd/broker/ask"
)

// Whatever is pressed at whatever size while forms come and go: nothing panics, and nothing ends a form but the person.
func TestRandomKeys(t *testing.T) {
	names := []string{
		"1", "2", "3", "9", "enter", "space", "esc", "tab", "shift+tab", "up", "down", "left", "right", "n", "N", "d", "t", "e", "?",
		"ctrl+c", "alt+q", "ctrl+o", "pageUp", "pageDown", "ctrl+down", "ctrl+up", "shift+pageDown", "text", "日本", "ctrl+j", "backspace", "ctrl+z", "f2", "@", "@ed", "home", "end",
	}
	dir := folder(t, project...)
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, 80, 24)
		asked := 0
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0:
				asked++
				e := []*broker.Entry{long(s.clock), multi(s.clock), storage(s.clock), wide(s.clock)}[asked%4]
				r := *e.Request
				r.ID, r.Background, r.Asker.Cwd = fmt.Sprint(asked), asked%3 == 0, dir
				s.desk.ask(&broker.Entry{Request: &r, Status: broker.Waiting, SessionName: r.Session, AskerOnline: asked%2 == 0})
			case 1:
				s.frame()
				w, h := rapid.IntRange(1, 130).Draw(rt, "width"), rapid.IntRange(1, 45).Draw(rt, "height")
				s.screen.SetSize(w, h)
			case 2:
				if entries := s.desk.Snapshot().Entries; len(entries) > 1 {
					status := rapid.SampledFrom([]broker.Status{broker.Waiting, broker.Deferred, broker.Parked, broker.Interrupted})
					s.desk.status(entries[1].Key(), status.Draw(rt, "status"))
				}
				if entries := s.desk.Snapshot().Entries; len(entries) > 0 {
					s.desk.drop(entries[0].Key(), &broker.Settled{Key: entries[0].Key(), Kind: ask.Withdrawn})
				}
			default:
				s.keys(rapid.SampledFrom(names).Draw(rt, "key"))
			}
			s.frame()
		}
		s.pane.RestoreTerminal()
		s.pane.endCompletion()
	})
}

func TestThousandsOfForms(t *testing.T) {
	s := newStage(t, 120, 40)
	var entries []*broker.Entry
	for i := range 5000 {
		entries = append(entries, small(s.clock, fmt.Sprintf("session-%d", i), "x", "Tone", time.Minute, i%2 == 0))
	}
	s.desk.ask(entries...)
	s.keys("alt+q")
	for range 30 {
		s.keys("down")
	}
	if got := s.frame(); !strings.Contains(got, "❯ session-30 ") || !strings.Contains(got, "5000 waiting") {
		t.Errorf("the focus is out of sight:\n%s", got)
	}
	for _, step := range [][2]string{{"end", "4999"}, {"pageUp", "4982"}, {"home", "0"}, {"pageDown", "17"}, {"pageDown", "34"}} {
		s.keys(step[0])
		s.has("❯ session-" + step[1] + " ")
	}
}

func TestFormThatSettlesElsewhereTakesNoInput(t *testing.T) {
	s := newStage(t, 80, 24)
	e := storage(s.clock)
	s.desk.ask(e)
	s.frame()
	s.desk.set(func(snap *broker.Snapshot) {
		copied := *snap.Entries[0]
		copied.Settling = true
		snap.Entries[0] = &copied
	})
	s.keys("1", "esc", "ctrl+c")
	if !strings.Contains(s.frame(), "saving") || len(s.desk.made("cancel"))+len(s.desk.made("draft")) > 0 {
		t.Errorf("a settling form took input:\n%s", s.frame())
	}
	s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Answered, Delivered: true})
	if got := s.frame(); !strings.Contains(got, "answered elsewhere") {
		t.Errorf("nothing says who answered:\n%s", got)
	}
}
