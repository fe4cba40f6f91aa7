package broker

import (
	"fmt"
	"slices"

	"askd/broker/ask"
)

// open makes a session's branch the one that counts (PROTOCOL, session.open): what is on it comes back, what is not is
// parked, and outcomes that its transcript lacks go out.
func (d *desk) open(c *Client, info SessionInfo, legacy *legacyBook, reply Reply) {
	if c.session != nil && c.session.id != info.ID {
		d.leave(c)
	}
	s := d.session(info.ID)
	if c.session == s {
		if info.Epoch > c.info.Epoch {
			d.abandonBut(s, c, info.OpenCalls) // a result for an earlier epoch would go nowhere
		}
		info = c.told(info)
	}
	c.info, c.session = info, s
	if s.since.IsZero() {
		s.since = d.now()
	}
	if d.takeRole(s, c) == "secondary" {
		d.unite(s, c, newBranch(info))
		d.touch(s)
		reply(Opened{Role: "secondary", Pending: []RequestSummary{}, Undelivered: []OutcomeRef{}, Unknown: []string{}, Settings: d.b.o.Public(), Remote: c.remote()}, nil)
		return
	}
	s.info, s.told, s.branch = info, nil, newBranch(info)
	d.unite(s, c, nil)
	if s.branch != nil {
		s.deferred = s.branch.hidden
	}
	d.endClaims(s, c)
	d.recognise(s)
	d.opening[&reply] = struct{}{}
	s.opening++
	s.opened++
	turn := s.opened
	newest := func() bool { return c.session == s && s.primary == c && turn == s.opened }
	settle := func(unknown []string) {
		delete(d.opening, &reply)
		s.opening--
		if !newest() {
			reply(nil, &Error{Kind: Conflict, Message: "the session was opened again meanwhile"})
			d.deliverAll(s, d.undelivered(s))
			return
		}
		d.settleSession(s, c, unknown, reply)
	}
	d.importLegacy(s, legacy, func() {
		if !newest() {
			settle(nil)
			return
		}
		d.adopt(s, func(unknown []string) {
			if !newest() {
				settle(nil)
				return
			}
			d.askMissing(s, resumable(c.info), func() { settle(unknown) })
		})
	})
}

// told is what a client says of its session with what it has been told meanwhile on the connection that made the calls: a
// reply that has gone out there will be read, whatever the client knew when it wrote. An interrupted call's own result
// stands on the branch as soon as it has.
func (c *Client) told(info SessionInfo) SessionInfo {
	open := info.OpenCalls
	info.OpenCalls = nil
	for _, o := range open {
		switch c.answered.of(o.RequestID) {
		case saidNothing:
			info.OpenCalls = append(info.OpenCalls, o)
		case saidInterrupted:
			if info.Branch != nil {
				info.Branch = append(slices.Clone(info.Branch), BranchEvent{Type: "delivered", RequestID: o.RequestID, How: "aborted"})
			}
		case saidOutcome:
		}
	}
	return info
}

// settleSession places every request of the session on its branch, answers session.open and sends what is undelivered.
func (d *desk) settleSession(s *session, c *Client, unknown []string, reply Reply) {
	d.placeAll(s)
	if resumable(c.info) {
		d.resume(s)
	}
	d.tellRestarted(s, c)
	d.parkForks()
	d.touch(s)
	o := Opened{Role: "primary", Pending: []RequestSummary{}, Undelivered: []OutcomeRef{}, Unknown: unknown, Settings: d.b.o.Public(), Remote: c.remote()}
	if !asksHere(c.info) {
		o.Unknown = []string{}
		reply(o, nil)
		return
	}
	o.Pending = d.summaries(func(it *item) bool { return it.req.Session == s.id && it.state == pending })
	ready := d.undelivered(s)
	for _, it := range ready {
		o.Undelivered = append(o.Undelivered, OutcomeRef{it.req.ID, it.outcome.ID})
	}
	reply(o, nil)
	d.deliverAll(s, ready)
}

// resumable reports whether a session's newest interrupted form is shown again (contract, "Interrupted ask resume").
func resumable(info SessionInfo) bool {
	return info.UI == "tui" && (info.Reason == "startup" || info.Reason == "resume" || info.Reason == "fork")
}

// all gives a session's items in the order asked; the caller may take items off the desk meanwhile.
func (s *session) all() []*item { return slices.Clone(s.own) }

// placeAll puts every item of a session where the branch has it.
func (d *desk) placeAll(s *session) {
	for _, it := range s.all() {
		d.place(s, it)
	}
}

// place puts one item where the branch has it.
func (d *desk) place(s *session, it *item) {
	if it.late = it.state == committing || it.state == settling; it.late {
		return
	}
	if it.apart != nil {
		return // its own process has another branch
	}
	it.entry, d.dirty = nil, true
	open := s.opens(it.req.ID)
	where, outcome := s.branch.place(it.req, it.outcomes)
	switch {
	case open:
		it.orphan, it.resumed = false, false
		d.park(it, false)
	case where == placeParked:
		d.park(it, true)
	case where == placeQuiet || where == placeAborted:
		d.quieten(it)
	case where == placePending:
		d.reopen(it)
		d.park(it, false)
		d.orphan(s, it)
	default:
		d.dequeue(it)
		it.state, it.outcome, it.parked = ended, outcome, false
		it.orphan = !it.req.Background
	}
}

// placeLate places an item that has reached the disk, if its session was opened meanwhile: its branch may be another one.
// A session that was left meanwhile may have been forked.
func (d *desk) placeLate(it *item) {
	s := d.session(it.req.Session)
	if it.late {
		d.place(s, it)
		d.deliverAll(s, d.undelivered(s))
	}
	if s.primary == nil {
		d.parkForks()
	}
}

// opens reports whether the session's process still runs the call of a request.
func (s *session) opens(id string) bool {
	for _, o := range s.info.OpenCalls {
		if o.RequestID == id {
			return true
		}
	}
	return false
}

// closeCall notes that a call which the process still ran has got its reply.
func (s *session) closeCall(id string) {
	s.info.OpenCalls = slices.DeleteFunc(slices.Clone(s.info.OpenCalls), func(o OpenCall) bool { return o.RequestID == id })
}

// orphan marks a foreground request that no call waits for any more.
func (d *desk) orphan(s *session, it *item) {
	if !it.req.Background && it.owner == nil {
		it.orphan, it.resumed = true, false
	}
}

// park takes a pending item out of the queue, or puts it back.
func (d *desk) park(it *item, on bool) {
	if it.parked == on {
		return
	}
	it.parked, it.entry = on, nil
	d.release(it, ErrNotPending)
	if it.state != pending {
		return
	}
	if on {
		d.dequeue(it)
	} else {
		d.enqueue(it)
	}
}

// quieten closes what the transcript says is over. A request that waits for another branch is kept for that one.
func (d *desk) quieten(it *item) {
	switch {
	case it.state == ended:
		d.deliver(it)
	case len(it.outcomes) > 0:
		d.park(it, true)
	default:
		it.parked = false
		d.interrupt(it, ask.Interrupted)
	}
}

// reopen makes a request wait again on a branch that lacks its answer. Its earlier outcomes are kept for theirs.
func (d *desk) reopen(it *item) {
	if it.state != ended {
		return
	}
	it.state, it.outcome, it.claim = pending, nil, nil
	it.owner, it.gone = nil, d.now() // the call that asked has had its answer
	it.parked = true                 // until it is put into the queue
	k := it.req.Key()
	d.b.o.Store.AppendReopened(k, func(err error) {
		if err != nil {
			d.b.o.Log.Error("append reopened", "request", k.Request, "err", err)
		}
	})
}

// parkForks parks what a closed session has in common with an open fork of it, or with a fork of a fork, so that one
// question stands once.
func (d *desk) parkForks() {
	for _, fork := range d.sessions {
		for _, id := range fork.info.ancestors() {
			if parent := d.sessions[id]; parent != nil && parent.primary == nil {
				d.parkForked(parent)
			}
		}
	}
}

func (d *desk) parkForked(parent *session) {
	for _, it := range parent.all() {
		if it.state == pending && it.apart == nil {
			d.park(it, d.copied(it) || !parent.branch.has(it.req.ID))
		}
	}
}

// copied reports whether an open fork has its own copy of the item.
func (d *desk) copied(it *item) bool {
	for _, s := range d.sessions {
		if s.primary != nil && slices.Contains(s.info.ancestors(), it.req.Session) && d.items[ask.Key{Session: s.id, Request: it.req.ID}] != nil {
			return true
		}
	}
	return false
}

// newest is the newest unresolved foreground call of the branch, nil for none. Where no event says that its call has no result,
// as in a session without branches, the request itself says so.
func (d *desk) newest(s *session, again asksAgain) *item {
	for _, e := range slices.Backward(s.branch.unanswered()) {
		if s.branch.dismissed[e.ToolCallID] || e.ParentToolCallID != "" {
			continue
		}
		if it := d.unresolved(s, e, again); it != nil {
			return it
		}
	}
	for _, it := range slices.Backward(s.own) {
		if it.orphan && it.state == pending && !it.parked && !s.branch.nests(it.req) {
			return it
		}
	}
	return nil
}

// resume shows the newest unresolved foreground call of the branch again. What had to be asked anew for that is on disk.
func (d *desk) resume(s *session) {
	if it := d.newest(s, neverAgain); it != nil {
		d.resumeItem(s, it)
	}
}

func (d *desk) resumeItem(s *session, it *item) {
	if it.state == ended {
		return // its answer is on its way
	}
	it.resumed, it.entry, d.dirty = true, nil, true
	d.tellStarted(s.primary, it)
	s.primary.peer.Notify("notify", notice{"info", fmt.Sprintf("Reopening unanswered %s form: %d question(s).", it.req.Tool, len(it.req.Questions))})
}

type notice struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}
