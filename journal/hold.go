package journal

import (
	"slices"
	"time"

	"askd/broker/ask"
)

// A delivery waits until nothing else was to be written for deliveryPause, and with others that follow no longer than
// deliveryDelay, nor for more than deliveryBatch of them. It touches four buckets where an ask touches one, and nobody waits
// for it: an agent that asks the next thing at once would pay for its pages. What a crash takes with it is delivered and found
// again.
const (
	deliveryPause = 2 * time.Millisecond
	deliveryDelay = 250 * time.Millisecond
	deliveryBatch = 32
)

// held is what the committer keeps back, oldest first; it is the committer's own.
type held struct {
	drafts        []*op // the newest of each request
	draftsDue     time.Time
	deliveries    []*op
	deliveriesDue time.Time
}

// rest is how long the committer may sleep if nothing comes; ok is false when it may sleep for good.
func (j *Journal) rest() (d time.Duration, ok bool) {
	h := &j.held
	if len(h.deliveries) > 0 {
		return deliveryPause, true
	}
	if len(h.drafts) > 0 {
		return h.draftsDue.Sub(j.opts.Now()), true
	}
	return 0, false
}

// take empties the queue but for what may wait. fired is that the rest is over.
func (j *Journal) take(fired bool) (ops []*op, closing bool) {
	j.queueMu.Lock()
	queue := j.queue
	j.queue = nil
	closing = j.closed
	j.queueMu.Unlock()
	paused := fired && len(j.held.deliveries) > 0
	for _, o := range queue {
		ops = j.pass(ops, o)
	}
	if closing || paused || j.held.full(j.opts.Now()) {
		ops = j.release(ops)
	}
	if closing || fired && !paused || !j.opts.Now().Before(j.held.draftsDue) {
		ops = append(ops, j.held.drafts...)
		j.held.drafts = nil
	}
	return ops, closing
}

// pass adds an op to those that are written now, behind whatever of its request is held back, or holds it back.
func (j *Journal) pass(ops []*op, o *op) []*op {
	h := &j.held
	if o.kind == opDelivered {
		if len(h.deliveries) == 0 {
			h.deliveriesDue = j.opts.Now().Add(deliveryDelay)
		}
		h.deliveries = append(h.deliveries, o)
		return ops
	}
	if o.kind == opAlone {
		return append(j.release(ops), o)
	}
	if i := h.delivery(o.key); i >= 0 {
		ops = j.deliver(ops, h.deliveries[i])
		h.deliveries = slices.Delete(h.deliveries, i, i+1)
	}
	if o.kind == opDraft {
		j.holdDraft(o)
		return ops
	}
	if d := h.takeDraft(o.key); d != nil {
		ops = append(ops, d)
	}
	return append(ops, o)
}

// full reports whether deliveries have waited long enough, alone or in number.
func (h *held) full(now time.Time) bool {
	return len(h.deliveries) >= deliveryBatch || len(h.deliveries) > 0 && !now.Before(h.deliveriesDue)
}

// release lets all deliveries go.
func (j *Journal) release(ops []*op) []*op {
	for _, o := range j.held.deliveries {
		ops = j.deliver(ops, o)
	}
	j.held.deliveries = nil
	return ops
}

// deliver lets a delivery go, with the draft that its request still has.
func (j *Journal) deliver(ops []*op, o *op) []*op {
	if d := j.held.takeDraft(o.key); d != nil {
		ops = append(ops, d)
	}
	return append(ops, o)
}

// delivery is where the delivery of a request is held, -1 when none is.
func (h *held) delivery(k ask.Key) int {
	return slices.IndexFunc(h.deliveries, func(o *op) bool { return o.key == k })
}

// holdDraft keeps a draft in place of an older one of the same request.
func (j *Journal) holdDraft(o *op) {
	h := &j.held
	for _, old := range h.drafts {
		if old.key == o.key {
			old.draft = o.draft
			old.dones = append(old.dones, o.dones...)
			return
		}
	}
	if len(h.drafts) == 0 {
		h.draftsDue = j.opts.Now().Add(j.opts.DraftDelay)
	}
	h.drafts = append(h.drafts, o)
}

// takeDraft gives the draft of a request that waits, nil when none does.
func (h *held) takeDraft(k ask.Key) *op {
	i := slices.IndexFunc(h.drafts, func(o *op) bool { return o.key == k })
	if i < 0 {
		return nil
	}
	d := h.drafts[i]
	h.drafts = slices.Delete(h.drafts, i, i+1)
	return d
}
