package ui

import (
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/config"
)

// three are forms of three sessions that ask the same.
func three(s *stage) {
	s.desk.ask(small(s.clock, "docs", "a1", "Tone", 0, false), small(s.clock, "api", "b1", "Tone", 0, true), small(s.clock, "web", "c1", "Tone", 0, false),
		small(s.clock, "other", "d1", "Region", 0, false))
}

const sameQuestion = "The same question waits from 2 other agents"

// TestSameAnswerIsOffered after a submit: not in its first moment, only Y gives it, Esc does not, and nothing else does
// either.
func TestSameAnswerIsOffered(t *testing.T) {
	s := newStage(t, 120, 40)
	three(s)
	s.has("3 alike")
	s.keys("2", "1", "1")
	s.has(sameQuestion, "Y yes · Esc no")
	s.pane.rose.since = s.clock.Now()
	s.clock.pass(config.Guard - time.Millisecond)
	s.raw("y")
	s.raw("esc")
	s.has(sameQuestion)
	s.clock.pass(time.Second)
	s.keys("1", "space", "enter", "d")
	s.has(sameQuestion, "Y yes · Esc no", "!Enter confirm", "!dismiss")
	if n := len(s.desk.made("submit")); n != 1 {
		t.Fatalf("%d forms were answered before a yes", n)
	}
	s.keys("y")
	s.has("!"+sameQuestion, "The same answer went to 2 other agents.")
	made := s.desk.made("submit")
	if len(made) != 3 || made[1].Response.Choices[0].Selected[0] != 1 || made[2].Response.Choices[0].Selected[0] != 1 {
		t.Errorf("given: %+v", made)
	}
	s.clock.pass(settledFor)
	s.has("Region?")
}

// TestSameAnswerIsRefused: each form then waits for its own.
func TestSameAnswerIsRefused(t *testing.T) {
	s := newStage(t, 40, 12)
	three(s)
	s.keys("2", "1", "1")
	s.has("The same question waits", "Esc no")
	s.keys("esc")
	if n := len(s.desk.made("submit")) + len(s.desk.made("cancel")); n != 1 {
		t.Errorf("%d forms have ended", n)
	}
	s.has("!The same question waits")
}

// TestSameQuestionEnds: who has ended meanwhile is not asked for any more, and is said to have ended.
func TestSameQuestionEnds(t *testing.T) {
	s := newStage(t, 120, 40)
	three(s)
	s.keys("2", "1", "1")
	entries := s.desk.Snapshot().Entries
	s.desk.drop(entries[0].Key(), nil)
	s.has("The same question waits from 1 other agent")
	s.desk.fail = broker.ErrNotPending
	s.keys("y")
	s.has("1 had ended meanwhile.")
	s.desk.fail = nil

	s = newStage(t, 120, 40)
	three(s)
	s.keys("2", "1", "1")
	for _, e := range s.desk.Snapshot().Entries {
		s.desk.drop(e.Key(), nil)
	}
	if got := s.frame(); !strings.Contains(got, "have ended meanwhile") || s.pane.overlay != nil {
		t.Errorf("it still asks:\n%s", got)
	}
}
