package broker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

func TestRespondErrors(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	for _, tt := range []struct {
		name, flow, response, code, message string
	}{
		{"no response", "tool:t1", ``, "invalid_request", "Submit response must be an object."},
		{"a string", "tool:t1", `"yes"`, "invalid_request", "Submit response must be an object."},
		{"an unknown kind", "tool:t1", `{"kind":"maybe"}`, "invalid_request", `Submit response kind must be "answer" or "cancel".`},
		{"a bad kind before an unknown flow", "tool:t9", `{"kind":"maybe"}`, "invalid_request", `Submit response kind must be "answer" or "cancel".`},
		{"an unknown flow", "tool:t9", choosePostgres, "flow_not_found", "Ask flow is not active."},
		{"a request id for a flow", id(1), choosePostgres, "flow_not_found", "Ask flow is not active."},
		{"no answers", "tool:t1", `{"kind":"answer"}`, "invalid_answer", "Answer response must include an answers object."},
		{"an unknown question", "tool:t1", `{"kind":"answer","answers":{"q":{}}}`, "invalid_answer", `Unknown question id "q".`},
		{"an unknown value", "tool:t1", `{"kind":"answer","answers":{"db":{"values":["x"]}}}`, "invalid_answer", `Unknown option value "x" for question "db".`},
		{"an unknown skip", "tool:t1", `{"kind":"answer","answers":{},"skippedQuestionIds":["q"]}`, "invalid_answer", `Unknown skipped question id "q".`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := c.respondWith(broker.RespondParams{FlowID: tt.flow, Response: json.RawMessage(tt.response)}).responded()
			want := broker.Responded{Error: tt.code, Message: tt.message}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	c.settle()
	if rec, _ := w.stored("s", 1); rec.Outcome != nil || !call.open() {
		t.Error("a refused response ended the form")
	}
}

// TestTooMuchText: an answer that could not be sent to its agent is refused, whichever way it comes, and the form stays open;
// leaving the form works with any draft.
func TestTooMuchText(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	long := strings.Repeat("x", config.MaxAnswerText)
	for _, response := range []string{
		`{"kind":"answer","answers":{"db":{"customText":"` + long + `x"}}}`,
		`{"kind":"answer","answers":{"db":{"values":["pg"],"note":"` + long + `","optionNotes":{"pg":"x"}}}}`,
	} {
		if r := c.respond(1, response).responded(); r.Error != "invalid_answer" || r.Message != broker.ErrTooMuchText.Error() {
			t.Errorf("got %.200v", r)
		}
	}
	pane := newAnswer(t, "submit")
	w.Submit(key("s", 1), ask.Response{Choices: []ask.Choice{{CustomText: long + "x"}}}, pane.done)
	if _, err := pane.wait(); !errors.Is(err, broker.ErrTooMuchText) {
		t.Errorf("the pane was told %v", err)
	}
	if rec, _ := w.stored("s", 1); rec.Outcome != nil || !call.open() {
		t.Error("a refused answer ended the form")
	}
	if r := c.respond(1, `{"kind":"answer","answers":{"db":{"customText":"`+long+`"}}}`).responded(); !r.OK {
		t.Errorf("what just fits: %v", r)
	}
	if out := call.outcome(); len(encode(t, out)) > config.MaxLineOut/2 {
		t.Errorf("the outcome has %d bytes", len(encode(t, out)))
	}
	left := c.ask(2)
	cancel := newAnswer(t, "cancel")
	w.Cancel(key("s", 2), ask.Response{Choices: []ask.Choice{{Note: long + "x"}}}, cancel.done)
	if _, err := cancel.wait(); err != nil || left.outcome().Provenance.Outcome != ask.Cancelled {
		t.Errorf("leaving the form: %v", err)
	}
}

// TestOutcomeKinds: silence, skipping, cancelling and answering never look alike.
func TestOutcomeKinds(t *testing.T) {
	for _, tt := range []struct {
		response string
		kind     ask.OutcomeKind
		abort    bool
	}{
		{choosePostgres, ask.Answered, false},
		{`{"kind":"answer","answers":{"db":{"customText":"neither"}}}`, ask.Answered, false},
		{`{"kind":"answer","answers":{}}`, ask.Empty, false},
		{`{"kind":"answer","answers":{"db":{"note":"later"}}}`, ask.Empty, false},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":["db"]}`, ask.Skipped, false},
		{`{"kind":"cancel"}`, ask.Cancelled, true},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			w := newWorld(t)
			asker, other := w.session("s"), w.connect("askctl")
			call := asker.ask(1)
			if r := other.respond(1, tt.response).responded(); !r.OK {
				t.Fatal(r)
			}
			out := call.outcome()
			p := out.Provenance
			if p.Outcome != tt.kind || p.Via != ask.ViaAskctl || p.Client != "askctl" || out.AbortOperation != tt.abort || out.IsError {
				t.Errorf("outcome %s", encode(t, out))
			}
			if cancelled := strings.Contains(string(encode(t, out.Details)), `"cancelled":true`); cancelled != tt.abort {
				t.Errorf("details %s", encode(t, out.Details))
			}
		})
	}
}

// TestTwoSubmitters: the first one wins, the other is told and changes nothing.
func TestTwoSubmitters(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	for n := range 50 {
		call := c.ask(n)
		remote := make(chan broker.Responded, 1)
		go func() { remote <- c.respond(n, `{"kind":"answer","answers":{"db":{"values":["lite"]}}}`).responded() }()
		_, paneErr := w.submit("s", n).wait()
		r := <-remote
		out := call.outcome()
		if r.OK == (paneErr == nil) {
			t.Fatalf("remote %+v, pane %v: one of two wins", r, paneErr)
		}
		via, label := ask.ViaPane, "Postgres"
		if r.OK {
			via, label = ask.ViaRemote, "SQLite"
			if !errors.Is(paneErr, broker.ErrNotPending) {
				t.Errorf("the pane was told %v", paneErr)
			}
		} else if r.Error != "flow_not_found" {
			t.Errorf("the remote was told %+v", r)
		}
		if out.Provenance.Via != via || !strings.HasSuffix(text(out), label) {
			t.Errorf("%s won, the outcome is %s", via, encode(t, out))
		}
	}
}

// TestSameFlowInTwoSessions: an ambiguous name is refused with the candidates.
func TestSameFlowInTwoSessions(t *testing.T) {
	w := newWorld(t)
	a, b, third := w.session("a"), w.session("b"), w.session("c")
	callA, callB := a.ask(1), b.ask(1)
	p := broker.RespondParams{FlowID: "tool:t1", Response: json.RawMessage(choosePostgres)}
	if e := third.respondWith(p).refused(broker.Conflict); !strings.Contains(e.Message, "a / "+id(1)) || !strings.Contains(e.Message, "b / "+id(1)) {
		t.Errorf("the candidates are not named: %s", e.Message)
	}
	p.Session = "nowhere"
	if r := third.respondWith(p).responded(); r.Error != "flow_not_found" {
		t.Errorf("in an unknown session: %+v", r)
	}
	p.Session = ""
	if r := b.respondWith(p).responded(); !r.OK {
		t.Errorf("in the own session: %+v", r)
	}
	callB.outcome()
	if !callA.open() {
		t.Error("the other session's form ended too")
	}
	if r := third.respondWith(p).responded(); !r.OK {
		t.Errorf("the only one left: %+v", r)
	}
	callA.outcome()
}

func TestAwait(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.await(1).refused(broker.NotFound)
	call := c.ask(1)
	w.restart()
	if _, err := call.wait(); err == nil {
		t.Error("a call outlived its daemon")
	}
	c = w.connect("probe")
	opened := c.open(broker.SessionInfo{ID: "s", OpenCalls: []broker.OpenCall{{RequestID: id(1)}}})
	if len(opened.Pending) != 1 || opened.Pending[0].Status != broker.Waiting {
		t.Errorf("pending after the restart: %+v", opened.Pending)
	}
	again := c.await(1)
	w.entry("s", 1, "an asker that is back", func(e *broker.Entry) bool { return e != nil && e.AskerOnline })
	c.choose(1)
	out := again.outcome()
	if out.Provenance.Outcome != ask.Answered {
		t.Errorf("outcome %s", encode(t, out))
	}
	if late := c.await(1).outcome(); late.OutcomeID != out.OutcomeID {
		t.Errorf("awaited after the end: %s, want %s", late.OutcomeID, out.OutcomeID)
	}
	w.connect("probe").await(1).refused(broker.InvalidParams)
	w.session("other").await(1).refused(broker.NotFound)
}

// TestAwaitAfterEnd: the outcome that was decided while the asker was away is there when it comes back, after any number
// of restarts, and leaves the desk once it has been handed over.
func TestAwaitAfterEnd(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.ask(1)
	c.Disconnect()
	w.entry("s", 1, "an asker that has gone", func(e *broker.Entry) bool { return e != nil && !e.AskerOnline && !e.GoneSince.IsZero() })
	if _, err := w.submit("s", 1).wait(); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.restart()
	c = w.session("s")
	out := c.await(1).outcome()
	if out.Provenance.Outcome != ask.Answered {
		t.Errorf("outcome %s", encode(t, out))
	}
	until(t, "an empty desk", func() bool { return c.settle().Counts.Undelivered == 0 })
}

// TestAwaitOfAnothersCall: a live process keeps what it holds.
func TestAwaitOfAnothersCall(t *testing.T) {
	w := newWorld(t)
	one, two := w.connect("probe"), w.connect("probe")
	one.open(broker.SessionInfo{ID: "s", Instance: "one"})
	if got := two.open(broker.SessionInfo{ID: "s", Instance: "two"}).Role; got != "secondary" {
		t.Errorf("role %s", got)
	}
	call := one.ask(1)
	two.await(1).refused(broker.Conflict)
	one.Disconnect()
	again := two.await(1)
	two.settle()
	two.choose(1)
	again.outcome()
	if !call.open() {
		t.Log("the gone connection's call was answered too")
	}
}

func TestAbort(t *testing.T) {
	for reason, kind := range map[string]ask.OutcomeKind{
		"": ask.Interrupted, "user": ask.Interrupted, "switch": ask.Interrupted, "fork": ask.Interrupted, "quit": ask.Interrupted, "lost": ask.Withdrawn,
	} {
		t.Run("reason "+reason, func(t *testing.T) {
			w := newWorld(t)
			c := w.session("s")
			call := c.ask(1)
			if got := c.abort(1, reason).state(); got != "interrupted" {
				t.Errorf("state %s", got)
			}
			out := call.outcome()
			if !out.IsError || text(out) != "Question form interrupted" || out.Provenance.Outcome != kind {
				t.Errorf("outcome %s", encode(t, out))
			}
			if got := c.abort(1, reason).state(); got != "ended" {
				t.Errorf("a second abort gave %s", got)
			}
			until(t, "an empty desk", func() bool { return c.settle().Counts.Undelivered == 0 })
		})
	}
}

func TestAbortStates(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	if got := c.abort(1, "user").state(); got != "unknown" {
		t.Errorf("never asked: %s", got)
	}
	a := newAnswer(t, "tool.abort")
	c.Abort(broker.AbortParams{RequestID: id(1), Reason: "bored"}, a.reply)
	if e := a.refused(broker.InvalidParams); e.Path != "reason" {
		t.Errorf("path %q", e.Path)
	}

	release := w.disk.hold("before-request-committed")
	call := c.call(2, dbForm)
	early := c.abort(2, "user")
	c.settle()
	if !early.open() || !call.open() {
		t.Error("an abort was answered before the request was on disk")
	}
	release()
	if got := early.state(); got != "interrupted" {
		t.Errorf("aborted while committing: %s", got)
	}
	if out := call.outcome(); !out.IsError {
		t.Errorf("outcome %s", encode(t, out))
	}

	call = c.ask(3)
	release = w.disk.hold("before-outcome-committed")
	submit := w.submit("s", 3)
	late := c.abort(3, "user")
	c.settle()
	release()
	if got := late.state(); got != "ended" {
		t.Errorf("aborted while an answer was on its way: %s", got)
	}
	if _, err := submit.wait(); err != nil || call.outcome().Provenance.Outcome != ask.Answered {
		t.Errorf("the answer did not stand: %v", err)
	}
}

// TestAbortByToolCall names the call as the agent knows it, and nobody else's.
func TestAbortByToolCall(t *testing.T) {
	w := newWorld(t)
	c, other := w.session("s"), w.session("other")
	call := c.ask(1)
	p := broker.AbortParams{ToolCallID: "t1", Reason: "user"}
	a := newAnswer(t, "the other session's abort")
	other.Abort(p, a.reply)
	if got := a.state(); got != "unknown" || !call.open() {
		t.Errorf("the other session's abort: %s", got)
	}
	a = newAnswer(t, "the own abort")
	c.Abort(p, a.reply)
	if got := a.state(); got != "interrupted" {
		t.Error(got)
	}
	call.outcome()
}

// TestAbortedStaysReadable: what was asked and typed can be read in the history.
func TestAbortedStaysReadable(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	saved := newAnswer(t, "draft")
	w.SaveDraft(key("s", 1), &ask.Draft{Tab: 1, Questions: []ask.QuestionDraft{{ID: "db", Note: "half a thought"}}}, 0, saved.done)
	if _, err := saved.wait(); err != nil {
		t.Fatal(err)
	}
	c.abort(1, "user").state()
	call.outcome()
	until(t, "an empty desk", func() bool { return c.settle().Counts.Undelivered == 0 })
	a := newAnswer(t, "request.get")
	c.Get(id(1), "", a.reply)
	v, err := a.wait()
	must(t, err)
	form := v.(broker.Form)
	if form.Draft == nil || form.Draft.Questions[0].Note != "half a thought" || form.Request.Questions[0].Prompt != "Which database?" {
		t.Errorf("the history holds %s", encode(t, form))
	}
}

// TestPaneAfterEnd: whatever the pane does with a form that has ended changes nothing.
func TestPaneAfterEnd(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	c.choose(1)
	out := call.outcome()
	k := key("s", 1)
	for name, do := range map[string]func(func(error)){
		"submit": func(done func(error)) { w.Submit(k, first, done) },
		"cancel": func(done func(error)) { w.Cancel(k, first, done) },
		"draft":  func(done func(error)) { w.SaveDraft(k, &ask.Draft{Tab: 1}, 0, done) },
		"unasked": func(done func(error)) {
			w.Submit(key("s", 9), first, done)
		},
	} {
		a := newAnswer(t, name)
		do(a.done)
		if _, err := a.wait(); !errors.Is(err, broker.ErrNotPending) {
			t.Errorf("%s gave %v", name, err)
		}
	}
	w.Shown(k)
	c.settle()
	if rec, _ := w.stored("s", 1); rec.Outcome.ID != out.OutcomeID {
		t.Error("the outcome changed")
	}
}

// TestRemoteCancelKeepsTheDraft: what the person had answered stays in a result that was cancelled from outside.
func TestRemoteCancelKeepsTheDraft(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	saved := newAnswer(t, "draft")
	w.SaveDraft(key("s", 1), &ask.Draft{Questions: []ask.QuestionDraft{{
		ID: "db", Selected: []string{"lite", "gone"}, Note: "half", OptionNotes: map[string]string{"pg": "old"}, CustomText: "not selected",
	}}}, 0, saved.done)
	if _, err := saved.wait(); err != nil {
		t.Fatal(err)
	}
	c.respond(1, `{"kind":"cancel"}`).responded()
	out := call.outcome()
	r := out.Details.(*ask.Result)
	a, _ := r.Answers.Get("db")
	if !r.Cancelled || len(a.Values) != 1 || a.Values[0] != "lite" || a.Note != "half" || a.CustomText != "" || !out.AbortOperation {
		t.Errorf("details %s", encode(t, r))
	}
}

// TestNoEventsWithoutAForm: the contract's events are about forms that a person saw to the end.
func TestNoEventsWithoutAForm(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	c.abort(1, "user").state()
	call.outcome()
	c.settle()
	if n := len(c.told("ask.completed")); n != 0 {
		t.Errorf("an aborted form was completed %d times", n)
	}
	rpc := w.connect("probe")
	rpc.open(broker.SessionInfo{ID: "r", UI: "rpc"})
	nobody := rpc.call(2, dbForm)
	rpc.accepted(2)
	_, err := rpc.fail(broker.FailParams{RequestID: id(2), Kind: "no_ui"}).wait()
	must(t, err)
	nobody.outcome()
	rpc.settle()
	if n := len(rpc.told("ask.started")) + len(rpc.told("ask.completed")); n != 0 {
		t.Errorf("%d events of a form that nobody was shown", n)
	}
}

// TestGet finds a form wherever it stands, and refuses to guess.
func TestGet(t *testing.T) {
	w := newWorld(t)
	a, b, stranger := w.connect("probe"), w.session("b"), w.connect("askctl")
	a.open(broker.SessionInfo{ID: "a", UI: "tui", Branch: []broker.BranchEvent{}})
	get := func(c *client, n int, session string) *answer {
		g := newAnswer(t, "request.get")
		c.Get(id(n), session, g.reply)
		return g
	}
	for n := 1; n <= 3; n++ {
		a.ask(n)
	}
	b.ask(3)
	a.choose(2)
	for n, ended := range map[int]bool{1: false, 2: true} {
		v, err := get(stranger, n, "").wait()
		if f, ok := v.(broker.Form); err != nil || !ok || (f.Outcome != nil) != ended || f.Request.Session != "a" {
			t.Errorf("request %d: %+v, %v", n, v, err)
		}
	}
	get(stranger, 3, "").refused(broker.Conflict)
	if v, err := get(b, 3, "").wait(); err != nil || v.(broker.Form).Request.Session != "b" {
		t.Errorf("the own session's: %v, %v", v, err)
	}
	get(stranger, 1, "b").refused(broker.NotFound)
	get(stranger, 9, "").refused(broker.NotFound)
}

// TestAcknowledge is the life of an outcome of a session whose transcript can be looked at.
func TestAcknowledge(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
	call := c.ask(1)
	c.choose(1)
	out := call.outcome()
	if got := c.settle().Counts.Undelivered; got != 1 {
		t.Errorf("%d undelivered before the acknowledgement", got)
	}
	c.ack(1, "another").refused(broker.Conflict)
	for i := range 3 {
		if _, err := c.ack(1, out.OutcomeID).wait(); err != nil {
			t.Errorf("acknowledgement %d: %v", i, err)
		}
	}
	until(t, "an empty desk", func() bool { return c.settle().Counts.Undelivered == 0 })
	if rec, _ := w.stored("s", 1); !rec.Delivered {
		t.Error("the record does not stand in the history")
	}
	if _, err := c.ack(7, "never").wait(); err != nil {
		t.Errorf("acknowledging what never was: %v", err)
	}
	w.connect("probe").ack(1, out.OutcomeID).refused(broker.InvalidParams)
}

func TestManyForms(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	calls := make([]*answer, 4)
	for n := range calls {
		calls[n] = c.ask(n)
	}
	c.abort(1, "user").state()
	for _, n := range []int{3, 2, 0} {
		c.respond(n, fmt.Sprintf(`{"kind":"answer","answers":{"db":{"customText":"form %d"}}}`, n)).responded()
	}
	for n, call := range calls {
		out := call.outcome()
		if n == 1 {
			if !out.IsError {
				t.Errorf("the aborted call gave %s", encode(t, out))
			}
		} else if !strings.HasSuffix(text(out), fmt.Sprintf("form %d", n)) {
			t.Errorf("call %d got %q", n, text(out))
		}
	}
}

// What names nothing, or more than the data file has room for, is refused with the field that is meant.
func TestNamesThatNameNothing(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	if r := c.respondWith(broker.RespondParams{Response: []byte(choosePostgres)}).responded(); r.Error != ask.RemoteInvalidRequest || r.Message != "Submit event flowId is required." {
		t.Errorf("form.respond for no form: %+v", r)
	}
	c.ask(1)
	twin := newAnswer(t, "tool.call")
	c.Call(broker.CallParams{Tool: ask.ToolAskUser, Arguments: []byte(dbForm), RequestID: id(2), ToolCallID: "t1"}, twin.reply)
	c.accepted(2)
	if e := c.respondWith(broker.RespondParams{FlowID: "tool:t1", Response: []byte(choosePostgres)}).refused(broker.Conflict); !strings.Contains(e.Hint, "requestId") {
		t.Errorf("two forms of one call: %+v", e)
	}
	blank, panel := newAnswer(t, "tool.await"), newAnswer(t, "queue.show")
	c.Await("", blank.reply)
	w.connect("askctl").ShowQueue("", panel.reply)
	if e := blank.refused(broker.InvalidParams); e.Path != "requestId" {
		t.Errorf("tool.await: %+v", e)
	}
	if e := panel.refused(broker.InvalidParams); e.Path != "session" {
		t.Errorf("queue.show: %+v", e)
	}
	long := strings.Repeat("x", config.MaxID+1)
	opened, call := newAnswer(t, "session.open"), newAnswer(t, "tool.call")
	w.connect("probe").OpenSession(broker.SessionInfo{ID: long}, opened.reply)
	c.Call(broker.CallParams{Tool: ask.ToolAskUser, Arguments: []byte(dbForm), RequestID: long}, call.reply)
	if e := opened.refused(broker.TooLarge); e.Path != "id" {
		t.Errorf("session.open: %+v", e)
	}
	if e := call.refused(broker.TooLarge); e.Path != "requestId" {
		t.Errorf("tool.call: %+v", e)
	}
	longest := w.connect("probe")
	longest.open(broker.SessionInfo{ID: long[1:]})
	kept := newAnswer(t, "tool.call")
	longest.Call(broker.CallParams{Tool: ask.ToolAskUser, Arguments: []byte(backgroundForm), RequestID: long[1:]}, kept.reply)
	kept.outcome()
}

// Events that name no request are none of ours.
func TestBranchEventsWithoutARequest(t *testing.T) {
	w := newWorld(t)
	o := w.connect("probe").open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{{Type: "asked"}, {Type: "completed"}, {Type: "delivered"}, {}}})
	if len(o.Unknown) != 0 {
		t.Errorf("unknown: %q", o.Unknown)
	}
}

// TestAbortOfWhatIsDelivered: an outcome that stands is said to stand, by whichever id, also when it has left the queue for good.
func TestAbortOfWhatIsDelivered(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	abort := func(p broker.AbortParams) string {
		a := newAnswer(t, "tool.abort")
		p.Reason = "user"
		c.Abort(p, a.reply)
		return a.state()
	}
	call := c.ask(1)
	c.choose(1)
	call.outcome()
	until(t, "the delivery on disk", func() bool { rec, _ := w.stored("s", 1); return rec.Delivered })
	c.settle()
	for p, want := range map[broker.AbortParams]string{
		{RequestID: id(1)}: "ended", {ToolCallID: "t1"}: "ended", {ToolCallID: "t2"}: "unknown", {RequestID: id(2)}: "unknown", {}: "unknown",
	} {
		if got := abort(p); got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
	}
}
