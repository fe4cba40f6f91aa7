package tool

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
	"askd/broker/ask/asktest"
)

const questionVectors = "../ask/testdata/ask_user_question.json"

// questionInput is the input of the checked values of ask_user_question.
type questionInput struct {
	Target  string
	Value   json.RawMessage
	Params  json.RawMessage
	Details *QuestionDetails
	Content string
	IsError bool `json:"is_error"`
	Partial bool
}

// questionWant is what they expect of it.
type questionWant struct {
	Error      string
	Normalized json.RawMessage
	Content    string
	Details    *QuestionDetails
	Text       string
}

// normalised is a question as the checked values have it.
type normalised struct {
	Question    string             `json:"question"`
	Header      string             `json:"header"`
	Options     []normalisedOption `json:"options"`
	MultiSelect bool               `json:"multiSelect"`
}

type normalisedOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Preview     string `json:"preview,omitempty"`
}

func normalisedOf(questions []ask.Question) []normalised {
	var out []normalised
	for _, q := range questions {
		n := normalised{Question: q.Prompt, Header: q.Label, MultiSelect: q.Type == ask.Multi}
		for _, o := range q.Options {
			n.Options = append(n.Options, normalisedOption{o.Label, o.Description, o.Preview})
		}
		out = append(out, n)
	}
	return out
}

func TestQuestionParamVectors(t *testing.T) {
	for _, v := range asktest.Load(t, questionVectors, "validate") {
		input, want := asktest.Decode[questionInput](t, v.Input), asktest.Decode[questionWant](t, v.Expect)
		if input.Target != "params" {
			continue // settings: config
		}
		t.Run(v.Name, func(t *testing.T) {
			p, err := question.Parse(input.Value, Env{})
			if err != nil {
				t.Fatal(err)
			}
			if want.Error == "" {
				if diff := cmp.Diff(asktest.Decode[any](t, want.Normalized), asktest.Value(t, normalisedOf(p.Questions))); diff != "" || p.Issues != nil {
					t.Error(p.Issues, diff)
				}
				return
			}
			if out := question.Invalid(p); !out.IsError || out.Content[0].Text != want.Error || len(p.Issues) != 1 || p.Questions != nil {
				t.Errorf("got %+v", out)
			}
		})
	}
}

// questionRequest is a request with these arguments.
func questionRequest(t *testing.T, params json.RawMessage) *ask.Request {
	t.Helper()
	p, err := question.Parse(params, Env{})
	if err != nil || p.Issues != nil {
		t.Fatal(err, p.Issues)
	}
	return &ask.Request{ID: "r", Tool: ask.ToolQuestion, Questions: p.Questions}
}

// response puts details back into the choices that they came of.
func response(r *ask.Request, d *QuestionDetails) ask.Response {
	out := ask.Response{Choices: make([]ask.Choice, len(r.Questions))}
	for _, a := range d.Answers {
		for i, q := range r.Questions {
			if q.Prompt == a.Question {
				out.Choices[i] = choiceOf(&q, &a)
			}
		}
	}
	return out
}

func choiceOf(q *ask.Question, a *QuestionAnswer) ask.Choice {
	c := ask.Choice{Type: q.Type}
	if a.Kind == kindCustom {
		c.CustomText = "  " + *a.Answer + "\n"
		return c
	}
	picked := a.Selected
	if a.Answer != nil {
		picked = []string{*a.Answer}
	}
	for _, label := range picked {
		listed := false
		for i, o := range q.Options {
			if listed = o.Label == label; listed {
				c.Selected = append(c.Selected, i)
				break
			}
		}
		if !listed && q.Type == ask.Multi {
			c.CustomText = label
		} else if !listed {
			c.Literal = append(c.Literal, label)
		}
	}
	return c
}

func TestQuestionResultVectors(t *testing.T) {
	for _, v := range asktest.Load(t, questionVectors, "result") {
		input, want := asktest.Decode[questionInput](t, v.Input), asktest.Decode[questionWant](t, v.Expect)
		if want.Details == nil {
			continue
		}
		if strings.HasPrefix(v.Name, "dialogs-multi-numbers") {
			continue // literal answers: broker
		}
		t.Run(v.Name, func(t *testing.T) {
			r := questionRequest(t, input.Params)
			o := &ask.Outcome{ID: "o", Kind: ask.Cancelled, Result: ask.PendingResult(r)}
			if !want.Details.Cancelled {
				o.Result = ask.BuildResult(r, response(r, want.Details), false)
				o.Kind = o.Result.Kind()
			}
			out := question.Outcome(r, o)
			if diff := cmp.Diff(want.Details, ptr(out.Details.(QuestionDetails))); diff != "" || out.Content[0].Text != want.Content {
				t.Errorf("text %q, details: %s", out.Content[0].Text, diff)
			}
			if out.AbortOperation || out.IsError || out.OutcomeID != "o" || len(out.Content) != 1 {
				t.Errorf("got %+v", out)
			}
		})
	}
}

func TestQuestionRowVectors(t *testing.T) {
	for _, v := range asktest.Load(t, questionVectors, "result") {
		input, want := asktest.Decode[questionInput](t, v.Input), asktest.Decode[questionWant](t, v.Expect)
		var lines []Line
		switch {
		case input.Target == "render_call":
			lines = question.CallRow(input.Params)
		case input.IsError:
			lines = questionFailure(input.Content).Transcript
		case input.Target == "" || input.Partial:
			continue // partial results are the client's
		default:
			lines = questionLines(input.Details)
		}
		if got := ask.PlainLines(lines); got != want.Text {
			t.Errorf("%s: %q, want %q", v.Name, got, want.Text)
		}
	}
}

func TestQuestionRowOfHalfArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		``:                  "ask_user_question 0 questions",
		`null`:              "ask_user_question 0 questions",
		`{"questions":"W"}`: "ask_user_question 0 questions",
		`{"questions":[3,null,{"question":7},{"question":" W? ","options":[{}]},{"question":"V?","multiSelect":true}]}`: "ask_user_question 5 questions\n" +
			"  1. \n  2. \n  3. \n  4. W? (1 option(s))\n  5. V? (multi-select)",
	} {
		if got := ask.PlainLines(question.CallRow(json.RawMessage(arguments))); got != want {
			t.Errorf("%s: %q", arguments, got)
		}
	}
}

// TestQuestionValidationOrder has the cases that the checked values leave out.
func TestQuestionValidationOrder(t *testing.T) {
	const option = ` must be an object like { "label": "Short label", "description": "Why a user would pick it" }. Call ask_user_question again with corrected options.`
	a := `{"label":"A","description":""}`
	for arguments, want := range map[string]string{
		`{"timeout":1,"displayMode":null,"questions":3}`: "displayMode, timeout are configuration settings, not ask_user_question parameters. Use /ask-user-question-settings to configure them.",
		`{"multiSelect":null,"question":null}`:           "question, multiSelect cannot be set at the top level. Set them on each questions entry instead, even when asking only one question.",
		`{}`:                                             "questions must be an array of 1-4 question objects.",
		`null`:                                           "questions must be an array of 1-4 question objects.",
		`{"questions":null}`:                             "questions must be an array of 1-4 question objects.",
		`{"questions":[]}`:                               "questions needs 1-4 entries but got 0. To ask one question, use a questions array with one entry.",
		`{"questions":[[]]}`:                             "questions[0].question must be a non-empty string.",
		`{"Questions":[]}`:                               "questions must be an array of 1-4 question objects.",
		`{"questions":[{"question":"\u00a0"}]}`:          "questions[0].question must be a non-empty string.",
		`{"questions":[{"question":"q"}]}`:               "questions[0].header must be a non-empty string.",
		ofOptions(`{}`):                                  "questions[0].options must be an array of 2-4 options.",
		ofOptions(`[` + a + `]`):                         "questions[0].options needs 2-4 entries but got 1.",
		ofOptions(`[` + a + `,` + a + `,null]`):          `questions[0].options[2]` + option,
		ofOptions(`[` + a + `,` + a + `,"Next"]`):        `questions[0].options[2]` + option,
		ofOptions(`[` + a + `,{"label":"Next","description":""},` + a + `]`):                        `questions[0].options[1] uses the reserved label "Next". The prompt shows that row itself; pick a different label.`,
		ofOptions(`[` + a + `,{"label":" Type something. ","description":"x"}]`):                    `questions[0].options[1] uses the reserved label "Type something.". The prompt shows that row itself; pick a different label.`,
		ofOptions(`[` + a + `,{"label":" A","description":""},{"label":"Other","description":""}]`): `questions[0].options[1] repeats the label "A". Labels must be distinct within a question.`,
		ofOptions(`[` + a + `,{"label":"B","description":null}]`):                                   `questions[0].options[1]` + option,
	} {
		p, err := question.Parse(json.RawMessage(arguments), Env{})
		if err != nil || len(p.Issues) != 1 || p.Issues[0].Message != want {
			t.Errorf("%s: %v, %+v", arguments, err, p)
		}
	}
}

// TestQuestionWrongTypes: where the published tool has no word of its own for a wrong type, its schema stood before it.
func TestQuestionWrongTypes(t *testing.T) {
	flag := func(value string) string {
		return strings.Replace(ofOptions(`[{"label":"A","description":""},{"label":"B","description":""}]`), `"header"`, `"multiSelect":`+value+`,"header"`, 1)
	}
	for arguments, path := range map[string]string{
		`[]`: "arguments", `5`: "arguments", `"{}"`: "arguments",
		flag(`"true"`): "questions[0].multiSelect", flag(`1`): "questions[0].multiSelect", flag(`[]`): "questions[0].multiSelect",
	} {
		var refused *ParamError
		if _, err := question.Parse(json.RawMessage(arguments), Env{}); !errors.As(err, &refused) || refused.Path != path {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	for _, value := range []string{`null`, `false`, `true`} {
		if p, err := question.Parse(json.RawMessage(flag(value)), Env{}); err != nil || len(p.Issues) > 0 {
			t.Errorf("%s: %v, %+v", value, err, p)
		}
	}
	if p, err := question.Parse(json.RawMessage(`{"questions":[{"question":"q","multiSelect":5}]}`), Env{}); err != nil || p.Issues[0].Path != "questions[0].header" {
		t.Errorf("what the tool says itself comes first: %v, %+v", err, p)
	}
}

func ofOptions(options string) string {
	return `{"questions":[{"question":"q","header":"h","options":` + options + `}]}`
}

func TestQuestionNormalisation(t *testing.T) {
	r := questionRequest(t, json.RawMessage(`{"more":1,"questions":[{"question":" q ","header":"\th","multiSelect":null,"extra":1,"options":[
		{"label":" A ","description":" d ","preview":" # p\n","icon":1},{"label":"B","description":"","preview":"  "},{"label":"C","description":"","preview":3}]},
		{"question":"r","header":"h","multiSelect":true,"options":[{"label":"A","description":""},{"label":"a","description":""}]}]}`))
	want := []ask.Question{
		{ID: "q1", Label: "h", Prompt: "q", Type: ask.Single, Options: []ask.Option{
			{Value: "A", Label: "A", Description: " d ", Preview: " # p\n"}, {Value: "B", Label: "B"}, {Value: "C", Label: "C"},
		}},
		{ID: "q2", Label: "h", Prompt: "r", Type: ask.Multi, Options: []ask.Option{{Value: "A", Label: "A"}, {Value: "a", Label: "a"}}},
	}
	if diff := cmp.Diff(want, r.Questions); diff != "" {
		t.Error(diff)
	}
}

// TestQuestionEndsWithoutAnswer: none of the ends but a submit looks like an answer.
func TestQuestionEndsWithoutAnswer(t *testing.T) {
	r := questionRequest(t, json.RawMessage(ofOptions(`[{"label":"A","description":"one"},{"label":"B","description":""}]`)))
	listed := "ask_user_question requires interactive mode. Please answer these questions:\n\n1. q\n   Options:\n   1. A — one\n   2. B\n   You can also answer freely."
	for kind, want := range map[ask.OutcomeKind]string{
		ask.Cancelled: "User cancelled the questions", ask.TimedOut: "User cancelled the questions", ask.Interrupted: "User cancelled the questions",
		ask.Withdrawn: "User cancelled the questions", ask.NoUI: listed, ask.Failed: "terminal went away", ask.Empty: "User answered 0 questions:",
	} {
		o := &ask.Outcome{Kind: kind, Result: ask.BuildResult(r, ask.Response{}, kind != ask.Empty)}
		if kind == ask.Failed {
			o.Result, o.Error = nil, "terminal went away"
		}
		out := question.Outcome(r, o)
		if failed := kind == ask.NoUI || kind == ask.Failed; out.Content[0].Text != want || out.IsError != failed {
			t.Errorf("%s: %+v", kind, out)
		}
	}
}

func TestQuestionNoUIOfSeveral(t *testing.T) {
	r := questionRequest(t, json.RawMessage(`{"questions":[{"question":"a","header":"h","options":[{"label":"A","description":"x"},{"label":"B","description":"y"}]},
		{"question":"b","header":"h","multiSelect":true,"options":[{"label":"C","description":""},{"label":"D","description":"z"}]}]}`))
	want := "ask_user_question requires interactive mode. Please answer these questions:\n\n1. a\n   Options:\n   1. A — x\n   2. B — y\n   You can also answer freely." +
		"\n\n2. b\n   Options (choose one or more):\n   1. C\n   2. D — z\n   You can also answer freely."
	if out := question.NoUI(r, nil); out.Content[0].Text != want || !out.IsError {
		t.Errorf("got %q", out.Content[0].Text)
	}
}

func TestQuestionDefinition(t *testing.T) {
	if all := Definitions(Interface{Background: true}); len(all) != 2 {
		t.Errorf("the tool is there without being wanted: %d", len(all))
	}
	all := Definitions(Interface{Background: true, BackgroundOnly: true, AskUserQuestion: true})
	d := all[len(all)-1]
	if d.Name != ask.ToolQuestion || d.Label != "Ask User Question" || d.ExecutionMode != "sequential" || d.Exposure != "model-only" || len(d.PromptGuidelines) != 4 || d.PromptSnippet == "" || d.OutputSchema != nil {
		t.Errorf("definition %+v", d)
	}
	for _, rule := range d.PromptGuidelines {
		if !strings.Contains(rule, ask.ToolQuestion) {
			t.Errorf("a rule that does not name its tool: %s", rule)
		}
	}
	raw := marshal(t, d.Parameters)
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		if strings.Contains(raw, word) {
			t.Error("the schema has a union")
		}
	}
	for _, part := range []string{
		`"required":["questions"],"additionalProperties":false}`, `"minItems":1,"maxItems":4`, `"minItems":2,"maxItems":4`,
		`"required":["question","header","options"]`, `"required":["label","description"]`, `"default":false`,
	} {
		if !strings.Contains(raw, part) {
			t.Errorf("the schema lacks %s:\n%s", part, raw)
		}
	}
	if strings.Count(raw, "additionalProperties") != 1 {
		t.Error("entries refuse unknown members")
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
