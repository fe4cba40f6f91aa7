package broker_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// TestCommitBeforeAccept: until the request is on disk nobody hears of it and no snapshot shows it.
func TestCommitBeforeAccept(t *testing.T) {
	w := newWorld(t)
	c, other := w.session("s"), w.session("other") // what comes behind the call on its own connection waits for the disk
	release := w.disk.hold("before-request-committed")
	call := c.call(1, dbForm)
	if r := c.settle(); r.Counts.Pending != 0 {
		t.Errorf("%d pending before the commit", r.Counts.Pending)
	}
	if told := c.told("ask.accepted"); len(told) > 0 || len(w.Snapshot().Entries) > 0 || len(other.queue()) > 0 {
		t.Error("a request was shown before it was on disk")
	}
	release()
	got := c.accepted(1)
	if rec, ok := w.stored("s", 1); !ok || rec.Outcome != nil {
		t.Errorf("accepted, but the file holds %+v, %t", rec, ok)
	}
	want := broker.Accepted{Session: "s", RequestID: id(1), ToolCallID: "t1", Position: 1, PendingRequests: 1}
	if got != want {
		t.Errorf("ask.accepted is %+v, want %+v", got, want)
	}
	if !call.open() {
		t.Error("the call ended by itself")
	}
	c.choose(1)
	call.outcome()
}

// TestCommitBeforeOutcome: until the outcome is on disk neither the asker nor the person hears of it.
func TestCommitBeforeOutcome(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	release := w.disk.hold("before-outcome-committed")
	submit := w.submit("s", 1)
	w.entry("s", 1, "a form that settles", func(e *broker.Entry) bool { return e != nil && e.Settling })
	c.settle()
	if !call.open() || !submit.open() || len(c.told("ask.completed")) > 0 {
		t.Error("an outcome was told before it was on disk")
	}
	release()
	out := call.outcome()
	if _, err := submit.wait(); err != nil {
		t.Error(err)
	}
	rec, _ := w.stored("s", 1)
	if rec.Outcome == nil || rec.Outcome.ID != out.OutcomeID {
		t.Errorf("the call ended with outcome %q, the file holds %+v", out.OutcomeID, rec.Outcome)
	}
	if got := text(out); got != "ask_user ["+id(1)+"]\nQ1: Postgres" {
		t.Errorf("the outcome reads %q", got)
	}
	if p := out.Provenance; p.Outcome != ask.Answered || p.Via != ask.ViaPane || p.AnsweredAt == nil {
		t.Errorf("provenance %+v", p)
	}
}

// TestNotificationOrder is what one asker hears of one form.
func TestNotificationOrder(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	c.choose(1)
	call.outcome()
	c.settle()
	got := slices.DeleteFunc(c.methods(), func(m string) bool { return m == "session.state" })
	want := []string{"ask.accepted", "ask.started", "ask.completed"}
	if !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	done := c.told("ask.completed")[0].params.(broker.Completed)
	if done.FlowID != "tool:t1" || done.Result.RequestID != "" {
		t.Errorf("ask.completed is %+v with result %+v", done, done.Result)
	}
}

func TestRepeatedCall(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	one := c.ask(1)
	two := c.call(1, dbForm)
	spaced := c.call(1, strings.ReplaceAll(dbForm, ":", " : "))
	other := c.call(1, strings.Replace(dbForm, "Which", "What", 1))
	if e := other.refused(broker.Conflict); e.Path != "requestId" || e.Hint == "" {
		t.Errorf("conflict %+v", e)
	}
	c.settle()
	if got := w.journal.Records(); got != 1 {
		t.Errorf("%d requests stored, want 1", got)
	}
	c.choose(1)
	first := one.outcome().OutcomeID
	for _, a := range []*answer{two, spaced, c.call(1, dbForm)} {
		if got := a.outcome().OutcomeID; got != first {
			t.Errorf("%s gave outcome %s, want %s", a.what, got, first)
		}
	}
	c.call(1, strings.Replace(dbForm, "Which", "What", 1)).refused(broker.Conflict)
	w.restart()
	c = w.session("s")
	if got := c.call(1, dbForm).outcome().OutcomeID; got != first {
		t.Errorf("after a restart the same call gave outcome %s, want %s", got, first)
	}
	if n := len(c.told("ask.accepted")); n > 0 {
		t.Error("an ended request was accepted again")
	}
}

// TestRepeatedCallInOtherSession: request ids are unique within a session only.
func TestRepeatedCallInOtherSession(t *testing.T) {
	w := newWorld(t)
	a, b := w.session("a"), w.session("b")
	one, two := a.ask(1), b.ask(1)
	if e := a.respondWith(broker.RespondParams{RequestID: id(1), Session: "b", Response: json.RawMessage(choosePostgres)}).responded(); !e.OK {
		t.Fatal(e)
	}
	two.outcome()
	if !one.open() {
		t.Error("the answer of one session ended the other's call")
	}
}

// TestRepeatedCallWhileCommitting: the second call of the same id waits with the first.
func TestRepeatedCallWhileCommitting(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	release := w.disk.hold("before-request-committed")
	one, two := c.call(1, dbForm), c.call(1, dbForm)
	c.settle()
	release()
	c.accepted(1)
	c.choose(1)
	if one.outcome().OutcomeID != two.outcome().OutcomeID {
		t.Error("two outcomes of one request")
	}
}

// TestRepeatedCallWithoutItsFile: the same arguments are the same call, whatever became of the file they name.
func TestRepeatedCallWithoutItsFile(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	path := filepath.Join(t.TempDir(), "context.md")
	must(t, os.WriteFile(path, []byte("what it is about"), 0o600))
	form := strings.Replace(dbForm, `"prompt"`, `"context":"`+path+`","prompt"`, 1)
	one := c.call(1, form)
	c.accepted(1)
	must(t, os.Remove(path))
	two := c.call(1, form)
	c.settle()
	c.choose(1)
	if got, want := two.outcome().OutcomeID, one.outcome().OutcomeID; got != want {
		t.Errorf("the repeated call gave %q, want %q", got, want)
	}
}

// TestRefusedRepeat: an id that was asked with stays that question's, also for arguments that no form can be made of: while
// it is on its way to the disk, while it waits, when it has ended, and in the askd after.
func TestRefusedRepeat(t *testing.T) {
	const empty = `{"questions":[]}`
	w := newWorld(t)
	c := w.session("s")
	one := c.call(1, dbForm)
	c.call(1, empty).refused(broker.Conflict)
	until(t, "ask.accepted", func() bool { return len(c.told("ask.accepted")) == 1 })
	c.call(1, empty).refused(broker.Conflict)
	w.session("another").call(1, empty).outcome()
	c.choose(1)
	one.outcome()
	c.call(1, empty).refused(broker.Conflict)
	w.restart()
	w.session("s").call(1, empty).refused(broker.Conflict)
}

func TestRefusedCalls(t *testing.T) {
	w := newWorld(t)
	stranger, c := w.connect("probe"), w.session("s")
	stranger.call(1, dbForm).refused(broker.InvalidParams)
	a := newAnswer(t, "an unknown tool")
	c.Call(broker.CallParams{Tool: "ask_nobody", Arguments: json.RawMessage(`{}`)}, a.reply)
	if e := a.refused(broker.NotFound); e.Path != "tool" {
		t.Errorf("path %q", e.Path)
	}
	if e := c.call(2, `{"questions":"none"}`).refused(broker.InvalidParams); e.Path != "questions" {
		t.Errorf("path %q", e.Path)
	}
	out := c.call(3, `{"questions":[]}`).outcome()
	if out.OutcomeID != "" || !strings.Contains(string(encode(t, out.Details)), "invalid_input") {
		t.Errorf("a form without questions gave %s", encode(t, out))
	}
	if got := w.journal.Records(); got != 0 {
		t.Errorf("%d requests stored, want none", got)
	}
}

func TestCallWithoutID(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	a := newAnswer(t, "tool.call")
	c.Call(broker.CallParams{Tool: ask.ToolAskUser, Arguments: json.RawMessage(dbForm)}, a.reply)
	until(t, "ask.accepted", func() bool { return len(c.told("ask.accepted")) == 1 })
	got := c.told("ask.accepted")[0].params.(broker.Accepted)
	r := c.respondWith(broker.RespondParams{FlowID: "request:" + got.RequestID, Response: json.RawMessage(choosePostgres)}).responded()
	if !r.OK || a.outcome().RequestID != got.RequestID {
		t.Errorf("request %q, answer %+v", got.RequestID, r)
	}
}

// TestWithoutPane is what becomes of calls from one-shot modes (DESIGN, non-TUI modes).
func TestWithoutPane(t *testing.T) {
	for _, tt := range []struct {
		ui     string
		pane   bool
		serve  bool
		served bool
	}{
		{"tui", false, false, true},
		{"cli", false, false, true},
		{"mcp", false, false, true},
		{"rpc", false, false, false},
		{"rpc", true, false, true},
		{"json", true, false, false},
		{"json", true, true, true},
		{"json", false, true, false},
		{"print", true, false, false},
		{"print", true, true, true},
	} {
		t.Run(fmt.Sprintf("%s pane %t serve %t", tt.ui, tt.pane, tt.serve), func(t *testing.T) {
			w := newWorld(t)
			w.behaviour.Store(&broker.Behaviour{ServeNonTui: tt.serve})
			if tt.pane {
				w.PaneSize(80, 24)
			}
			c := w.connect("probe")
			c.open(broker.SessionInfo{ID: "s", UI: tt.ui})
			call := c.ask(1)
			if tt.served {
				c.choose(1)
				if k := call.outcome().Provenance.Outcome; k != ask.Answered {
					t.Errorf("outcome %s", k)
				}
				return
			}
			_, err := c.fail(broker.FailParams{RequestID: id(1), Kind: "no_ui"}).wait() // it has no other surface either
			must(t, err)
			out := call.outcome()
			if out.Provenance.Outcome != ask.NoUI || !strings.Contains(text(out), "Needs user input") || out.IsError {
				t.Errorf("outcome %s", encode(t, out))
			}
		})
	}
}

// TestPaneLost: a call that only an attached pane could serve fails when the pane goes; others wait for it to come back.
func TestPaneLost(t *testing.T) {
	w := newWorld(t)
	w.PaneSize(80, 24)
	oneShot, inTerminal := w.connect("rpc"), w.connect("tui")
	oneShot.open(broker.SessionInfo{ID: "rpc", UI: "rpc"})
	inTerminal.open(broker.SessionInfo{ID: "tui", UI: "tui"})
	lost, kept := oneShot.ask(1), inTerminal.ask(1)
	oneShot.accepted(1)
	inTerminal.accepted(1)
	w.PaneSize(0, 0)
	out := lost.outcome()
	if !out.IsError || out.Provenance.Outcome != ask.Failed || !strings.Contains(text(out), "pane") {
		t.Errorf("outcome %s", encode(t, out))
	}
	inTerminal.choose(1)
	if k := kept.outcome().Provenance.Outcome; k != ask.Answered {
		t.Errorf("outcome %s", k)
	}
}

// TestFlood: many clients ask at once; all are accepted, in an order that is the queue's, and all are answered.
func TestFlood(t *testing.T) {
	const clients, forms = 16, 50
	w := newWorld(t)
	var calls []*answer
	var all []*client
	for i := range clients {
		all = append(all, w.session(fmt.Sprint("s", i)))
	}
	for n := range forms {
		for _, c := range all {
			calls = append(calls, c.call(n, dbForm))
		}
	}
	for _, c := range all {
		for n := range forms {
			c.accepted(n)
		}
		var order []string
		for _, m := range c.told("ask.accepted") {
			order = append(order, m.params.(broker.Accepted).RequestID)
		}
		if !slices.IsSorted(order) {
			t.Errorf("accepted in the order %v", order)
		}
	}
	if got := len(all[0].queue()); got != clients*forms {
		t.Errorf("%d in the queue, want %d", got, clients*forms)
	}
	until(t, "a snapshot of them all", func() bool { return len(w.Snapshot().Entries) == clients*forms })
	for _, e := range w.Snapshot().Entries {
		w.Submit(e.Key(), first, func(err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, a := range calls {
		if k := a.outcome().Provenance.Outcome; k != ask.Answered {
			t.Fatalf("%s ended as %s", a.what, k)
		}
	}
	until(t, "an empty desk", func() bool { r := all[0].settle(); return r.Counts.Pending == 0 && r.Counts.Undelivered == 0 })
}
