package broker_test

import (
	"errors"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// TestRequestNotStored: the agent is told, nobody is shown anything, and the next question is as good as the first.
func TestRequestNotStored(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	w.disk.fail("before-request-committed")
	release := w.disk.hold("before-request-committed")
	call := c.call(1, dbForm)
	joined := c.call(1, dbForm)
	abort := c.abort(1, "user")
	c.settle()
	release()
	for _, a := range []*answer{call, joined} {
		if e := a.refused(broker.Storage); !strings.Contains(e.Message, "no space left") || e.Hint == "" {
			t.Errorf("%+v", e)
		}
	}
	if got := abort.state(); got != "unknown" {
		t.Errorf("an abort of what was never stored: %s", got)
	}
	if len(c.told("ask.accepted")) > 0 || len(w.Snapshot().Entries) > 0 {
		t.Error("what was not stored was accepted")
	}
	until(t, "a notice for the person", func() bool { return len(w.Snapshot().Notices) == 1 })
	w.disk.heal()
	call = c.ask(1)
	until(t, "no notice once the disk works", func() bool { return len(w.Snapshot().Notices) == 0 })
	c.choose(1)
	call.outcome()
}

// TestOutcomeNotStored: the form is open again with everything in it, whoever tried is told, and the call still waits.
func TestOutcomeNotStored(t *testing.T) {
	for name, end := range map[string]func(w *world, c *client) error{
		"the pane": func(w *world, _ *client) error {
			_, err := w.submit("s", 1).wait()
			return err
		},
		"a remote": func(_ *world, c *client) error {
			return c.respond(1, choosePostgres).refused(broker.Storage)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.session("s")
			call := c.ask(1)
			w.disk.fail("before-outcome-committed")
			if err := end(w, c); err == nil || !strings.Contains(err.Error(), "no space left") {
				t.Errorf("told %v", err)
			}
			until(t, "a notice", func() bool { return len(w.Snapshot().Notices) == 1 })
			w.entry("s", 1, "an open form", func(e *broker.Entry) bool { return e != nil && !e.Settling })
			if !call.open() || len(c.told("ask.completed")) > 0 {
				t.Error("the failure was taken for an outcome")
			}
			if got := c.abort(1, "user").state(); got != "unknown" {
				t.Errorf("an abort that could not be stored: %s", got)
			}
			if !call.open() {
				t.Error("an abort that could not be stored ended the call")
			}
			w.disk.heal()
			c.choose(1)
			if k := call.outcome().Provenance.Outcome; k != ask.Answered {
				t.Errorf("outcome %s", k)
			}
		})
	}
}

// TestAbortBehindAFailingAnswer: an abort that came while an answer was on its way is not told that it stands when it
// could not be stored.
func TestAbortBehindAFailingAnswer(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	w.disk.fail("before-outcome-committed")
	release := w.disk.hold("before-outcome-committed")
	submit := w.submit("s", 1)
	abort := c.abort(1, "user")
	c.settle()
	release()
	if _, err := submit.wait(); err == nil {
		t.Error("the answer was stored")
	}
	if got := abort.state(); got == "ended" {
		t.Error("the abort was told that an answer stands that does not")
	}
	w.disk.heal()
	c.abort(1, "user").state()
	call.outcome()
}

// TestDeliveryNotStored: an acknowledgement that could not be written is taken again.
func TestDeliveryNotStored(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
	call := c.ask(1)
	c.choose(1)
	out := call.outcome()
	w.disk.fail("before-ack-committed")
	if _, err := c.ack(1, out.OutcomeID).wait(); err != nil {
		t.Log("told:", err)
	}
	until(t, "a notice", func() bool { return len(w.Snapshot().Notices) == 1 })
	w.disk.heal()
	until(t, "an empty desk", func() bool {
		_, err := c.ack(1, out.OutcomeID).wait()
		return err == nil && c.settle().Counts.Undelivered == 0
	})
}

// TestClosedJournal: a store that has gone away is an error to everyone and ends nothing.
func TestClosedJournal(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	must(t, w.journal.Close())
	c.call(2, dbForm).refused(broker.Storage)
	if _, err := w.submit("s", 1).wait(); err == nil {
		t.Error("an answer was stored in a closed journal")
	}
	draft := newAnswer(t, "draft")
	w.SaveDraft(key("s", 1), &ask.Draft{Tab: 1}, 0, draft.done)
	if _, err := draft.wait(); err == nil {
		t.Error("a draft was stored in a closed journal")
	}
	if !call.open() {
		t.Error("the call ended")
	}
	w.stop()
	call.refused(broker.ShuttingDown)
}

// TestUnreadableStore: a broker does not start over a store that it cannot read.
func TestUnreadableStore(t *testing.T) {
	w := newWorld(t)
	must(t, w.journal.Close())
	if _, err := broker.New(broker.Options{Store: w.journal}); err == nil || !strings.Contains(err.Error(), "read pending requests") {
		t.Errorf("New gave %v", err)
	}
}

// TestStopping: everyone who waits is told, and what was accepted is there again.
func TestStopping(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	pending := c.ask(1)
	waiting := c.await(1)
	release := w.disk.hold("before-request-committed")
	committing := c.call(2, dbForm)
	early := c.abort(2, "user")
	c.settle()
	w.stop()
	for _, a := range []*answer{pending, waiting, committing, early} {
		a.refused(broker.ShuttingDown)
	}
	release()
	if n := len(c.told("daemon.closing")); n != 1 {
		t.Errorf("told of the end %d times", n)
	}
	c.call(3, dbForm).refused(broker.ShuttingDown)
	c.await(1).refused(broker.ShuttingDown)
	c.respond(1, choosePostgres).refused(broker.ShuttingDown)
	if _, err := w.submit("s", 1).wait(); !errors.Is(err, broker.ErrClosed) {
		t.Errorf("submit gave %v", err)
	}
	w.restart()
	c = w.session("s")
	for n := 1; n <= 2; n++ {
		w.entry("s", n, "a pending form", func(e *broker.Entry) bool { return e != nil })
		call := c.await(n)
		c.settle()
		c.choose(n)
		call.outcome()
	}
}

// TestDecidedBeforeTheEnd: what the person decides in the moment of stopping is kept or refused, and told either way.
func TestDecidedBeforeTheEnd(t *testing.T) {
	const forms = 100
	for range 5 {
		w := newWorld(t)
		c := w.session("s")
		for n := range forms {
			c.ask(n)
		}
		submits := make([]*answer, forms)
		half, all := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(all)
			for n := range submits {
				submits[n] = w.submit("s", n)
				if n == forms/2 {
					close(half)
				}
			}
		}()
		<-half
		w.stop()
		must(t, w.journal.Close())
		<-all
		kept := make([]bool, forms)
		for n, a := range submits {
			_, err := a.wait()
			kept[n] = err == nil
		}
		w.start()
		for n := range submits {
			if rec, _ := w.stored("s", n); (rec.Outcome != nil) != kept[n] {
				t.Fatalf("form %d: told kept %t, the file holds %+v", n, kept[n], rec.Outcome)
			}
		}
	}
}

// TestEveryEventIsAnswered: a call that meets the end of the broker gets its reply.
func TestEveryEventIsAnswered(t *testing.T) {
	for range 20 {
		w := newWorld(t)
		c := w.session("s")
		const posts = 200
		answers := make([]*answer, posts)
		half, all := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(all)
			for i := range answers {
				answers[i] = newAnswer(t, "queue.list")
				c.QueueList(broker.ListParams{}, answers[i].reply)
				if i == posts/2 {
					close(half)
				}
			}
		}()
		<-half
		w.stop()
		<-all
		for _, a := range answers {
			a.wait()
		}
	}
}
