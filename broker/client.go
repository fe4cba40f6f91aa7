package broker

import (
	"slices"
	"sync/atomic"
	"time"

	"askd/broker/ask"
)

// Peer is the other end of a client's connection. Notify never blocks: a peer that does not read is cut off by its
// connection, not waited for.
type Peer interface {
	Notify(method string, params any)
}

// Client is one connection. Connect makes it; its fields belong to the broker's goroutine where they do not say otherwise.
type Client struct {
	b       *Broker
	peer    Peer
	name    string
	info    SessionInfo
	session *session
	closed  bool
	asker   atomic.Pointer[asker] // any goroutine
	unkept  atomic.Int64          // calls that are not on disk yet; any goroutine
	keeping int                   // of those, the ones that the desk has taken
	turns   []turn                // messages that wait for them
	from    Origin                // set before the first event and never changed

	answered recent[said]   // what calls were told last on this connection, by request
	called   recent[string] // the requests of tool calls on this connection
	started  map[string]int // by request: the epoch in which this connection was told that its form started
}

// said is what a call has been told on a connection.
type said int

const (
	saidNothing     said = iota // an error: the call goes on
	saidOutcome                 // its outcome or its receipt
	saidInterrupted             // that its form was closed
)

// Connect registers a client of this machine and user that has completed initialize.
func (b *Broker) Connect(p Peer, name string) *Client { return b.ConnectFrom(p, name, Origin{}) }

// ConnectFrom registers a client of which more is known than it says itself.
func (b *Broker) ConnectFrom(p Peer, name string, from Origin) *Client {
	c := &Client{b: b, peer: p, name: name, from: from, started: map[string]int{}}
	b.post(func(d *desk) { d.clients[c] = struct{}{} })
	return c
}

// Disconnect forgets a client whose connection has ended, once what came on it has had its effect. Its open calls stay on the
// desk; their askers count as gone.
func (c *Client) Disconnect() {
	c.send(func(any, error) {}, func(d *desk) {
		c.closed = true
		delete(d.clients, c)
		delete(d.watchers, c)
		d.leave(c)
	})
}

// session is what the desk knows of one session of an asker.
type session struct {
	id         string
	info       SessionInfo
	primary    *Client
	secondary  []*Client
	deferred   bool
	branch     *branch       // of the last session.open; kept while the session is away
	wait       *wait         // the running wait, if any
	mode       *bool         // backgroundOnly as its client applied it; nil means the setting decides
	since      time.Time     // of the first connection
	lastAsked  time.Time     // zero: not since askd started
	lastTook   time.Duration // of the last answered form
	opening    int           // session.opens that have not placed everything yet: nothing goes out meanwhile
	opened     int           // session.opens so far: the newest counts
	told       []byte        // the session.state last sent
	tally      tally         // for the next one
	own        []*item       // on the desk, ended ones included, in the order asked
	pending    int           // of those, the queued ones
	background int           // of those, the background ones
	legacy     legacyState   // of earlier releases
	quiet      time.Time     // until when it does not disturb the person, as it was told last; zero when it may
	hue        int           // its colour; 0 until something of it is queued
	lastWait   AbortParams   // ids of the wait that was answered last, whose delivery may still be aborted
}

// count keeps the numbers of queued items; the hidden mark goes with the last background form.
func (s *session) count(it *item, n int) {
	s.pending += n
	if it.req.Background {
		if s.background += n; s.background == 0 {
			s.deferred = false
		}
	}
}

// clients gives every connection of the session.
func (s *session) clients() []*Client {
	if s.primary == nil {
		return s.secondary
	}
	return append([]*Client{s.primary}, s.secondary...)
}

// leave takes a client out of its session. What it held counts as unattended.
func (d *desk) leave(c *Client) {
	s := c.session
	if s == nil {
		return
	}
	c.session = nil
	c.answered, c.called = recent[said]{}, recent[string]{}
	clear(c.started)
	d.abandon(s, c)
	d.unite(s, c, nil)
	d.releaseClaims(s, c)
	if s.wait != nil && s.wait.client == c {
		s.dropWait()
	}
	s.secondary = slices.DeleteFunc(s.secondary, func(o *Client) bool { return o == c })
	if s.primary == c {
		s.primary = nil
		d.left(s)
		d.parkForks()
		for _, o := range s.secondary {
			o.peer.Notify("session.stale", struct{}{})
		}
	}
	d.withdrawEphemeral(s)
	d.forget(s)
	d.dirty = true
}

// left marks a session's background forms: nobody would hear of their outcomes now. (A foreground form goes with its call.)
func (d *desk) left(s *session) {
	for _, it := range s.own {
		if it.req.Background {
			it.gone = d.now()
		}
	}
	d.touch(s)
}

// apart reports whether a client is a second process of a session with branches: it stands on one of its own.
func (s *session) apart(c *Client) bool { return s.branch != nil && s.primary != c }

// unite gives what a second process has asked back to the session, but for what it still lacks on a branch of its own:
// from now on the open branch decides about it.
func (d *desk) unite(s *session, c *Client, own *branch) {
	for _, it := range s.all() {
		if it.apart == c && (own == nil || !own.has(it.req.ID) || own.closed(it.req.ID, it.req.ToolCallID)) {
			it.apart = nil
			d.place(s, it)
		}
	}
}

// withdrawEphemeral ends what a session without a file asked in the background: nobody can ever be told of it.
func (d *desk) withdrawEphemeral(s *session) {
	if !s.info.Ephemeral || len(s.clients()) > 0 {
		return
	}
	for _, it := range s.all() {
		switch {
		case it.req.Background && it.state == pending:
			d.interrupt(it, ask.Withdrawn)
		case it.state == ended:
			d.deliver(it)
		}
	}
}

// abandon marks what a client held as having no asker. The requests themselves stay: only an abort or a person ends them.
func (d *desk) abandon(s *session, c *Client) {
	d.closeDialogs(func(open *dialogue) bool { return open.client == c })
	d.abandonBut(s, c, nil)
}

// abandonBut leaves out the calls that the client says it still runs.
func (d *desk) abandonBut(s *session, c *Client, running []OpenCall) {
	for _, it := range s.all() {
		if slices.ContainsFunc(running, func(o OpenCall) bool { return o.RequestID == it.req.ID }) {
			continue
		}
		it.calls = slices.DeleteFunc(it.calls, func(w call) bool {
			if w.client == c {
				w.reply(nil, errLeft) // the connection may live on, and every request gets a reply
			}
			return w.client == c
		})
		if it.owner == c {
			it.owner, it.gone, it.entry = it.holder(), d.now(), nil
			d.dirty = true
		}
	}
}

// item finds a request of the client's own session.
func (d *desk) item(c *Client, requestID, toolCallID string) *item {
	if c.session == nil {
		return nil
	}
	if requestID != "" {
		return d.items[ask.Key{Session: c.session.id, Request: requestID}]
	}
	for _, it := range c.session.own {
		if toolCallID != "" && it.req.ToolCallID == toolCallID {
			return it
		}
	}
	return nil
}
