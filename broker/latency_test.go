package broker_test

import (
	"strings"
	"testing"

	"askd/broker"
)

// TestLatencies counts what askd itself took, and nothing of what the person or an asker that is away takes.
func TestLatencies(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	counts := func(when string, accepted, delivered int) {
		t.Helper()
		l := c.settle().Latency
		if l.Accepted.Count != accepted || l.Delivered.Count != delivered {
			t.Errorf("%s: %d accepted and %d delivered, want %d and %d", when, l.Accepted.Count, l.Delivered.Count, accepted, delivered)
		}
		for _, one := range []broker.Latency{l.Accepted, l.Delivered} {
			if one.Median < 0 || one.Median > one.P95 || one.P95 > one.Max || one.Count > 0 && one.Max == 0 {
				t.Errorf("%s: %+v", when, one)
			}
		}
	}
	counts("at first", 0, 0)
	c.ask(1)
	counts("with a form", 1, 0)
	c.choose(1)
	counts("answered", 1, 1) // a session without branches acknowledges nothing: its result is the delivery
	c.ask(2)
	c.respond(2, `{"kind":"cancel"}`).responded()
	counts("cancelled", 2, 1)

	c.queueForm(3)
	c.choose(3)
	out := c.delivered(3, 1)
	counts("on its way", 3, 1)
	_, err := c.ack(3, out.OutcomeID).wait()
	must(t, err)
	counts("acknowledged", 3, 2)
	_, err = c.ack(3, out.OutcomeID).wait()
	must(t, err)
	counts("acknowledged again", 3, 2)

	c.queueForm(4)
	wait := c.wait("w")
	c.choose(4)
	carried := wait.outcome().Deliveries[0]
	_, err = c.ack(4, carried.OutcomeID).wait()
	must(t, err)
	counts("carried by a wait", 4, 2)

	c.queueForm(5)
	c.Disconnect()
	c = w.connect("probe")
	c.choose(5)
	c.open(broker.SessionInfo{ID: "s"})
	_, err = c.ack(5, c.delivered(5, 1).OutcomeID).wait()
	must(t, err)
	counts("after the asker came back", 5, 2)
}

// TestRefusedIsNotMeasured: what is never kept is not in the figures.
func TestRefusedIsNotMeasured(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	_, err := c.call(1, strings.Replace(dbForm, "Which database?", "", 1)).wait()
	must(t, err)
	if l := c.settle().Latency; l != (broker.Latencies{}) {
		t.Errorf("got %+v", l)
	}
}
