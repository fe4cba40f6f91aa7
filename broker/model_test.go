package broker_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// modelled is what a person who watches would know of one request.
type modelled struct {
	session    string
	n          int
	background bool
	ended      ask.OutcomeKind // empty while it waits
	outcome    string          // id of the outcome, once anyone has seen it
	acked      bool
	calls      []*answer // open calls
	replies    []*answer // calls that must have been answered
}

// history drives two sessions against one broker and its file, and a model of what must hold: nothing ends twice, nothing
// is answered without a submit, every call gets one reply, and no outcome is lost.
type history struct {
	t        *testing.T
	w        *world
	clients  map[string]*client // nil while a session is away
	requests []*modelled
}

const sessions = "ab"

func (h *history) connected(rt *rapid.T) *client {
	s := rapid.StringOfN(rapid.RuneFrom([]rune(sessions)), 1, 1, 1).Draw(rt, "session")
	if h.clients[s] == nil {
		h.clients[s] = h.w.connect("probe " + s)
		var open []broker.OpenCall
		o := h.clients[s].open(broker.SessionInfo{ID: s, UI: "cli", Instance: s, OpenCalls: open})
		h.checkOpened(rt, s, o)
	}
	return h.clients[s]
}

func (h *history) session(c *client) string {
	for s, o := range h.clients {
		if o == c {
			return s
		}
	}
	return ""
}

// checkOpened compares what a session is told when it comes back.
func (h *history) checkOpened(rt *rapid.T, s string, o broker.Opened) {
	pending, undelivered := map[string]bool{}, map[string]bool{}
	for _, r := range o.Pending {
		pending[r.RequestID] = true
	}
	for _, r := range o.Undelivered {
		undelivered[r.RequestID] = true
	}
	for _, m := range h.requests {
		if m.session != s {
			continue
		}
		if pending[id(m.n)] != (m.ended == "") {
			rt.Fatalf("request %d of %s ended as %q, pending in session.open: %t", m.n, s, m.ended, pending[id(m.n)])
		}
		if m.ended.Submitted() && m.background && !m.acked && !undelivered[id(m.n)] {
			rt.Fatalf("the answer of request %d of %s is not among the undelivered", m.n, s)
		}
		if (m.acked || m.ended == "") && undelivered[id(m.n)] {
			rt.Fatalf("request %d of %s is undelivered; acknowledged %t, ended %q", m.n, s, m.acked, m.ended)
		}
	}
}

// pick gives a request of the model that fits, nil when there is none.
func (h *history) pick(rt *rapid.T, fits func(*modelled) bool) *modelled {
	var some []*modelled
	for _, m := range h.requests {
		if fits(m) {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		rt.Skip("nothing fits")
	}
	return rapid.SampledFrom(some).Draw(rt, "request")
}

func anyOf(*modelled) bool { return true }

func (h *history) form(m *modelled) string {
	if m.background {
		return strings.Replace(dbForm, "{", `{"background":true,`, 1)
	}
	return dbForm
}

// ask asks something new.
func (h *history) ask(rt *rapid.T) {
	c := h.connected(rt)
	m := &modelled{session: h.session(c), n: len(h.requests), background: rapid.Bool().Draw(rt, "background")}
	h.requests = append(h.requests, m)
	h.start(c, m)
	c.accepted(m.n)
}

// start makes a call and puts it where its reply is expected.
func (h *history) start(c *client, m *modelled) *answer {
	a := c.call(m.n, h.form(m))
	if m.background || m.ended != "" {
		m.replies = append(m.replies, a)
	} else {
		m.calls = append(m.calls, a)
	}
	return a
}

// repeat makes a call again, as a client does that is not sure.
func (h *history) repeat(rt *rapid.T) {
	m := h.pick(rt, anyOf)
	c := h.clients[m.session]
	if c == nil {
		rt.Skip("away")
	}
	a := h.start(c, m)
	c.settle()
	switch {
	case m.background:
		if r, ok := a.outcome().Details.(tool.Receipt); !ok || r.RequestID != id(m.n) {
			rt.Fatalf("a repeated background call gave %+v", a.value)
		}
	case m.ended != "":
		h.sees(rt, m, a.outcome())
		if m.ended.Submitted() {
			m.acked = true // handed over to a session without a transcript
		}
	case !a.open():
		rt.Fatalf("a repeated call of a form that waits gave %v, %v", a.value, a.err)
	}
}

// sees compares an outcome that somebody was handed.
func (h *history) sees(rt *rapid.T, m *modelled, o *tool.Outcome) {
	if o.Provenance == nil || o.Provenance.Outcome != m.ended {
		rt.Fatalf("request %d of %s ended as %s, told %+v", m.n, m.session, m.ended, o.Provenance)
	}
	if m.outcome == "" {
		m.outcome = o.OutcomeID
	}
	if m.outcome != o.OutcomeID {
		rt.Fatalf("request %d has outcomes %s and %s", m.n, m.outcome, o.OutcomeID)
	}
}

// ends takes a request to its end in the model and reads the replies.
func (h *history) ends(rt *rapid.T, m *modelled, kind ask.OutcomeKind) {
	m.ended = kind
	for _, a := range m.calls {
		h.sees(rt, m, a.outcome())
	}
	if len(m.calls) > 0 && !m.background {
		m.acked = true
	}
	m.calls = nil
	rec, ok := h.w.stored(m.session, m.n)
	if !ok || rec.Outcome == nil || rec.Outcome.Kind != kind {
		rt.Fatalf("request %d ended as %s, the file holds %+v", m.n, kind, rec.Outcome)
	}
}

// submit answers or cancels in the pane.
func (h *history) submit(rt *rapid.T) {
	m := h.pick(rt, anyOf)
	a := newAnswer(h.t, "pane")
	kind := ask.Answered
	switch rapid.IntRange(0, 3).Draw(rt, "how") {
	case 0:
		kind = ask.Cancelled
		h.w.Cancel(key(m.session, m.n), first, a.done)
	case 1:
		kind = ask.Empty
		h.w.Submit(key(m.session, m.n), ask.Response{}, a.done)
	default:
		h.w.Submit(key(m.session, m.n), first, a.done)
	}
	_, err := a.wait()
	if (err == nil) != (m.ended == "") || err != nil && !errors.Is(err, broker.ErrNotPending) {
		rt.Fatalf("request %d stood at %q, the pane was told %v", m.n, m.ended, err)
	}
	if err == nil {
		h.ends(rt, m, kind)
	}
}

// respond answers from outside.
func (h *history) respond(rt *rapid.T) {
	m := h.pick(rt, anyOf)
	c := h.w.connect("askctl")
	defer c.Disconnect()
	r := c.respondWith(broker.RespondParams{Session: m.session, RequestID: id(m.n), Response: []byte(choosePostgres)}).responded()
	if r.OK != (m.ended == "") {
		rt.Fatalf("request %d stood at %q, the remote was told %+v", m.n, m.ended, r)
	}
	if r.OK {
		h.ends(rt, m, ask.Answered)
	}
}

func (h *history) abort(rt *rapid.T) {
	m := h.pick(rt, anyOf)
	c := h.clients[m.session]
	if c == nil {
		rt.Skip("away")
	}
	state, want := c.abort(m.n, "user").state(), "ended"
	if m.ended == "" || m.ended == ask.Interrupted {
		want = "interrupted"
	}
	if m.ended == ask.Interrupted {
		want = "ended"
	}
	if state != want {
		rt.Fatalf("request %d stood at %q, its abort was told %s", m.n, m.ended, state)
	}
	if m.ended == "" {
		h.ends(rt, m, ask.Interrupted)
	}
}

// acknowledge writes an answer of the background into the transcript.
func (h *history) acknowledge(rt *rapid.T) {
	m := h.pick(rt, func(m *modelled) bool { return m.background && m.ended.Submitted() })
	c := h.clients[m.session]
	if c == nil {
		rt.Skip("away")
	}
	if m.outcome == "" {
		until(h.t, "ask.deliver", func() bool {
			for _, n := range c.told("ask.deliver") {
				if d := n.params.(broker.Delivery); d.RequestID == id(m.n) {
					m.outcome = d.OutcomeID
				}
			}
			return m.outcome != ""
		})
	}
	if _, err := c.ack(m.n, m.outcome).wait(); err != nil {
		rt.Fatalf("acknowledging request %d: %v", m.n, err)
	}
	m.acked = true
	until(h.t, "a record in the history", func() bool {
		rec, _ := h.w.stored(m.session, m.n)
		return rec.Delivered
	})
}

func (h *history) leave(rt *rapid.T) {
	s := rapid.StringOfN(rapid.RuneFrom([]rune(sessions)), 1, 1, 1).Draw(rt, "session")
	c := h.clients[s]
	if c == nil {
		rt.Skip("away")
	}
	c.Disconnect()
	delete(h.clients, s)
	h.lost(rt, func(m *modelled) bool { return m.session == s })
}

// lost reads the replies of calls whose connection or daemon has gone: none of them is an outcome.
func (h *history) lost(rt *rapid.T, of func(*modelled) bool) {
	for _, m := range h.requests {
		if !of(m) {
			continue
		}
		for _, a := range m.calls {
			if v, err := a.wait(); err == nil {
				rt.Fatalf("request %d got %v from a connection that has gone", m.n, v)
			}
		}
		m.calls = nil
	}
}

func (h *history) restart(rt *rapid.T) {
	h.w.stop()
	h.lost(rt, anyOf)
	clear(h.clients)
	h.w.restart()
}

// check is what holds between any two steps.
func (h *history) check(rt *rapid.T) {
	onDesk := map[ask.Key]bool{}
	watcher := h.w.connect("watcher")
	defer watcher.Disconnect()
	watcher.settle()
	for _, r := range watcher.queue() {
		onDesk[ask.Key{Session: r.Session, Request: r.RequestID}] = true
	}
	for _, m := range h.requests {
		if onDesk[key(m.session, m.n)] != (m.ended == "") {
			rt.Fatalf("request %d of %s ended as %q, in the queue: %t", m.n, m.session, m.ended, onDesk[key(m.session, m.n)])
		}
		for _, a := range m.calls {
			if !a.open() {
				rt.Fatalf("a call of request %d, which waits, got %v, %v", m.n, a.value, a.err)
			}
		}
		for _, a := range m.replies {
			a.wait()
		}
	}
}

func TestHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "history")
		must(t, err)
		defer os.RemoveAll(dir)
		h := &history{t: t, w: &world{tb: t, path: filepath.Join(dir, "askd.db")}, clients: map[string]*client{}}
		h.w.behaviour.Store(&broker.Behaviour{})
		h.w.start()
		defer h.w.end()
		rt.Repeat(map[string]func(*rapid.T){
			"":        h.check,
			"ask":     h.ask,
			"ask too": h.ask,
			"repeat":  h.repeat,
			"submit":  h.submit,
			"respond": h.respond,
			"abort":   h.abort,
			"ack":     h.acknowledge,
			"leave":   h.leave,
			"restart": h.restart,
		})
		h.finish(rt)
	})
}

// finish answers whatever is left and looks at the file once more.
func (h *history) finish(rt *rapid.T) {
	for _, m := range h.requests {
		if m.ended == "" {
			_, err := h.w.submit(m.session, m.n).wait()
			if err != nil {
				rt.Fatal(err)
			}
			h.ends(rt, m, ask.Answered)
		}
	}
	h.check(rt)
	if got := h.w.journal.Records(); got != len(h.requests) {
		rt.Fatal(fmt.Sprintf("%d requests stored, %d asked", got, len(h.requests)))
	}
}
