package tool

import (
	"testing"

	"askd/broker/ask"
	"askd/broker/ask/asktest"

	"github.com/google/go-cmp/cmp"
)

const vectorsFile = "../ask/testdata/ask_user.json"

// expected is what a vector says of a tool result; nil parts are open.
type expected struct {
	Text       *string `json:"content_text"`
	Transcript *string `json:"transcript"`
	Details    any     `json:"details"`
	Structured any     `json:"structuredContent"`
	Extra      []any   `json:"extra_content_blocks"`
	Plain      string  `json:"plain"`
}

func (want *expected) check(t *testing.T, out *Outcome) {
	t.Helper()
	if want.Text != nil && out.Content[0].Text != *want.Text {
		t.Errorf("text = %q, want %q", out.Content[0].Text, *want.Text)
	}
	if got := ask.PlainLines(out.Transcript); want.Transcript != nil && got != *want.Transcript {
		t.Errorf("transcript = %q, want %q", got, *want.Transcript)
	}
	if diff := cmp.Diff(want.Details, asktest.Value(t, out.Details)); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Structured, asktest.Value(t, out.StructuredContent)); diff != "" {
		t.Errorf("structured content (-want +got):\n%s", diff)
	}
	if want.Extra == nil {
		want.Extra = []any{}
	}
	if diff := cmp.Diff(any(want.Extra), asktest.Value(t, out.Content[1:])); diff != "" {
		t.Errorf("extra blocks (-want +got):\n%s", diff)
	}
}

func TestVectorsOutcome(t *testing.T) {
	for _, v := range asktest.Load(t, vectorsFile, "result_text") {
		t.Run(v.Name, func(t *testing.T) {
			input, want := asktest.Decode[asktest.Form](t, v.Input), asktest.Decode[expected](t, v.Expect)
			switch {
			case input.Target == "call_row":
				if got := ask.PlainLines(CallRow(input.Form)); got != want.Plain {
					t.Errorf("row = %q, want %q", got, want.Plain)
				}
			case input.Target != "":
				t.Fatalf("unknown target %q", input.Target)
			case input.Mode != "":
				want.check(t, askUser.NoUI(input.Request(t), nil))
			default:
				r := input.Request(t)
				result := asktest.Result(t, r, v.Actions)
				out := askUser.Outcome(r, &ask.Outcome{ID: "o", Kind: result.Kind(), Result: result})
				want.check(t, out)
				if out.AbortOperation != result.Cancelled {
					t.Errorf("abortOperation = %v", out.AbortOperation)
				}
			}
		})
	}
}

func TestVectorsInvalid(t *testing.T) {
	for _, v := range asktest.Load(t, vectorsFile, "validate") {
		input := asktest.Decode[map[string]any](t, v.Input)
		if input["payload"] == nil {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			want := asktest.Decode[expected](t, v.Expect)
			raw, err := ask.Stringify(input["payload"])
			if err != nil {
				t.Fatal(err)
			}
			p, err := askUser.Parse(raw, Env{})
			if err != nil {
				t.Fatal(err)
			}
			want.check(t, askUser.Invalid(p))
		})
	}
}

func TestVectorsBackground(t *testing.T) {
	for _, v := range asktest.Load(t, vectorsFile, "background_text") {
		input := asktest.Decode[struct {
			asktest.Form
			Wait *[]asktest.Form
		}](t, v.Input)
		want := asktest.Decode[struct {
			Text       string
			Details    any
			RequestIDs []string `json:"requestIds"`
		}](t, v.Expect)
		t.Run(v.Name, func(t *testing.T) {
			if input.Wait == nil {
				input.Actions = v.Actions
				r, o := finish(t, &input.Form)
				if got := askUser.Background(r, o).Content[0].Text; got != want.Text {
					t.Errorf("text = %q, want %q", got, want.Text)
				}
				return
			}
			out := waitFor(t, *input.Wait)
			if got := out.Content[0].Text; got != want.Text {
				t.Errorf("text = %q, want %q", got, want.Text)
			}
			if diff := cmp.Diff(want.Details, asktest.Value(t, out.Details)); diff != "" && want.Details != nil {
				t.Error(diff)
			}
			if diff := cmp.Diff(want.RequestIDs, out.Details.(WaitResult).RequestIDs); diff != "" && want.RequestIDs != nil {
				t.Error(diff)
			}
		})
	}
}

func finish(t *testing.T, f *asktest.Form) (*ask.Request, *ask.Outcome) {
	if f.Error != "" {
		return &ask.Request{ID: f.RequestID}, &ask.Outcome{Kind: ask.Failed, Error: f.Error}
	}
	r := f.Request(t)
	result := asktest.Result(t, r, f.Actions)
	return r, &ask.Outcome{Kind: result.Kind(), Result: result}
}

func waitFor(t *testing.T, forms []asktest.Form) *Outcome {
	var ids []string
	var results []Finished
	for _, f := range forms {
		r, o := finish(t, &f)
		ids, results = append(ids, r.ID), append(results, FinishedOf(r, o))
	}
	return WaitComplete(ids, results)
}
