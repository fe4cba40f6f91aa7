package broker

import (
	"askd/broker/ask"
	"askd/broker/tool"
)

// Foreground calls that stand on a branch and that askd does not know, because its data file has gone or the program died before
// it could send them, are asked anew.

// askMissing asks the foreground calls of the branch that askd has never stored anew, from their own arguments. They wait
// as interrupted ones; where the newest is to be shown again, that may also be a call that had made no request yet. then runs
// when all of them are on disk, or certainly are not.
func (d *desk) askMissing(s *session, resumes bool, then func()) {
	left := 1
	done := func() {
		if left--; left == 0 {
			then()
		}
	}
	defer done()
	if s.branch == nil || !asksHere(s.info) {
		return
	}
	d.placeAll(s)
	again := func(e BranchEvent, id string) *item {
		it := d.askAgain(s, e, id, done)
		if it != nil {
			left++
		}
		return it
	}
	for _, e := range s.branch.calls {
		if id := s.branch.askedBy(e.ToolCallID); id != "" {
			d.unresolved(s, e, again)
		}
	}
	if resumes {
		d.newest(s, again)
	}
}

// asksAgain asks a call that askd does not know under an id; nil when it is not to, or the arguments are not valid.
type asksAgain func(e BranchEvent, id string) *item

func neverAgain(BranchEvent, string) *item { return nil }

// unresolved is the item behind an unresolved call; nil when the call is a background one, still runs, is over, or cannot
// be asked.
func (d *desk) unresolved(s *session, e BranchEvent, again asksAgain) *item {
	id := s.branch.askedBy(e.ToolCallID)
	if id == "" {
		return again(e, idOfCall(s.id, e.ToolCallID))
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
	return again(e, id)
}

// askAgain stores a call that askd does not know, from its arguments; nil when they are not valid. Else then runs when it is on
// disk, or certainly is not.
func (d *desk) askAgain(s *session, e BranchEvent, id string, then func()) *item {
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
			then()
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
