package broker_test

import (
	"slices"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// The sentences below the table in DESIGN, "Branches and delivery", one by one, and what random histories have taught.

// tui opens session s on a branch, as process instance in epoch.
func (c *client) tui(instance string, epoch int, branch ...broker.BranchEvent) broker.Opened {
	c.w.tb.Helper()
	return c.open(broker.SessionInfo{ID: "s", UI: "tui", Instance: instance, Epoch: epoch, Reason: "tree", Branch: append([]broker.BranchEvent{}, branch...)})
}

// silent looks that no more than so many deliveries of request n have come.
func (c *client) silent(n, so int) {
	c.w.tb.Helper()
	c.settle()
	if got := len(c.deliveries(n)); got != so {
		c.w.tb.Errorf("%d deliveries of %s, want %d", got, id(n), so)
	}
}

// TestClaimEnds: an outcome that has been sent goes out again only when its claim has ended.
func TestClaimEnds(t *testing.T) {
	for name, end := range map[string]struct {
		do   func(w *world, c *client, outcome string) *client
		sent int
	}{
		"nothing happens": {func(_ *world, c *client, _ string) *client { return c }, 1},
		"acknowledged": {func(_ *world, c *client, outcome string) *client {
			c.ack(1, outcome).wait()
			return c
		}, 1},
		"released": {func(_ *world, c *client, outcome string) *client {
			a := newAnswer(c.w.tb, "delivery.release")
			c.Release(broker.AckParams{RequestID: id(1), OutcomeID: outcome}, a.reply)
			a.wait()
			return c
		}, 2},
		"opened again": {func(_ *world, c *client, _ string) *client {
			c.tui("a", 1, asked(1, true))
			return c
		}, 2},
		"another connection": {func(w *world, c *client, _ string) *client {
			c.Disconnect()
			next := w.connect("probe")
			next.tui("a", 1, asked(1, true))
			return next
		}, 1},
		"a wait takes it": {func(_ *world, c *client, outcome string) *client {
			o := c.wait("w").outcome()
			if len(o.Deliveries) != 1 || o.Deliveries[0].OutcomeID != outcome || len(c.told("ask.withdraw")) != 1 {
				c.w.tb.Errorf("the wait gave %s", encode(c.w.tb, o))
			}
			return c
		}, 1},
		"a wait takes it and is aborted": {func(_ *world, c *client, _ string) *client {
			c.wait("w").outcome()
			a := newAnswer(c.w.tb, "tool.abort")
			c.Abort(broker.AbortParams{ToolCallID: "w", Reason: "user"}, a.reply)
			a.wait()
			return c
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.connect("probe")
			c.tui("a", 1)
			c.queueForm(1)
			c.choose(1)
			c = end.do(w, c, c.delivered(1, 1).OutcomeID)
			if end.sent > 0 {
				c.delivered(1, end.sent)
			}
			c.silent(1, end.sent)
		})
	}
}

// TestResultKeepsItsClaim: a result that a process has taken out of its call is being written down; it goes out another way
// only when that process, or the branch it wrote on, has gone.
func TestResultKeepsItsClaim(t *testing.T) {
	for name, tt := range map[string]struct {
		instance string
		epoch    int
		sent     int
	}{
		"a reconnect":      {"a", 1, 0},
		"another branch":   {"a", 2, 1},
		"another process":  {"b", 1, 1},
		"an unnamed other": {"", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.connect("probe")
			c.tui("a", 1)
			call := c.ask(1)
			c.choose(1)
			call.outcome()
			c.Disconnect()
			c = w.connect("probe")
			c.tui(tt.instance, tt.epoch, callOf(1), askedOf(1))
			c.silent(1, tt.sent)
		})
	}
}

// TestSecondAnswerOfACall: the answer to a form that is open again goes out at once: its call has ended with the first.
func TestSecondAnswerOfACall(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	call := c.ask(1)
	c.choose(1)
	outcome := call.outcome().OutcomeID
	c.ack(1, outcome).wait()
	o := c.open(broker.SessionInfo{
		ID: "s", UI: "tui", Instance: "a", Epoch: 2, Reason: "tree", Branch: []broker.BranchEvent{callOf(1), askedOf(1)},
		Elsewhere: []broker.OutcomeRef{{RequestID: id(1), OutcomeID: outcome}},
	})
	if len(o.Pending) != 1 || o.Pending[0].Status != broker.Interrupted {
		t.Fatalf("opened with %s", encode(t, o))
	}
	c.choose(1)
	if d := c.delivered(1, 1); d.As != "followUp" || d.OutcomeID == outcome {
		t.Errorf("delivered %s", encode(t, d))
	}
}

// TestForkInherits what its branch says was completed, from however far up, and never an interruption.
func TestForkInherits(t *testing.T) {
	for name, tt := range map[string]struct {
		left      string
		ancestors []string
		completed bool
		pending   int
		out       int
	}{
		"pending":               {left: "pending", pending: 1},
		"interrupted":           {left: "interrupted", pending: 1},
		"answered later":        {left: "answered", pending: 1},
		"answered before":       {left: "answered", completed: true, out: 1},
		"a fork of a fork":      {left: "answered", ancestors: []string{"s"}, completed: true, out: 1},
		"interrupted long ago":  {left: "interrupted", ancestors: []string{"s"}, pending: 1},
		"interrupted, recorded": {left: "interrupted", completed: true, pending: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.connect("probe")
			c.tui("a", 1)
			left[tt.left](w, c)
			c.Disconnect()
			rec, _ := w.stored("s", 1)
			info := broker.SessionInfo{ID: "fork", UI: "tui", Reason: "fork", ParentSession: "s", Branch: []broker.BranchEvent{callOf(1), askedOf(1)}}
			if tt.ancestors != nil {
				info.ParentSession, info.Ancestors = "between", tt.ancestors
			}
			if tt.completed {
				info.Branch = append(info.Branch, broker.BranchEvent{Type: "completed", RequestID: id(1), OutcomeID: rec.Outcome.ID})
			}
			fork := w.connect("probe")
			o := fork.open(info)
			if len(o.Pending) != tt.pending || len(o.Undelivered) != tt.out {
				t.Errorf("opened with %s", encode(t, o))
			}
			fork.silent(1, tt.out)
			if copied, ok := w.stored("fork", 1); !ok || tt.out > 0 != (copied.Outcome != nil) {
				t.Errorf("the fork's own copy is %+v, %t", copied, ok)
			}
		})
	}
}

// TestInheritedOutcomeIsStoredFirst: commit, then tell.
func TestInheritedOutcomeIsStoredFirst(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	left["answered"](w, c)
	rec, _ := w.stored("s", 1)
	release := w.disk.hold("before-outcome-committed")
	fork := w.connect("probe")
	opened := newAnswer(t, "session.open")
	fork.OpenSession(broker.SessionInfo{ID: "fork", UI: "tui", ParentSession: "s", Branch: []broker.BranchEvent{
		callOf(1), askedOf(1), {Type: "completed", RequestID: id(1), OutcomeID: rec.Outcome.ID},
	}}, opened.reply)
	until(t, "the copy", func() bool { _, ok := w.stored("fork", 1); return ok })
	fork.silent(1, 0)
	release()
	opened.wait()
	fork.delivered(1, 1)
}

// TestPlacedWhenItIsThere: what was on its way to the disk during session.open belongs to the branch that is open then.
func TestPlacedWhenItIsThere(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	c.queueForm(1)
	release := w.disk.hold("before-outcome-committed")
	answered := c.respond(1, choosePostgres)
	c.settle()
	c.tui("a", 2)
	release()
	answered.responded()
	c.silent(1, 0)
	if o := c.tui("a", 3, asked(1, true)); len(o.Undelivered) != 1 {
		t.Errorf("back on the branch: %s", encode(t, o))
	}
	c.delivered(1, 1)
}

// TestLeftBeforeRecorded: a delivery that is being recorded for one branch is none for the branch that is opened meanwhile.
func TestLeftBeforeRecorded(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	c.queueForm(1)
	c.choose(1)
	outcome := c.delivered(1, 1).OutcomeID
	release := w.disk.hold("before-ack-committed")
	c.tui("a", 2, asked(1, true), broker.BranchEvent{Type: "delivered", RequestID: id(1), How: "aborted"})
	c.tui("a", 3, asked(1, true))
	release()
	if d := c.delivered(1, 2); d.OutcomeID != outcome || d.Epoch != 3 {
		t.Errorf("delivered %s", encode(t, d))
	}
}

// TestReceiptCrossesOpen: a call that was answered before session.open is not open, though its client had not read it.
func TestReceiptCrossesOpen(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	c.queueForm(1)
	c.open(broker.SessionInfo{
		ID: "s", UI: "tui", Instance: "a", Epoch: 1, Branch: []broker.BranchEvent{asked(1, true)},
		OpenCalls: []broker.OpenCall{{RequestID: id(1)}},
	})
	c.choose(1)
	c.delivered(1, 1)
}

// TestSecondProcess: it has a branch of its own. Its answers never go to the first one, nor away with the first one's branch;
// they come to it once it is the first itself.
func TestSecondProcess(t *testing.T) {
	w := newWorld(t)
	one, two := w.connect("probe"), w.connect("probe")
	one.tui("a", 1)
	two.tui("b", 1)
	two.queueForm(1)
	two.queueForm(2)
	call := two.ask(3)
	one.tui("a", 2)
	one.queueForm(4)
	if n := len(one.queue()); n != 4 {
		t.Fatalf("%d forms in the queue, want all four", n)
	}
	for n := 1; n <= 4; n++ {
		one.choose(n)
	}
	call.outcome()
	one.delivered(4, 1)
	if r := waited(two.wait("w").outcome()); !slices.Equal(r.RequestIDs, []string{id(1), id(2)}) || len(r.Results) != 2 {
		t.Errorf("its wait gave %+v", r)
	}
	a := newAnswer(t, "tool.abort")
	two.Abort(broker.AbortParams{ToolCallID: "w", Reason: "user"}, a.reply)
	a.wait()
	one.Disconnect()
	until(t, "session.stale", func() bool { return len(two.told("session.stale")) == 1 })
	for n := 1; n <= 2; n++ {
		one.silent(n, 0)
		two.silent(n, 0)
	}
	two.tui("b", 1, asked(1, true), asked(2, true))
	two.delivered(1, 1)
	two.delivered(2, 1)
	two.silent(4, 0)
}

// TestRepliesAtTheEnd: a wait and a session.open that waits for the disk are answered when askd stops.
func TestRepliesAtTheEnd(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	c.queueForm(1)
	wait := c.wait("w")
	c.settle()
	release := w.disk.hold("before-request-committed")
	defer release()
	fork := w.connect("probe")
	opened := newAnswer(t, "session.open")
	fork.OpenSession(broker.SessionInfo{ID: "fork", UI: "tui", ParentSession: "s", Branch: []broker.BranchEvent{asked(1, true)}}, opened.reply)
	fork.settle()
	w.stop()
	for _, a := range []*answer{wait, opened} {
		a.refused(broker.ShuttingDown)
	}
}

// TestAbortBeforeTheCommit: a form whose operation was aborted while it was being stored is closed, on whatever branch.
func TestAbortBeforeTheCommit(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	release := w.disk.hold("before-request-committed")
	call := c.call(1, dbForm)
	abort := c.abort(1, "switch")
	c.settle()
	c.tui("a", 2)
	release()
	if got := abort.state(); got != "interrupted" {
		t.Errorf("the abort was told %s", got)
	}
	call.wait()
	until(t, "an interrupted record", func() bool {
		rec, ok := w.stored("s", 1)
		return ok && rec.Outcome != nil && rec.Outcome.Kind == ask.Interrupted
	})
}

// TestAbortOfTheSecondWait: an aborted wait gives back what it carried itself, not what an earlier one is bringing home.
func TestAbortOfTheSecondWait(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	c.queueForm(1)
	first := c.wait("w1")
	c.choose(1)
	if r := waited(first.outcome()); len(r.Results) != 1 {
		t.Fatalf("the first wait gave %+v", r)
	}
	c.wait("w2").outcome()
	a := newAnswer(t, "tool.abort")
	c.Abort(broker.AbortParams{ToolCallID: "w2", Reason: "user"}, a.reply)
	if got := a.state(); got != "ended" {
		t.Errorf("the abort was told %s", got)
	}
	c.silent(1, 0)
	a = newAnswer(t, "tool.abort")
	c.Abort(broker.AbortParams{ToolCallID: "w1", Reason: "user"}, a.reply)
	a.state()
	c.delivered(1, 1)
}

// TestWaitCrossesOpen: what a wait has carried over a connection is not delivered again because that connection opens its
// session anew before the result stands in the file.
func TestWaitCrossesOpen(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.tui("a", 1)
	c.queueForm(1)
	wait := c.wait("w1")
	c.choose(1)
	if r := waited(wait.outcome()); len(r.Results) != 1 {
		t.Fatalf("the wait gave %+v", r)
	}
	if o := c.tui("a", 1, asked(1, true)); len(o.Undelivered) != 0 {
		t.Errorf("undelivered %s", encode(t, o.Undelivered))
	}
	c.silent(1, 0)
	if o := c.tui("a", 2, asked(1, true)); len(o.Undelivered) != 1 { // another branch does not get the result
		t.Errorf("undelivered on another branch %s", encode(t, o.Undelivered))
	}
}
