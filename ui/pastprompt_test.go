package ui

import (
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
)

// rememberPrompts gives the history an answered prompt with a preview and one whose time ran out.
func (s *stage) rememberPrompts() {
	s.atOnce()
	asked := func(id string, questions ...ask.Question) *ask.Request {
		return &ask.Request{
			ID: id, Session: "checkout-api", Tool: ask.ToolQuestion, Prompt: &ask.PromptSettings{DisplayMode: "inline", Layout: "auto"}, Questions: questions,
		}
	}
	store := sessionsQuestion()
	store.Options[1].Preview = "\n## Postgres\n\n- **deployed** already\n- slower reads\n"
	answered := s.record(asked("p1", store, gatesQuestion(), logsQuestion()), 2*time.Hour, ask.Answered, ask.Response{Choices: []ask.Choice{
		{Type: ask.Single, Selected: []int{1}},
		{Type: ask.Multi, Selected: []int{0}, CustomText: "licence scan"},
		{Type: ask.Single},
	}})
	answered.Delivered = true
	late := s.record(asked("p2", sessionsQuestion(), gatesQuestion()), time.Hour, ask.TimedOut, ask.Response{})
	late.Outcome.Result = nil
	late.Draft = &ask.Draft{
		Questions: []ask.QuestionDraft{
			{ID: store.ID, Row: 1, CustomText: "a sidecar", Confirmed: &ask.Confirmed{Selected: []string{store.Options[1].Value}}},
			{ID: "q2", Selected: []string{gatesQuestion().Options[2].Value}},
		},
		Editor: &ask.EditorDraft{Kind: "custom", Question: "q2", Text: "half a thou"},
	}
	s.past.add(answered, late)
}

func TestHistoryReadsPrompts(t *testing.T) {
	s := newStage(t, 100, 50)
	s.rememberPrompts()
	s.keys("h")
	shows(t, s.frame(), "Sessions: Where should sessions live?", "timed out, not answered", "Unit tests, licence scan", "no answer")
	for _, want := range [][]string{
		{"Where should sessions live?", "→ timed out", "Entered, not submitted", "→ Postgres", "Written, not confirmed:", "→ a sidecar"},
		{"Which checks gate a merge?", "→ timed out", "Ticked, not confirmed:", "→ Fuzzing", "Being written", "half a thou"},
		{"Where should sessions live?", "→ Postgres", "☒ 2. Postgres", "│ - deployed already", "ask_user_question", "The agent has it."},
		{"Which checks gate a merge?", "→ Unit tests", "→ licence scan", "☒ 1. Unit tests"},
		{"Which log format?", "→ no answer"},
	} {
		s.keys("enter")
		shows(t, s.frame(), want...)
		s.keys("esc", "down")
	}
}

// A page that nobody touched has nothing to tell, and one whose ticks were confirmed tells them once.
func TestHistoryOfPromptDraftsRepeatsNothing(t *testing.T) {
	s := newStage(t, 100, 50)
	s.rememberPrompts()
	rec := s.past.records[1]
	rec.Draft.Editor = nil
	rec.Draft.Questions = []ask.QuestionDraft{
		{ID: rec.Request.Questions[0].ID, Row: 1, Filter: "x", CustomText: " "},
		{ID: "q2", Selected: []string{"Fuzzing"}, CustomText: " own ", Confirmed: &ask.Confirmed{Selected: []string{"Fuzzing"}, CustomText: "own"}},
	}
	s.keys("h", "enter")
	if screen := s.frame(); strings.Contains(screen, "Entered") {
		t.Errorf("an untouched page tells something:\n%s", screen)
	}
	s.keys("esc", "down", "enter")
	screen := s.frame()
	shows(t, screen, "Entered, not submitted", "→ Fuzzing", "→ own")
	if strings.Contains(screen, "not confirmed") {
		t.Errorf("what was confirmed is told twice:\n%s", screen)
	}
}

// A preview that is too long for Markdown can be read to its end.
func TestHistoryShowsLongPreviewsWhole(t *testing.T) {
	s := newStage(t, 100, 50)
	s.rememberPrompts()
	s.past.records[0].Request.Questions[0].Options[1].Preview = strings.Repeat("word ", mostMarkdown/4) + "\nthe very end\x1b[2J"
	s.keys("h", "down", "down", "enter", "end")
	shows(t, s.frame(), "│ the very end", "3. Signed cookies")
}
