package broker

import (
	"bytes"
	"slices"

	"askd/broker/ask"
)

// snapshot is the desk as it stands, for everyone outside the broker's goroutine.
func (d *desk) snapshot() *Snapshot {
	d.serial++
	s := &Snapshot{Serial: d.serial, Recent: slices.Clone(d.recent), Quiet: d.hush.now.without(d.now()), Entries: d.entries()}
	if d.fault != "" {
		s.Notices = append(s.Notices, d.fault)
	}
	s.Cancelling = slices.Clip(d.cancelling)
	for _, id := range d.connected() {
		s.Sessions = append(s.Sessions, d.view(d.sessions[id]))
	}
	return s
}

// entries lists what waits. As long as the queue only grows at its end, a snapshot takes the list of the one before: with
// many askers and a long queue it would cost more than all else to make it anew.
func (d *desk) entries() []*Entry {
	added := slices.Values(d.grown)
	anew := d.dirty || d.stale
	if anew {
		d.shown, d.cancelling, added = make([]*Entry, 0, d.queue.len()), nil, d.queue.all()
	}
	for it := range added {
		if d.elsewhere(it) {
			continue
		}
		if e := d.entry(it); it.held != nil {
			d.cancelling = append(d.cancelling, e)
		} else {
			d.shown = append(d.shown, e)
		}
	}
	if anew {
		slices.SortStableFunc(d.cancelling, func(a, b *Entry) int { return a.CancelUntil.Compare(b.CancelUntil) })
	}
	return slices.Clip(d.shown) // what is behind is the next snapshot's
}

// connected gives the sessions with a live connection, the longest connected first.
func (d *desk) connected() []string {
	var ids []string
	for id, s := range d.sessions {
		if len(s.clients()) > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if c := d.sessions[a].since.Compare(d.sessions[b].since); c != 0 {
			return c
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	return ids
}

func (d *desk) entry(it *item) *Entry {
	if it.entry == nil {
		s := d.session(it.req.Session)
		it.entry = &Entry{
			Request: it.req, Status: it.status(s), SessionName: s.name(it.req.Asker), Hue: s.hue, AskerOnline: it.attended(s),
			ShownAt: it.shownAt, Draft: it.draft, Drafted: it.drafted, Settling: it.state == settling,
			Orphan: it.orphan, Awaited: it.req.Background && s.wait != nil, QuietUntil: d.hushed(it.req.Session),
		}
		if it.held != nil {
			it.entry.CancelUntil = it.held.until
		}
		if !it.entry.AskerOnline {
			it.entry.GoneSince = it.gone
		}
	}
	return it.entry
}

// attended reports whether the asker would hear of an outcome at once.
func (it *item) attended(s *session) bool {
	if it.req.Background || it.orphan {
		return s.primary != nil
	}
	return it.owner != nil && !it.owner.closed
}

func (d *desk) view(s *session) SessionView {
	return SessionView{
		ID: s.id, Name: s.name(ask.Asker{}), Agent: s.info.Agent.String(), Cwd: s.info.Cwd, Host: s.info.Host, GitBranch: s.info.GitBranch, Terminal: s.info.Terminal,
		Since: s.since, LastAsked: s.lastAsked, LastTook: s.lastTook, PendingNow: s.pending,
	}
}

// summaries lists the pending requests that keep accepts, in queue order.
func (d *desk) summaries(keep func(*item) bool) []RequestSummary {
	out := []RequestSummary{}
	i := 0
	for it := range d.queue.all() {
		i++
		if keep(it) {
			out = append(out, d.summary(it, i))
		}
	}
	return out
}

func (d *desk) summary(it *item, position int) RequestSummary {
	r, e := it.req, d.entry(it)
	s := RequestSummary{
		RequestID: r.ID, FlowID: r.FlowID(), Session: r.Session, SessionName: e.SessionName, Host: d.b.hostOf(r.Asker.Host), Tool: r.Tool, Title: r.Title, Subject: r.Subject(),
		Background: r.Background, Status: e.Status, CreatedAt: r.CreatedAt, Position: position, AskerOnline: e.AskerOnline, StandsStill: e.StandsStill(),
		Hue: e.Hue, QuestionIDs: []string{}, Labels: []string{}, Deadline: deadlineOf(r), Cancelling: it.held != nil,
	}
	if !it.shownAt.IsZero() {
		at := it.shownAt.UTC()
		s.ShownAt = &at
	}
	for _, q := range r.Questions {
		s.QuestionIDs = append(s.QuestionIDs, q.ID)
		s.Labels = append(s.Labels, q.Label)
	}
	return s
}

// ListParams are the parameters of queue.list.
type ListParams struct {
	Session string `json:"session"`
	All     bool   `json:"all"` // parked requests too, after the others
}

// QueueList gives the pending requests in queue order (PROTOCOL, queue.list).
func (c *Client) QueueList(p ListParams, reply Reply) {
	c.sendKept(reply, func(d *desk) { reply(d.list(p), nil) })
}

// parked lists what is kept without being shown; it has no place in the queue.
func (d *desk) parked(session string) []RequestSummary {
	var items []*item
	for _, it := range d.items {
		if it.parked && it.state == pending && (session == "" || it.req.Session == session) {
			items = append(items, it)
		}
	}
	bySerial(items)
	out := make([]RequestSummary, len(items))
	for i, it := range items {
		out[i] = d.summary(it, 0)
	}
	return out
}

type listed struct {
	Requests []RequestSummary `json:"requests"`
}

func (d *desk) list(p ListParams) listed {
	l := listed{d.summaries(func(it *item) bool { return p.Session == "" || it.req.Session == p.Session })}
	if p.All {
		l.Requests = append(l.Requests, d.parked(p.Session)...)
	}
	return l
}

// WatchParams are the parameters of queue.watch.
type WatchParams struct {
	All bool `json:"all"` // parked requests too, after the others
}

// QueueWatch gives the queue and subscribes to queue.changed in one step (PROTOCOL, queue.watch). The newest one of a client
// counts.
func (c *Client) QueueWatch(p WatchParams, reply Reply) {
	c.sendKept(reply, func(d *desk) {
		d.watchers[c] = p
		reply(d.list(ListParams{All: p.All}), nil)
	})
}

// Get gives a whole form as a client would draw it (PROTOCOL, request.get).
func (c *Client) Get(requestID, session string, reply Reply) {
	c.sendKept(reply, func(d *desk) {
		it, err := d.find(c, RespondParams{RequestID: requestID, Session: session})
		if err == nil && it == nil {
			it, err = d.stored(c, requestID, session)
		}
		switch {
		case err != nil:
			reply(nil, err)
		case it == nil:
			reply(nil, &Error{Kind: NotFound, Path: "requestId", Message: "no request " + requestID, Hint: "askctl queue lists what is pending"})
		default:
			// A form of many megabytes takes long to write, and anyone may ask for it again and again.
			f := Form{Request: it.req, Draft: it.draft, Outcome: it.outcome}
			c.b.o.Go("form", func() { reply(f, nil) })
		}
	})
}

// stored looks for a request that is no longer pending: in the named session, else the connection's own, else anywhere on
// the desk.
func (d *desk) stored(c *Client, requestID, session string) (*item, error) {
	k := ask.Key{Session: session, Request: requestID}
	if session == "" && c.session != nil {
		k.Session = c.session.id
	}
	it, err := d.lookup(k)
	if err != nil {
		return nil, storageError("look up request "+requestID, err)
	}
	if it != nil || session != "" {
		return it, nil
	}
	return one(d.named(requestID))
}

// named gives every session's items of that id.
func (d *desk) named(requestID string) []*item {
	var out []*item
	for k, it := range d.items {
		if k.Request == requestID {
			out = append(out, it)
		}
	}
	return out
}

// Whereabouts gives the *Terminal in which the connection's session runs, nil when that is unknown (PROTOCOL, pane.focus).
func (c *Client) Whereabouts(reply Reply) {
	c.send(reply, func(*desk) { reply(c.info.Terminal, nil) })
}

// Report gives the desk's part of daemon.status.
func (c *Client) Report(reply Reply) {
	c.send(reply, func(d *desk) { reply(d.report(), nil) })
}

func (d *desk) report() Report {
	r := Report{
		Pane: d.pane, Sessions: []SessionStatus{}, Counts: Counts{Pending: d.queue.len(), Records: d.b.o.Store.Records()},
		Quiet:   d.quietReport(),
		Latency: Latencies{Accepted: d.accepted.read(), Delivered: d.delivered.read()},
	}
	for _, it := range d.items {
		if it.state == ended {
			r.Counts.Undelivered++
		}
		if it.state == pending && d.entry(it).Status == Deferred {
			r.Counts.Deferred++
		}
	}
	for _, id := range d.connected() {
		r.Sessions = append(r.Sessions, d.sessionStatus(d.sessions[id])...)
	}
	return r
}

func (d *desk) sessionStatus(s *session) []SessionStatus {
	var out []SessionStatus
	for _, c := range s.clients() {
		role := "secondary"
		if c == s.primary {
			role = "primary"
		}
		out = append(out, SessionStatus{
			ID: s.id, Name: s.name(ask.Asker{}), Host: c.info.Host, Cwd: c.info.Cwd, Agent: c.info.Agent.String(), UI: c.info.UI, Role: role, Pending: s.pending,
		})
	}
	return out
}
