package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask/asktest"
	"askd/broker/tool"
)

const questionVectors = "../broker/ask/testdata/ask_user_question.json"

// questionRow is what the checked values of ask_user_question say of one call.
type questionRow struct {
	Error   string
	Content string
	Details *tool.QuestionDetails
	Text    string
}

// askQuestion calls ask_user_question and gives the id of the open call.
func (r vectorRow) askQuestion(arguments json.RawMessage) string {
	r.t.Helper()
	return r.start("tool.call", fmt.Sprintf(`{"tool":"ask_user_question","toolCallId":"call","requestId":%q,"arguments":%s}`, r.requestID, oneLine(r.t, string(arguments))))
}

// TestQuestionVectorsOverSocket asks and answers every checked value of ask_user_question that has no keys, no screen and
// no dialogs of its own through one real askd, each in a session of its own. Keys and screens are the pane's, dialogs are
// driven in Pi.
func TestQuestionVectorsOverSocket(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	for _, v := range asktest.Load(t, questionVectors, "validate") {
		input := asktest.Decode[struct {
			Target string
			Value  json.RawMessage
		}](t, v.Input)
		if input.Target == "params" {
			t.Run(v.Name, func(t *testing.T) { driveParams(t, p, v, input.Value) })
		}
	}
	for _, v := range asktest.Load(t, questionVectors, "result") {
		if want := asktest.Decode[questionRow](t, v.Expect); want.Details != nil {
			t.Run(v.Name, func(t *testing.T) { driveDetails(t, p, v, want) })
		}
	}
}

func driveParams(t *testing.T, p place, v asktest.Vector, params json.RawMessage) {
	want := asktest.Decode[questionRow](t, v.Expect)
	r := vectorSession(t, p, v, "cli", requestID(1))
	open := r.askQuestion(params)
	if want.Error == "" {
		r.accepted()
		return // the normalised questions: broker/tool
	}
	o := r.ended(open)
	if !o.IsError || o.text() != want.Error || plain(t, o.Transcript) != "✗ "+want.Error {
		t.Errorf("got %+v", o)
	}
}

func driveDetails(t *testing.T, p place, v asktest.Vector, want questionRow) {
	params := asktest.Decode[struct{ Params json.RawMessage }](t, v.Input).Params
	response, ok := responseTo(t, params, want.Details)
	if !ok {
		return // an answer that no form has: dialogs alone give it
	}
	r := vectorSession(t, p, v, "cli", requestID(1))
	open := r.askQuestion(params)
	r.accepted()
	if got := r.send(response); !got.OK {
		t.Fatalf("refused: %+v", got)
	}
	o := r.ended(open)
	if diff := cmp.Diff(want.Details, ptrTo(asktest.Decode[tool.QuestionDetails](t, o.Details))); diff != "" || o.text() != want.Content || o.AbortOperation {
		t.Errorf("text %q, details: %s", o.text(), diff)
	}
}

func ptrTo[T any](v T) *T { return &v }

// respondedAnswer is one answer of form.respond.
type respondedAnswer struct {
	Values     []string `json:"values,omitempty"`
	CustomText string   `json:"customText,omitempty"`
}

// responseTo words the details of a call as the response that leads to them; false when none does.
func responseTo(t *testing.T, params json.RawMessage, d *tool.QuestionDetails) (any, bool) {
	if d.Cancelled {
		return map[string]string{"kind": "cancel"}, true
	}
	form := asktest.Decode[struct {
		Questions []struct {
			Question string
			Options  []struct{ Label string }
		}
	}](t, params)
	answers := map[string]respondedAnswer{}
	for _, a := range d.Answers {
		for i, q := range form.Questions {
			if q.Question != a.Question {
				continue
			}
			var labels []string
			for _, o := range q.Options {
				labels = append(labels, o.Label)
			}
			answer, ok := answerTo(a, labels)
			if !ok {
				return nil, false
			}
			answers[fmt.Sprintf("q%d", i+1)] = answer
		}
	}
	return map[string]any{"kind": "answer", "answers": answers}, true
}

func answerTo(a tool.QuestionAnswer, labels []string) (out respondedAnswer, ok bool) {
	if a.Kind == "custom" {
		return respondedAnswer{CustomText: *a.Answer}, true
	}
	picked := a.Selected
	if a.Answer != nil {
		picked = []string{*a.Answer}
	}
	for _, p := range picked {
		switch {
		case slices.Contains(labels, p):
			out.Values = append(out.Values, p)
		case a.Kind == "multi" && out.CustomText == "":
			out.CustomText = p
		default:
			return out, false
		}
	}
	return out, len(out.Values) > 0
}

// TestQuestionTimeoutOverSocket: the settings file of the asker's Pi folder gives the deadline, which outlives askd.
func TestQuestionTimeoutOverSocket(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ask-user-settings.json"), []byte(`{"timeout": 400, "displayMode": "overlay"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	info := fmt.Sprintf(`{"id":"s","cwd":"/src/app","agentDir":%q,"ui":"cli","reason":"startup","branch":null}`, dir)
	r := vectorRow{dialRaw(t, p.socket).hello(), "s", requestID(1)}
	r.must("session.open", info, nil)
	params := json.RawMessage(`{"questions":[{"question":"Which log format?","header":"Logs","options":[{"label":"JSON","description":""},{"label":"Text","description":""}]}]}`)
	open := r.askQuestion(params)
	accepted := asktest.Decode[struct{ Deadline string }](t, r.notice("ask.accepted").Params)
	if accepted.Deadline == "" {
		t.Error("no deadline was told")
	}
	if o := r.ended(open); o.Provenance.Outcome != "timed_out" || o.text() != "User cancelled the questions" {
		t.Errorf("got %+v", o)
	}
	if got := r.send(map[string]any{"kind": "answer", "answers": map[string]any{"q1": map[string]any{"values": []string{"JSON"}}}}); got.OK || got.Error != "flow_not_found" {
		t.Errorf("a late answer: %+v", got)
	}

	r.requestID = requestID(2)
	r.askQuestion(params)
	r.notice("ask.accepted")
	askd.stop(t, syscall.SIGKILL)
	serve(t, p)
	again := vectorRow{dialRaw(t, p.socket).hello(), "s", requestID(2)}
	again.must("session.open", info, nil)
	if o := again.ended(again.start("tool.await", fmt.Sprintf(`{"requestId":%q}`, again.requestID))); o.Provenance.Outcome != "timed_out" {
		t.Errorf("got %+v", o)
	}
}
