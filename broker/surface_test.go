package broker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// without a terminal: a client of that kind.
func (w *world) headless(session, ui string) *client {
	w.tb.Helper()
	c := w.connect("askd-pi")
	c.open(broker.SessionInfo{ID: session, UI: ui, Branch: []broker.BranchEvent{}, Epoch: 3, Surfaces: true})
	return c
}

// offered asks form n and gives what the client is to find a surface for.
func (c *client) offered(n int) (*answer, broker.Surface) {
	c.w.tb.Helper()
	before := len(c.told("ask.surface"))
	call := c.call(n, dbForm)
	until(c.w.tb, "ask.surface", func() bool { return len(c.told("ask.surface")) > before })
	return call, c.told("ask.surface")[before].params.(broker.Surface)
}

func (c *client) fail(p broker.FailParams) *answer {
	a := newAnswer(c.w.tb, "form.fail")
	c.Fail(p, a.reply)
	return a
}

func (c *client) respondExternally(n int, response string) broker.Responded {
	c.w.tb.Helper()
	return c.respondWith(broker.RespondParams{FlowID: "tool:t" + id(n)[len(id(n))-1:], Response: []byte(response), Via: "external"}).responded()
}

// onScreen reports whether the pane is given a form.
func (w *world) onScreen(session string, n int) bool {
	return slices.ContainsFunc(w.Snapshot().Entries, func(e *broker.Entry) bool { return e.Key() == key(session, n) })
}

// TestSurfaceOrder: an attached pane serves RPC always and print and JSON by a setting; else the client looks elsewhere.
func TestSurfaceOrder(t *testing.T) {
	for _, tt := range []struct {
		ui         string
		pane, also bool
		offered    bool
	}{
		{"rpc", false, false, true},
		{"rpc", true, false, false},
		{"json", true, false, true},
		{"print", true, false, true},
		{"json", true, true, false},
		{"print", true, true, false},
		{"print", false, true, true},
		{"cli", false, false, false},
		{"mcp", false, false, false},
		{"tui", false, false, false},
	} {
		w := newWorld(t)
		w.behaviour.Store(&broker.Behaviour{ServeNonTui: tt.also})
		if tt.pane {
			w.PaneSize(80, 24)
		}
		c := w.headless("s", tt.ui)
		c.call(1, dbForm)
		c.accepted(1)
		c.settle()
		if got := len(c.told("ask.surface")) == 1; got != tt.offered {
			t.Errorf("%+v: offered %v", tt, got)
		}
		if got := w.onScreen("s", 1); got == tt.offered {
			t.Errorf("%+v: in the pane %v", tt, got)
		}
		if started := len(c.told("ask.started")) == 1; started == tt.offered {
			t.Errorf("%+v: started %v", tt, started)
		}
	}
}

// TestSurfaceAnswers: the surface's answer is checked as every other, and its way is kept.
func TestSurfaceAnswers(t *testing.T) {
	w := newWorld(t)
	w.behaviour.Store(&broker.Behaviour{PresentSingleAsMulti: true})
	c := w.headless("s", "rpc")
	call, s := c.offered(1)
	if s.RequestID != id(1) || s.FlowID != "tool:t1" || s.ToolCallID != "t1" || s.Session != "s" || s.Epoch != 3 || s.CreatedAt == 0 {
		t.Errorf("offered %+v", s)
	}
	if q := s.Questions[0]; q.Type != ask.Multi || q.PresentedType != ask.Multi {
		t.Errorf("the setting was not applied: %+v", q)
	}
	if r := c.respondExternally(1, `{"kind":"answer","answers":{"db":{"values":["no"]}}}`); r.Error != "invalid_answer" || r.Message != `Unknown option value "no" for question "db".` {
		t.Errorf("%+v", r)
	}
	if !call.open() {
		t.Fatal("a refused answer ended the form")
	}
	if r := c.respondExternally(1, `{"kind":"answer","answers":{"db":{"values":["lite"]}}}`); !r.OK {
		t.Fatalf("%+v", r)
	}
	o := call.outcome()
	if !strings.Contains(text(o), "SQLite") || o.Provenance.Via != ask.ViaExternal || o.Provenance.Outcome != ask.Answered || o.AbortOperation {
		t.Errorf("%s", encode(t, o))
	}
	until(t, "ask.completed", func() bool { return len(c.told("ask.completed")) == 1 })
	if r := c.respondExternally(1, choosePostgres); r.Error != "flow_not_found" || r.Message != "Ask flow is not active." {
		t.Errorf("a late answer: %+v", r)
	}
}

func TestSurfaceCancels(t *testing.T) {
	w := newWorld(t)
	c := w.headless("s", "json")
	call, _ := c.offered(1)
	if r := c.respondExternally(1, `{"kind":"cancel"}`); !r.OK {
		t.Fatalf("%+v", r)
	}
	if o := call.outcome(); !o.AbortOperation || o.Provenance.Outcome != ask.Cancelled || o.Provenance.Via != ask.ViaExternal {
		t.Errorf("%s", encode(t, o))
	}
}

// TestSurfaceFails: a broken surface is a failure, a missing one the published text; neither looks like an answer.
func TestSurfaceFails(t *testing.T) {
	for name, tt := range map[string]struct {
		p       broker.FailParams
		want    ask.OutcomeKind
		isError bool
		text    string
	}{
		"error":   {broker.FailParams{FlowID: "tool:t1", Kind: "error", Error: "the window was closed"}, ask.Failed, true, "the window was closed"},
		"blank":   {broker.FailParams{RequestID: id(1), Error: " "}, ask.Failed, true, "The external ask UI failed; no answer was given."},
		"nothing": {broker.FailParams{RequestID: id(1), Kind: "no_ui", Error: "ignored"}, ask.NoUI, false, "ask_user [" + id(1) + "]\nNeeds user input: ask_user requires interactive TUI mode.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.headless("s", "print")
			call, _ := c.offered(1)
			_, err := c.fail(tt.p).wait()
			must(t, err)
			o := call.outcome()
			if o.IsError != tt.isError || !strings.HasPrefix(text(o), tt.text) || o.Provenance.Outcome != tt.want || o.AbortOperation {
				t.Errorf("%s", encode(t, o))
			}
			_, err = c.fail(tt.p).wait() // late: nothing changes
			must(t, err)
			c.settle()
			if n := len(c.told("ask.completed")); n != 0 {
				t.Errorf("completed %d times", n)
			}
			if rec, _ := w.stored("s", 1); rec.Outcome != nil && rec.Outcome.Kind != tt.want {
				t.Errorf("stored %+v", rec.Outcome)
			}
		})
	}
}

// TestOnlyTheOwnSurfaceFails: nobody ends what somebody else shows.
func TestOnlyTheOwnSurfaceFails(t *testing.T) {
	w := newWorld(t)
	c, stranger, tui := w.headless("s", "rpc"), w.session("other"), w.session("tui")
	call, _ := c.offered(1)
	stranger.fail(broker.FailParams{RequestID: id(1)}).refused(broker.Conflict)
	pane := tui.ask(2)
	tui.fail(broker.FailParams{RequestID: id(2)}).refused(broker.Conflict)
	c.fail(broker.FailParams{RequestID: id(1), Kind: "bored"}).refused(broker.InvalidParams)
	if r := stranger.respondWith(broker.RespondParams{RequestID: id(1), Response: []byte(choosePostgres), Via: "external"}).responded(); !r.OK {
		t.Errorf("%+v", r)
	}
	if o := call.outcome(); o.Provenance.Via != ask.ViaRemote {
		t.Errorf("another client's answer counts as %s", o.Provenance.Via)
	}
	if !pane.open() {
		t.Error("a form of the pane was ended")
	}
}

// TestNoSurface for what never had one: background calls and refused payloads.
func TestNoSurface(t *testing.T) {
	w := newWorld(t)
	for i, ui := range []string{"rpc", "json", "print"} {
		c := w.headless(ui, ui)
		n := 2 * i
		if o := c.call(n, strings.Replace(dbForm, "{", `{"background":true,`, 1)).outcome(); !strings.Contains(text(o), "Needs user input: ") || o.Provenance.Outcome != ask.NoUI {
			t.Errorf("%s in the background: %s", ui, encode(t, o))
		}
		c.call(n+1, `{"questions":[]}`).outcome()
		c.settle()
		if k := len(c.told("ask.surface")); k != 0 {
			t.Errorf("%s: offered %d times", ui, k)
		}
	}
}

// TestSurfaceAndPane: a pane that comes later shows what RPC mode asked; the first answer counts, and a pane that goes again
// takes nothing with it.
func TestSurfaceAndPane(t *testing.T) {
	w := newWorld(t)
	rpc, printing := w.headless("r", "rpc"), w.headless("p", "print")
	call, _ := rpc.offered(1)
	other, _ := printing.offered(2)
	w.PaneSize(80, 24)
	w.entry("r", 1, "the form in the pane", func(e *broker.Entry) bool { return e != nil })
	if w.onScreen("p", 2) {
		t.Error("the pane shows what a script asked")
	}
	w.PaneSize(0, 0)
	rpc.settle()
	if !call.open() || !other.open() {
		t.Fatal("the end of the pane ended another surface's form")
	}
	w.PaneSize(80, 24)
	must(t, second(w.submit("r", 1).wait()))
	if o := call.outcome(); o.Provenance.Via != ask.ViaPane {
		t.Errorf("%s", encode(t, o))
	}
	if r := rpc.respondExternally(1, choosePostgres); r.Error != "flow_not_found" {
		t.Errorf("the second answer: %+v", r)
	}
}

// TestSurfaceOfAnAbortedCall: the end of the operation ends the form; nothing that comes later changes that.
func TestSurfaceOfAnAbortedCall(t *testing.T) {
	w := newWorld(t)
	c := w.headless("s", "rpc")
	call, _ := c.offered(1)
	if s := c.abort(1, "user").state(); s != "interrupted" {
		t.Error(s)
	}
	if o := call.outcome(); !o.IsError || text(o) != "Question form interrupted" {
		t.Errorf("%s", encode(t, o))
	}
	if r := c.respondExternally(1, choosePostgres); r.Error != "flow_not_found" {
		t.Errorf("%+v", r)
	}
}

// TestSurfaceAfterALostConnection: whoever joins the call finds a surface of its own.
func TestSurfaceAfterALostConnection(t *testing.T) {
	w := newWorld(t)
	c := w.headless("s", "rpc")
	c.offered(1)
	c.Disconnect()
	again := w.connect("askd-pi")
	again.open(broker.SessionInfo{ID: "s", UI: "rpc", Branch: []broker.BranchEvent{}, OpenCalls: []broker.OpenCall{{RequestID: id(1)}}})
	call, s := again.offered(1)
	if s.RequestID != id(1) {
		t.Errorf("%+v", s)
	}
	if r := again.respondExternally(1, choosePostgres); !r.OK {
		t.Fatalf("%+v", r)
	}
	call.outcome()
}

// TestSurfaceOfAnUnknownClient: a client that has not said that it answers ask.surface may answer it, but holds no call open
// by not knowing it.
func TestSurfaceOfAnUnknownClient(t *testing.T) {
	w := newQuestions(t)
	c := w.connect("probe")
	c.open(broker.SessionInfo{ID: "s", UI: "print"})
	call, _ := c.offered(1)
	if r := c.respondExternally(1, choosePostgres); !r.OK || !strings.Contains(text(call.outcome()), "Postgres") {
		t.Errorf("its answer: %+v", r)
	}
	silent, _ := c.offered(2)
	w.clock.move(config.SurfaceWait, false)
	if o := silent.outcome(); o.Provenance.Outcome != ask.NoUI || !strings.Contains(text(o), "Needs user input") {
		t.Errorf("without an answer: %s", encode(t, o))
	}
	known := w.headless("k", "print")
	held, _ := known.offered(3)
	w.clock.move(time.Hour, false)
	known.settle()
	if !held.open() {
		t.Error("a client that answers ask.surface was not waited for")
	}
}
