package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"askd/broker/ask"
	"askd/broker/ask/asktest"
	"askd/tests/tmuxtest"
)

// TestVectorsInPane presses the checked values that only keys can produce.
func TestVectorsInPane(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 120, 40)
	s.askd()
	for _, v := range append(asktest.Load(t, vectorsFile, "result_text"), asktest.Load(t, vectorsFile, "normalize")...) {
		if inPane[v.Name] {
			t.Run(v.Name, func(t *testing.T) { pressVector(t, p, s, v) })
		}
	}
}

func pressVector(t *testing.T, p place, s shell, v asktest.Vector) {
	input := asktest.Decode[struct {
		asktest.Form
		Payload json.RawMessage
	}](t, v.Input)
	if input.Payload != nil {
		input.Form.Form, input.RequestID = input.Payload, requestID(1)
	}
	want := asktest.Decode[struct {
		expected
		Rows []struct {
			Number int
			Label  string
		}
	}](t, v.Expect)
	r := vectorSession(t, p, v, "cli", input.RequestID)
	open := r.ask(input.Form.Form)
	screen := s.WaitFor("Type your own")
	for _, row := range want.Rows {
		if text := fmt.Sprintf("%d. [ ] %s", row.Number, row.Label); !strings.Contains(screen, text) {
			t.Errorf("%q is not on the screen:\n%s", text, screen)
		}
	}
	form := input.Request(t)
	for _, do := range v.Actions {
		press(t, s, &form.Questions[0], do)
	}
	if len(v.Actions) == 0 {
		s.PressUntil("Escape", idle)
	}
	want.check(t, r.ended(open))
}

// press does one action of a form with one question; changes of its type are kept in q.
func press(t *testing.T, s shell, q *ask.Question, do asktest.Action) {
	t.Helper()
	number := 0
	for i := range q.Options {
		if q.Options[i].Value == do.Value {
			number = i + 1
		}
	}
	switch do.Do {
	case "change_type":
		from := q.Type
		q.Type = map[ask.Type]ask.Type{ask.Single: ask.Multi, ask.Multi: ask.Single}[from]
		s.PressUntil("t", fmt.Sprintf("Question type changed from %s to %s.", from, q.Type))
	case "toggle":
		s.PressUntil(fmt.Sprint(number), fmt.Sprintf("%d. [x] ", number))
	case "select":
		s.PressUntil(fmt.Sprint(number), "1. Submit")
	case "submit":
		if !strings.Contains(s.Screen(), "1. Submit") { // an answer to the only question leads there by itself
			s.PressUntil("Tab", "1. Submit")
		}
		s.PressUntil("Enter", idle)
	default:
		t.Fatalf("unknown action %q", do.Do)
	}
}
