package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
	"askd/broker/ask/asktest"
)

const vectorsFile = "../broker/ask/testdata/ask_user.json"

// elsewhere names the checked values that nothing on the socket can produce, and where they are proved.
var elsewhere = map[string]string{
	"image_on_question_note": "ui/form and broker/ask: no response of the protocol carries images",
	"image_only_note":        "ui/form and broker/ask: no response of the protocol carries images",
	"cancel_strips_images":   "ui/form and broker/ask: no response of the protocol carries images",
	"call_row":               "broker/tool: a client draws the call's row from the arguments",
	"bg_ui_failure":          "broker/ask: no surface reports its failure over the socket",
	"wait_two_results":       "broker/ask: one of the two results is a surface's failure",
}

// inPane names those that only keys can produce; TestVectorsInPane presses them.
var inPane = map[string]bool{
	"type_changed_live_single_to_multi": true,
	"type_changed_and_back":             true,
	"custom_row_number_and_label":       true,
}

// vectorKinds are the kinds that the socket can be asked for.
var vectorKinds = map[string]func(*testing.T, place, asktest.Vector){
	"validate":        driveRefusal,
	"normalize":       driveNormalised,
	"result_text":     driveResult,
	"background_text": driveBackground,
}

// TestVectorsOverSocket asks and answers every checked value through one real askd, each in a session of its own.
func TestVectorsOverSocket(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	seen := map[string]bool{}
	for kind, drive := range vectorKinds {
		for _, v := range asktest.Load(t, vectorsFile, kind) {
			seen[v.Name] = true
			if target(t, v) == "keymaps" || elsewhere[v.Name] != "" || inPane[v.Name] { // keymaps: config
				continue
			}
			t.Run(v.Name, func(t *testing.T) { drive(t, p, v) })
		}
	}
	for name := range elsewhere {
		if !seen[name] {
			t.Errorf("no checked value is called %q", name)
		}
	}
}

func target(t testing.TB, v asktest.Vector) string {
	return asktest.Decode[struct{ Target string }](t, v.Input).Target
}

// expected is what a checked value says of an outcome; nil is not said.
type expected struct {
	Text       *string `json:"content_text"`
	Transcript *string `json:"transcript"`
	Details    any     `json:"details"`
	Structured any     `json:"structuredContent"`
}

func (e expected) check(t *testing.T, o outcome) {
	t.Helper()
	if e.Text != nil && *e.Text != o.text() {
		t.Errorf("text %q, want %q", o.text(), *e.Text)
	}
	if e.Transcript != nil {
		if got := plain(t, o.Transcript); got != *e.Transcript {
			t.Errorf("transcript %q, want %q", got, *e.Transcript)
		}
	}
	same(t, "details", e.Details, o.Details)
	same(t, "structured content", e.Structured, o.StructuredContent)
}

// same compares JSON with what is expected of it, if anything is.
func same(t *testing.T, what string, want any, got json.RawMessage) {
	t.Helper()
	if want == nil {
		return
	}
	if diff := cmp.Diff(want, asktest.Decode[any](t, got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// plain is the text of transcript lines.
func plain(t testing.TB, raw json.RawMessage) string {
	return ask.PlainLines(asktest.Decode[[]ask.Line](t, raw))
}

// vectorRow is one checked value on the wire: a session that asks its form.
type vectorRow struct {
	*raw
	session, requestID string
}

// vectorSession opens the value's session as the client that a mode stands for.
func vectorSession(t *testing.T, p place, v asktest.Vector, ui, requestID string) vectorRow {
	t.Helper()
	r := vectorRow{dialRaw(t, p.socket).hello(), v.Name, requestID}
	r.must("session.open", fmt.Sprintf(`{"id":%q,"cwd":"/src/app","ui":%q,"reason":"startup","branch":null}`, v.Name, ui), nil)
	r.presentMulti(asktest.Decode[asktest.Form](t, v.Input).PresentSingleAsMulti)
	return r
}

// ask calls a tool and gives the id of the open call.
func (r vectorRow) ask(arguments json.RawMessage) string {
	r.t.Helper()
	return r.start("tool.call", fmt.Sprintf(`{"tool":"ask_user","toolCallId":"call","requestId":%q,"arguments":%s}`, r.requestID, oneLine(r.t, string(arguments))))
}

func (r vectorRow) accepted() { r.t.Helper(); r.notice("ask.accepted") }

// presentMulti sets whether forms asked from now on show single-select questions as multi-select.
func (r vectorRow) presentMulti(on bool) {
	r.t.Helper()
	var set struct{ Saved bool }
	r.must("settings.set", fmt.Sprintf(`{"key":"behaviour.presentSingleAsMulti","value":%t}`, on), &set)
	if !set.Saved {
		r.t.Fatal("the setting was not saved")
	}
}

func (r vectorRow) send(response any) responded {
	r.t.Helper()
	raw, err := ask.Stringify(response)
	if err != nil {
		r.t.Fatal(err)
	}
	var got responded
	r.must("form.respond", fmt.Sprintf(`{"requestId":%q,"session":%q,"response":%s}`, r.requestID, r.session, raw), &got)
	return got
}

func driveRefusal(t *testing.T, p place, v asktest.Vector) {
	if target(t, v) == "remote_submit" {
		driveRemote(t, p, v)
		return
	}
	input := asktest.Decode[struct{ Payload json.RawMessage }](t, v.Input)
	r := vectorSession(t, p, v, "cli", requestID(1))
	o := r.ended(r.ask(input.Payload))
	asktest.Decode[expected](t, v.Expect).check(t, o)
	if got := plain(t, o.Transcript); got != "Invalid tool payload" {
		t.Errorf("transcript %q", got)
	}
	if m := r.call("request.get", fmt.Sprintf(`{"requestId":%q,"session":%q}`, requestID(1), v.Name)); m.Error == nil || m.Error.Data.Kind != "not_found" {
		t.Errorf("a refused form was stored: %v", m)
	}
}

// driveRemote sends a response that is refused; the form goes on waiting.
func driveRemote(t *testing.T, p place, v asktest.Vector) {
	input := asktest.Decode[struct{ Form, Response json.RawMessage }](t, v.Input)
	r := vectorSession(t, p, v, "cli", requestID(1))
	open := r.ask(input.Form)
	r.accepted()
	if got, want := r.send(input.Response), asktest.Decode[responded](t, v.Expect); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := r.send(map[string]string{"kind": "cancel"}); !got.OK {
		t.Errorf("the form does not wait any more: %+v", got)
	}
	if o := r.ended(open); o.Provenance.Outcome != "cancelled" {
		t.Errorf("provenance %+v", o.Provenance)
	}
}

func driveNormalised(t *testing.T, p place, v asktest.Vector) {
	input := asktest.Decode[struct{ Payload json.RawMessage }](t, v.Input)
	want := asktest.Decode[struct {
		Labels     []any
		Normalized any
	}](t, v.Expect)
	r := vectorSession(t, p, v, "cli", requestID(1))
	open := r.ask(input.Payload)
	if blanks := missingLabels(want.Labels); blanks > 0 {
		r.refusedLabels(open, input.Payload, blanks)
		return
	}
	r.accepted()
	var got struct{ Request ask.Request }
	r.must("request.get", fmt.Sprintf(`{"requestId":%q,"session":%q}`, requestID(1), v.Name), &got)
	for i, label := range want.Labels { // the vector has them before they are trimmed
		if o := got.Request.Questions[0].Options[i]; o.Label != strings.TrimSpace(label.(string)) {
			t.Errorf("option %d has the label %q, want %q", i+1, o.Label, label)
		}
	}
	shown := asktest.Value(t, map[string]any{"questions": got.Request.Questions})
	if diff := cmp.Diff(want.Normalized, shown); diff != "" && want.Normalized != nil {
		t.Errorf("normalised (-want +got):\n%s", diff)
	}
}

func missingLabels(labels []any) int {
	n := 0
	for _, label := range labels {
		if _, ok := label.(string); !ok {
			n++
		}
	}
	return n
}

// refusedLabels checks a call whose labels could not be derived: a label of another type is the caller's mistake, a
// missing one an issue of the form.
func (r vectorRow) refusedLabels(open string, payload json.RawMessage, blanks int) {
	r.t.Helper()
	m := r.reply(open)
	if bytes.Contains(payload, []byte(`"label"`)) {
		if m.Error == nil || m.Error.Data.Kind != "invalid_params" || m.Error.Data.Path != "questions[0].options[0].label" {
			r.t.Errorf("a label that is no string: %v", m)
		}
		return
	}
	var o outcome
	decode(r.t, m, &o)
	if got := strings.Count(o.text(), ": label is required"); got != blanks {
		r.t.Errorf("%d labels are missing, want %d: %q", got, blanks, o.text())
	}
}

func driveResult(t *testing.T, p place, v asktest.Vector) {
	form := asktest.Decode[asktest.Form](t, v.Input)
	ui := form.Mode
	if ui == "" {
		ui = "cli"
	}
	r := vectorSession(t, p, v, ui, form.RequestID)
	open := r.ask(form.Form)
	if form.Mode == "" {
		r.accepted()
		r.answer(form, v.Actions)
	}
	asktest.Decode[expected](t, v.Expect).check(t, r.ended(open))
}

func driveBackground(t *testing.T, p place, v asktest.Vector) {
	want := asktest.Decode[struct {
		Text    string
		Details any
	}](t, v.Expect)
	form := asktest.Decode[struct {
		asktest.Form
		Wait *[]any
	}](t, v.Input)
	r := vectorSession(t, p, v, "cli", form.RequestID)
	if form.Wait != nil {
		o := r.ended(r.start("tool.call", `{"tool":"wait_for_answers","toolCallId":"wait","arguments":{}}`))
		expected{Text: &want.Text, Details: want.Details, Structured: want.Details}.check(t, o)
		return
	}
	receipt := r.ended(r.ask(json.RawMessage(background(oneLine(t, string(form.Form.Form))))))
	if !strings.HasPrefix(receipt.text(), "Queued ask_user ["+form.RequestID+"]. 1 form(s) pending. This is not an answer.") {
		t.Errorf("receipt %q", receipt.text())
	}
	r.answer(form.Form, v.Actions)
	var delivery outcome
	if err := json.Unmarshal(r.notice("ask.deliver").Params, &delivery); err != nil {
		t.Fatal(err)
	}
	expected{Text: &want.Text}.check(t, delivery)
}

// answer sends what the actions amount to.
func (r vectorRow) answer(form asktest.Form, actions []asktest.Action) {
	r.t.Helper()
	if got := r.send(remoteResponse(r.t, form, actions)); !got.OK {
		r.t.Fatalf("the response is refused: %+v", got)
	}
}

// remoteAnswer is one answer of a response.
type remoteAnswer struct {
	Values      []string          `json:"values,omitempty"`
	CustomText  string            `json:"customText,omitempty"`
	Note        string            `json:"note,omitempty"`
	OptionNotes map[string]string `json:"optionNotes,omitempty"`
}

// remote is a response under construction.
type remote struct {
	Kind    string                   `json:"kind"`
	Answers map[string]*remoteAnswer `json:"answers"`
	Skipped []string                 `json:"skippedQuestionIds,omitempty"`
	multi   map[string]bool
}

// remoteMoves say what the actions of a person leave in a response.
var remoteMoves = map[string]func(*remote, *remoteAnswer, asktest.Action){
	"select": func(_ *remote, a *remoteAnswer, do asktest.Action) { a.Values, a.CustomText = []string{do.Value}, "" },
	"toggle": func(_ *remote, a *remoteAnswer, do asktest.Action) { a.Values = append(a.Values, do.Value) },
	"custom": func(r *remote, a *remoteAnswer, do asktest.Action) {
		if a.CustomText = do.Text; !r.multi[do.Question] {
			a.Values = nil
		}
	},
	"toggle_custom": func(_ *remote, a *remoteAnswer, _ asktest.Action) { a.CustomText = "" },
	"note":          func(_ *remote, a *remoteAnswer, do asktest.Action) { a.Note = do.Text },
	"option_note": func(_ *remote, a *remoteAnswer, do asktest.Action) {
		a.OptionNotes = map[string]string{do.Value: do.Text}
	},
	"skip":   func(r *remote, _ *remoteAnswer, do asktest.Action) { r.Skipped = append(r.Skipped, do.Question) },
	"submit": func(*remote, *remoteAnswer, asktest.Action) {},
	"cancel": func(r *remote, _ *remoteAnswer, _ asktest.Action) { r.Kind = "cancel" },
}

func remoteResponse(t testing.TB, form asktest.Form, actions []asktest.Action) remote {
	t.Helper()
	r := remote{Kind: "answer", Answers: map[string]*remoteAnswer{}, multi: map[string]bool{}}
	for _, q := range form.Request(t).Questions {
		r.multi[q.ID] = q.Type == ask.Multi
	}
	for _, do := range actions {
		move, ok := remoteMoves[do.Do]
		if !ok {
			t.Fatalf("unknown action %q", do.Do)
		}
		a := r.Answers[do.Question]
		if a == nil {
			a = &remoteAnswer{}
		}
		if move(&r, a, do); do.Question != "" && do.Do != "skip" {
			r.Answers[do.Question] = a
		}
	}
	return r
}
