package broker_test

import (
	"testing"

	"askd/broker"
)

// aborting opens session s as process a whose file holds the question and whose call of it still runs.
func (c *client) aborting(reason string) broker.Opened {
	return c.open(broker.SessionInfo{
		ID: "s", UI: "tui", Instance: "a", Epoch: 1, Reason: reason, Branch: []broker.BranchEvent{asked(1, false)},
		OpenCalls: []broker.OpenCall{{RequestID: id(1), ToolCallID: "t1"}},
	})
}

// TestAbortCrossesOpen: a call that was interrupted before session.open gets no form of its own again, though its client
// had not read that when it told its branch.
func TestAbortCrossesOpen(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	call := c.ask(1)
	if got := c.abort(1, "user").state(); got != "interrupted" {
		t.Fatalf("the abort was told %s", got)
	}
	call.wait()
	if o := c.aborting("reconnect"); len(o.Pending) != 0 {
		t.Errorf("pending %s", encode(t, o.Pending))
	}
	c.silent(1, 0)
}

// TestAbortOfALateCall: the same when the question reaches the disk only after the client has come back and aborted.
func TestAbortOfALateCall(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	release := w.disk.hold("before-request-committed")
	c.call(1, dbForm)
	c.settle()
	again := w.connect("probe")
	again.aborting("reconnect")
	joined, abort := again.await(1), again.abort(1, "user")
	again.settle()
	release()
	if got := abort.state(); got != "interrupted" {
		t.Fatalf("the abort was told %s", got)
	}
	joined.wait()
	until(t, "an empty queue", func() bool { return len(again.queue()) == 0 })
	again.settle()
	again.silent(1, 0)
}

// TestKilledAfterTheAbort: when the process dies before it has written the result, the file decides: the form is there again.
func TestKilledAfterTheAbort(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	c.ask(1)
	c.abort(1, "user").state()
	c.Disconnect()
	next := w.connect("probe")
	if o := next.tui("b", 1, asked(1, false)); len(o.Pending) != 1 {
		t.Errorf("pending %s", encode(t, o.Pending))
	}
}

// TestForkOfALateFork: a fork's copy that reaches the disk after its own session was left stands aside for that session's
// open fork, so that one question stands once.
func TestForkOfALateFork(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	release := w.disk.hold("before-request-committed")
	c.call(1, dbForm)
	c.settle()
	fork := func(id, of, instance string, ancestors ...string) (*client, *answer) {
		f := w.connect("probe")
		opened := newAnswer(t, "session.open")
		f.OpenSession(broker.SessionInfo{
			ID: id, UI: "tui", Instance: instance, Reason: "fork", ParentSession: of, Ancestors: ancestors,
			Branch: []broker.BranchEvent{callOf(1), askedOf(1)},
		}, opened.reply)
		f.settle()
		return f, opened
	}
	first, _ := fork("fork", "s", "b")
	first.Disconnect()
	second, opened := fork("second", "fork", "c", "s")
	if !opened.open() {
		t.Error("a session was opened before what it asks anew was on disk")
	}
	release()
	if _, err := opened.wait(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"fork", "second"} {
		until(t, "the copy on disk", func() bool { _, ok := w.stored(s, 1); return ok })
	}
	second.settle()
	for _, r := range second.queue() {
		if r.Session == "fork" && r.Status != broker.Parked {
			t.Errorf("the left fork's copy is %s beside the open fork's", r.Status)
		}
	}
}

// TestCallOfAnEarlierEpoch: a call that its client has left behind with its epoch holds no answer back.
func TestCallOfAnEarlierEpoch(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	call := c.ask(1)
	if o := c.tui("a", 2, asked(1, false)); len(o.Pending) != 1 {
		t.Fatalf("pending %s", encode(t, o.Pending))
	}
	if _, err := call.wait(); err == nil {
		t.Error("a call of an earlier epoch got an outcome")
	}
	c.choose(1)
	c.delivered(1, 1)
}
