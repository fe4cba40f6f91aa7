package ask_test

import (
	"encoding/json"
	"testing"

	"askd/broker/ask"
	"askd/broker/ask/asktest"

	"github.com/google/go-cmp/cmp"
)

const vectorsFile = "testdata/ask_user.json"

func TestVectorsNormalise(t *testing.T) {
	for _, v := range asktest.Load(t, vectorsFile, "normalize") {
		input := asktest.Decode[struct {
			Payload              json.RawMessage `json:"payload"`
			PresentSingleAsMulti bool            `json:"presentSingleAsMulti"`
		}](t, v.Input)
		if input.Payload == nil {
			continue // keymaps are the configuration's
		}
		t.Run(v.Name, func(t *testing.T) {
			for key, want := range asktest.Decode[map[string]any](t, v.Expect) {
				check, ok := normaliseChecks[key]
				if !ok {
					t.Fatalf("unknown expectation %q", key)
				}
				if diff := cmp.Diff(want, check(t, input.Payload, input.PresentSingleAsMulti)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", key, diff)
				}
			}
		})
	}
}

var normaliseChecks = map[string]func(*testing.T, json.RawMessage, bool) any{
	"labels":     preparedLabels,
	"normalized": normalised,
	"rows":       rows,
}

func preparedLabels(t *testing.T, payload json.RawMessage, _ bool) any {
	prepared := asktest.Decode[struct {
		Questions []struct{ Options []map[string]any }
	}](t, ask.PrepareLabels(payload))
	labels := []any{}
	for _, q := range prepared.Questions {
		for _, o := range q.Options {
			labels = append(labels, o["label"])
		}
	}
	return labels
}

func normalised(t *testing.T, payload json.RawMessage, multi bool) any {
	form := asktest.Form{Form: payload, PresentSingleAsMulti: multi}
	r := form.Request(t)
	return asktest.Value(t, struct {
		Title     string         `json:"title,omitempty"`
		Questions []ask.Question `json:"questions"`
	}{r.Title, r.Questions})
}

func rows(t *testing.T, payload json.RawMessage, multi bool) any {
	form := asktest.Form{Form: payload, PresentSingleAsMulti: multi}
	out := []any{}
	for _, q := range form.Request(t).Questions {
		for i, o := range q.Options {
			out = append(out, map[string]any{"number": float64(i + 1), "label": o.Label})
		}
		out = append(out, map[string]any{"number": float64(len(q.Options) + 1), "label": ask.CustomLabel, "custom": true})
	}
	return out
}

func TestVectorsValidate(t *testing.T) {
	for _, v := range asktest.Load(t, vectorsFile, "validate") {
		input := asktest.Decode[struct {
			Target   string
			Payload  json.RawMessage
			Form     json.RawMessage
			Response json.RawMessage
		}](t, v.Input)
		t.Run(v.Name, func(t *testing.T) {
			switch input.Target {
			case "":
				checkIssues(t, input.Payload, v.Expect)
			case "remote_submit":
				checkRemote(t, input.Form, input.Response, v.Expect)
			case "keymaps": // the configuration's
			default:
				t.Fatalf("unknown target %q", input.Target)
			}
		})
	}
}

func checkIssues(t *testing.T, payload, expect json.RawMessage) {
	want := asktest.Decode[struct {
		Valid   bool
		Issues  []ask.Issue
		Text    string `json:"content_text"`
		Details any    `json:"details"`
	}](t, expect)
	p, err := ask.ReadPayload(payload)
	if err != nil {
		t.Fatal(err)
	}
	issues := p.Validate()
	if diff := cmp.Diff(want.Issues, issues); diff != "" || want.Valid != (issues == nil) {
		t.Fatalf("issues (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Text, ask.InvalidText(issues)); diff != "" && !want.Valid {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Details, asktest.Value(t, ask.InvalidResult(p.RawTitle, issues))); diff != "" && !want.Valid {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func checkRemote(t *testing.T, form, response, expect json.RawMessage) {
	want := asktest.Decode[struct {
		OK             bool
		Error, Message string
		Summary        *string
		Details        any
	}](t, expect)
	f := asktest.Form{Form: form}
	r := f.Request(t)
	kind, got, err := ask.ParseRemote(r, response)
	if want.OK != (err == nil) {
		t.Fatalf("err = %v", err)
	}
	if err != nil {
		refusal := err.(*ask.RemoteError) //nolint:errorlint // the type is documented
		if diff := cmp.Diff([]string{want.Error, want.Message}, []string{refusal.Code, refusal.Message}); diff != "" {
			t.Error(diff)
		}
		return
	}
	result := ask.BuildResult(r, got, kind == ask.RemoteCancel)
	if want.Summary != nil && *want.Summary != ask.Summary(result) {
		t.Errorf("summary = %q, want %q", ask.Summary(result), *want.Summary)
	}
	if diff := cmp.Diff(want.Details, asktest.Value(t, result)); diff != "" && want.Details != nil {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func TestVectorsBackgroundText(t *testing.T) {
	for _, v := range asktest.Load(t, vectorsFile, "background_text") {
		input := asktest.Decode[struct {
			asktest.Form
			Wait *[]asktest.Form
		}](t, v.Input)
		t.Run(v.Name, func(t *testing.T) {
			want := asktest.Decode[struct{ Text string }](t, v.Expect)
			got := ""
			if input.Wait == nil {
				input.Actions = v.Actions
				got = backgroundText(t, &input.Form)
			} else {
				texts := []string{}
				for _, f := range *input.Wait {
					texts = append(texts, backgroundText(t, &f))
				}
				got = ask.WaitText(texts)
			}
			if diff := cmp.Diff(want.Text, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func backgroundText(t *testing.T, f *asktest.Form) string {
	if f.Error != "" {
		return ask.BackgroundText(f.RequestID, nil, f.Error)
	}
	return ask.BackgroundText(f.RequestID, asktest.Result(t, f.Request(t), f.Actions), "")
}

func TestVectorsResultText(t *testing.T) {
	for _, v := range asktest.Load(t, vectorsFile, "result_text") {
		input := asktest.Decode[asktest.Form](t, v.Input)
		if input.Target == "call_row" || input.Mode != "" {
			continue // package tool checks rows of calls and the fallback
		}
		t.Run(v.Name, func(t *testing.T) {
			want := asktest.Decode[struct {
				Text       *string `json:"content_text"`
				Transcript *string
				Details    any
			}](t, v.Expect)
			result := asktest.Result(t, input.Request(t), v.Actions)
			if diff := cmp.Diff(want.Details, asktest.Value(t, result)); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
			if got := ask.RequestLine(input.RequestID, ask.Summary(result)); want.Text != nil && got != *want.Text {
				t.Errorf("text = %q, want %q", got, *want.Text)
			}
			if got := ask.PlainLines(ask.TranscriptLines(result)); want.Transcript != nil && got != *want.Transcript {
				t.Errorf("transcript = %q, want %q", got, *want.Transcript)
			}
		})
	}
}
