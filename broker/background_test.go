package broker_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

var backgroundForm = strings.Replace(dbForm, "{", `{"background":true,`, 1)

// queueForm asks in the background and gives the receipt.
func (c *client) queueForm(n int) tool.Receipt {
	c.w.tb.Helper()
	r, ok := c.call(n, backgroundForm).outcome().Details.(tool.Receipt)
	if !ok {
		c.w.tb.Fatal("no receipt")
	}
	return r
}

// deliveries gives what was sent of request n, oldest first.
func (c *client) deliveries(n int) []broker.Delivery {
	var out []broker.Delivery
	for _, m := range c.told("ask.deliver") {
		if d := m.params.(broker.Delivery); d.RequestID == id(n) {
			out = append(out, d)
		}
	}
	return out
}

// delivered waits for the times-th delivery of request n.
func (c *client) delivered(n, times int) broker.Delivery {
	c.w.tb.Helper()
	until(c.w.tb, "ask.deliver of "+id(n), func() bool { return len(c.deliveries(n)) >= times })
	return c.deliveries(n)[times-1]
}

func (c *client) wait(toolCall string) *answer {
	a := newAnswer(c.w.tb, ask.ToolWait)
	c.Call(broker.CallParams{Tool: ask.ToolWait, Arguments: json.RawMessage(`{}`), ToolCallID: toolCall}, a.reply)
	return a
}

func waited(o *tool.Outcome) tool.WaitResult {
	r, _ := o.Details.(tool.WaitResult)
	return r
}

func TestReceipt(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	for n := range 3 {
		r := c.queueForm(n)
		if r.Status != "queued" || r.RequestID != id(n) || r.PendingRequests != n+1 || !slices.Equal(r.QuestionIDs, []string{"db"}) {
			t.Errorf("receipt %+v", r)
		}
	}
	if r := c.queueForm(0); r.PendingRequests != 1 {
		t.Errorf("the first receipt is another one by now: %+v", r)
	}
	c.choose(1)
	again := c.call(1, backgroundForm).outcome()
	if _, ok := again.Details.(tool.Receipt); !ok || again.OutcomeID != "" || strings.Contains(text(again), "Postgres") {
		t.Errorf("a repeated background call gave %s", encode(t, again))
	}
	c.call(1, dbForm).refused(broker.Conflict)
}

func TestForegroundBeforeBackground(t *testing.T) {
	w := newWorld(t)
	a, b := w.session("a"), w.session("b")
	a.queueForm(1)
	b.ask(2)
	b.queueForm(3)
	a.ask(4)
	var got []string
	for _, r := range a.queue() {
		got = append(got, r.RequestID)
	}
	if want := []string{id(2), id(4), id(1), id(3)}; !slices.Equal(got, want) {
		t.Errorf("queue %v, want %v", got, want)
	}
	if at := b.accepted(2).Position; at != 1 {
		t.Errorf("the first foreground form is accepted at %d", at)
	}
}

func TestDelivery(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.queueForm(1)
	c.queueForm(2)
	c.choose(1)
	c.respond(2, `{"kind":"cancel"}`).responded()
	one, two := c.delivered(1, 1), c.delivered(2, 1)
	if one.As != "background" || !one.Wake || one.ToolCallID != "t1" || !strings.Contains(one.Content[0].Text, "Postgres") {
		t.Errorf("delivery %s", encode(t, one))
	}
	if two.Wake {
		t.Error("a cancelled form wakes the agent")
	}
	a := newAnswer(t, "delivery.release")
	c.Release(broker.AckParams{RequestID: id(1), OutcomeID: one.OutcomeID}, a.reply)
	if _, err := a.wait(); err != nil {
		t.Fatal(err)
	}
	if again := c.delivered(1, 2); again.OutcomeID != one.OutcomeID {
		t.Errorf("delivered again as %s, want %s", again.OutcomeID, one.OutcomeID)
	}
	c.Disconnect()
	c = w.connect("probe")
	o := c.open(broker.SessionInfo{ID: "s"})
	if want := []broker.OutcomeRef{{RequestID: id(1), OutcomeID: one.OutcomeID}, {RequestID: id(2), OutcomeID: two.OutcomeID}}; !slices.Equal(o.Undelivered, want) {
		t.Errorf("undelivered %v, want %v", o.Undelivered, want)
	}
	c.delivered(1, 1)
	if _, err := c.ack(1, one.OutcomeID).wait(); err != nil {
		t.Fatal(err)
	}
	w.restart()
	c = w.connect("probe")
	if o := c.open(broker.SessionInfo{ID: "s"}); len(o.Undelivered) != 1 || o.Undelivered[0].RequestID != id(2) {
		t.Errorf("after a restart undelivered: %v", o.Undelivered)
	}
	c.delivered(2, 1)
	c.settle()
	if n := len(c.deliveries(1)); n != 0 {
		t.Errorf("an acknowledged outcome was sent %d times", n)
	}
}

// TestWaitTakesOver: a wait takes what was sent and not acknowledged, waits for the rest and for what is asked meanwhile,
// and gives everything back when its connection dies.
func TestWaitTakesOver(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	for n := range 3 {
		c.queueForm(n)
	}
	c.choose(0)
	sent := c.delivered(0, 1)
	wait := c.wait("w1")
	until(t, "ask.withdraw", func() bool { return len(c.told("ask.withdraw")) == 1 })
	c.queueForm(3)
	for n := 1; n <= 3; n++ {
		c.settle()
		if !wait.open() {
			t.Fatalf("the wait ended before form %d", n)
		}
		c.choose(n)
	}
	o := wait.outcome()
	r := waited(o)
	if r.Status != "complete" || len(r.Results) != 4 || len(o.Deliveries) != 4 || o.Deliveries[0].OutcomeID != sent.OutcomeID {
		t.Errorf("waited for %s", encode(t, o))
	}
	if n := len(c.told("ask.deliver")); n != 1 {
		t.Errorf("%d outcomes were sent beside the wait", n-1)
	}
	if _, err := c.ack(0, sent.OutcomeID).wait(); err != nil {
		t.Error(err)
	}
	c.Disconnect()
	c = w.connect("probe")
	if got := len(c.open(broker.SessionInfo{ID: "s"}).Undelivered); got != 3 {
		t.Errorf("%d undelivered after the wait's connection died, want 3", got)
	}
}

func TestWaitRefusals(t *testing.T) {
	w := newWorld(t)
	w.connect("probe").wait("w").refused(broker.InvalidParams)
	c := w.session("s")
	if r := waited(c.wait("w").outcome()); r.Status != "complete" || r.Results == nil || r.RequestIDs == nil {
		t.Errorf("nothing to wait for gave %+v", r)
	}
	c.queueForm(1)
	running := c.wait("w1")
	if o := c.wait("w2").outcome(); !o.IsError || text(o) != "Another wait_for_answers call is already waiting." {
		t.Errorf("a second wait: %q", text(o))
	}
	mode := newAnswer(t, "session.mode")
	c.Mode(broker.ModeParams{BackgroundOnly: true}, mode.reply)
	mode.wait()
	if o := running.outcome(); !o.IsError || text(o) != "Question wait interrupted" {
		t.Errorf("background-only: %q", text(o))
	}
	if o := c.wait("w3").outcome(); !o.IsError {
		t.Errorf("a wait in background-only mode: %q", text(o))
	}
	if o := c.call(2, dbForm).outcome(); !strings.Contains(text(o), "the answer will arrive as a message") {
		t.Errorf("an ask in background-only mode: %q", text(o))
	}
	if len(c.queue()) != 2 {
		t.Error("the forms did not stay")
	}
	r := w.connect("probe")
	r.open(broker.SessionInfo{ID: "r", UI: "rpc"})
	if o := r.wait("w").outcome(); !o.IsError || text(o) != "wait_for_answers requires interactive TUI mode." {
		t.Errorf("in RPC mode: %q", text(o))
	}
}

// TestWaitIsReleased by hiding the panel and by a message, with what had come; the rest comes as messages.
func TestWaitIsReleased(t *testing.T) {
	for name, tt := range map[string]struct {
		release func(*world, *client)
		text    string
	}{
		"hidden": {func(w *world, _ *client) { w.Defer("s") }, "hidden by the user"},
		"message": {func(_ *world, c *client) {
			a := newAnswer(c.w.tb, "session.userMessage")
			c.UserMessage(a.reply)
			if v, err := a.wait(); err != nil || !strings.Contains(string(encode(c.w.tb, v)), "true") {
				c.w.tb.Errorf("told %v, %v", v, err)
			}
		}, "the user sent a message"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.PaneSize(80, 24)
			c := w.session("s")
			c.queueForm(1)
			c.queueForm(2)
			wait := c.wait("w1")
			c.choose(1)
			c.settle()
			tt.release(w, c)
			o := wait.outcome()
			r := waited(o)
			if r.Status != "deferred" || !slices.Equal(r.PendingRequestIDs, []string{id(2)}) || len(r.Results) != 1 || !strings.Contains(text(o), tt.text) {
				t.Errorf("released with %s", encode(t, o))
			}
			w.entry("s", 2, "a hidden form", func(e *broker.Entry) bool { return e != nil && e.Status == broker.Deferred })
			until(t, "a state without a panel", func() bool {
				told := c.told("session.state")
				s := told[len(told)-1].params.(broker.SessionState)
				return s.Pending == 1 && !s.PanelVisible && s.Waiting == 0
			})
			w.Reopen("s")
			w.entry("s", 2, "a form shown again", func(e *broker.Entry) bool { return e != nil && e.Status == broker.Waiting })
			c.choose(2)
			c.delivered(2, 1)
			none := newAnswer(t, "session.userMessage")
			c.UserMessage(none.reply)
			if v, _ := none.wait(); !strings.Contains(string(encode(t, v)), "false") {
				t.Errorf("without a wait: %v", v)
			}
		})
	}
}

// TestAbortedWait: the forms stay, and what the wait held goes out as messages, also after its result was sent.
func TestAbortedWait(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.queueForm(1)
	abort := func(toolCall, want string) {
		t.Helper()
		a := newAnswer(t, "tool.abort "+toolCall)
		c.Abort(broker.AbortParams{ToolCallID: toolCall, Reason: "user"}, a.reply)
		if got := a.state(); got != want {
			t.Errorf("abort of %s: %s, want %s", toolCall, got, want)
		}
	}
	wait := c.wait("w1")
	c.settle()
	abort("w1", "interrupted")
	if o := wait.outcome(); !o.IsError || text(o) != "Question wait interrupted" {
		t.Errorf("aborted: %q", text(o))
	}
	wait = c.wait("w2")
	c.choose(1)
	if o := wait.outcome(); len(o.Deliveries) != 1 || len(c.deliveries(1)) != 0 {
		t.Errorf("waited for %s, sent %d", encode(t, o), len(c.deliveries(1)))
	}
	abort("w2", "ended")
	c.delivered(1, 1)
	abort("w9", "unknown")
}

// TestWithdrawnBackground: what was taken back holds no wait up and is never delivered.
func TestWithdrawnBackground(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.queueForm(1)
	wait := c.wait("w")
	c.settle()
	if got := c.abort(1, "lost").state(); got != "interrupted" {
		t.Error(got)
	}
	if r := waited(wait.outcome()); r.Status != "complete" || len(r.Results) != 0 {
		t.Errorf("waited for %+v", r)
	}
	until(t, "an empty desk", func() bool { return c.settle().Counts.Undelivered == 0 })
	if rec, _ := w.stored("s", 1); rec.Outcome.Kind != ask.Withdrawn || len(c.deliveries(1)) > 0 {
		t.Errorf("outcome %s, %d deliveries", rec.Outcome.Kind, len(c.deliveries(1)))
	}
}

func TestEphemeralSession(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.open(broker.SessionInfo{ID: "s", Ephemeral: true})
	c.queueForm(1)
	c.queueForm(2)
	c.choose(2)
	c.delivered(2, 1)
	c.Disconnect()
	other := w.connect("probe")
	until(t, "an empty desk", func() bool {
		r := other.settle()
		return r.Counts.Pending == 0 && r.Counts.Undelivered == 0
	})
	if rec, _ := w.stored("s", 1); rec.Outcome.Kind != ask.Withdrawn {
		t.Errorf("outcome %s", rec.Outcome.Kind)
	}
}

// TestAwaitedForm: the pane hears that an agent stands still in a wait, and that it no longer does.
func TestAwaitedForm(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.queueForm(1)
	w.entry("s", 1, "an agent that goes on working", func(e *broker.Entry) bool { return e != nil && !e.Awaited })
	wait := c.wait("w")
	w.entry("s", 1, "an agent that waits", func(e *broker.Entry) bool { return e != nil && e.Awaited })
	w.Defer("s")
	wait.outcome()
	w.entry("s", 1, "an agent that goes on", func(e *broker.Entry) bool { return e != nil && !e.Awaited })
}

// TestGoneAskerOfABackgroundForm: the pane hears at once that nobody would hear of the outcome, and when it is over.
func TestGoneAskerOfABackgroundForm(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.queueForm(1)
	w.entry("s", 1, "an asker", func(e *broker.Entry) bool { return e != nil && e.AskerOnline && e.GoneSince.IsZero() })
	c.Disconnect()
	w.entry("s", 1, "no asker", func(e *broker.Entry) bool { return e != nil && !e.AskerOnline && !e.GoneSince.IsZero() })
	w.session("s")
	w.entry("s", 1, "an asker again", func(e *broker.Entry) bool { return e != nil && e.AskerOnline && e.GoneSince.IsZero() })
}

// TestSecondaryGetsNothing of what the session asked earlier, and its own receipts all the same.
func TestSecondaryGetsNothing(t *testing.T) {
	w := newWorld(t)
	one, two := w.connect("probe"), w.connect("probe")
	one.open(broker.SessionInfo{ID: "s", Instance: "a"})
	two.open(broker.SessionInfo{ID: "s", Instance: "b"})
	two.queueForm(1)
	own := two.ask(2)
	one.choose(1)
	one.choose(2)
	own.outcome()
	one.delivered(1, 1)
	two.settle()
	if n := len(two.told("ask.deliver")); n > 0 {
		t.Errorf("the secondary was sent %d outcomes", n)
	}
}

// TestCommittedElsewhere: a form that reaches the disk after its connection has opened another session is no part of that
// one's wait.
func TestCommittedElsewhere(t *testing.T) {
	w := newWorld(t)
	other, c := w.session("other"), w.session("s")
	other.queueForm(5)
	release := w.disk.hold("before-request-committed")
	call := c.call(1, backgroundForm)
	c.open(broker.SessionInfo{ID: "other", Instance: "second"})
	wait := c.wait("w")
	w.session("third").settle() // the two wait for the disk by now
	release()
	call.wait()
	w.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil })
	other.choose(5)
	if r := waited(wait.outcome()); !slices.Equal(r.RequestIDs, []string{id(5)}) {
		t.Errorf("waited for %v", r.RequestIDs)
	}
}

// The result of a wait is a line that askd can send, however often and in whatever way it writes a text, and what it has no
// room for is delivered.
func TestWaitCarriesWhatFits(t *testing.T) {
	const room, forms = 64 << 10, 5
	image := ask.Image{ID: "i", MimeType: "image/png", Data: strings.Repeat("A", 6<<10)}
	for name, tt := range map[string]struct {
		choice  ask.Choice
		carried int
	}{
		"a few words":          {ask.Choice{CustomText: "own"}, forms},
		"control characters":   {ask.Choice{CustomText: strings.Repeat("\x01", 500)}, 2},
		"plain text":           {ask.Choice{Note: strings.Repeat("x", 5000)}, 2},
		"images":               {ask.Choice{CustomImages: []ask.Image{image}}, 3},
		"more than fits alone": {ask.Choice{CustomText: strings.Repeat("x", room)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, filepath.Join(t.TempDir(), "askd.db"), func(o *broker.Options) { o.WaitRoom = room })
			c := w.session("s")
			for n := range forms {
				c.queueForm(n)
			}
			wait := c.wait("w1")
			for n := range forms {
				done := newAnswer(t, "submit")
				w.Submit(key("s", n), ask.Response{Choices: []ask.Choice{tt.choice}}, done.done)
				_, err := done.wait()
				must(t, err)
			}
			o := wait.outcome()
			r := waited(o)
			if size := len(encode(t, o)); size > room || len(r.Results) != tt.carried || len(o.Deliveries) != tt.carried || len(r.RequestIDs) != forms {
				t.Errorf("%d of %d carried in a line of %d bytes, with %d deliveries", len(r.Results), len(r.RequestIDs), size, len(o.Deliveries))
			}
			for n := len(r.Results); n < forms; n++ {
				c.delivered(n, 1)
			}
		})
	}
}

// An acknowledgement is answered once it is on disk, or with why it is not; repeated ones are one.
func TestAckIsOnDisk(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.queueForm(1)
	c.choose(1)
	d := c.delivered(1, 1)
	release := w.disk.hold("before-ack-committed")
	one, two := c.ack(1, d.OutcomeID), c.ack(1, d.OutcomeID)
	c.settle()
	if rec, _ := w.stored("s", 1); !one.open() || !two.open() || rec.Delivered {
		t.Error("an acknowledgement was answered before it was on disk")
	}
	release()
	for _, a := range []*answer{one, two, c.ack(1, d.OutcomeID)} {
		if _, err := a.wait(); err != nil {
			t.Error(err)
		}
	}
	if rec, _ := w.stored("s", 1); !rec.Delivered {
		t.Error("the acknowledgement is not on disk")
	}
	c.queueForm(2)
	c.choose(2)
	d = c.delivered(2, 1)
	w.disk.fail("before-ack-committed")
	c.ack(2, d.OutcomeID).refused(broker.Storage)
	w.disk.heal()
	if _, err := c.ack(2, d.OutcomeID).wait(); err != nil {
		t.Error(err)
	}
}
