package tool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"

	"github.com/google/go-cmp/cmp"
)

const oneQuestion = `{"title":" Cache ","questions":[{"id":" a ","prompt":"Which?","options":[{"value":"mem-ory"},{"value":"disk"}]}]}`

func parse(t *testing.T, arguments string, env Env) *Parsed {
	t.Helper()
	p, err := askUser.Parse(json.RawMessage(arguments), env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func request(t *testing.T) *ask.Request {
	t.Helper()
	p := parse(t, oneQuestion, Env{})
	return &ask.Request{ID: "r1", Tool: ask.ToolAskUser, Title: p.Title, Questions: p.Questions, ToolCallID: "t1"}
}

func answered(r *ask.Request, choice ask.Choice) *ask.Outcome {
	result := ask.BuildResult(r, ask.Response{Choices: []ask.Choice{choice}}, false)
	return &ask.Outcome{ID: "o1", RequestID: r.ID, Kind: result.Kind(), Result: result, Via: ask.ViaPane, StoredAt: time.Unix(1, 0).UTC()}
}

func TestParse(t *testing.T) {
	p := parse(t, oneQuestion, Env{PresentSingleAsMulti: true})
	if p.Title != "Cache" || p.RawTitle != " Cache " || p.Background || p.Issues != nil {
		t.Errorf("parsed = %+v", p)
	}
	if p.Questions[0].Type != ask.Multi || p.Questions[0].Options[0].Label != "Mem ory" {
		t.Errorf("question = %+v", p.Questions[0])
	}
	if diff := cmp.Diff([]string{" a "}, p.QuestionIDs); diff != "" {
		t.Error(diff)
	}
	want := `{"title":" Cache ","questions":[{"id":" a ","prompt":"Which?","options":[{"value":"mem-ory","label":"Mem ory"},{"value":"disk","label":"Disk"}]}]}`
	if string(p.Arguments) != want {
		t.Errorf("arguments = %s", p.Arguments)
	}
}

func TestParseBackground(t *testing.T) {
	for arguments, want := range map[string][2]bool{ // ordinary, background-only
		`{"background":true}`:  {true, true},
		`{"background":false}`: {false, true},
		`{}`:                   {false, true},
	} {
		got := [2]bool{parse(t, arguments, Env{}).Background, parse(t, arguments, Env{BackgroundOnly: true}).Background}
		if got != want {
			t.Errorf("%s: %v", arguments, got)
		}
	}
}

func TestParseReadsFilesOfValidPayloadsOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.md")
	if err := os.WriteFile(path, []byte("the plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(prompt, context string) string {
		return `{"questions":[{"id":"a","prompt":"` + prompt + `","context":"` + context + `","options":[{"value":"v"}]}]}`
	}
	p := parse(t, with("P", path), Env{})
	if p.Questions[0].Context != "the plan" || !strings.Contains(string(p.Arguments), `"context":"the plan"`) {
		t.Errorf("parsed = %+v, arguments %s", p, p.Arguments)
	}
	if p := parse(t, with(" ", "/nope"), Env{}); len(p.Issues) != 1 || p.Issues[0].Path != "questions[0].prompt" || p.Questions != nil {
		t.Errorf("issues = %+v", p.Issues)
	}
	if p := parse(t, with("P", "/nope"), Env{}); len(p.Issues) != 1 || p.Issues[0].Path != "questions[0].context" || p.Questions != nil {
		t.Errorf("issues = %+v", p.Issues)
	}
	if p := parse(t, with("P", path), Env{Saved: true}); p.Questions[0].Context != path {
		t.Errorf("a saved form's context was read: %+v", p.Questions)
	}
}

func TestParseWrongType(t *testing.T) {
	_, err := askUser.Parse(json.RawMessage(`{"questions":"[]"}`), Env{})
	var refused *ParamError
	if !errors.As(err, &refused) || refused.Path != "questions" {
		t.Errorf("err = %v", err)
	}
}

func TestOutcomeKinds(t *testing.T) {
	r := request(t)
	cancelled := &ask.Outcome{ID: "o1", Kind: ask.Cancelled, Result: ask.PendingResult(r)}
	for _, c := range []struct {
		name           string
		o              *ask.Outcome
		text           string
		isError, abort bool
	}{
		{"answered", answered(r, ask.Choice{Selected: []int{0}}), "ask_user [r1]\nQ1: Mem ory", false, false},
		{"skipped", answered(r, ask.Choice{Skipped: true}), "ask_user [r1]\nQ1: (skipped)", false, false},
		{"empty", answered(r, ask.Choice{}), "ask_user [r1]\nQ1: (no answer)", false, false},
		{"cancelled", cancelled, "ask_user [r1]\nUser cancelled the ask flow", false, true},
		{"interrupted", &ask.Outcome{Kind: ask.Interrupted, Result: ask.PendingResult(r)}, "Question form interrupted", true, false},
		{"withdrawn", &ask.Outcome{Kind: ask.Withdrawn}, "Question form interrupted", true, false},
		{"failed", &ask.Outcome{Kind: ask.Failed, Error: "surface lost"}, "surface lost", true, false},
		{"failed without a word", &ask.Outcome{Kind: ask.Failed}, "The question form could not be shown.", true, false},
		{"timed out", &ask.Outcome{Kind: ask.TimedOut}, "Question form timed out; no answer was given.", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := askUser.Outcome(r, c.o)
			if out.Content[0].Text != c.text || out.IsError != c.isError || out.AbortOperation != c.abort {
				t.Errorf("outcome = %+v", out)
			}
			if out.RequestID != "r1" || out.OutcomeID != c.o.ID || out.Provenance.Outcome != c.o.Kind || len(out.Transcript) == 0 {
				t.Errorf("outcome = %+v", out)
			}
		})
	}
	background := *r
	background.Background = true
	if askUser.Outcome(&background, cancelled).AbortOperation {
		t.Error("cancelling a background form stops the agent")
	}
}

func TestOutcomeNoUI(t *testing.T) {
	r := request(t)
	out := askUser.Outcome(r, &ask.Outcome{ID: "o1", Kind: ask.NoUI})
	if !strings.HasPrefix(out.Content[0].Text, "ask_user [r1]\nNeeds user input: ") || out.IsError || out.AbortOperation || out.OutcomeID != "o1" {
		t.Errorf("outcome = %+v", out)
	}
	if out := askUser.NoUI(r, nil); out.Provenance != nil || out.OutcomeID != "" {
		t.Errorf("outcome = %+v", out)
	}
}

func TestOutcomeJSON(t *testing.T) {
	r := request(t)
	image := ask.Image{ID: "i", MimeType: "image/png", Data: "QQ=="}
	raw, err := ask.Stringify(askUser.Outcome(r, answered(r, ask.Choice{Selected: []int{1}, NoteImages: []ask.Image{image}})))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"requestId":"r1","outcomeId":"o1","content":[{"type":"text","text":"ask_user [r1]\nQ1: Disk\nQ1 note: [1 image]"},` +
		`{"type":"text","text":"Image for [a] Which? — question note:"},{"type":"image","data":"QQ==","mimeType":"image/png"}],` +
		`"details":{"title":"Cache","cancelled":false,"questions":[{"id":"a","label":"Q1","prompt":"Which?","type":"single"}],` +
		`"answers":{"a":{"values":["disk"],"labels":["Disk"],"indices":[2],"noteImages":[{"id":"i","mimeType":"image/png","data":"QQ=="}]}},"requestId":"r1"},` +
		`"structuredContent":{"requestId":"r1","cancelled":false,"answers":{"a":{"values":["disk"],"labels":["Disk"],"images":[{"mimeType":"image/png","data":"QQ=="}]}}},` +
		`"transcript":[{"spans":[{"style":"success","text":"✓ "},{"style":"accent","text":"Q1: "},{"style":"text","text":"Disk"}]},` +
		`{"spans":[{"style":"muted","text":"  note: "},{"style":"text","text":"[1 image]"}]}],` +
		`"provenance":{"outcome":"answered","via":"pane","storedAt":"1970-01-01T00:00:01Z"}}`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompactImagesAreFlatAndInOrder(t *testing.T) {
	r := request(t)
	image := func(id string) []ask.Image { return []ask.Image{{ID: id, MimeType: "image/png", Data: id}} }
	o := answered(r, ask.Choice{CustomImages: image("c"), NoteImages: image("n"), OptionNoteImages: map[int][]ask.Image{1: image("2"), 0: image("1")}})
	a, _ := CompactOf(o.Result).Answers.Get("a")
	got := ""
	for _, i := range a.Images {
		got += i.Data
	}
	if got != "cn12" {
		t.Errorf("images = %q", got)
	}
}

func TestReceipt(t *testing.T) {
	out := askUser.Receipt(request(t), []string{" a "}, 3, false)
	want := Receipt{Status: "queued", RequestID: "r1", QuestionIDs: []string{" a "}, PendingRequests: 3}
	if diff := cmp.Diff(want, out.Details); diff != "" {
		t.Error(diff)
	}
	if out.Content[0].Text != ask.ReceiptText("r1", 3, false) || ask.PlainLines(out.Transcript) != "1 question(s) queued · 3 form(s) pending" {
		t.Errorf("receipt = %+v", out)
	}
}

func TestBackground(t *testing.T) {
	r := request(t)
	r.ParentToolCallID = "outer"
	o := answered(r, ask.Choice{Selected: []int{0}})
	out := askUser.Background(r, o)
	f := out.Details.(Finished)
	if f.RequestID != "r1" || f.ParentToolCallID != "outer" || f.Result.RequestID != "" || f.Error != "" || o.Result.RequestID != "r1" {
		t.Errorf("details = %+v", f)
	}
	if !strings.HasPrefix(out.Content[0].Text, "Background answer [r1] — Cache:\n") || !strings.HasPrefix(ask.PlainLines(out.Transcript), "Cache · ✓ ") {
		t.Errorf("background = %+v", out)
	}
	failed := askUser.Background(r, &ask.Outcome{Kind: ask.Interrupted})
	if got := failed.Content[0].Text; got != "Background answer [r1]:\nQuestion form failed: Question form interrupted" {
		t.Errorf("text = %q", got)
	}
}

func TestFollowUp(t *testing.T) {
	r := request(t)
	out := askUser.FollowUp(r, answered(r, ask.Choice{Selected: []int{0}}))
	if got := out.Content[0].Text; got != "Q1: Mem ory" {
		t.Errorf("text = %q", got)
	}
	if out := askUser.FollowUp(r, &ask.Outcome{Kind: ask.Failed, Error: "x"}); !out.IsError || out.Content[0].Text != "x" {
		t.Errorf("failed = %+v", out)
	}
}

func TestWaits(t *testing.T) {
	r := request(t)
	results := []Finished{FinishedOf(r, answered(r, ask.Choice{Selected: []int{0}}))}
	raw, err := ask.Stringify(WaitComplete([]string{"r1"}, results).Details)
	if err != nil || !strings.HasPrefix(string(raw), `{"status":"complete","requestIds":["r1"],"results":[{"requestId":"r1","result":{`) {
		t.Errorf("complete = %s, %v", raw, err)
	}
	out := WaitDeferred(ask.DeferMessage, []string{"r1", "r2"}, []string{"r2"}, results)
	raw, err = ask.Stringify(out.Details)
	if err != nil || !strings.HasPrefix(string(raw), `{"status":"deferred","reason":"user_message","requestIds":["r1","r2"],"pendingRequestIds":["r2"],"results":[`) {
		t.Errorf("deferred = %s, %v", raw, err)
	}
	if got := out.Content[0].Text; !strings.HasPrefix(got, "Background answer [r1]") || !strings.Contains(got, "\n\nQuestion wait deferred (the user sent a message). 1 form(s) still pending: r2. ") {
		t.Errorf("text = %q", got)
	}
	raw, err = ask.Stringify(WaitDeferred(ask.DeferHidden, nil, nil, nil).Details)
	if want := `{"status":"deferred","reason":"hidden","requestIds":[],"pendingRequestIds":[],"results":[]}`; err != nil || string(raw) != want {
		t.Errorf("empty = %s, %v", raw, err)
	}
}

func TestLookup(t *testing.T) {
	if got, ok := Lookup("ask_user"); !ok || got.Name != "ask_user" {
		t.Error("ask_user is missing")
	}
	if _, ok := Lookup("wait_for_answers"); ok {
		t.Error("wait_for_answers asks nothing")
	}
}

func TestCallRow(t *testing.T) {
	long := strings.Repeat("x", 60)
	for arguments, want := range map[string]string{
		``:                "ask_user 0 question(s)",
		`{"quest`:         "ask_user 0 question(s)",
		`{"questions":7}`: "ask_user 0 question(s)",
		`{"questions":[7,{"label":3},{"label":" A\u001b "}]}`:         "ask_user 3 question(s) (Q1, Q2, A␛)",
		`{"questions":[{"label":"` + long + `"}]}`:                    "ask_user 1 question(s) (" + long[:47] + "...)",
		`{"questions":[{"label":"` + strings.Repeat("世", 40) + `"}]}`: "ask_user 1 question(s) (" + strings.Repeat("世", 23) + "...)",
		`{"questions":[{"label":"` + long[:50] + `"}]}`:               "ask_user 1 question(s) (" + long[:50] + ")",
	} {
		if got := ask.PlainLines(CallRow(json.RawMessage(arguments))); got != want {
			t.Errorf("%.40s: %q, want %q", arguments, got, want)
		}
	}
	if got := ask.PlainLines(WaitRow()); got != "wait_for_answers" {
		t.Errorf("wait row = %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(oneQuestion))
	f.Add([]byte(`{"questions":[{"id":"a","type":"preview","prompt":"p","options":[{"value":"x","preview":"y"},{"value":"z","previewFile":"/"}]}]}`))
	f.Add([]byte(`{"questions":"[]"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := askUser.Parse(data, Env{})
		CallRow(data)
		if err != nil {
			var refused *ParamError
			if !errors.As(err, &refused) {
				t.Fatalf("err = %v", err)
			}
			return
		}
		if (p.Issues == nil) != (p.Questions != nil) || !json.Valid(p.Arguments) {
			t.Fatalf("parsed = %+v", p)
		}
		out := askUser.Invalid(p)
		if p.Issues == nil {
			r := &ask.Request{ID: "r", Title: p.Title, Questions: p.Questions}
			out = askUser.NoUI(r, nil)
			askUser.Background(r, answered(r, ask.Choice{Selected: []int{0}}))
		}
		if _, err := ask.Stringify(out); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkParse4KiB(b *testing.B) {
	raw := json.RawMessage(`{"title":"Benchmark","questions":[{"id":"a","prompt":"Which?","context":"` + strings.Repeat("word ", 750) + `","options":[{"value":"mem","label":"Memory","description":"fast"},{"value":"disk","label":"Disk"}]}]}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := askUser.Parse(raw, Env{}); err != nil {
			b.Fatal(err)
		}
	}
}
