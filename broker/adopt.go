package broker

import (
	"slices"

	"github.com/google/uuid"

	"askd/broker/ask"
)

func bySerial(items []*item) {
	slices.SortFunc(items, func(a, b *item) int { return int(int64(a.serial) - int64(b.serial)) })
}

// adopt brings the requests of a branch on to the desk: from the history, or as copies of what a fork inherited. then gets
// the ids that nobody has ever stored, once everything adopted is on disk.
func (d *desk) adopt(s *session, then func(unknown []string)) {
	unknown := []string{}
	left := 1
	done := func() {
		if left--; left == 0 {
			then(unknown)
		}
	}
	if s.branch != nil {
		for _, id := range s.branch.asked {
			if !d.wanted(s, id) {
				continue
			}
			rec, from := d.seek(s, id)
			switch {
			case rec.Request == nil && !s.opens(id) && s.branch.callOf(id) == nil:
				unknown = append(unknown, id)
			case rec.Request == nil:
			case from == s.id:
				d.recall(s, rec)
			default:
				left++
				d.inherit(s, rec, done)
			}
		}
	}
	done()
}

// recognise puts on to the branch what askd has asked by itself for a call that had made no request of its own.
func (d *desk) recognise(s *session) {
	if s.branch == nil {
		return
	}
	for _, e := range s.branch.calls {
		if s.branch.askedBy(e.ToolCallID) != "" {
			continue
		}
		k := ask.Key{Session: s.id, Request: idOfCall(s.id, e.ToolCallID)}
		if it := d.items[k]; it != nil {
			s.branch.note(it.req) // perhaps still on its way to the disk
			continue
		}
		rec, ok, err := d.b.o.Store.Find(k)
		if err != nil {
			d.b.o.Log.Error("look up call", "call", e.ToolCallID, "err", err)
		}
		if ok {
			s.branch.note(rec.Request)
		}
	}
}

// idOfCall is the id of the request that askd makes for a call. The session file does not know it, so it is the same every
// time: what the person has done with the form comes back.
func idOfCall(session, toolCall string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("askd:"+session+"\x00"+toolCall)).String()
}

// wanted reports whether a request of the branch is not on the desk and matters there.
func (d *desk) wanted(s *session, id string) bool {
	return d.items[ask.Key{Session: s.id, Request: id}] == nil && !s.branch.closed(id, s.branch.on[id].ToolCallID)
}

// callOf is the unresolved foreground call behind a request, nil when there is none: such a call is asked again from its
// own arguments.
func (b *branch) callOf(id string) *BranchEvent {
	a := b.on[id]
	for i := range b.calls {
		if !a.Background && a.ToolCallID != "" && b.calls[i].ToolCallID == a.ToolCallID {
			return &b.calls[i]
		}
	}
	return nil
}

// seek looks a request up in the session and in those it was forked from.
func (d *desk) seek(s *session, id string) (ask.Record, string) {
	for _, from := range append([]string{s.id}, s.info.ancestors()...) {
		rec, ok, err := d.b.o.Store.Find(ask.Key{Session: from, Request: id})
		if err != nil {
			d.b.o.Log.Error("look up request", "request", id, "err", err)
		}
		if ok {
			return rec, from
		}
	}
	return ask.Record{}, ""
}

// ancestors are the sessions that this one was forked from, nearest first.
func (i SessionInfo) ancestors() []string {
	if i.ParentSession == "" {
		return i.Ancestors
	}
	return append([]string{i.ParentSession}, i.Ancestors...)
}

// recall brings a request back from the session's history when the branch lacks its outcome.
func (d *desk) recall(s *session, rec ask.Record) {
	it := itemOf(rec, d.now())
	switch where, _ := s.branch.place(it.req, it.outcomes); where {
	case placePending, placeUndelivered:
		it.parked = true // until it is placed
		d.put(it)
	}
}

// inherit makes a fork's own copy of a request. The parent's outcome comes along only when the fork's branch names it.
func (d *desk) inherit(s *session, rec ask.Record, done func()) {
	r := *rec.Request
	r.Session = s.id
	it := &item{req: &r, draft: rec.Draft, gone: d.now()}
	d.put(it)
	var o *ask.Outcome
	for _, parents := range itemOf(rec, d.now()).outcomes {
		if s.branch.completed[r.ID] == parents.ID && parents.Kind != ask.Interrupted {
			copied := *parents
			copied.Session, o = s.id, &copied
		}
	}
	d.b.o.Store.AppendRequest(&r, func(err error) {
		d.b.post(func(d *desk) {
			d.inherited(it, o, err, done)
		})
	})
	if rec.Draft != nil {
		d.b.o.Store.SaveDraft(r.Key(), rec.Draft, func(error) {})
	}
}

// inherited goes on once the copy is on disk. An outcome has to be there too before the fork may be told of it.
func (d *desk) inherited(it *item, o *ask.Outcome, err error, done func()) {
	if kept := d.kept(it, err); !kept || o == nil {
		if kept {
			d.placeLate(it)
		}
		done()
		return
	}
	d.dequeue(it)
	it.state = settling
	d.b.o.Store.AppendOutcome(o, func(err error) {
		d.b.post(func(d *desk) {
			if err != nil {
				it.state = pending
				d.enqueue(it)
				d.failed("an inherited answer could not be stored; its form is open again", it, err)
			} else {
				it.state, it.outcome, it.outcomes = ended, o, []*ask.Outcome{o}
			}
			d.placeLate(it)
			done()
		})
	})
}
