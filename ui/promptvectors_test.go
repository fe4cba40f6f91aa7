package ui

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
	"askd/broker/ask"
)

// promptVector is one checked value of ask_user_question.
type promptVector struct {
	Name, Kind string
	Input      struct {
		Params   promptParams
		UI       string
		Settings struct {
			DisplayMode        string
			SingleSelectLayout string
			OverlayToggleKey   string
			Timeout            int
		}
		Terminal struct{ Width, Rows int }
	}
	Actions []promptAction
	Expect  struct {
		Error   string
		Details struct {
			Cancelled bool
			Answers   []struct {
				Question, Kind string
				Answer         *string
				Selected       []string
			}
		}
	}
}

type promptAction struct {
	Key, Type string
	Wait      *int            `json:"wait_ms"`
	Reply     json.RawMessage `json:"reply"`
	Check     *screenCheck    `json:"check_screen"`
}

type screenCheck struct {
	Width, Rows int
	Contains    []string
	Frame       []string
	NotContains []string `json:"not_contains"`
}

type promptParams struct {
	Questions []struct {
		Question, Header string
		MultiSelect      bool
		Options          []struct{ Label, Description, Preview string }
	}
}

// request is the normalised form of the parameters.
func (p *promptParams) request() *ask.Request {
	r := &ask.Request{}
	for i, q := range p.Questions {
		out := ask.Question{ID: "q" + string(rune('1'+i)), Label: q.Header, Prompt: q.Question, Type: ask.Single}
		if q.MultiSelect {
			out.Type = ask.Multi
		}
		for _, o := range q.Options {
			out.Options = append(out.Options, ask.Option{Value: o.Label, Label: o.Label, Description: o.Description, Preview: o.Preview})
		}
		r.Questions = append(r.Questions, out)
	}
	return r
}

// asked is a prompt on its way to the pane.
func asked(c *clock, id string, r *ask.Request, settings ask.PromptSettings) *broker.Entry {
	e := entry(c, "checkout-api", id, 0, r)
	r.Tool, r.Prompt = ask.ToolQuestion, &settings
	return e
}

func paneVectors(t *testing.T) []promptVector {
	t.Helper()
	data, err := os.ReadFile("form/testdata/ask_user_question.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	var out []promptVector
	for _, r := range raw {
		var v promptVector
		if json.Unmarshal(r, &v) == nil && v.Kind == "result" && v.Input.UI == "custom" && v.inPane() {
			out = append(out, v)
		}
	}
	return out
}

// inPane reports whether a vector is about what a person does with a prompt, not about a deadline or a dialog.
func (v *promptVector) inPane() bool {
	return v.Expect.Error == "" && !slices.ContainsFunc(v.Actions, func(a promptAction) bool { return a.Wait != nil || a.Reply != nil })
}

func TestPromptVectors(t *testing.T) {
	vectors := paneVectors(t)
	if len(vectors) < 40 {
		t.Fatalf("only %d vectors were read", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			w, h := v.Input.Terminal.Width, v.Input.Terminal.Rows
			s := newStage(t, w, h)
			set := v.Input.Settings
			s.desk.ask(asked(s.clock, "p1", v.Input.Params.request(), ask.PromptSettings{
				DisplayMode: set.DisplayMode, Layout: set.SingleSelectLayout, ToggleKey: set.OverlayToggleKey,
			}))
			for _, a := range v.Actions {
				switch {
				case a.Check != nil:
					a.Check.check(t, s)
					s.screen.SetSize(w, h)
				case a.Type != "":
					s.keys(a.Type)
				default:
					s.keys(a.Key)
				}
			}
			v.checkEnd(t, s)
		})
	}
}

// check draws the screen at the width that is asked for. The pane's own head and foot take rows that a published prompt
// has for itself.
func (c *screenCheck) check(t *testing.T, s *stage) {
	t.Helper()
	s.frame()
	s.screen.SetSize(c.Width, c.Rows)
	got := s.frame()
	for _, want := range c.Contains {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	for _, not := range c.NotContains {
		if strings.Contains(got, not) {
			t.Errorf("%q is there:\n%s", not, got)
		}
	}
	if len(c.Frame) > 0 && !strings.Contains(got, strings.Join(c.Frame, "\n")) {
		t.Errorf("the frame differs, want:\n%s\ngot:\n%s", strings.Join(c.Frame, "\n"), got)
	}
}

func (v *promptVector) checkEnd(t *testing.T, s *stage) {
	t.Helper()
	if v.Expect.Details.Cancelled {
		if n := len(s.desk.made("cancel")); n != 1 || len(s.desk.made("submit")) > 0 {
			t.Errorf("%d cancellations:\n%s", n, s.frame())
		}
		return
	}
	calls := s.desk.made("submit")
	if len(calls) != 1 {
		t.Fatalf("%d submits:\n%s", len(calls), s.frame())
	}
	got := map[string][]string{}
	for i, c := range calls[0].Response.Choices {
		q := v.Input.Params.Questions[i]
		for _, o := range c.Selected {
			got[q.Question] = append(got[q.Question], q.Options[o].Label)
		}
		if c.CustomText != "" {
			got[q.Question] = append(got[q.Question], c.CustomText)
		}
	}
	want := map[string][]string{}
	for _, a := range v.Expect.Details.Answers {
		want[a.Question] = a.Selected
		if a.Answer != nil {
			want[a.Question] = []string{*a.Answer}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
