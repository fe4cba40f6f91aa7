package broker_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
	"askd/broker/ask"
)

const initialForm = `{"questions":[
	{"id":"a","prompt":"A?","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]},
	{"id":"b","prompt":"B?","input":true,"placeholder":"words","options":[]}]}`

// TestInitialIsADraft: what a form opens with is on disk as a draft, also after a restart, and never an answer by itself.
func TestInitialIsADraft(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	text := "begun"
	a := newAnswer(t, "tool.call")
	c.Call(broker.CallParams{
		Tool: ask.ToolAskUser, RequestID: id(1), Arguments: json.RawMessage(initialForm),
		Initial: map[string]broker.Initial{"a": {Values: []string{"nothing", "y"}}, "b": {CustomText: &text}, "c": {Values: []string{"x"}}},
	}, a.reply)
	c.accepted(1)
	want := &ask.Draft{
		Row: 1, Questions: []ask.QuestionDraft{{ID: "a", Selected: []string{"y"}}},
		Editor: &ask.EditorDraft{Kind: ask.EditCustom, Question: "b", Text: text},
	}
	check := func(when string) {
		e := w.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil && e.Draft != nil })
		got := *e.Draft
		got.SavedAt = want.SavedAt
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("%s the draft differs: %s", when, diff)
		}
		if q := e.Request.Questions[1]; !q.Input || q.Placeholder != "words" || len(q.Options) > 0 {
			t.Errorf("%s the second question is %+v", when, q)
		}
	}
	check("first")
	until(t, "the draft on disk", func() bool { rec, _ := w.stored("s", 1); return rec.Draft != nil })
	w.restart()
	check("after a restart")
	if rec, _ := w.stored("s", 1); rec.Outcome != nil {
		t.Errorf("it ended with %+v", rec.Outcome)
	}
}

// TestOptionsAreWanted: only a question for own words has none.
func TestOptionsAreWanted(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	out := c.call(1, `{"questions":[{"id":"a","prompt":"A?","placeholder":"p","options":[]}]}`).outcome()
	if got := text(out); got != "Invalid ask_user payload:\n- questions[0].options: Question 1: at least one option is required" {
		t.Error(got)
	}
	c.call(2, `{"questions":[{"id":"a","prompt":"A?","input":"yes","options":[]}]}`).refused(broker.InvalidParams)
}
