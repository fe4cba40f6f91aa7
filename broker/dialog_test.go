package broker_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
)

// shows has form 1 put a dialog and gives the dialog and what is answered to it.
func (c *client) shows(dialog broker.Dialog) (broker.DialogShow, <-chan *string) {
	c.w.tb.Helper()
	before := len(c.told("dialog.show"))
	answers := make(chan *string, 8)
	c.w.ShowDialog(key("s", 1), dialog, func(value *string) { answers <- value })
	until(c.w.tb, "dialog.show", func() bool { return len(c.told("dialog.show")) > before })
	return c.told("dialog.show")[before].params.(broker.DialogShow), answers
}

func (c *client) replyTo(dialog string, value *string) {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "dialog.reply")
	c.AnswerDialog(broker.DialogReply{DialogID: dialog, Value: value}, a.reply)
	_, err := a.wait()
	must(c.w.tb, err)
}

func (c *client) closed(dialog string) bool {
	for _, n := range c.told("dialog.close") {
		if n.params == (broker.DialogClose{DialogID: dialog}) {
			return true
		}
	}
	return false
}

func TestDialogs(t *testing.T) {
	w := newWorld(t)
	c, other := w.session("s"), w.session("other")
	c.ask(1)
	got, answers := c.shows(broker.Dialog{Method: broker.DialogSelect, Title: "Which?", Options: []string{"a", "b"}, Timeout: 1500 * time.Microsecond})
	want := broker.DialogShow{DialogID: got.DialogID, RequestID: id(1), Method: "select", Title: "Which?", Options: []string{"a", "b"}, TimeoutMs: 2}
	if got.DialogID == "" || !cmp.Equal(got, want) {
		t.Fatalf("showed %+v, want %+v", got, want)
	}
	value := "b"
	other.replyTo(got.DialogID, &value)
	other.replyTo("none", &value)
	c.replyTo(got.DialogID, &value)
	c.replyTo(got.DialogID, nil) // twice counts once
	if v := <-answers; v == nil || *v != "b" || len(answers) != 0 {
		t.Errorf("answered %v and %d more", v, len(answers))
	}
	got, answers = c.shows(broker.Dialog{Method: broker.DialogInput, Title: "Why?", Placeholder: "Type"})
	c.replyTo(got.DialogID, nil)
	if v := <-answers; v != nil {
		t.Errorf("a dismissed dialog gave %q", *v)
	}
}

// TestDialogsAreTakenBack: by the next dialog of the same call, the end of the call however it comes, and the client's leave.
func TestDialogsAreTakenBack(t *testing.T) {
	value := "late"
	for name, end := range map[string]func(*world, *client, *answer){
		"next":    func(_ *world, c *client, _ *answer) { c.shows(broker.Dialog{Method: broker.DialogInput}) },
		"abort":   func(_ *world, c *client, _ *answer) { c.abort(1, "user").state() },
		"answer":  func(_ *world, c *client, call *answer) { c.choose(1); call.outcome() },
		"pane":    func(w *world, _ *client, call *answer) { must(w.tb, second(w.submit("s", 1).wait())); call.outcome() },
		"leaving": func(_ *world, c *client, _ *answer) { c.closeSession() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.session("s")
			call := c.ask(1)
			shown, answers := c.shows(broker.Dialog{Method: broker.DialogSelect, Options: []string{"a"}})
			end(w, c, call)
			until(t, "dialog.close", func() bool { return c.closed(shown.DialogID) })
			c.replyTo(shown.DialogID, &value)
			if len(answers) != 0 {
				t.Error("a late answer counted")
			}
		})
	}
}

// TestDialogWhileItsFormEnds: an answer that comes while another outcome is on its way to the disk is late.
func TestDialogWhileItsFormEnds(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	shown, answers := c.shows(broker.Dialog{Method: broker.DialogInput})
	release := w.disk.hold("before-outcome-committed")
	t.Cleanup(release)
	c.abort(1, "user")
	value := "late"
	c.replyTo(shown.DialogID, &value)
	release()
	if o := call.outcome(); !o.IsError || len(answers) != 0 {
		t.Errorf("%+v, %d answers", o, len(answers))
	}
}

func second(_ any, err error) error { return err }
