package broker

import (
	"slices"
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
)

// claim says whose task it is to bring an outcome into the transcript. It ends with the acknowledgement, the release, the
// connection or the next session.open, whichever is first (DESIGN, "Branches and delivery").
type claim struct {
	client   *Client
	instance string
	epoch    int
	wait     bool        // a wait carries it
	of       AbortParams // the ids of that wait
	call     bool        // the tool call's own result carries it
}

// Delivery is the payload of ask.deliver (PROTOCOL, Shapes).
type Delivery struct {
	Session          string           `json:"session"`
	Epoch            int              `json:"epoch"`
	RequestID        string           `json:"requestId"`
	OutcomeID        string           `json:"outcomeId"`
	As               string           `json:"as"` // background, followUp or dismissOnly
	ToolCallID       string           `json:"toolCallId,omitempty"`
	ParentToolCallID string           `json:"parentToolCallId,omitempty"`
	Wake             bool             `json:"wake"`
	Content          []tool.Block     `json:"content"`
	Details          any              `json:"details"`
	Transcript       []tool.Line      `json:"transcript"`
	Provenance       *tool.Provenance `json:"provenance"`
}

// undelivered lists the session's outcomes that have to go out as messages.
func (d *desk) undelivered(s *session) []*item {
	var out []*item
	for _, it := range s.all() {
		if d.deliverable(s, it) {
			out = append(out, it)
		}
	}
	return out
}

func (d *desk) deliverable(s *session, it *item) bool {
	return it.state == ended && !it.moving && !it.parked && it.claim == nil && it.apart == nil && (it.req.Background || it.orphan) && !s.opens(it.req.ID)
}

// deliverAll sends outcomes to the session's primary connection, or to its running wait.
func (d *desk) deliverAll(s *session, items []*item) {
	if s.primary == nil || s.opening > 0 || !asksHere(s.info) {
		return
	}
	for _, it := range items {
		if s.wait != nil && it.req.Background && s.covers(s.wait.client, it) {
			it.began = time.Time{} // the wait ends with the last answer, in the person's time
			continue
		}
		it.claim = &claim{client: s.primary, instance: s.info.Instance}
		s.primary.peer.Notify("ask.deliver", d.delivery(s, it))
	}
	d.checkWait(s)
}

func (d *desk) delivery(s *session, it *item) Delivery {
	t, _ := tool.Lookup(it.req.Tool)
	out := Delivery{
		Session: s.id, Epoch: s.info.Epoch, RequestID: it.req.ID, OutcomeID: it.outcome.ID, As: "background", ToolCallID: it.req.ToolCallID,
		ParentToolCallID: it.req.ParentToolCallID, Wake: it.outcome.Kind != ask.Cancelled,
	}
	word := t.Background
	if !it.req.Background {
		out.As, word = "followUp", t.FollowUp
		if k := it.outcome.Kind; k == ask.Cancelled || k == ask.TimedOut {
			out.As, out.Wake = "dismissOnly", false
		}
	}
	o := word(it.req, it.outcome)
	out.Content, out.Details, out.Transcript, out.Provenance = o.Content, o.Details, o.Transcript, o.Provenance
	return out
}

// endClaims frees what earlier connections of the session had claimed, but for results that the same process has taken
// out of a call and is about to write down on the same branch.
func (d *desk) endClaims(s *session, by *Client) {
	if s.wait != nil && !slices.Contains(s.secondary, s.wait.client) {
		s.dropWait()
	}
	for _, it := range s.all() {
		if c := it.claim; c != nil && it.apart == nil && !c.outlasts(by) {
			it.unclaim()
		}
	}
}

// outlasts reports whether the claim goes on with the next session.open of its session. Another epoch is another branch:
// what was written down for the old one is not on it. A wait's answer is safe only on the connection that has carried it.
func (c *claim) outlasts(by *Client) bool {
	if c.epoch != by.info.Epoch {
		return false
	}
	return c.call && by.info.Instance != "" && c.instance == by.info.Instance || c.wait && c.client == by
}

// unclaim frees an outcome for another delivery, which comes when its asker is ready: that is no time of askd's.
func (it *item) unclaim() { it.claim, it.began = nil, time.Time{} }

// release frees what a connection had claimed as messages or through a wait, because it has ended.
func (d *desk) releaseClaims(s *session, c *Client) {
	for _, it := range s.own {
		if it.claim != nil && it.claim.client == c && !it.claim.call {
			it.unclaim()
		}
	}
}

// Release gives a delivery back that was not placed: it goes out again (PROTOCOL, delivery.release).
func (c *Client) Release(p AckParams, reply Reply) {
	c.send(reply, func(d *desk) {
		it, err := d.claimed(c, p)
		if err != nil {
			reply(nil, err)
			return
		}
		reply(struct{}{}, nil)
		if it == nil {
			return
		}
		it.unclaim()
		s := d.session(it.req.Session)
		d.deliverAll(s, d.undelivered(s))
	})
}

// Ack records that an outcome is in the asker's transcript (PROTOCOL, delivery.ack). The reply comes once that is on disk: the
// outcome of a session without branches, of which askd alone knows, is not delivered again then. Repeating it is harmless.
func (c *Client) Ack(p AckParams, reply Reply) {
	c.send(reply, func(d *desk) {
		it, err := d.claimed(c, p)
		if err != nil || it == nil {
			reply(struct{}{}, err)
			return
		}
		if it.apart == nil {
			d.session(it.req.Session).branch.settle(it)
		}
		it.acks = append(it.acks, reply)
		d.deliver(it)
	})
}

// tellAcks answers the acknowledgements of an item.
func (it *item) tellAcks(err error) {
	for _, reply := range it.acks {
		reply(struct{}{}, err)
	}
	it.acks = nil
}

// settle notes on the branch that an outcome is in its transcript.
func (b *branch) settle(it *item) {
	if b != nil {
		b.completed[it.req.ID], b.delivered[it.req.ID] = it.outcome.ID, "message"
	}
}

// claimed finds the item that an acknowledgement is about; nil when it is off the desk already.
func (d *desk) claimed(c *Client, p AckParams) (*item, error) {
	if c.session == nil {
		return nil, errNoSession
	}
	k := ask.Key{Session: p.Session, Request: p.RequestID}
	if k.Session == "" {
		k.Session = c.session.id
	}
	it := d.items[k]
	if it == nil || it.state != ended {
		return nil, nil
	}
	if slices.ContainsFunc(it.outcomes, func(o *ask.Outcome) bool { return o.ID == p.OutcomeID && o != it.outcome }) {
		return nil, nil // of another branch
	}
	if it.outcome.ID != p.OutcomeID {
		return nil, &Error{Kind: Conflict, Path: "outcomeId", Message: "request " + p.RequestID + " has no outcome " + p.OutcomeID}
	}
	return it, nil
}

// AckParams are the parameters of delivery.ack and delivery.release.
type AckParams struct {
	RequestID string `json:"requestId"`
	OutcomeID string `json:"outcomeId"`
	Session   string `json:"session"`
}
