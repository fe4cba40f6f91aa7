package broker_test

import (
	"testing"

	"askd/broker"
)

// starts gives the flows and sources of the started events that the client was told of.
func (c *client) starts() []string {
	var out []string
	for _, n := range c.told("ask.started") {
		e := n.params.(broker.Started)
		out = append(out, e.FlowID+" "+e.Source)
	}
	return out
}

// TestStartedAgain: an agent that starts anew is told of the forms that its session still has, once; one that has only lost
// its connection knows them.
func TestStartedAgain(t *testing.T) {
	for reason, want := range map[string]int{"startup": 1, "resume": 1, "fork": 1, "reload": 1, "reconnect": 0, "tree": 0, "compact": 0} {
		w := newWorld(t)
		first := w.connect("askd-pi")
		first.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
		first.queueForm(1)
		first.queueForm(2)
		first.choose(2)
		first.Disconnect()
		again := w.connect("askd-pi")
		branch := []broker.BranchEvent{asked(1, true), asked(2, true)}
		for range 2 {
			again.open(broker.SessionInfo{ID: "s", UI: "tui", Reason: reason, Branch: branch})
		}
		again.settle()
		if got := again.starts(); len(got) != want || want == 1 && got[0] != "tool:t1 tool" {
			t.Errorf("%s: %q", reason, got)
		}
	}
}

// TestResumedEvents: a form that is shown again begins and ends as a resumed one.
func TestResumedEvents(t *testing.T) {
	w := newWorld(t)
	first := w.connect("askd-pi")
	first.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
	first.ask(1)
	first.Disconnect()
	again := w.connect("askd-pi")
	again.open(broker.SessionInfo{ID: "s", UI: "tui", Reason: "startup", Branch: []broker.BranchEvent{
		{Type: "call", ToolCallID: "t1", Tool: "ask_user", Arguments: []byte(dbForm)},
		{Type: "asked", RequestID: id(1), ToolCallID: "t1", Tool: "ask_user"},
	}})
	if got := again.starts(); len(got) != 1 || got[0] != "tool:t1 ask:resume" {
		t.Errorf("started %q", got)
	}
	again.choose(1)
	until(t, "ask.completed", func() bool { return len(again.told("ask.completed")) == 1 })
	if e := again.told("ask.completed")[0].params.(broker.Completed); e.Source != "ask:resume" || e.FlowID != "tool:t1" || e.Result.Cancelled {
		t.Errorf("completed %+v", e)
	}
}
