package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/client"
	"askd/broker/wire"
)

// acted answers each method with its own function; without one it answers nothing.
type acted map[string]func() (string, error)

func (m acted) Call(ctx context.Context, method string, _, result any) error {
	f, ok := m[method]
	if !ok {
		return nil
	}
	text, err := f()
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal([]byte(text), result)
}
func (acted) Close() error          { return nil }
func (acted) Done() <-chan struct{} { return nil }

func says(text string) func() (string, error) { return func() (string, error) { return text, nil } }

// askWith asks a quick question of an askd that acts so.
func askWith(ctx context.Context, dial func(notify func(string, json.RawMessage)) (caller, error), args ...string) (int, string, string) {
	return askFrom(ctx, "", dial, append([]string{"--prompt", "Deploy?", "--option", "yes"}, args...)...)
}

// askFrom asks with some standard input.
func askFrom(ctx context.Context, stdin string, dial func(notify func(string, json.RawMessage)) (caller, error), args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	a := &app{
		in: &input{r: strings.NewReader(stdin)}, out: &output{w: &out}, errors: &output{w: &errs}, home: "/home/somebody",
		getenv: func(string) string { return "" }, getwd: func() (string, error) { return "/src", nil },
		now: func() time.Time { return testNow }, newID: func() string { return "8f14e45f-ceea-467f-a8d3-000000000001" },
		spawn: func(_ string, f func()) { go f() },
		dial: func(_ context.Context, _ string, notify func(string, json.RawMessage)) (caller, error) {
			return dial(notify)
		},
	}
	code := a.run(ctx, append([]string{"ask"}, args...))
	return code, out.String(), errs.String()
}

const structuredYes = `{"requestId":"r","outcomeId":"o","content":[],"structuredContent":{"requestId":"r","cancelled":false,
	"answers":{"answer":{"values":["yes","a\u001bb"],"labels":["yes","a\u001bb"]}}},"provenance":{"outcome":"answered","via":"pane"}}`

func TestAskEndings(t *testing.T) {
	for _, row := range []struct {
		name, reply string
		err         error
		args        []string
		code        int
		out, errs   string
	}{
		{"answered", structuredYes, nil, nil, exitOK, "yes\na␛b\n", ""},
		{"cancelled", `{"structuredContent":{"answers":{}},"provenance":{"outcome":"cancelled"}}`, nil, nil, exitCancelled, "", "cancelled"},
		{"empty", `{"structuredContent":{"answers":{}},"provenance":{"outcome":"empty"}}`, nil, nil, exitNoAnswer, "", "without an answer"},
		{"an ending of the future", `{"structuredContent":{"answers":{}},"provenance":{"outcome":"forwarded"}}`, nil, nil, exitFailed, "", "forwarded"},
		{"failed", `{"isError":true,"content":[{"type":"text","text":"Question form \u001binterrupted"}],"provenance":{"outcome":"interrupted"}}`, nil, nil, exitFailed, "", "Question form ␛interrupted"},
		{"faulty", `{"content":[{"type":"text","text":"Invalid ask_user payload:"}],"structuredContent":{"error":{}}}`, nil, nil, exitUsage, "", "Invalid ask_user payload"},
		{"refused", "", &wire.Error{Message: "questions: expected an array", Data: &wire.ErrorData{Kind: broker.InvalidParams}}, nil, exitUsage, "", "expected an array"},
		{"disk full", "", &wire.Error{Message: "no space", Data: &wire.ErrorData{Kind: broker.Storage}}, nil, exitFailed, "", "no space"},
		{"receipt", `{"requestId":"r","structuredContent":{"status":"queued","requestId":"r"}}`, nil, []string{"--background"}, exitOK, "r\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			daemon := acted{"tool.call": func() (string, error) { return row.reply, row.err }}
			code, out, errs := askWith(t.Context(), func(func(string, json.RawMessage)) (caller, error) { return daemon, nil }, row.args...)
			if code != row.code || out != row.out || !strings.Contains(errs, row.errs) {
				t.Errorf("code %d, %q, %q; want %d, %q, %q", code, out, errs, row.code, row.out, row.errs)
			}
		})
	}
}

// TestAskGoesOnAfterARestart: lost connections and an askd that is stopping are asked again, another fault is not.
func TestAskGoesOnAfterARestart(t *testing.T) {
	faults := []error{client.ErrConnection, &wire.Error{Message: "stopping", Data: &wire.ErrorData{Kind: broker.ShuttingDown}}}
	calls := 0
	daemon := acted{"tool.call": func() (string, error) {
		if calls++; calls <= len(faults) {
			return "", faults[calls-1]
		}
		return structuredYes, nil
	}}
	code, out, errs := askWith(t.Context(), func(func(string, json.RawMessage)) (caller, error) { return daemon, nil })
	if code != exitOK || calls != 3 || !strings.HasPrefix(out, "yes\n") || !strings.Contains(errs, "nothing is lost") {
		t.Errorf("code %d after %d calls, %q, %q", code, calls, out, errs)
	}
}

// TestInterruptedAskIsTakenBack, also when the abort is faster than the call that it aborts.
func TestInterruptedAskIsTakenBack(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	release, aborts := make(chan struct{}), 0
	dial := func(notify func(string, json.RawMessage)) (caller, error) {
		return acted{
			"tool.call": func() (string, error) { <-release; return structuredYes, nil },
			"tool.abort": func() (string, error) {
				if aborts++; aborts == 1 {
					notify("ask.accepted", json.RawMessage(`{}`))
					return `{"state":"unknown"}`, nil
				}
				return `{"state":"interrupted"}`, nil
			},
		}, nil
	}
	code, out, errs := askWith(ctx, dial)
	close(release)
	if code != exitFailed || out != "" || aborts != 2 || !strings.Contains(errs, "taken back") {
		t.Errorf("code %d, %d aborts, %q, %q", code, aborts, out, errs)
	}
}

// TestAnswerBeforeTheInterruptionStands: what was stored is printed.
func TestAnswerBeforeTheInterruptionStands(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	release := make(chan struct{})
	daemon := acted{
		"tool.call":  func() (string, error) { <-release; return structuredYes, nil },
		"tool.abort": func() (string, error) { close(release); return `{"state":"ended"}`, nil },
	}
	code, out, errs := askWith(ctx, func(func(string, json.RawMessage)) (caller, error) { return daemon, nil })
	if code != exitOK || !strings.HasPrefix(out, "yes\n") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
}

// TestQueuedAskWaits: with background-only on, a question is queued and its answer awaited all the same.
func TestQueuedAskWaits(t *testing.T) {
	daemon := acted{
		"tool.call":   says(`{"requestId":"r","structuredContent":{"status":"queued","requestId":"r"}}`),
		"queue.watch": says(`{"requests":[]}`),
		"request.get": says(`{"request":{"id":"r","session":"s","background":true,"questions":[]},"outcome":{"id":"o","kind":"answered",
			"result":{"questions":[],"answers":{"answer":{"values":["yes"],"labels":["yes"],"indices":[1]}}}}}`),
	}
	code, out, errs := askWith(t.Context(), func(func(string, json.RawMessage)) (caller, error) { return daemon, nil })
	if code != exitOK || out != "yes\n" {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
}

func TestQuickQuestion(t *testing.T) {
	q := quickQuestion{prompt: "P?", title: "T", context: "C", options: []string{"a", "b=Label = x", "c="}, multi: true}
	got, err := (&app{}).quickArguments(&q)
	want := `{"questions":[{"context":"C","id":"answer","options":[{"label":"a","value":"a"},{"label":"Label = x","value":"b"},{"label":"c","value":"c"}],"prompt":"P?","type":"multi"}],"title":"T"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// TestEndings: every way in which a form can end has words, and only an answer is no error.
func TestEndings(t *testing.T) {
	for _, k := range []ask.OutcomeKind{ask.Answered, ask.Skipped, ask.Empty, ask.Cancelled, ask.TimedOut, ask.Interrupted, ask.Withdrawn, ask.Failed, ask.NoUI} {
		e, ok := ends[k]
		if !ok || e.words == "" {
			t.Errorf("%s has no words", k)
		}
		var own *exitError
		if err := endError(k); (err == nil) != (k == ask.Answered) || err != nil && (!errors.As(err, &own) || own.code != e.code) {
			t.Errorf("%s: %v", k, err)
		}
	}
}
