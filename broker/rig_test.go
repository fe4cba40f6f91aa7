package broker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
	"askd/journal"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is what a broker's life leaves behind: the data file, the settings and the ways of making the disk fail.
type world struct {
	tb        testing.TB
	path      string
	behaviour atomic.Pointer[broker.Behaviour]
	disk      disk
	more      func(*broker.Options) // further wishes of a test
	announced announced
	desk      // the running one
}

// desk is one broker over the world's file.
type desk struct {
	*broker.Seat
	journal *journal.Journal
	stop    func() // ends Run and waits for it; the journal stays open
}

// newWorld starts a broker over a new file. At the end of the test it is stopped.
func newWorld(tb testing.TB) *world {
	tb.Helper()
	return newWorldAt(tb, filepath.Join(tb.TempDir(), "askd.db"))
}

func newWorldAt(tb testing.TB, path string) *world {
	tb.Helper()
	return newWorldWith(tb, path, func(*broker.Options) {})
}

func newWorldWith(tb testing.TB, path string, more func(*broker.Options)) *world {
	tb.Helper()
	w := &world{tb: tb, path: path, more: more}
	w.behaviour.Store(&broker.Behaviour{})
	w.start()
	tb.Cleanup(w.end)
	return w
}

func (w *world) start() {
	w.tb.Helper()
	w.load()
	w.run()
}

// load opens the file and makes a broker that does not run yet.
func (w *world) load() {
	w.tb.Helper()
	j, err := journal.Open(journal.Options{Path: w.path, Failpoint: w.disk.at, DraftDelay: time.Millisecond})
	must(w.tb, err)
	o := broker.Options{Store: j, Notes: j, Settings: func() broker.Behaviour { return *w.behaviour.Load() }, OnWaiting: w.announced.hear}
	if w.more != nil {
		w.more(&o)
	}
	b, err := broker.New(o)
	must(w.tb, err)
	w.desk = desk{Seat: b.Seat(), journal: j, stop: func() {}}
}

func (w *world) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	b := w.Broker
	go func() {
		defer close(done)
		b.Run(ctx)
	}()
	w.stop = func() {
		cancel()
		<-done
	}
}

// end stops the broker, then the journal, as the daemon does.
func (w *world) end() {
	w.disk.heal()
	w.stop()
	if err := w.journal.Close(); err != nil {
		w.tb.Error(err)
	}
}

// restart is the next life over the same file.
func (w *world) restart() {
	w.tb.Helper()
	w.end()
	w.start()
}

// disk is where commits wait or fail.
type disk struct {
	mu    sync.Mutex
	held  map[string]chan struct{}
	fails map[string]bool
}

// at is the journal's failpoint. A panic before the commit fails the transaction.
func (d *disk) at(step string) {
	d.mu.Lock()
	held, fails := d.held[step], d.fails[step]
	d.mu.Unlock()
	if held != nil {
		<-held
	}
	if fails {
		panic("no space left on device")
	}
}

// hold keeps commits back before step until release.
func (d *disk) hold(step string) (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held == nil {
		d.held = map[string]chan struct{}{}
	}
	gate := make(chan struct{})
	d.held[step] = gate
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.held[step] == gate {
			delete(d.held, step)
			close(gate)
		}
	}
}

// fail makes every transaction fail that reaches step, until heal.
func (d *disk) fail(step string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails == nil {
		d.fails = map[string]bool{}
	}
	d.fails[step] = true
}

func (d *disk) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = nil
	for step, gate := range d.held {
		delete(d.held, step)
		close(gate)
	}
}

// note is one notification.
type note struct {
	method string
	params any
}

// peer keeps what a connection was told.
type peer struct {
	mu    sync.Mutex
	notes []note
}

func (p *peer) Notify(method string, params any) {
	p.mu.Lock()
	p.notes = append(p.notes, note{method, params})
	p.mu.Unlock()
}

// told gives the notifications of a method, oldest first; an empty method gives all.
func (p *peer) told(method string) []note {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []note
	for _, n := range p.notes {
		if method == "" || n.method == method {
			out = append(out, n)
		}
	}
	return out
}

func (p *peer) methods() []string {
	var out []string
	for _, n := range p.told("") {
		out = append(out, n.method)
	}
	return out
}

// answer is a reply that comes once.
type answer struct {
	tb    testing.TB
	what  string
	count atomic.Int32
	got   chan struct{}
	value any
	err   error
}

func newAnswer(tb testing.TB, what string) *answer {
	return &answer{tb: tb, what: what, got: make(chan struct{})}
}

func (a *answer) reply(value any, err error) {
	if n := a.count.Add(1); n > 1 {
		a.tb.Errorf("%s got %d replies", a.what, n)
		return
	}
	a.value, a.err = value, err
	close(a.got)
}

func (a *answer) done(err error) { a.reply(nil, err) }

func (a *answer) wait() (any, error) {
	a.tb.Helper()
	select {
	case <-a.got:
		return a.value, a.err
	case <-time.After(patience):
		a.tb.Fatalf("%s got no reply", a.what)
		return nil, nil
	}
}

func (a *answer) open() bool {
	select {
	case <-a.got:
		return false
	default:
		return true
	}
}

// outcome waits for a tool's outcome.
func (a *answer) outcome() *tool.Outcome {
	a.tb.Helper()
	v, err := a.wait()
	if err != nil {
		a.tb.Fatalf("%s: %v", a.what, err)
	}
	return v.(*tool.Outcome)
}

// refused waits for an error of a kind.
func (a *answer) refused(kind broker.Kind) *broker.Error {
	a.tb.Helper()
	v, err := a.wait()
	var be *broker.Error
	if !errors.As(err, &be) || be.Kind != kind {
		a.tb.Fatalf("%s gave %v, %v; want an error %s", a.what, v, err, kind)
	}
	return be
}

// client is one connection with its peer.
type client struct {
	*broker.Client
	*peer
	w *world
}

func (w *world) connect(name string) *client {
	p := &peer{}
	return &client{Client: w.Connect(p, name), peer: p, w: w}
}

// session connects a client that opens a session without branches.
func (w *world) session(id string) *client {
	w.tb.Helper()
	c := w.connect("probe")
	c.open(broker.SessionInfo{ID: id})
	return c
}

func (c *client) open(info broker.SessionInfo) broker.Opened {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "session.open")
	c.OpenSession(info, a.reply)
	v, err := a.wait()
	must(c.w.tb, err)
	return v.(broker.Opened)
}

func (c *client) closeSession() {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "session.close")
	c.CloseSession(a.reply)
	_, err := a.wait()
	must(c.w.tb, err)
}

const dbForm = `{"questions":[{"id":"db","prompt":"Which database?","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]}]}`

const choosePostgres = `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`

func id(n int) string { return fmt.Sprintf("8f14e45f-ceea-467f-a8d3-%012d", n) }

// call asks a form under request id n and tool call id t<n>.
func (c *client) call(n int, arguments string) *answer {
	a := newAnswer(c.w.tb, "tool.call "+id(n))
	c.Call(broker.CallParams{Tool: ask.ToolAskUser, Arguments: json.RawMessage(arguments), RequestID: id(n), ToolCallID: fmt.Sprintf("t%d", n)}, a.reply)
	return a
}

// ask asks a form and waits until it is accepted.
func (c *client) ask(n int) *answer {
	c.w.tb.Helper()
	a := c.call(n, dbForm)
	c.accepted(n)
	return a
}

// accepted waits for ask.accepted of request n.
func (c *client) accepted(n int) broker.Accepted {
	c.w.tb.Helper()
	var got broker.Accepted
	until(c.w.tb, "ask.accepted of "+id(n), func() bool {
		for _, m := range c.told("ask.accepted") {
			if got = m.params.(broker.Accepted); got.RequestID == id(n) {
				return true
			}
		}
		return false
	})
	return got
}

func (c *client) await(n int) *answer {
	a := newAnswer(c.w.tb, "tool.await "+id(n))
	c.Await(id(n), a.reply)
	return a
}

// abort gives the state that tool.abort answers.
func (c *client) abort(n int, reason string) *answer {
	a := newAnswer(c.w.tb, "tool.abort "+id(n))
	c.Abort(broker.AbortParams{RequestID: id(n), Reason: reason}, a.reply)
	return a
}

func (a *answer) state() string {
	a.tb.Helper()
	v, err := a.wait()
	must(a.tb, err)
	var s struct{ State string }
	must(a.tb, json.Unmarshal(encode(a.tb, v), &s))
	return s.State
}

func (c *client) respondWith(p broker.RespondParams) *answer {
	a := newAnswer(c.w.tb, "form.respond")
	c.Respond(p, a.reply)
	return a
}

func (c *client) respond(n int, response string) *answer {
	return c.respondWith(broker.RespondParams{RequestID: id(n), Response: json.RawMessage(response)})
}

func (a *answer) responded() broker.Responded {
	a.tb.Helper()
	v, err := a.wait()
	must(a.tb, err)
	return v.(broker.Responded)
}

// choose answers form n with Postgres.
func (c *client) choose(n int) {
	c.w.tb.Helper()
	if r := c.respond(n, choosePostgres).responded(); !r.OK {
		c.w.tb.Fatalf("answer of %s refused: %+v", id(n), r)
	}
}

func (c *client) ack(n int, outcome string) *answer {
	a := newAnswer(c.w.tb, "delivery.ack "+id(n))
	c.Ack(broker.AckParams{RequestID: id(n), OutcomeID: outcome}, a.reply)
	return a
}

// settle waits until everything that was posted to the broker before has run.
func (c *client) settle() broker.Report {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "daemon.status")
	c.Report(a.reply)
	v, err := a.wait()
	must(c.w.tb, err)
	return v.(broker.Report)
}

func (c *client) queue() []broker.RequestSummary {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "queue.list")
	c.QueueList(broker.ListParams{}, a.reply)
	v, err := a.wait()
	must(c.w.tb, err)
	var l struct{ Requests []broker.RequestSummary }
	must(c.w.tb, json.Unmarshal(encode(c.w.tb, v), &l))
	return l.Requests
}

// entry waits for a snapshot in which form n of a session fits; nil stands for a form that is not pending.
func (w *world) entry(session string, n int, what string, fits func(*broker.Entry) bool) *broker.Entry {
	w.tb.Helper()
	var found *broker.Entry
	until(w.tb, what, func() bool {
		found = nil
		for _, e := range w.Snapshot().Entries {
			if e.Key() == (ask.Key{Session: session, Request: id(n)}) {
				found = e
			}
		}
		return fits(found)
	})
	return found
}

func key(session string, n int) ask.Key { return ask.Key{Session: session, Request: id(n)} }

// first is a person's choice of the first option.
var first = ask.Response{Choices: []ask.Choice{{Selected: []int{0}}}}

func (w *world) submit(session string, n int) *answer {
	a := newAnswer(w.tb, "submit "+id(n))
	w.Submit(key(session, n), first, a.done)
	return a
}

// stored gives what the file says of a request.
func (w *world) stored(session string, n int) (ask.Record, bool) {
	w.tb.Helper()
	rec, ok, err := w.journal.Find(key(session, n))
	must(w.tb, err)
	return rec, ok
}

func until(tb testing.TB, what string, fits func() bool) {
	tb.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !fits() {
		select {
		case <-tick.C:
		case <-deadline.C:
			tb.Fatalf("waited %s for %s", patience, what)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func encode(tb testing.TB, v any) []byte {
	tb.Helper()
	raw, err := json.Marshal(v)
	must(tb, err)
	return raw
}

func text(o *tool.Outcome) string { return o.Content[0].Text }
