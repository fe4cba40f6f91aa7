package broker_test

import (
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// TestQuestionDialogsOnFullDisk: nobody has a dialog in which they could try again, so the questions come anew.
func TestQuestionDialogsOnFullDisk(t *testing.T) {
	for name, last := range map[string]*string{"an answer": ofText("JSON"), "a dismissal": nil} {
		t.Run(name, func(t *testing.T) {
			q := newQuestions(t)
			c := q.connect("pi")
			c.open(broker.SessionInfo{ID: "s", UI: "rpc"})
			call := c.put(1, batch)
			q.disk.fail("before-outcome-committed")
			c.reply(c.dialog(0), ofText("Redis"))
			c.reply(c.dialog(1), ofText("Linters"))
			c.reply(c.dialog(2), last)
			again := c.dialog(3)
			if !call.open() || again.Title != "(1/3) Where should sessions live?" {
				t.Errorf("then %+v", again)
			}
			until(t, "a word for the person", func() bool { return len(c.told("notify")) == 1 })
			q.disk.heal()
			c.reply(again, ofText("Postgres"))
			c.reply(c.dialog(4), ofText("Linters"))
			c.reply(c.dialog(5), ofText("Text"))
			if o := call.outcome(); !strings.HasSuffix(text(o), "→ Postgres\n2. Which checks gate a merge? → Linters\n3. Which log format? → Text") {
				t.Errorf("got %q", text(o))
			}
		})
	}
}

// TestQuestionDialogTooLong: an answer that can never be sent is none, and the agent does not wait for ever.
func TestQuestionDialogTooLong(t *testing.T) {
	q := newQuestions(t)
	c := q.connect("pi")
	c.open(broker.SessionInfo{ID: "s", UI: "rpc"})
	call := c.put(1, batch)
	c.reply(c.dialog(0), ofText(strings.Repeat("x", config.MaxAnswerText+1)))
	c.reply(c.dialog(1), ofText("Linters"))
	c.reply(c.dialog(2), ofText("JSON"))
	o := call.outcome()
	if !o.IsError || text(o) != broker.ErrTooMuchText.Error() || o.Provenance.Outcome != ask.Failed {
		t.Errorf("got %+v", o)
	}
}

// TestQuestionDeadlineAfterFailedAnswer: the alarm that went off while an answer was being stored has not forgotten the
// form when the disk does not take it.
func TestQuestionDeadlineAfterFailedAnswer(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.session("s")
	first := c.put(1, batch)
	c.accepted(1)
	q.clock.move(30*time.Second, false)
	second := c.put(2, batch)
	c.accepted(2)
	c.respond(1, `{"kind":"cancel"}`).responded()
	first.outcome()
	q.disk.fail("before-outcome-committed")
	release := q.disk.hold("before-outcome-committed")
	submit := q.submit("s", 2)
	q.entry("s", 2, "a form that ends", func(e *broker.Entry) bool { return e != nil && e.Settling })
	q.clock.move(30*time.Second, false)
	c.settle()
	release()
	if _, err := submit.wait(); err == nil {
		t.Error("the answer was stored")
	}
	q.disk.heal()
	q.clock.move(30*time.Second, false)
	if o := second.outcome(); o.Provenance.Outcome != ask.TimedOut {
		t.Errorf("got %+v", o)
	}
}

// TestOfferedAgainAfterRestart: who showed a form has gone with the askd before, and joining the call shows it anew.
func TestOfferedAgainAfterRestart(t *testing.T) {
	q := newQuestions(t)
	info := broker.SessionInfo{ID: "s", UI: "rpc"}
	c := q.connect("pi")
	c.open(info)
	c.put(1, batch)
	c.reply(c.dialog(0), ofText("Redis"))
	c.dialog(1)
	c.call(2, dbForm)
	until(t, "ask.surface", func() bool { return len(c.told("ask.surface")) == 1 })
	q.restart()
	c = q.connect("pi")
	c.open(info)
	first, second := c.await(1), c.call(2, dbForm)
	c.reply(c.dialog(0), ofText("Postgres"))
	c.reply(c.dialog(1), ofText("Linters"))
	c.reply(c.dialog(2), ofText("Text"))
	if o := first.outcome(); !strings.HasPrefix(text(o), "User answered 3 questions:\n1. Where should sessions live? → Postgres\n") {
		t.Errorf("got %q", text(o))
	}
	until(t, "ask.surface", func() bool { return len(c.told("ask.surface")) == 1 })
	c.choose(2)
	if k := second.outcome().Provenance.Outcome; k != ask.Answered {
		t.Errorf("outcome %s", k)
	}
}
