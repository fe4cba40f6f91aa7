package broker_test

import (
	"slices"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// The rows of the table in DESIGN, "Branches and delivery", for foreground and nested requests.

// Events of request n, whose tool call is t<n>. $ stands for the newest outcome.
func callOf(n int) broker.BranchEvent {
	return broker.BranchEvent{Type: "call", ToolCallID: toolCallOf(n), Tool: ask.ToolAskUser, Arguments: []byte(dbForm)}
}

func toolCallOf(n int) string { return "t" + string(rune('0'+n)) }

func askedOf(n int) broker.BranchEvent {
	return broker.BranchEvent{Type: "asked", RequestID: id(n), ToolCallID: toolCallOf(n), Tool: ask.ToolAskUser}
}

func nestedIn(outer string, e broker.BranchEvent) broker.BranchEvent {
	e.ParentToolCallID = outer
	return e
}

func told(kind string, n int, how string) broker.BranchEvent {
	return broker.BranchEvent{Type: kind, RequestID: id(n), OutcomeID: "$", How: how}
}

// left is what the journal holds of request 1 when its asker comes back.
var left = map[string]func(w *world, c *client){
	"nothing": func(*world, *client) {},
	"pending": func(_ *world, c *client) { c.ask(1) },
	"answered": func(w *world, c *client) {
		c.ask(1)
		c.Disconnect()
		c = w.connect("askctl")
		c.respondWith(broker.RespondParams{RequestID: id(1), Session: "s", Response: []byte(choosePostgres)}).responded()
	},
	"cancelled": func(w *world, c *client) {
		c.ask(1)
		c.Disconnect()
		c = w.connect("askctl")
		c.respondWith(broker.RespondParams{RequestID: id(1), Session: "s", Response: []byte(`{"kind":"cancel"}`)}).responded()
	},
	"interrupted": func(_ *world, c *client) {
		call := c.ask(1)
		c.abort(1, "user").state()
		call.wait()
	},
	"withdrawn": func(_ *world, c *client) {
		c.queueForm(1)
		c.abort(1, "lost").state()
	},
	"two pending": func(_ *world, c *client) {
		c.ask(1)
		c.ask(2)
	},
}

type branchRow struct {
	left    string
	branch  []broker.BranchEvent
	reason  string
	pending []broker.Status // in queue order
	as      string          // of the delivery; empty for none
	unknown bool
}

var branchRows = map[string]branchRow{
	"asked, startup":               {"pending", []broker.BranchEvent{callOf(1), askedOf(1)}, "startup", []broker.Status{broker.Waiting}, "", false},
	"asked, resume":                {"pending", []broker.BranchEvent{callOf(1), askedOf(1)}, "resume", []broker.Status{broker.Waiting}, "", false},
	"asked, fork":                  {"pending", []broker.BranchEvent{callOf(1), askedOf(1)}, "fork", []broker.Status{broker.Waiting}, "", false},
	"asked, new":                   {"pending", []broker.BranchEvent{callOf(1), askedOf(1)}, "new", []broker.Status{broker.Interrupted}, "", false},
	"asked, reload":                {"pending", []broker.BranchEvent{callOf(1), askedOf(1)}, "reload", []broker.Status{broker.Interrupted}, "", false},
	"asked, tree":                  {"pending", []broker.BranchEvent{callOf(1), askedOf(1)}, "tree", []broker.Status{broker.Interrupted}, "", false},
	"two asked":                    {"two pending", []broker.BranchEvent{callOf(1), askedOf(1), callOf(2), askedOf(2)}, "startup", []broker.Status{broker.Interrupted, broker.Waiting}, "", false},
	"the newest is dismissed":      {"two pending", []broker.BranchEvent{callOf(1), askedOf(1), callOf(2), askedOf(2), {Type: "dismissed", ToolCallID: "t2"}}, "startup", []broker.Status{broker.Waiting}, "", false},
	"answered":                     {"answered", []broker.BranchEvent{callOf(1), askedOf(1)}, "startup", nil, "followUp", false},
	"answered, tree":               {"answered", []broker.BranchEvent{callOf(1), askedOf(1)}, "tree", nil, "followUp", false},
	"cancelled":                    {"cancelled", []broker.BranchEvent{callOf(1), askedOf(1)}, "startup", nil, "dismissOnly", false},
	"interrupted":                  {"interrupted", []broker.BranchEvent{callOf(1), askedOf(1)}, "startup", []broker.Status{broker.Waiting}, "", false},
	"interrupted, aborted":         {"interrupted", []broker.BranchEvent{askedOf(1), told("delivered", 1, "aborted")}, "startup", nil, "", false},
	"answered, aborted":            {"answered", []broker.BranchEvent{askedOf(1), told("delivered", 1, "aborted")}, "startup", nil, "", false},
	"pending, aborted":             {"pending", []broker.BranchEvent{askedOf(1), told("delivered", 1, "aborted")}, "startup", nil, "", false},
	"completed, not delivered":     {"answered", []broker.BranchEvent{callOf(1), askedOf(1), told("completed", 1, "")}, "startup", nil, "followUp", false},
	"delivered as the result":      {"answered", []broker.BranchEvent{askedOf(1), told("completed", 1, ""), told("delivered", 1, "result")}, "startup", nil, "", false},
	"followed up, not dismissed":   {"answered", []broker.BranchEvent{callOf(1), askedOf(1), told("delivered", 1, "user")}, "startup", nil, "", false},
	"dismissed by its call":        {"cancelled", []broker.BranchEvent{callOf(1), askedOf(1), {Type: "dismissed", ToolCallID: "t1"}}, "startup", nil, "", false},
	"unknown, startup":             {"nothing", []broker.BranchEvent{callOf(1), askedOf(1)}, "startup", []broker.Status{broker.Waiting}, "", false},
	"unknown, tree":                {"nothing", []broker.BranchEvent{callOf(1), askedOf(1)}, "tree", []broker.Status{broker.Interrupted}, "", false},
	"unknown, but followed up":     {"nothing", []broker.BranchEvent{callOf(1), askedOf(1), told("delivered", 1, "user")}, "startup", nil, "", false},
	"unknown in the background":    {"nothing", []broker.BranchEvent{asked(1, true)}, "startup", nil, "", true},
	"a call alone, startup":        {"nothing", []broker.BranchEvent{callOf(1)}, "startup", []broker.Status{broker.Waiting}, "", false},
	"a call alone, tree":           {"nothing", []broker.BranchEvent{callOf(1)}, "tree", nil, "", false},
	"a call alone, dismissed":      {"nothing", []broker.BranchEvent{callOf(1), {Type: "dismissed", ToolCallID: "t1"}}, "startup", nil, "", false},
	"nested, outer call open":      {"pending", []broker.BranchEvent{nestedIn("outer", askedOf(1))}, "startup", []broker.Status{broker.Interrupted}, "", false},
	"nested, outer call has ended": {"answered", []broker.BranchEvent{nestedIn("outer", askedOf(1)), told("delivered", 1, "parent")}, "startup", nil, "", false},
	"withdrawn":                    {"withdrawn", []broker.BranchEvent{asked(1, true)}, "startup", nil, "", false},
	"not on the branch":            {"pending", []broker.BranchEvent{}, "startup", nil, "", false},
	"answered, not on the branch":  {"answered", []broker.BranchEvent{}, "startup", nil, "", false},
}

func TestForegroundBranchTable(t *testing.T) {
	for name, row := range branchRows {
		t.Run(name, func(t *testing.T) { row.check(t) })
	}
}

// check opens the branch in a second process, and then once more after askd has started again: nothing changes.
func (row branchRow) check(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Instance: "first", Branch: []broker.BranchEvent{}})
	left[row.left](w, c)
	c.Disconnect()
	branch := slices.Clone(row.branch)
	if rec, ok := w.stored("s", 1); ok && rec.Outcome != nil {
		for i := range branch {
			branch[i].OutcomeID = strings.ReplaceAll(branch[i].OutcomeID, "$", rec.Outcome.ID)
		}
	}
	for life := range 2 {
		c = w.connect("probe")
		o := c.open(broker.SessionInfo{ID: "s", UI: "tui", Instance: "second", Reason: row.reason, Branch: branch})
		if unknown := len(o.Unknown) > 0; unknown != row.unknown {
			t.Errorf("life %d: unknown %v", life, o.Unknown)
		}
		until(t, "the queue that is due", func() bool { return slices.Equal(statuses(c.queue()), row.pending) })
		c.settle()
		as := ""
		for _, d := range c.deliveries(1) {
			as += d.As
		}
		if as != row.as {
			t.Errorf("life %d: delivered %q, want %q", life, as, row.as)
		}
		if strings.Contains(row.as, "dismissOnly") && c.deliveries(1)[0].Wake {
			t.Error("a cancellation wakes the agent")
		}
		w.restart()
	}
}

func statuses(requests []broker.RequestSummary) []broker.Status {
	var out []broker.Status
	for _, r := range requests {
		out = append(out, r.Status)
	}
	return out
}

// TestCallAlone: a call whose process died before it could write its request down is asked once, keeps its draft and its
// answer over a restart, and is closed like any other.
func TestCallAlone(t *testing.T) {
	w := newWorld(t)
	info := broker.SessionInfo{ID: "s", UI: "tui", Reason: "startup", Branch: []broker.BranchEvent{callOf(1)}}
	c := w.connect("probe")
	c.open(info)
	until(t, "the form", func() bool { return len(c.queue()) == 1 })
	k := ask.Key{Session: "s", Request: c.queue()[0].RequestID}
	saved := newAnswer(t, "draft")
	w.SaveDraft(k, &ask.Draft{Tab: 1}, 0, saved.done)
	if _, err := saved.wait(); err != nil {
		t.Fatal(err)
	}
	w.restart()
	c = w.connect("probe")
	if o := c.open(info); len(o.Pending) != 1 || o.Pending[0].RequestID != k.Request {
		t.Fatalf("after a restart %s", encode(t, o))
	}
	if d := w.Snapshot().Entries[0].Draft; d == nil || d.Tab != 1 {
		t.Errorf("the draft is %+v", d)
	}
	c.Disconnect()
	done := newAnswer(t, "submit")
	w.Submit(k, first, done.done)
	if _, err := done.wait(); err != nil {
		t.Fatal(err)
	}
	w.restart()
	c = w.connect("probe")
	o := c.open(info)
	if len(o.Pending) != 0 || len(o.Undelivered) != 1 || o.Undelivered[0].RequestID != k.Request {
		t.Fatalf("after the answer %s", encode(t, o))
	}
	info.Branch = append(info.Branch,
		broker.BranchEvent{Type: "delivered", RequestID: k.Request, OutcomeID: o.Undelivered[0].OutcomeID, How: "user"},
		broker.BranchEvent{Type: "dismissed", RequestID: k.Request, ToolCallID: "t1"})
	w.restart()
	c = w.connect("probe")
	if o := c.open(info); len(o.Pending)+len(o.Undelivered) != 0 || len(c.queue()) != 0 {
		t.Errorf("after the delivery %s", encode(t, o))
	}
}
