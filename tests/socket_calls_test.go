package tests

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// TestRepeatedCall: a call under the same id joins, then repeats what it got; other arguments are a conflict.
func TestRepeatedCall(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := connect(t, p, "s1")
	first := c.begin(1, dbQuestion)
	joined := c.start("tool.call", askParams(1, dbQuestion))
	other := strings.Replace(dbQuestion, "Which", "What", 1)
	if m := c.call("tool.call", askParams(1, other)); m.Error == nil || m.Error.Data.Kind != "conflict" {
		t.Errorf("other arguments under the same id: %+v", m)
	}
	if got := c.queue(`{}`); len(got) != 1 {
		t.Errorf("a repeated call made another form: %+v", got)
	}
	c.respond(1, choosePostgres)
	a, b := c.ended(first), c.ended(joined)
	again := c.ended(c.start("tool.call", askParams(1, dbQuestion)))
	if a.OutcomeID == "" || a.OutcomeID != b.OutcomeID || a.OutcomeID != again.OutcomeID || again.text() != a.text() {
		t.Errorf("outcomes differ: %q, %q, %q", a.OutcomeID, b.OutcomeID, again.OutcomeID)
	}
	if m := c.call("tool.call", askParams(1, other)); m.Error == nil || m.Error.Data.Kind != "conflict" {
		t.Errorf("other arguments under an ended id: %+v", m)
	}
}

// TestRepeatedReceipt: a background call under the same id gives its receipt again, and never the answer.
func TestRepeatedReceipt(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := connect(t, p, "s1")
	receipt := "Queued ask_user [" + requestID(1) + "]. 1 form(s) pending. This is not an answer."
	first := c.ended(c.begin(1, background(dbQuestion)))
	again := c.ended(c.start("tool.call", askParams(1, background(dbQuestion))))
	for _, o := range []outcome{first, again} {
		if !strings.HasPrefix(o.text(), receipt) || o.OutcomeID != "" {
			t.Errorf("receipt: %+v", o)
		}
	}
	c.respond(1, choosePostgres)
	c.notice("ask.deliver")
	late := c.ended(c.start("tool.call", askParams(1, background(dbQuestion))))
	if !strings.HasPrefix(late.text(), "Queued ask_user ["+requestID(1)+"].") || strings.Contains(late.text(), "Postgres") {
		t.Errorf("after the answer: %q", late.text())
	}
}

// openAgain opens session s1 as a client that still has call 1 running.
func openAgain(t *testing.T, p place) *raw {
	t.Helper()
	c := dialRaw(t, p.socket).hello()
	c.must("session.open", fmt.Sprintf(`{"id":"s1","cwd":"/src/app","ui":"cli","reason":"reconnect","branch":null,"openCalls":[{"requestId":%q,"toolCallId":"t1","tool":"ask_user"}]}`, requestID(1)), nil)
	return c
}

// TestAwaitAfterRestart: whatever ended askd, a call is joined again afterwards and gets its answer.
func TestAwaitAfterRestart(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "told to stop": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			askd := serve(t, p)
			connect(t, p, "s1").begin(1, dbQuestion)
			askd.stop(t, sig)

			serve(t, p)
			c := openAgain(t, p)
			open := c.start("tool.await", fmt.Sprintf(`{"requestId":%q}`, requestID(1)))
			if got := c.queue(`{}`); len(got) != 1 || got[0].RequestID != requestID(1) {
				t.Fatalf("the form did not survive: %+v", got)
			}
			if r := c.respond(1, choosePostgres); !r.OK {
				t.Fatalf("answer: %+v", r)
			}
			if o := c.ended(open); !strings.HasSuffix(o.text(), "Q1: Postgres") {
				t.Errorf("joined call: %q", o.text())
			}
		})
	}
}

// TestAnswerWhileAskdWasAway: an outcome committed before a kill is there for the call that joins afterwards.
func TestAnswerSurvivesAKill(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	asker := connect(t, p, "s1")
	asker.begin(1, dbQuestion)
	asker.conn.Close()
	if r := dialRaw(t, p.socket).hello().respond(1, choosePostgres); !r.OK {
		t.Fatalf("answer without its asker: %+v", r)
	}
	askd.stop(t, syscall.SIGKILL)

	serve(t, p)
	c := openAgain(t, p)
	if o := c.ended(c.start("tool.await", fmt.Sprintf(`{"requestId":%q}`, requestID(1)))); !strings.HasSuffix(o.text(), "Q1: Postgres") {
		t.Errorf("joined call: %q", o.text())
	}
	if m := c.call("tool.await", fmt.Sprintf(`{"requestId":%q}`, requestID(9))); m.Error == nil || m.Error.Data.Kind != "not_found" {
		t.Errorf("a request that nobody made: %+v", m)
	}
}

func TestAbort(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := connect(t, p, "s1")
	abort := func(n int) string {
		var r struct{ State string }
		c.must("tool.abort", fmt.Sprintf(`{"requestId":%q,"reason":"user"}`, requestID(n)), &r)
		return r.State
	}
	open := c.begin(1, dbQuestion)
	if state := abort(1); state != "interrupted" {
		t.Errorf("abort of an open form: %q", state)
	}
	if o := c.ended(open); !o.IsError || !strings.Contains(o.text(), "Question form interrupted") || o.Provenance.Outcome != "interrupted" {
		t.Errorf("aborted call: %+v", o)
	}
	if r := c.respond(1, choosePostgres); r.OK {
		t.Error("an aborted form took an answer")
	}

	open = c.begin(2, dbQuestion)
	c.respond(2, choosePostgres)
	if state := abort(2); state != "ended" {
		t.Errorf("abort after the answer: %q", state)
	}
	if o := c.ended(open); o.IsError || !strings.HasSuffix(o.text(), "Q1: Postgres") {
		t.Errorf("an abort after the answer changed it: %+v", o)
	}
	if state := abort(9); state != "unknown" {
		t.Errorf("abort of what was never asked: %q", state)
	}
}

// TestAbortTouchesOwnSession: one session cannot end what another asked.
func TestAbortTouchesOwnSession(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	one, two := connect(t, p, "one"), connect(t, p, "two")
	open := one.begin(1, dbQuestion)
	var r struct{ State string }
	two.must("tool.abort", fmt.Sprintf(`{"requestId":%q,"reason":"user"}`, requestID(1)), &r)
	if r.State != "unknown" {
		t.Errorf("abort of another session's form: %q", r.State)
	}
	one.respond(1, choosePostgres)
	if o := one.ended(open); o.IsError {
		t.Errorf("the form was ended by another session: %+v", o)
	}
}

func TestCancelStopsTheAgent(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := connect(t, p, "s1")
	open := c.begin(1, dbQuestion)
	if r := c.respond(1, `{"kind":"cancel"}`); !r.OK {
		t.Fatalf("cancel: %+v", r)
	}
	o := c.ended(open)
	if !o.AbortOperation || o.IsError || o.Provenance.Outcome != "cancelled" || !strings.HasSuffix(o.text(), "\nUser cancelled the ask flow") {
		t.Errorf("cancelled: %+v", o)
	}
}

// TestRespondErrors: a wrong answer is refused with the contract's words and the form stays open.
func TestRespondErrors(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := connect(t, p, "s1")
	open := c.begin(1, dbQuestion)
	answer := func(db string) string { return `{"kind":"answer","answers":{"db":` + db + `}}` }
	for _, row := range []struct{ response, kind, message string }{
		{`{"kind":"maybe"}`, "invalid_request", `Submit response kind must be "answer" or "cancel".`},
		{`"yes"`, "invalid_request", `Submit response must be an object.`},
		{`{"kind":"answer"}`, "invalid_answer", `Answer response must include an answers object.`},
		{`{"kind":"answer","answers":{"no":{"values":["pg"]}}}`, "invalid_answer", `Unknown question id "no".`},
		{answer(`"pg"`), "invalid_answer", `Answer for question "db" must be an object.`},
		{answer(`{"values":[1]}`), "invalid_answer", `Answer values for question "db" must be strings.`},
		{answer(`{"values":["pg","pg"]}`), "invalid_answer", `Answer values for question "db" must be unique.`},
		{answer(`{"values":["pg","lite"]}`), "invalid_answer", `Question "db" accepts only one selected value.`},
		{answer(`{"values":[],"customText":7}`), "invalid_answer", `Custom text for question "db" must be a string.`},
		{answer(`{"values":["pg"],"customText":"other"}`), "invalid_answer", `Question "db" cannot combine a selected value and custom text.`},
		{answer(`{"values":["pg"],"note":7}`), "invalid_answer", `Note for question "db" must be a string.`},
		{answer(`{"values":["pg"],"optionNotes":{"pg":7}}`), "invalid_answer", `Option notes for question "db" must be string values.`},
		{answer(`{"values":["oracle"]}`), "invalid_answer", `Unknown option value "oracle" for question "db".`},
		{answer(`{"values":["pg"],"optionNotes":{"oracle":"why"}}`), "invalid_answer", `Unknown option note value "oracle" for question "db".`},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":"db"}`, "invalid_answer", `Skipped question ids must be an array of strings.`},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":["no"]}`, "invalid_answer", `Unknown skipped question id "no".`},
		{`{"kind":"answer","answers":{"db":{"values":["pg"]}},"skippedQuestionIds":["db"]}`, "invalid_answer", `Question "db" cannot be both answered and skipped.`},
	} {
		if got := c.respond(1, row.response); got.OK || got.Error != row.kind || got.Message != row.message {
			t.Errorf("%s: %+v, want %s: %s", row.response, got, row.kind, row.message)
		}
	}
	if got := c.respond(9, choosePostgres); got.OK || got.Error != "flow_not_found" {
		t.Errorf("unknown form: %+v", got)
	}
	if got := c.respond(1, choosePostgres); !got.OK {
		t.Errorf("the right answer after wrong ones: %+v", got)
	}
	if got := c.respond(1, choosePostgres); got.OK || got.Error != "flow_not_found" {
		t.Errorf("a second answer: %+v", got)
	}
	c.ended(open)
}

// TestSkipEverything: skipping all is an outcome of its own.
func TestSkipEverything(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := connect(t, p, "s1")
	for n, row := range map[int]struct{ response, outcome, body string }{
		1: {`{"kind":"answer","answers":{},"skippedQuestionIds":["db"]}`, "skipped", "Q1: (skipped)"},
		2: {`{"kind":"answer","answers":{}}`, "empty", "Q1: (no answer)"},
		3: {`{"kind":"answer","answers":{"db":{"values":[],"customText":"DuckDB"}}}`, "answered", "Q1: DuckDB"},
	} {
		open := c.begin(n, dbQuestion)
		if r := c.respond(n, row.response); !r.OK {
			t.Errorf("%s: %+v", row.response, r)
			continue
		}
		if o := c.ended(open); o.Provenance.Outcome != row.outcome || !strings.HasSuffix(o.text(), "\n"+row.body) {
			t.Errorf("%s: %q, outcome %q", row.response, o.text(), o.Provenance.Outcome)
		}
	}
}

// TestDeliveryOnce: a background answer is delivered until it is acknowledged, and never after.
func TestDeliveryOnce(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	c := connect(t, p, "s1")
	c.ended(c.begin(1, background(dbQuestion)))
	c.respond(1, choosePostgres)
	delivery := deliveryOf(t, c)
	if delivery.RequestID != requestID(1) || delivery.As != "background" || !delivery.Wake {
		t.Errorf("delivery: %+v", delivery)
	}
	askd.stop(t, syscall.SIGKILL) // before any acknowledgement

	serve(t, p)
	c = connect(t, p, "s1")
	again := deliveryOf(t, c)
	if again.OutcomeID != delivery.OutcomeID || again.RequestID != delivery.RequestID {
		t.Errorf("after a kill %+v, before %+v", again, delivery)
	}
	c.must("delivery.ack", fmt.Sprintf(`{"requestId":%q,"outcomeId":%q}`, again.RequestID, again.OutcomeID), nil)
	c.conn.Close()

	c = dialRaw(t, p.socket).hello()
	var opened struct{ Undelivered []any }
	c.must("session.open", `{"id":"s1","cwd":"/src/app","ui":"cli","reason":"reconnect","branch":null}`, &opened)
	if len(opened.Undelivered) != 0 {
		t.Errorf("delivered again after its acknowledgement: %+v", opened)
	}
}

// delivered is what the tests read of a Delivery.
type delivered struct {
	RequestID, OutcomeID, As string
	Wake                     bool
}

func deliveryOf(t *testing.T, c *raw) delivered {
	t.Helper()
	var d delivered
	m := c.notice("ask.deliver")
	m.Result = m.Params
	decode(t, m, &d)
	return d
}
