package ui

import (
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/ask/asktest"
	"askd/config"
)

// poisoned is a desk on which every supplied text is bad.
func poisoned(s *stage, bad string) {
	questions := func() []ask.Question {
		q := ask.Question{ID: "q" + bad, Label: "L" + bad, Prompt: "P" + bad, Context: "C" + bad, Type: ask.Multi, Options: []ask.Option{
			{Value: "v" + bad, Label: "O" + bad, Description: "D" + bad, Recommended: yes()}, {Value: "w" + bad, Label: bad},
		}}
		return []ask.Question{q, {ID: "r" + bad, Label: bad, Prompt: bad, Type: ask.Single, Options: []ask.Option{{Value: bad, Label: bad, Description: bad}}}}
	}
	make := func(id string, background bool) *broker.Entry {
		e := entry(s.clock, "s"+id+bad, id+bad, time.Minute, &ask.Request{Title: "T" + bad, Background: background, ToolCallID: bad, Questions: questions()})
		e.Request.Asker = ask.Asker{SessionName: "n" + bad, Cwd: "/src/" + bad, Host: "h" + bad, GitBranch: "b" + bad, Agent: "a" + bad, UI: bad}
		e.SessionName = "n" + bad
		e.Draft = &ask.Draft{Questions: []ask.QuestionDraft{{
			ID: "q" + bad, Selected: []string{"v" + bad}, CustomText: "own" + bad, CustomSelected: true, Note: "note" + bad,
			OptionNotes: map[string]string{"v" + bad: "on" + bad, "w" + bad: "off" + bad},
		}}}
		return e
	}
	one, gone, hidden := make("1", false), make("2", true), make("3", true)
	gone.Status, gone.AskerOnline, gone.GoneSince = broker.Interrupted, false, s.clock.Now().Add(-time.Hour)
	hidden.Status = broker.Deferred
	s.settings.loaded.Notices = []config.Notice{{Text: "settings" + bad}}
	s.desk.ask(one, gone, hidden, make("4", true))
	s.desk.set(func(snap *broker.Snapshot) {
		snap.Notices = []string{"fault" + bad}
		snap.Sessions = []broker.SessionView{{ID: one.Request.Session, Name: "n" + bad, Agent: "a" + bad, Cwd: "/src/" + bad, Host: "h" + bad, GitBranch: "b" + bad}}
		snap.Recent = []broker.Settled{{Key: ask.Key{Session: "x" + bad, Request: "y" + bad}, SessionName: "n" + bad, Kind: ask.OutcomeKind(bad), At: s.clock.Now(), Delivered: true}}
	})
	r := make("5", false).Request
	past := s.record(r, time.Minute, ask.Answered, ask.Response{Choices: []ask.Choice{
		{Type: ask.Multi, Selected: []int{0}, CustomText: "mine" + bad, Note: bad, OptionNotes: map[int]string{0: bad, 1: bad}}, {Type: ask.Single, CustomText: bad},
	}})
	past.Outcome.Client, past.Outcome.Via = "client"+bad, ask.ViaRemote
	failed := s.record(make("6", false).Request, time.Minute, ask.Failed, ask.Response{})
	failed.Outcome.Result, failed.Outcome.Error = nil, "failed"+bad
	for _, rec := range []*ask.Record{&past, &failed} {
		rec.Request.Asker = one.Request.Asker
	}
	s.past.add(past, failed)
}

// walks are ways through every view of the pane; each key is one frame.
var walks = [][]string{
	{"alt+q", "down", "down", "down", "enter"},
	{"tab", "tab", "down", "pageDown", "end", "esc", "esc"},
	{"3", "left", "x", "esc", "n", "enter", "N", "esc", "t", "t"},
	{"ctrl+o", "pageDown", "end"},
	{"ctrl+r", "end", "enter", "pageDown", "end", "esc", "up", "enter", "pageDown", "end", "esc", "/", "x"},
	{"?", "down", "up", "up", "enter"},
	{"ctrl+q"},
}

// TestNoDoorLeaks shows every hostile text in every field, in every view, in small and large panes in turn, and looks at
// what stands in the cells.
func TestNoDoorLeaks(t *testing.T) {
	sizes := [][2]int{{40, 12}, {120, 40}}
	for i, sample := range asktest.Hostile(t, "../broker/ask/testdata/hostile.json") {
		t.Run(sample.Name, func(t *testing.T) {
			for j, walk := range walks {
				walked(t, sizes[(i+j)%len(sizes)], walk, sample.Text)
			}
		})
	}
}

func walked(t *testing.T, size [2]int, walk []string, bad string) {
	t.Helper()
	s := newStage(t, size[0], size[1])
	s.atOnce()
	poisoned(s, bad)
	for i := range len(walk) + 1 {
		if i > 0 {
			s.keys(walk[i-1])
		}
		if raw := asktest.Raw(s.frame()); raw != "" {
			t.Errorf("%dx%d after %v: %s", size[0], size[1], walk[:i], raw)
		}
	}
	s.pane.RestoreTerminal()
	s.pane.endCompletion()
}

// TestTagsAreText: what looks like markup is shown as it was written.
func TestTagsAreText(t *testing.T) {
	s := newStage(t, 160, 45)
	const bad = ` [red]a[-] ["b"]c[""] [[d] [:::https://e]f`
	poisoned(s, bad)
	screen := s.frame()
	for _, at := range []string{"T", "P", "C", "fault", "settings", "Note: note"} {
		if want := at + bad; !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
}
