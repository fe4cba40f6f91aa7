package broker

import (
	"slices"
	"time"

	"askd/broker/ask"
)

// Peer is the other end of a client's connection. Notify never blocks: a peer that does not read is cut off by its
// connection, not waited for.
type Peer interface {
	Notify(method string, params any)
}

// Client is one connection. Connect makes it; its fields belong to the broker's goroutine.
type Client struct {
	b       *Broker
	peer    Peer
	name    string
	info    SessionInfo
	session *session
	closed  bool
}

// Connect registers a client that has completed initialize.
func (b *Broker) Connect(p Peer, name string) *Client {
	c := &Client{b: b, peer: p, name: name}
	b.post(func(d *desk) { d.clients[c] = struct{}{} })
	return c
}

// Disconnect forgets a client whose connection has ended. Its open calls stay on the desk; their askers count as gone.
func (c *Client) Disconnect() {
	c.b.post(func(d *desk) {
		c.closed = true
		delete(d.clients, c)
		delete(d.watchers, c)
		d.leave(c)
	})
}

// session is what the desk knows of one session of an asker.
type session struct {
	id        string
	info      SessionInfo
	primary   *Client
	secondary []*Client
	deferred  bool
	since     time.Time     // of the first connection
	lastAsked time.Time     // zero: not since askd started
	lastTook  time.Duration // of the last answered form
	told      []byte        // the session.state last sent
	items     int           // on the desk, ended ones included
	pending   int           // of those, the queued ones
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
	d.abandon(c)
	s.secondary = slices.DeleteFunc(s.secondary, func(o *Client) bool { return o == c })
	if s.primary == c {
		s.primary = nil
		for _, o := range s.secondary {
			o.peer.Notify("session.stale", struct{}{})
		}
	}
	d.forget(s)
	d.dirty = true
}

// abandon marks what a client held as having no asker. The requests themselves stay: only an abort or a person ends them.
func (d *desk) abandon(c *Client) {
	for _, it := range d.items {
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
	for k, it := range d.items {
		if k.Session == c.session.id && toolCallID != "" && it.req.ToolCallID == toolCallID {
			return it
		}
	}
	return nil
}
