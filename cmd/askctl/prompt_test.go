package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
	"askd/broker/ask"
)

// prompt is a form of ask_user_question with a single and a multi question.
func prompt() *form {
	r := testRequest(
		ask.Question{ID: "q1", Label: "Store", Prompt: "Where?", Type: ask.Single, Options: []ask.Option{
			{Value: "Redis", Label: "Redis", Description: "In memory", Preview: "\n# Redis\n\n- fast\n"}, {Value: "Postgres", Label: "Postgres"},
		}},
		ask.Question{ID: "q2", Label: "Gates", Prompt: "Which?", Type: ask.Multi, Options: []ask.Option{
			{Value: "Unit", Label: "Unit"}, {Value: "Lint", Label: "Lint"},
		}},
	)
	r.Tool, r.Prompt = ask.ToolQuestion, &ask.PromptSettings{DisplayMode: "inline", Layout: "auto"}
	return &form{Form: broker.Form{Request: r}}
}

// drawn is what askctl show prints of a form.
func drawn(f *form) string {
	var out strings.Builder
	a := &app{out: &output{w: &out, width: 0}, now: func() time.Time { return testNow }}
	a.drawForm(f)
	return out.String()
}

func TestShowPrompt(t *testing.T) {
	f := prompt()
	f.Request.Deadline = testNow.Add(5 * time.Minute)
	f.Draft = &ask.Draft{SavedAt: testNow, Tab: 1, Questions: []ask.QuestionDraft{
		{ID: "q1", Filter: "re", CustomText: "half", Confirmed: &ask.Confirmed{Selected: []string{"Redis"}}},
		{ID: "q2", Selected: []string{"Unit", "Lint"}, CustomText: "own", CustomSelected: true, Confirmed: &ask.Confirmed{Selected: []string{"Lint"}, CustomText: "own"}},
	}, Editor: &ask.EditorDraft{Kind: "custom", Question: "q2", Text: "own\x1b"}}
	want := "Store · Gates\n" +
		"request  8f14e45f-ceea-467f-a8d3-000000000001\n" +
		"session  s\n" +
		"asked    " + stamp(testNow) + ", 0s ago\n" +
		"status   waiting\n" +
		"tool     ask_user_question\n" +
		"closes   " + stamp(f.Request.Deadline) + ", in 5m, answered or not\n" +
		"\n1. Store [q1] one answer\n   Where?\n    1) Redis\n       In memory\n       | # Redis\n       |\n       | - fast\n    2) Postgres\n" +
		"\n2. Gates [q2] several answers possible\n   Which?\n    1) Unit\n    2) Lint\n" +
		"\nDraft so far, saved " + stamp(testNow) + "\n" +
		"  ✓ Store: Redis\n  ✓ Gates: Lint, own\n" +
		"  q1, typed and not confirmed: half\n  q2, ticked and not confirmed: Unit, Lint\n  q2, still being typed: own␛\n"
	if diff := cmp.Diff(want, drawn(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Ticks and text without a confirmation are shown as what they are, never as answers.
func TestShowPromptWithoutAnswers(t *testing.T) {
	f := prompt()
	f.Draft = &ask.Draft{SavedAt: testNow, Questions: []ask.QuestionDraft{{ID: "q2", Selected: []string{"Unit"}, CustomText: " ", Row: 1}}}
	_, got, _ := strings.Cut(drawn(f), "Draft so far, saved "+stamp(testNow)+"\n")
	if want := "  ? Store: (no answer)\n  ? Gates: (no answer)\n  q2, ticked and not confirmed: Unit\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A deadline matters only while the prompt waits; it may have passed a moment ago.
func TestShowPromptDeadline(t *testing.T) {
	f := prompt()
	f.Request.Deadline = testNow.Add(-time.Second)
	if got := drawn(f); !strings.Contains(got, ", now, answered or not\n") {
		t.Errorf("got %s", got)
	}
	f.Outcome = &ask.Outcome{Kind: ask.TimedOut, Via: ask.ViaAskd, Error: "", StoredAt: testNow}
	got := drawn(f)
	if strings.Contains(got, "closes") || strings.Contains(got, "\n  \n") || !strings.Contains(got, "status   its time ran out, nobody answered\n") {
		t.Errorf("got %s", got)
	}
}

func TestPromptDialog(t *testing.T) {
	for _, row := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"numbers", []string{"2", "1,2", "y"}, `{"kind":"answer","answers":{"q1":{"values":["Postgres"]},"q2":{"values":["Unit","Lint"]}}}`},
		{"own words", []string{"3", "mine", "2 3", "more", "y"}, `{"kind":"answer","answers":{"q1":{"customText":"mine"},"q2":{"values":["Lint"],"customText":"more"}}}`},
		{"a skip is no answer", []string{"s", "1", "y"}, `{"kind":"answer","answers":{"q2":{"values":["Unit"]}}}`},
		{"there are no notes", []string{"n", "n 1", "1", "", "y"}, `{"kind":"answer","answers":{"q1":{"values":["Redis"]}}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, screen, err := talk(t, prompt(), row.lines...)
			if err != nil || got != row.want {
				t.Errorf("%s, %v, want %s\n%s", got, err, row.want, screen)
			}
		})
	}
}

func TestPromptDialogSaysWhatItKnows(t *testing.T) {
	_, screen, _ := talk(t, prompt(), "?", "n", "s", "q")
	for _, want := range []string{" 3) Type something.\n", `"n" is no number from 1 to 3`, "Left without an answer.\n", "       | - fast\n"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing in\n%s", want, screen)
		}
	}
	if strings.Contains(screen, "a note on") {
		t.Errorf("notes are offered:\n%s", screen)
	}
}

// The dialog begins with what was confirmed in the pane, not with what was only ticked or typed there.
func TestPromptDialogBeginsWithTheConfirmed(t *testing.T) {
	f := prompt()
	f.Draft = &ask.Draft{Questions: []ask.QuestionDraft{
		{ID: "q1", CustomText: "own", Confirmed: &ask.Confirmed{CustomText: "own"}},
		{ID: "q2", Selected: []string{"Unit"}},
	}}
	got, screen, err := talk(t, f, "", "", "y")
	if want := `{"kind":"answer","answers":{"q1":{"customText":"own"}}}`; err != nil || got != want {
		t.Errorf("%s, %v, want %s\n%s", got, err, want, screen)
	}
}

func TestPromptFlags(t *testing.T) {
	for _, args := range [][]string{{"--question", "q1", "--value", "Redis", "--note", "n"}, {"--question", "q1", "--option-note", "Redis=n"}} {
		given, err := parseFlags(args...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := given.response(prompt().Request); err == nil || !strings.Contains(err.Error(), "ask_user_question has no notes") {
			t.Errorf("%q: %v", args, err)
		}
	}
	given, err := parseFlags("--question", "q1", "--value", "Redis", "--question", "q2", "--text", " own\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := given.response(prompt().Request)
	if w, _ := r.Answers.Get("q2"); err != nil || w.CustomText != "own" {
		t.Errorf("%+v, %v", r, err)
	}
}

const promptArguments = `{"questions":[{"question":" Where? ","header":"Store","options":[{"label":"Redis","description":""},{"label":"Postgres","description":""}]},
	{"question":"Which?","header":"Gates","multiSelect":true,"options":[{"label":"Unit","description":""},{"label":"Lint","description":""}]}]}`

func TestAskPrompt(t *testing.T) {
	details := `{"answers":[{"question":"Where?","kind":"custom","answer":"a\u001bb"},{"question":"Which?","kind":"multi","answer":null,"selected":["Unit","own"]}],"cancelled":false}`
	for _, row := range []struct {
		name, reply string
		args        []string
		code        int
		out, errs   string
	}{
		{"plain", `{"details":` + details + `,"provenance":{"outcome":"answered"}}`, []string{"--plain"}, exitOK, "q1\ta␛b\nq2\tUnit\nq2\town\n", ""},
		{"json", `{"details":{"answers":[],"cancelled":false},"provenance":{"outcome":"empty"}}`, nil, exitNoAnswer, "{\n  \"answers\": [],\n  \"cancelled\": false\n}\n", "without an answer"},
		{"cancelled", `{"details":{"answers":[],"cancelled":true},"provenance":{"outcome":"cancelled"}}`, []string{"--plain"}, exitCancelled, "", "cancelled"},
		{"timed out", `{"details":{"answers":[],"cancelled":true},"provenance":{"outcome":"timed_out"}}`, []string{"--plain"}, exitTimedOut, "", "time ran out"},
		{"refused", `{"isError":true,"content":[{"type":"text","text":"questions needs 1-4 entries"}]}`, nil, exitUsage, "", "questions needs 1-4 entries"},
		{"failed", `{"isError":true,"content":[{"type":"text","text":"terminal went away"}],"provenance":{"outcome":"failed"}}`, nil, exitFailed, "", "terminal went away"},
	} {
		t.Run(row.name, func(t *testing.T) {
			daemon := acted{"tool.call": says(row.reply)}
			dial := func(func(string, json.RawMessage)) (caller, error) { return daemon, nil }
			code, out, errs := askFrom(t.Context(), promptArguments, dial, append([]string{"-", "--tool", "ask_user_question"}, row.args...)...)
			if code != row.code || out != row.out || !strings.Contains(errs, row.errs) {
				t.Errorf("code %d, %q, %q; want %d, %q, %q", code, out, errs, row.code, row.out, row.errs)
			}
		})
	}
}

func TestAskPromptUsage(t *testing.T) {
	for _, args := range [][]string{
		{"-", "--tool", "wait_for_answers"},
		{"--tool", "ask_user_question", "--prompt", "?", "--option", "a"},
		{"-", "--tool", "ask_user_question", "--background"},
	} {
		code, _, errs := askFrom(t.Context(), promptArguments, nil, args...)
		if code != exitUsage {
			t.Errorf("%q: code %d, %s", args, code, errs)
		}
	}
}

func TestQueueSaysHowLongAPromptWaits(t *testing.T) {
	var out strings.Builder
	a := &app{out: &output{w: &out}, now: func() time.Time { return testNow }}
	at := testNow.Add(4 * time.Minute)
	a.queueTable([]broker.RequestSummary{
		{RequestID: "r1", Session: "s", CreatedAt: testNow, AskerOnline: true, Labels: []string{"Store", "Gates"}, Deadline: &at},
		{RequestID: "r2", Session: "s", CreatedAt: testNow, AskerOnline: true, Labels: []string{"Logs"}},
	}).write(a.out)
	if got := out.String(); strings.Count(got, "left)") != 1 || !strings.Contains(got, "Store · Gates (4m left)") {
		t.Errorf("got\n%s", got)
	}
}
