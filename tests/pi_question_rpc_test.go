package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dialogRequest is a dialog that the agent asks its host for in RPC mode.
type dialogRequest struct {
	Type, ID, Method, Title, Placeholder string
	Options                              []string
	Timeout                              int
}

// dialogs are the dialogs that the agent has asked for so far.
func (a *rpcAgent) dialogs() []dialogRequest {
	var out []dialogRequest
	for line := range strings.Lines(a.out.String()) {
		var d dialogRequest
		if json.Unmarshal([]byte(line), &d) == nil && d.Type == "extension_ui_request" && (d.Method == "select" || d.Method == "input") {
			out = append(out, d)
		}
	}
	return out
}

// dialog waits for the n-th dialog and checks it; timeouts are left out.
func (a *rpcAgent) dialog(n int, method, title string, options ...string) dialogRequest {
	a.r.t.Helper()
	within(a.r.t, fmt.Sprintf("dialog %d", n), func() bool { return len(a.dialogs()) >= n })
	d := a.dialogs()[n-1]
	if d.Method != method || d.Title != title || strings.Join(d.Options, "|") != strings.Join(options, "|") {
		a.r.t.Errorf("dialog %d is %+v", n, d)
	}
	return d
}

// reply answers a dialog; an empty value dismisses it.
func (a *rpcAgent) reply(d dialogRequest, value string) {
	a.r.t.Helper()
	rest := `"cancelled":true`
	if value != "" {
		rest = `"value":` + asJSON(a.r.t, value)
	}
	a.send(`{"type":"extension_ui_response","id":"` + d.ID + `",` + rest + `}`)
}

const ownAnswer = "✏️ Type custom response..."

const (
	logsTitle  = "(1/1) Which log format?"
	gatesTitle = "(1/1) Which checks gate a merge?\n\nOptions (select one or more):\n1. Unit — Unit it is\n2. Lint — Lint it is\n3. Fuzz — Fuzz it is"
)

// Without a pane RPC mode asks by dialogs: every way through them, in one session.
func TestPiQuestionDialogs(t *testing.T) {
	r := newQuestionRig(t,
		turn("single", questionCall("call_1", logs())), turn("own", questionCall("call_2", logs())), turn("several", questionCall("call_3", gates())),
		turn("batch", questionCall("call_4", logs(), gates())), turn("unlisted", questionCall("call_5", logs())),
	)
	b := r.installBridge()
	serve(t, r.place)
	pi := r.runRPC()

	pi.say("single", 0)
	d := pi.dialog(1, "select", logsTitle, "JSON", "Text", ownAnswer)
	b.want(b.nth("blocked", 1), blockedOn)
	pi.reply(d, "Text")
	r.wantResult("call_1", exactly("User answered 1 questions:\n1. Which log format? → Text"))
	b.want(b.nth("blocked", 2), blockedOff)
	if d.Timeout != 0 {
		t.Errorf("a dialog without a limit has one: %+v", d)
	}

	pi.say("own", 1)
	pi.reply(pi.dialog(2, "select", logsTitle, "JSON", "Text", ownAnswer), ownAnswer)
	d = pi.dialog(3, "input", logsTitle)
	if d.Placeholder != "Type your answer..." {
		t.Errorf("placeholder %q", d.Placeholder)
	}
	pi.reply(d, " logfmt ")
	r.wantResult("call_2", exactly("User answered 1 questions:\n1. Which log format? → logfmt"))

	pi.say("several", 2)
	d = pi.dialog(4, "input", gatesTitle)
	if d.Placeholder != "Type your selection(s)..." {
		t.Errorf("placeholder %q", d.Placeholder)
	}
	pi.reply(d, "Lint, 3,, Unit")
	r.wantResult("call_3", exactly("User answered 1 questions:\n1. Which checks gate a merge? → Lint, 3, Unit"))

	pi.say("batch", 3)
	pi.reply(pi.dialog(5, "select", "(1/2) Which log format?", "JSON", "Text", ownAnswer), "JSON")
	pi.reply(pi.dialog(6, "input", "(2/2)"+gatesTitle[len("(1/1)"):]), "Fuzz")
	r.wantResult("call_4", exactly("User answered 2 questions:\n1. Which log format? → JSON\n2. Which checks gate a merge? → Fuzz"))

	pi.say("unlisted", 4)
	pi.reply(pi.dialog(7, "select", logsTitle, "JSON", "Text", ownAnswer), "Something else")
	r.wantResult("call_5", exactly("User answered 1 questions:\n1. Which log format? → Something else"))
	pi.settled(5)
	b.nth("blocked", 10)
	b.count("blocked", 10)
	for _, kind := range []string{"started", "completed", "offer"} {
		b.count(kind, 0)
	}
	pi.end()
}

// The ends of such a call that are no answer: dismissed, out of time, aborted.
func TestPiQuestionDialogsEndWithoutAnswer(t *testing.T) {
	r := newQuestionRig(t,
		turn("dismissed", questionCall("call_1", logs(), gates())), turn("late", questionCall("call_2", logs())), turn("abort", questionCall("call_3", logs())),
	)
	b := r.installBridge()
	serve(t, r.place)
	pi := r.runRPC()
	pi.say("dismissed", 0)
	pi.reply(pi.dialog(1, "select", "(1/2) Which log format?", "JSON", "Text", ownAnswer), "JSON")
	pi.reply(pi.dialog(2, "input", "(2/2)"+gatesTitle[len("(1/1)"):]), "")
	r.wantResult("call_1", exactly(questionsCancelled))
	pi.settled(1)

	file := filepath.Join(r.home.AgentDir, "ask-user-settings.json")
	pi.send(`{"type":"prompt","message":"/ask-user-question-settings timeout 600"}`)
	within(t, "the setting to be saved", func() bool {
		data, _ := os.ReadFile(file)
		return strings.Contains(string(data), "600")
	})
	pi.send(`{"type":"prompt","message":"late"}`)
	d := pi.dialog(3, "select", logsTitle, "JSON", "Text", ownAnswer)
	if d.Timeout <= 0 || d.Timeout > 600 {
		t.Errorf("the time that is left: %+v", d)
	}
	r.wantResult("call_2", exactly(questionsCancelled))
	pi.reply(d, "JSON") // too late
	pi.settled(2)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}

	pi.say("abort", 2)
	d = pi.dialog(4, "select", logsTitle, "JSON", "Text", ownAnswer)
	pi.send(`{"type":"abort"}`)
	b.want(b.nth("blocked", 6), blockedOff)
	pi.reply(d, ownAnswer) // too late, and no dialog follows
	pi.say("and now", 3)
	r.wantResult("call_3", exactly(questionsCancelled))
	pi.settled(4)
	if n := len(pi.dialogs()); n != 4 {
		t.Errorf("%d dialogs were shown", n)
	}
	b.count("blocked", 6)
	pi.end()
}

// Without askd RPC mode asks by the same dialogs. An askd that starts meanwhile has no part in it.
func TestPiQuestionDialogsWithoutAskd(t *testing.T) {
	r := newQuestionRig(t,
		turn("batch", questionCall("call_1", logs(), gates(), mcq("Where?", "H", false, "A", "B"))),
	)
	b := r.installBridge()
	pi := r.runRPC()
	pi.say("batch", 0)
	pi.reply(pi.dialog(1, "select", "(1/3) Which log format?", "JSON", "Text", ownAnswer), "Text")
	b.want(b.nth("blocked", 1), blockedOn)
	d := pi.dialog(2, "input", "(2/3)"+gatesTitle[len("(1/1)"):])
	if d.Placeholder != "Type your selection(s)..." || d.Timeout != 0 {
		t.Errorf("%+v", d)
	}
	serve(t, r.place)
	pi.reply(d, "Lint, 3,, Unit")
	pi.reply(pi.dialog(3, "select", "(3/3) Where?", "A", "B", ownAnswer), ownAnswer)
	pi.reply(pi.dialog(4, "input", "(3/3) Where?"), " here ")
	r.wantResult("call_1", exactly("User answered 3 questions:\n1. Which log format? → Text\n2. Which checks gate a merge? → Lint, 3, Unit\n3. Where? → here"))
	b.want(b.nth("blocked", 2), blockedOff)
	pi.settled(1)
	if got := asJSON(t, r.questionDetails("call_1")["answers"]); got != `[{"answer":"Text","kind":"option","question":"Which log format?"},{"answer":null,"kind":"multi","question":"Which checks gate a merge?","selected":["Lint","3","Unit"]},{"answer":"here","kind":"custom","question":"Where?"}]` {
		t.Errorf("details: %s", got)
	}
	pi.end()
}

// The ends of a call without askd that are no answer.
func TestPiQuestionDialogsWithoutAskdEndWithoutAnswer(t *testing.T) {
	r := newQuestionRig(t,
		turn("wrong", questionCall("call_1", mcq("Which?", "H", false, "A", "Other"))), turn("dismissed", questionCall("call_2", logs())),
		turn("late", questionCall("call_3", logs())), turn("abort", questionCall("call_4", logs())),
	)
	b := r.installBridge()
	pi := r.runRPC()
	pi.say("wrong", 0)
	if got := r.model.WaitToolResult(t, "call_1"); !strings.Contains(got, `uses the reserved label "Other"`) {
		t.Errorf("the model was sent %q", got)
	}
	pi.settled(1)
	b.count("blocked", 0)

	pi.say("dismissed", 1)
	pi.reply(pi.dialog(1, "select", logsTitle, "JSON", "Text", ownAnswer), "")
	r.wantResult("call_2", exactly(questionsCancelled))
	pi.settled(2)

	file := filepath.Join(r.home.AgentDir, "ask-user-settings.json")
	if err := os.WriteFile(file, []byte(`{"timeout":600}`), 0o600); err != nil {
		t.Fatal(err)
	}
	pi.say("late", 2)
	d := pi.dialog(2, "select", logsTitle, "JSON", "Text", ownAnswer)
	if d.Timeout <= 0 || d.Timeout > 600 {
		t.Errorf("the time that is left: %+v", d)
	}
	r.wantResult("call_3", exactly(questionsCancelled))
	pi.settled(3)

	if err := os.WriteFile(file, []byte(`{"timeout":-1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	pi.say("abort", 3)
	d = pi.dialog(3, "select", logsTitle, "JSON", "Text", ownAnswer)
	if want := "timeout must be an integer from 0 to 2147483647"; d.Timeout != 0 || !strings.Contains(pi.out.String(), want) {
		t.Errorf("settings with a wrong value: %+v, %t", d, strings.Contains(pi.out.String(), want))
	}
	pi.send(`{"type":"abort"}`)
	b.want(b.nth("blocked", 6), blockedOff)
	pi.reply(d, ownAnswer) // too late, and no dialog follows
	pi.say("and now", 4)
	r.wantResult("call_4", exactly(questionsCancelled))
	pi.settled(5)
	if n := len(pi.dialogs()); n != 3 {
		t.Errorf("%d dialogs were shown", n)
	}
	pi.end()
}

// An attached pane comes before dialogs.
func TestPiQuestionInRPCIsServedByThePane(t *testing.T) {
	r := newQuestionRig(t, turn("go", questionCall("call_1", logs())))
	askd := person{r.startAskd()}
	pi := r.runRPC()
	pi.say("go", 0)
	askd.WaitFor("Which log format?")
	askd.PressUntil("Enter", idle)
	r.wantResult("call_1", exactly("User answered 1 questions:\n1. Which log format? → JSON"))
	if n := len(pi.dialogs()); n != 0 {
		t.Errorf("%d dialogs were shown", n)
	}
	pi.end()
}
