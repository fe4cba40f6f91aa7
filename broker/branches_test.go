package broker_test

import (
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

func asked(n int, background bool) broker.BranchEvent {
	return broker.BranchEvent{Type: "asked", RequestID: id(n), ToolCallID: "t" + id(n), Tool: ask.ToolAskUser, Background: background}
}

// TestBranchTable reads the table of the design with one background request. $ stands for the outcome's id.
func TestBranchTable(t *testing.T) {
	event := func(kind, outcome, how string) broker.BranchEvent {
		return broker.BranchEvent{Type: kind, RequestID: id(1), OutcomeID: outcome, How: how}
	}
	for name, tt := range map[string]struct {
		answered  bool
		branch    []broker.BranchEvent
		elsewhere bool
		pending   int
		out       int
		parked    bool
	}{
		"asked":                           {branch: []broker.BranchEvent{asked(1, true)}, pending: 1},
		"asked and answered":              {answered: true, branch: []broker.BranchEvent{asked(1, true)}, out: 1},
		"completed, not delivered":        {answered: true, branch: []broker.BranchEvent{asked(1, true), event("completed", "$", "")}, out: 1},
		"delivered":                       {answered: true, branch: []broker.BranchEvent{asked(1, true), event("completed", "$", ""), event("delivered", "$", "message")}},
		"delivered without how":           {answered: true, branch: []broker.BranchEvent{asked(1, true), event("delivered", "$", "")}},
		"completed on another branch":     {answered: true, branch: []broker.BranchEvent{asked(1, true)}, elsewhere: true, pending: 1},
		"not on the branch":               {branch: []broker.BranchEvent{}, parked: true},
		"answered, but not on the branch": {answered: true, branch: []broker.BranchEvent{}},
		"dismissed":                       {branch: []broker.BranchEvent{asked(1, true), event("dismissed", "", "")}},
		"aborted":                         {branch: []broker.BranchEvent{asked(1, true), event("delivered", "", "aborted")}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.session("s")
			c.queueForm(1)
			info := broker.SessionInfo{ID: "s", UI: "tui", Branch: tt.branch}
			if tt.answered {
				c.choose(1)
				outcome := c.delivered(1, 1).OutcomeID
				for i := range info.Branch {
					info.Branch[i].OutcomeID = strings.ReplaceAll(info.Branch[i].OutcomeID, "$", outcome)
				}
				if tt.elsewhere {
					info.Elsewhere = []broker.OutcomeRef{{RequestID: id(1), OutcomeID: outcome}}
				}
			}
			c.Disconnect()
			for life := range 2 {
				c = w.connect("probe")
				o := c.open(info)
				if len(o.Pending) != tt.pending || len(o.Undelivered) != tt.out || len(o.Unknown) != 0 {
					t.Errorf("life %d: opened with %s", life, encode(t, o))
				}
				c.settle()
				if n := len(c.deliveries(1)); n != tt.out {
					t.Errorf("life %d: delivered %d times, want %d", life, n, tt.out)
				}
				if tt.parked {
					if r := c.respond(1, choosePostgres).responded(); r.Error != "flow_not_found" {
						t.Errorf("a parked form took an answer: %+v", r)
					}
				}
				w.restart()
			}
			if tt.parked {
				c = w.connect("probe")
				info.Branch = []broker.BranchEvent{asked(1, true)}
				if o := c.open(info); len(o.Pending) != 1 {
					t.Errorf("back on its branch: %s", encode(t, o))
				}
			}
		})
	}
}

// TestAnsweredTwiceOnTwoBranches: going back before an answer makes a second outcome, for this branch.
func TestAnsweredTwiceOnTwoBranches(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	info := broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{asked(1, true)}}
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
	c.queueForm(1)
	c.choose(1)
	old := c.delivered(1, 1)
	if _, err := c.ack(1, old.OutcomeID).wait(); err != nil {
		t.Fatal(err)
	}
	until(t, "a record in the history", func() bool { rec, _ := w.stored("s", 1); return rec.Delivered })
	info.Elsewhere = []broker.OutcomeRef{{RequestID: id(1), OutcomeID: old.OutcomeID}}
	if o := c.open(info); len(o.Pending) != 1 {
		t.Fatalf("before its answer: %s", encode(t, o))
	}
	c.respond(1, `{"kind":"answer","answers":{"db":{"values":["lite"]}}}`).responded()
	now := c.delivered(1, 2)
	if now.OutcomeID == old.OutcomeID || !strings.Contains(now.Content[0].Text, "SQLite") {
		t.Errorf("the second answer is %s", encode(t, now))
	}
	if _, err := c.ack(1, now.OutcomeID).wait(); err != nil {
		t.Fatal(err)
	}
	w.restart()
	c = w.connect("probe")
	info.Branch = append(info.Branch, broker.BranchEvent{Type: "delivered", RequestID: id(1), OutcomeID: now.OutcomeID, How: "message"})
	if o := c.open(info); len(o.Pending)+len(o.Undelivered) != 0 {
		t.Errorf("after both: %s", encode(t, o))
	}
}

// TestFork: it gets its own copy with the draft; the closed parent's is parked meanwhile.
func TestFork(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.open(broker.SessionInfo{ID: "parent", UI: "tui", Branch: []broker.BranchEvent{}})
	c.queueForm(1)
	saved := newAnswer(t, "draft")
	w.SaveDraft(key("parent", 1), &ask.Draft{Questions: []ask.QuestionDraft{{ID: "db", Note: "half"}}}, 0, saved.done)
	if _, err := saved.wait(); err != nil {
		t.Fatal(err)
	}
	c.Disconnect()
	fork := w.connect("probe")
	o := fork.open(broker.SessionInfo{ID: "fork", UI: "tui", Reason: "fork", ParentSession: "parent", Branch: []broker.BranchEvent{asked(1, true)}})
	if len(o.Pending) != 1 || o.Pending[0].Session != "fork" {
		t.Fatalf("the fork opened with %s", encode(t, o))
	}
	w.entry("fork", 1, "the copy with its draft", func(e *broker.Entry) bool { return e != nil && e.Draft != nil && e.Draft.Questions[0].Note == "half" })
	w.entry("parent", 1, "nothing of the closed parent", func(e *broker.Entry) bool { return e == nil })
	fork.choose(1)
	fork.delivered(1, 1)
	if rec, _ := w.stored("parent", 1); rec.Outcome != nil {
		t.Error("the fork's answer ended the parent's form")
	}
	fork.Disconnect()
	parent := w.connect("probe")
	if o := parent.open(broker.SessionInfo{ID: "parent", UI: "tui", Branch: []broker.BranchEvent{asked(1, true)}}); len(o.Pending) != 1 {
		t.Errorf("the parent opened with %s", encode(t, o))
	}
}

// TestResume: the newest unresolved foreground call is shown again, and its answer goes out as a follow-up.
func TestResume(t *testing.T) {
	for name, known := range map[string]bool{"from the journal": true, "from the call's own arguments": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			branch := []broker.BranchEvent{
				{Type: "call", ToolCallID: "t1", Tool: ask.ToolAskUser, Arguments: []byte(dbForm)},
				{Type: "asked", RequestID: id(1), ToolCallID: "t1", Tool: ask.ToolAskUser},
			}
			if known {
				c := w.connect("probe")
				c.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
				c.ask(1)
				c.Disconnect()
			}
			c := w.connect("probe")
			o := c.open(broker.SessionInfo{ID: "s", UI: "tui", Reason: "resume", Branch: branch})
			if len(o.Unknown) != 0 {
				t.Errorf("unknown %v", o.Unknown)
			}
			until(t, "the form", func() bool { return len(c.queue()) == 1 })
			if r := c.respondWith(broker.RespondParams{FlowID: "tool:t1", Response: []byte(choosePostgres)}).responded(); !r.OK {
				t.Fatal(r)
			}
			d := c.delivered(1, 1)
			if d.As != "followUp" || !strings.Contains(d.Content[0].Text, "Postgres") {
				t.Errorf("delivered %s", encode(t, d))
			}
			branch = append(branch, broker.BranchEvent{Type: "delivered", RequestID: id(1), OutcomeID: d.OutcomeID, How: "user"}, broker.BranchEvent{Type: "dismissed", ToolCallID: "t1", RequestID: id(1)})
			if o := c.open(broker.SessionInfo{ID: "s", UI: "tui", Reason: "resume", Branch: branch}); len(o.Pending)+len(o.Undelivered) != 0 {
				t.Errorf("after the end: %s", encode(t, o))
			}
			c.settle()
			if len(c.deliveries(1)) != 1 {
				t.Error("delivered again")
			}
		})
	}
}
