package broker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// TestOneAnswerForSeveral: with same, and only with it, every form that asks the same gets the answer, each with an outcome of its
// own; what differs in anything a person sees does not.
func TestOneAnswerForSeveral(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.session("a"), w.session("b"), w.session("c")
	other := strings.Replace(dbForm, `"id":"db"`, `"id":"store"`, 1) // an id is seen by nobody
	calls := map[string]*answer{"a": a.call(1, dbForm), "b": b.call(2, other), "c": c.call(3, dbForm)}
	differs := c.call(4, strings.Replace(dbForm, "SQLite", "SQLite 3", 1))
	for n, asker := range map[int]*client{1: a, 2: b, 3: c, 4: c} {
		asker.accepted(n)
	}
	respond := func(n int, session string, same bool, response string) *answer {
		return w.connect("askctl").respondWith(broker.RespondParams{RequestID: id(n), Session: session, Same: same, Response: json.RawMessage(response)})
	}
	if got := respond(1, "a", true, `{"kind":"cancel"}`).refused(broker.InvalidParams); got.Path != "same" {
		t.Errorf("a cancel of several is refused with %v", got)
	}
	r := respond(1, "a", true, choosePostgres).responded()
	if !r.OK || r.Same == nil || r.Same.Answered != 2 || r.Same.Ended != 0 {
		t.Fatalf("responded %+v %+v", r, r.Same)
	}
	seen := map[string]bool{}
	for session, call := range calls {
		o := call.outcome()
		if o.Provenance.Outcome != ask.Answered || o.Provenance.Via != ask.ViaAskctl || !strings.HasSuffix(text(o), "Postgres") || seen[o.OutcomeID] {
			t.Errorf("%s got %s %q", session, o.Provenance.Outcome, text(o))
		}
		seen[o.OutcomeID] = true
	}
	if !differs.open() {
		t.Error("another question was answered")
	}
	if r := respond(4, "c", true, choosePostgres).responded(); !r.OK || *r.Same != (broker.Same{}) {
		t.Errorf("alone: %+v %+v", r, r.Same)
	}
}

// TestOneAnswerThatFails: nobody gets what the first form could not take.
func TestOneAnswerThatFails(t *testing.T) {
	w := newWorld(t)
	a, b := w.session("a"), w.session("b")
	a.ask(1)
	second := b.ask(2)
	w.disk.fail("before-outcome-committed")
	answer := a.respondWith(broker.RespondParams{RequestID: id(1), Same: true, Response: json.RawMessage(choosePostgres)})
	answer.refused(broker.Storage)
	w.disk.heal()
	a.settle()
	if !second.open() {
		t.Error("the second was answered")
	}
}
