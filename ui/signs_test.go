package ui

import (
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// A key that would be typed into the open editor is not offered there.
func TestSettingsKeyIsNotOfferedWhileItTypes(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("4")
	s.has("Enter submit, go on", "? settings")
	s.keys("why")
	s.has("!? settings")
	s.keys("?")
	s.has("why?", "!All active keys")
	s.keys("esc", "1", "N")
	s.has("Enter save", "? settings")
	s.keys("x")
	s.has("!? settings")
}

// A question for text of the person's own says how to begin a line: Enter, which does so elsewhere, sends what is there.
func TestNewLineIsOffered(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(entry(s.clock, "shop", "w1", 0, &ask.Request{Questions: []ask.Question{{ID: "answer", Label: "Q1", Prompt: "Why?", Type: ask.Single, Input: true}}}))
	s.keys("1")
	s.has("Ctrl+J new line", "Enter submit, go on")
	s.keys("a", "ctrl+j", "b")
	s.has(" a\n", " b\n")

	s = newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("4")
	s.has("Enter submit, go on", "!new line")
}

// Where something of a question is cut, the key that shows it is among the hints.
func TestWhatIsCutCanBeRead(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {44, 10}, {60, 20}, {80, 24}, {100, 24}} {
		s := newStage(t, size[0], size[1])
		s.desk.ask(long(s.clock))
		s.has("▾", "Ctrl+O ")
		s.keys("ctrl+o", "esc", "end", "down")
		s.has("Enter submit", "Ctrl+O ")

		s = newStage(t, size[0], size[1])
		s.prompt(overlaid(), longQuestion())
		s.has("Ctrl+O ", "alt+o hide")
	}
}

func longQuestion() ask.Question {
	q := sessionsQuestion()
	q.Prompt = strings.Repeat(q.Prompt+" ", 60)
	return q
}

// A toggle key that is a plain character is text wherever the prompt takes text, and is not offered there.
func TestPlainToggleKeyTypes(t *testing.T) {
	s := newStage(t, 120, 40)
	set := overlaid()
	set.ToggleKey = "a"
	one, several := sessionsQuestion(), sessionsQuestion()
	several.ID, several.Type = "several", ask.Multi
	s.prompt(set, one, several)
	s.has("!a hide")
	s.keys("a")
	s.has("Filter: a", "!hidden")
	s.keys("esc", "up", "enter")
	s.keys("a", "a")
	s.has("Custom response", "aa", "!hidden")
	s.keys("tab")
	s.has("a hide")
	s.keys("a")
	s.has("ask_user_question hidden — press a to reopen")
	s.keys("a")
	s.has("space toggle", "a hide")
}

// A key of the settings that no terminal can send is never offered.
func TestImpossibleToggleKeyIsNotOffered(t *testing.T) {
	s := newStage(t, 120, 40)
	set := overlaid()
	set.ToggleKey = "foo+z"
	s.prompt(set, sessionsQuestion())
	s.has("!hide")
}

// Whoever was not there when a form was cancelled has not been told of it.
func TestCancelWithoutItsAsker(t *testing.T) {
	s := newStage(t, 80, 24)
	e := small(s.clock, "infra", "c1", "Region", time.Hour, false)
	e.AskerOnline, e.GoneSince = false, s.clock.Now().Add(-time.Minute)
	s.desk.ask(e)
	s.keys("ctrl+c")
	s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), SessionName: "infra", Kind: ask.Cancelled})
	s.has("✓ cancelled · infra is not connected, told when it returns")
}

// What is asked in the demo is not kept: the head says what it is, and leaving it does not promise that anything is.
func TestLeavingTheDemo(t *testing.T) {
	s := newStage(t, 80, 24)
	s.pane.o.Throwaway = true
	s.has("askd demo   nothing is waiting")
	s.desk.ask(storage(s.clock))
	s.has("askd demo  1/1 ●")
	s.keys("ctrl+q")
	s.has("nothing of this", "demo is kept.", "!every question")
}

// That the type has changed is worth a row until the next key only; the page of keys explains the signs.
func TestTypeNoticeGoesWithTheNextKey(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("t")
	s.has("Question type changed from single to multi.")
	s.keys("down")
	s.has("!Question type changed")
	page := strings.Join(keyText(s.pane), "\n")
	for _, sign := range []string{"×2", "row 2/9", "← 3 … 2 →", "● ○ ⏸"} {
		if !strings.Contains(page, sign) {
			t.Errorf("the page of keys does not explain %s", sign)
		}
	}
}
