package broker

import (
	"encoding/json"
	"slices"

	"askd/broker/ask"
	"askd/broker/tool"
)

// Texts of waits that fail (contract, "Background queue").
const (
	textWaitNeedsTUI    = "wait_for_answers requires interactive TUI mode."
	textWaitTwice       = "Another wait_for_answers call is already waiting."
	textWaitInterrupted = "Question wait interrupted"
	textWaitOff         = "wait_for_answers is not available in background-only mode: answers arrive as messages."
)

// wait is a running wait_for_answers of a session.
type wait struct {
	client     *Client
	requestID  string
	toolCallID string
	reply      Reply
	awaited    []*item // in queue order: what was outstanding when it began, then what was added
}

// wait begins a wait. It ends when everything outstanding has ended, also what is asked meanwhile.
func (d *desk) wait(c *Client, p CallParams, reply Reply) {
	s := c.session
	switch {
	case s == nil:
		reply(nil, errNoSession)
		return
	case !c.asksInPane():
		reply(tool.Failure(textWaitNeedsTUI), nil)
		return
	case d.backgroundOnly(s):
		reply(tool.Failure(textWaitOff), nil)
		return
	case s.wait != nil:
		reply(tool.Failure(textWaitTwice), nil)
		return
	}
	w := &wait{client: c, requestID: p.RequestID, toolCallID: p.ToolCallID, reply: reply}
	s.wait = w
	d.touch(s)
	for _, it := range d.outstanding(s) {
		if !s.covers(c, it) {
			continue
		}
		if it.claim != nil && !it.claim.wait {
			it.claim.client.peer.Notify("ask.withdraw", withdrawal{s.id, s.info.Epoch, it.req.ID, it.outcome.ID})
			it.unclaim()
		}
		w.awaited = append(w.awaited, it)
	}
	d.checkWait(s)
}

// withdrawal is the payload of ask.withdraw.
type withdrawal struct {
	Session   string `json:"session"`
	Epoch     int    `json:"epoch"`
	RequestID string `json:"requestId"`
	OutcomeID string `json:"outcomeId"`
}

// outstanding lists the session's background forms that are not both finished and routed.
func (d *desk) outstanding(s *session) []*item {
	var out []*item
	for _, it := range s.all() {
		if it.req.Background && !it.parked && !it.moving && it.state != committing && (it.claim == nil || !it.claim.wait) {
			out = append(out, it)
		}
	}
	return out
}

// covers reports whether an item is the client's to wait for: a second process waits for its own alone.
func (s *session) covers(c *Client, it *item) bool {
	return it.apart == c || it.apart == nil && !s.apart(c)
}

// join adds a form that was asked during the wait.
func (w *wait) join(it *item) {
	if !slices.Contains(w.awaited, it) {
		w.awaited = append(w.awaited, it)
	}
}

// checkWait ends the session's wait when all its forms have ended.
func (d *desk) checkWait(s *session) {
	w := s.wait
	if w == nil || slices.ContainsFunc(w.awaited, func(it *item) bool { return it.state != ended && it.onDesk(d) }) {
		return
	}
	d.endWait(s, func(ids []string, results []tool.Finished) *tool.Outcome { return tool.WaitComplete(ids, results) })
}

// onDesk reports whether the item still is there: a withdrawn or parked one holds no wait up.
func (it *item) onDesk(d *desk) bool { return d.items[it.req.Key()] == it && !it.parked }

// deferWait releases a wait while forms are pending.
func (d *desk) deferWait(s *session, reason ask.DeferReason) {
	if s.wait == nil {
		return
	}
	pendingIDs := []string{}
	for _, it := range s.wait.awaited {
		if it.state != ended && it.onDesk(d) {
			pendingIDs = append(pendingIDs, it.req.ID)
		}
	}
	d.endWait(s, func(ids []string, results []tool.Finished) *tool.Outcome {
		return tool.WaitDeferred(reason, ids, pendingIDs, results)
	})
}

// endWait answers a wait with the outcomes that fit into one message; the others go out as messages of their own.
func (d *desk) endWait(s *session, word func([]string, []tool.Finished) *tool.Outcome) {
	w := s.wait
	s.wait = nil
	s.lastWait = AbortParams{RequestID: w.requestID, ToolCallID: w.toolCallID}
	var ids []string
	var results []tool.Finished
	var refs []tool.DeliveryRef
	room := d.b.o.WaitRoom
	for _, it := range w.awaited {
		ids = append(ids, it.req.ID)
		room -= idShapes * sizeOf(it.req.ID)
	}
	for _, it := range w.awaited {
		if it.state != ended || it.moving || !it.onDesk(d) || it.outcome.Kind == ask.Interrupted || it.outcome.Kind == ask.Withdrawn {
			continue
		}
		t, _ := tool.Lookup(it.req.Tool)
		alone := t.Background(it.req, it.outcome)
		size := sizeInWait(alone)
		if size > room {
			continue
		}
		room -= size
		it.claim = &claim{client: w.client, instance: w.client.info.Instance, epoch: w.client.info.Epoch, wait: true, of: s.lastWait}
		results = append(results, tool.FinishedOf(it.req, it.outcome))
		refs = append(refs, tool.DeliveryRef{RequestID: it.req.ID, OutcomeID: it.outcome.ID, Transcript: alone.Transcript})
	}
	o := word(ids, results)
	o.RequestID, o.Deliveries = w.requestID, refs
	w.reply(o, nil)
	d.touch(s)
	d.deliverAll(s, d.undelivered(s))
}

// idShapes is how often an id stands in the result of a wait at most: in both lists of details and of structured content, in the
// text, and with the delivery.
const idShapes = 6

// sizeInWait is what an outcome that could be delivered alone takes in the result of a wait: its details stand there twice.
func sizeInWait(alone *tool.Outcome) int {
	return sizeOf(alone.Content) + 2*sizeOf(alone.Details) + sizeOf(alone.Transcript) + refRoom
}

// refRoom is for the names of the fields around it.
const refRoom = 1 << 10

func sizeOf(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(raw)
}

// dropWait ends a wait whose connection or branch has gone.
func (s *session) dropWait() {
	if s.wait != nil {
		s.wait.reply(tool.Failure(textWaitInterrupted), nil)
		s.wait = nil
	}
}

// abortWait ends a wait because its operation was aborted; the forms stay queued and what it held is free again.
func (d *desk) abortWait(s *session) {
	if s.wait == nil {
		return
	}
	s.dropWait()
	d.touch(s)
	d.deliverAll(s, d.undelivered(s))
}

// names reports whether an abort is about the wait with these ids.
func (p AbortParams) names(wait AbortParams) bool {
	return p.RequestID != "" && p.RequestID == wait.RequestID || p.RequestID == "" && p.ToolCallID != "" && p.ToolCallID == wait.ToolCallID
}

// abortsWait handles a tool.abort that is about a wait, running or answered; it reports whether it was. What other waits
// carry is on its way to the file all the same.
func (d *desk) abortsWait(c *Client, p AbortParams, reply Reply) bool {
	s := c.session
	if s == nil {
		return false
	}
	if w := s.wait; w != nil && p.names(AbortParams{RequestID: w.requestID, ToolCallID: w.toolCallID}) {
		d.abortWait(s)
		reply(aborted{"interrupted"}, nil)
		return true
	}
	found := p.names(s.lastWait)
	for _, it := range s.all() {
		if it.claim != nil && it.claim.wait && p.names(it.claim.of) {
			it.claim, found = nil, true
		}
	}
	if found {
		reply(aborted{"ended"}, nil)
		d.deliverAll(s, d.undelivered(s))
	}
	return found
}
