package broker

import (
	"fmt"
	"slices"

	"askd/broker/ask"
	"askd/broker/tool"
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
		d.adopt(s, settle)
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
	for _, it := range s.all() {
		d.place(s, it)
	}
	d.askMissing(s)
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

// askMissing asks the foreground calls of the branch that askd has never stored anew, from their own arguments. They wait
// as interrupted ones; resume picks the one that is shown.
func (d *desk) askMissing(s *session) {
	if s.branch == nil || !asksHere(s.info) {
		return
	}
	for _, e := range s.branch.calls {
		if id := s.branch.askedBy(e.ToolCallID); id != "" {
			d.unresolved(s, e)
		}
	}
}

// resume shows the newest unresolved foreground call of the branch again, asking it anew from its own arguments when
// askd has never stored it.
func (d *desk) resume(s *session) {
	if s.branch == nil {
		return
	}
	for i := len(s.branch.calls) - 1; i >= 0; i-- {
		e := s.branch.calls[i]
		if s.branch.dismissed[e.ToolCallID] || e.ParentToolCallID != "" {
			continue
		}
		if it := d.unresolved(s, e); it != nil {
			d.resumeItem(s, it)
			return
		}
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

// unresolved is the item behind an unresolved call; nil when the call is a background one, still runs, is over, or cannot
// be asked.
func (d *desk) unresolved(s *session, e BranchEvent) *item {
	id := s.branch.askedBy(e.ToolCallID)
	if id == "" {
		return d.askAgain(s, e, idOfCall(s.id, e.ToolCallID))
	}
	if a := s.branch.on[id]; a.Background || a.ParentToolCallID != "" || s.opens(id) || s.branch.closed(id, e.ToolCallID) {
		return nil
	}
	if it := d.items[ask.Key{Session: s.id, Request: id}]; it != nil {
		if it.orphan {
			return it
		}
		return nil
	}
	return d.askAgain(s, e, id)
}

// askAgain stores a call that askd does not know, from its arguments; nil when they are not valid.
func (d *desk) askAgain(s *session, e BranchEvent, id string) *item {
	t, ok := tool.Lookup(e.Tool)
	if !ok {
		return nil
	}
	p, at := d.savedForm(s, e.ToolCallID)
	if p == nil {
		var err error
		p, err = t.Parse(e.Arguments, tool.Env{PresentSingleAsMulti: d.b.o.Settings().PresentSingleAsMulti})
		if err != nil || len(p.Issues) > 0 || p.Background {
			return nil
		}
	}
	call := CallParams{Tool: e.Tool, Arguments: e.Arguments, RequestID: id, ToolCallID: e.ToolCallID}
	it := &item{req: d.request(s.primary, call, p), orphan: true}
	if !at.IsZero() {
		it.req.CreatedAt = at.UTC()
	}
	it.req.Background = false
	if t.Prompted {
		// What it was opened with is gone with the journal, and the desk reads no file.
		promptOf(questionWithoutFile("", s.info.Env)).open(it.req)
	}
	d.put(it)
	s.branch.note(it.req)
	d.b.o.Store.AppendRequest(it.req, func(err error) {
		d.b.post(func(d *desk) {
			if d.kept(it, err) {
				d.placeLate(it)
			}
		})
	})
	return it
}

// kept puts a request that nobody waits for into the queue once it is on disk; it reports whether it is.
func (d *desk) kept(it *item, err error) bool {
	if err != nil {
		d.remove(it)
		d.failed("a question could not be stored", it, err)
		return false
	}
	it.state, it.parked = pending, false // placeLate parks it where it has to be
	d.enqueue(it)
	return true
}
