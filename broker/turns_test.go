package broker_test

import (
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// What a client sends behind a call is about that call, also while the call is still on its way to the disk. Nobody else waits.
func TestMessagesTakeTheirTurn(t *testing.T) {
	w := newWorld(t)
	c, other := w.session("s"), w.session("other")
	release := w.disk.hold("before-request-committed")
	defer release()
	call := c.call(1, dbForm)
	get, list := newAnswer(t, "request.get"), newAnswer(t, "queue.list")
	c.Get(id(1), "", get.reply)
	c.QueueList(broker.ListParams{}, list.reply)
	answered, late := c.respond(1, choosePostgres), c.respond(1, choosePostgres)
	second := c.call(2, dbForm)
	cancelled := c.respond(2, `{"kind":"cancel"}`)
	other.settle()
	if n := len(other.queue()); n != 0 || !get.open() || !list.open() || !answered.open() {
		t.Errorf("something was told of a form that is not on disk; %d are in the queue", n)
	}
	release()
	v, err := get.wait()
	must(t, err)
	if f := v.(broker.Form); f.Request.ID != id(1) || f.Outcome != nil {
		t.Errorf("request.get: %+v", f)
	}
	if v, err = list.wait(); err != nil || !strings.Contains(string(encode(t, v)), id(1)) {
		t.Errorf("queue.list: %s, %v", encode(t, v), err)
	}
	if r := answered.responded(); !r.OK {
		t.Errorf("the answer: %+v", r)
	}
	if r := late.responded(); r.Error != ask.RemoteFlowNotFound {
		t.Errorf("the second answer: %+v", r)
	}
	if o := call.outcome(); o.Content[0].Text != "ask_user ["+id(1)+"]\nQ1: Postgres" {
		t.Errorf("outcome %+v", o)
	}
	if r := cancelled.responded(); !r.OK {
		t.Errorf("the cancel: %+v", r)
	}
	if o := second.outcome(); !o.AbortOperation {
		t.Errorf("outcome %+v", o)
	}
}

// A wait and a panel that is hidden are about the background forms asked before, too.
func TestBackgroundFormsTakeTheirTurn(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	release := w.disk.hold("before-request-committed")
	defer release()
	receipt, wait := c.call(1, backgroundForm), c.wait("w1")
	deferred := newAnswer(t, "queue.defer")
	c.DeferQueue("", deferred.reply)
	release()
	receipt.outcome()
	d := waited(wait.outcome())
	if d.Status != "deferred" || len(d.RequestIDs) != 1 || len(d.PendingRequestIDs) != 1 {
		t.Errorf("the wait: %+v", d)
	}
	if _, err := deferred.wait(); err != nil || c.queue()[0].Status != broker.Deferred {
		t.Errorf("the queue: %+v, %v", c.queue(), err)
	}
}

// What came before the end of a connection has its effect, and what a session without a file asked last is taken back.
func TestLastWordsTakeTheirTurn(t *testing.T) {
	w := newWorld(t)
	hasty, brief, gone := w.session("s"), w.connect("probe"), w.connect("probe")
	brief.open(broker.SessionInfo{ID: "brief", Ephemeral: true})
	gone.open(broker.SessionInfo{ID: "gone", Ephemeral: true})
	release := w.disk.hold("before-request-committed")
	defer release()
	hasty.call(1, dbForm)
	hasty.respond(1, choosePostgres)
	hasty.call(2, backgroundForm)
	hasty.Disconnect()
	brief.call(3, backgroundForm)
	gone.call(4, backgroundForm)
	gone.Disconnect()
	closed := newAnswer(t, "session.close")
	brief.CloseSession(closed.reply)
	release()
	if _, err := closed.wait(); err != nil {
		t.Error(err)
	}
	withdrawn := func(session string, n int) bool {
		rec, _ := w.stored(session, n)
		return rec.Outcome != nil && rec.Outcome.Kind == ask.Withdrawn
	}
	until(t, "all four are placed", func() bool {
		one, _ := w.stored("s", 1)
		two, _ := w.stored("s", 2)
		return one.Outcome != nil && one.Outcome.Kind == ask.Answered && two.Request != nil && two.Outcome == nil &&
			withdrawn("brief", 3) && withdrawn("gone", 4)
	})
}

// An askd that stops answers what has not had its turn.
func TestNoTurnAnyMore(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	release := w.disk.hold("before-request-committed")
	defer release()
	call := c.call(1, dbForm)
	response, list := c.respond(1, choosePostgres), newAnswer(t, "queue.list")
	c.QueueList(broker.ListParams{}, list.reply)
	c.Disconnect()
	w.stop()
	for _, a := range []*answer{call, response, list} {
		a.refused(broker.ShuttingDown)
	}
}

// A form may be large, and anyone may ask for it again and again: it is written for one client while the others go on.
func TestFormIsWrittenAside(t *testing.T) {
	w := newWorld(t)
	c, other := w.session("s"), w.session("other")
	c.ask(1)
	written, told := make(chan struct{}), make(chan struct{})
	c.Get(id(1), "", func(any, error) {
		<-written
		close(told)
	})
	other.ask(2)
	other.choose(2)
	close(written)
	<-told
}
