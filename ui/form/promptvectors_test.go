package form

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

// promptVector is one checked value of ask_user_question: the questions, what a person does, and the result.
type promptVector struct {
	Name, Kind string
	Input      struct {
		UI     string
		Params struct {
			Questions []struct {
				Question, Header string
				Options          []struct{ Label, Description, Preview string }
				MultiSelect      bool
			}
		}
	}
	Actions []struct {
		Key, Type   string
		WaitMs      int `json:"wait_ms"`
		CheckScreen struct {
			Width       int
			Contains    []string
			NotContains []string `json:"not_contains"`
		} `json:"check_screen"`
	}
	Expect struct {
		Content string
		Details json.RawMessage
	}
}

// promptVectors are those that a prompt's state can show: not those of calls that are refused or run out of time.
func promptVectors(t *testing.T) []promptVector {
	t.Helper()
	data, err := os.ReadFile("testdata/ask_user_question.json")
	if err != nil {
		t.Fatal(err)
	}
	var all, out []promptVector
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Kind == "result" && v.Input.UI == "custom" && len(v.Actions) > 0 && !v.waits() {
			out = append(out, v)
		}
	}
	return out
}

func (v *promptVector) waits() bool {
	for _, a := range v.Actions {
		if a.WaitMs > 0 {
			return true
		}
	}
	return false
}

func (v *promptVector) request() *ask.Request {
	r := &ask.Request{ID: "r1", Tool: ask.ToolQuestion}
	for i, in := range v.Input.Params.Questions {
		q := ask.Question{ID: fmt.Sprint("q", i+1), Label: in.Header, Prompt: in.Question, Type: ask.Single}
		if in.MultiSelect {
			q.Type = ask.Multi
		}
		for _, o := range in.Options {
			q.Options = append(q.Options, ask.Option{
				Value: o.Label, Label: o.Label, Description: o.Description, Preview: o.Preview,
			})
		}
		r.Questions = append(r.Questions, q)
	}
	return r
}

func TestPromptVectors(t *testing.T) {
	vectors := promptVectors(t)
	if len(vectors) < 50 {
		t.Fatalf("%d vectors", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) { v.run(t) })
	}
}

func (v *promptVector) run(t *testing.T) {
	p := NewPrompt(v.request())
	var end []Effect
	for _, a := range v.Actions {
		switch {
		case a.Key != "":
			end = pressPrompt(t, p, a.Key)
		case a.Type != "":
			typePrompt(t, p, a.Type)
		case a.CheckScreen.Width == 80: // the others are about the frame
			compareScreen(t, sketch(p), a.CheckScreen.Contains, a.CheckScreen.NotContains)
		}
	}
	if len(end) != 1 || p.Mode() != PromptDone {
		t.Fatalf("the prompt did not end: %v\n%s", end, sketch(p))
	}
	var want any
	if err := json.Unmarshal(v.Expect.Details, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, promptDetails(p.Request(), end[0])); diff != "" {
		t.Errorf("details differ:\n%s", diff)
	}
}

func compareScreen(t *testing.T, screen string, contains, not []string) {
	t.Helper()
	for _, s := range contains {
		if !strings.Contains(screen, s) {
			t.Errorf("%q is missing in\n%s", s, screen)
		}
	}
	for _, s := range not {
		if strings.Contains(screen, s) {
			t.Errorf("%q is in\n%s", s, screen)
		}
	}
}

// promptDetails is the result that an end stands for, as plain JSON values.
func promptDetails(r *ask.Request, e Effect) any {
	answers := []any{}
	s, sent := e.(Submit)
	for i, c := range s.Response.Choices {
		if a := promptAnswer(&r.Questions[i], c); a != nil {
			a["question"] = r.Questions[i].Prompt
			answers = append(answers, a)
		}
	}
	return map[string]any{"answers": answers, "cancelled": !sent}
}

func promptAnswer(q *ask.Question, c ask.Choice) map[string]any {
	var labels []any
	for _, n := range c.Selected {
		labels = append(labels, q.Options[n].Label)
	}
	switch {
	case labels == nil && c.CustomText == "":
		return nil
	case labels == nil:
		return map[string]any{"kind": "custom", "answer": c.CustomText}
	case q.Type == ask.Single:
		return map[string]any{"kind": "option", "answer": labels[0]}
	}
	if c.CustomText != "" {
		labels = append(labels, c.CustomText)
	}
	return map[string]any{"kind": "multi", "answer": nil, "selected": labels}
}
