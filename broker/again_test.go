package broker_test

import (
	"testing"

	"askd/broker"
)

// What is asked anew from the branch is on disk before anybody hears of it, and pending in the very reply.
func TestAskedAnewIsStoredFirst(t *testing.T) {
	for name, branch := range map[string][]broker.BranchEvent{
		"a call alone": {callOf(1)},
		"a request":    {callOf(1), askedOf(1)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.connect("probe")
			release := w.disk.hold("before-request-committed")
			defer release()
			opened := newAnswer(t, "session.open")
			c.OpenSession(broker.SessionInfo{ID: "s", UI: "tui", Reason: "startup", Branch: branch}, opened.reply)
			c.settle()
			if !opened.open() || len(c.told("")) > 0 {
				t.Errorf("something was told of a form that is not on disk: %v", c.methods())
			}
			release()
			v, err := opened.wait()
			must(t, err)
			if o := v.(broker.Opened); len(o.Pending) != 1 || o.Pending[0].Status != broker.Waiting {
				t.Errorf("pending: %+v", o.Pending)
			}
			until(t, "the form that is shown again", func() bool { return len(c.told("ask.started")) == 1 && len(c.told("notify")) == 1 })
		})
	}
}

// A full disk keeps no session from being opened.
func TestAskedAnewOnAFullDisk(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	w.disk.fail("before-request-committed")
	o := c.open(broker.SessionInfo{ID: "s", UI: "tui", Reason: "startup", Branch: []broker.BranchEvent{callOf(1), callOf(2), askedOf(2)}})
	c.settle()
	if len(o.Pending) != 0 || len(c.told("ask.started")) != 0 {
		t.Errorf("opened %+v, told %v", o, c.methods())
	}
}

// A form whose call no event tells of is shown again too: all that a session without branches has asked counts.
func TestResumeWithoutACallEvent(t *testing.T) {
	for name, branch := range map[string][]broker.BranchEvent{
		"no branches":       nil,
		"requests alone":    {askedOf(1), askedOf(2), askedOf(3)},
		"one is dismissed":  {askedOf(1), askedOf(2), askedOf(3), {Type: "dismissed", ToolCallID: "t3"}},
		"one was nested in": {askedOf(1), askedOf(2), nestedIn("outer", askedOf(3))},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.connect("probe")
			c.open(broker.SessionInfo{ID: "s", UI: "tui", Instance: "first", Branch: []broker.BranchEvent{}})
			for n := range 3 {
				c.ask(n + 1)
			}
			c.Disconnect()
			c = w.connect("probe")
			o := c.open(broker.SessionInfo{ID: "s", UI: "tui", Instance: "second", Reason: "resume", Branch: branch})
			shown := ""
			for _, r := range o.Pending {
				if r.Status == broker.Waiting {
					shown += r.FlowID
				}
			}
			want := map[string]string{"no branches": "tool:t3", "requests alone": "tool:t3", "one is dismissed": "tool:t2", "one was nested in": "tool:t2"}[name]
			if shown != want || len(c.told("ask.started")) != 1 {
				t.Errorf("%q is shown again, want %s; told %v", shown, want, c.methods())
			}
		})
	}
}
