package broker

import (
	"askd/broker/ask"
)

// Store is the durable side of the desk; package journal implements it over bbolt. Only the broker's goroutine calls it,
// except where a method says otherwise. Append* never block on the disk: done is called exactly once, from the store's
// own goroutine, after the record is on disk (nil) or is certain not to be (the reason). Records are on disk in the order
// in which they were appended. The store must not keep or change what it is given after done has been called.
type Store interface {
	// AppendRequest makes a request durable.
	AppendRequest(r *ask.Request, done func(error))
	// AppendOutcome makes the end of a request durable; the request stays live until AppendDelivered.
	AppendOutcome(o *ask.Outcome, done func(error))
	// AppendDelivered records that an outcome is in the asker's transcript (or never will be wanted there): request,
	// outcome and draft leave the live set and stand in the history from then on. For an outcome that AppendReopened has
	// set aside it changes nothing.
	AppendDelivered(k ask.Key, outcomeID string, done func(error))
	// AppendReopened makes a request wait again, for a branch on which it has not been answered: whatever outcome it has
	// becomes an earlier one, and a settled request stands in the live set again, with the draft that the history kept.
	// A request that waits already stays as it is.
	AppendReopened(k ask.Key, done func(error))
	// SaveDraft keeps the newest draft of a live request; nil removes it. Several saves within the coalescing delay
	// become one write (PERFORMANCE, 16). A failed write is reported to done like the others.
	SaveDraft(k ask.Key, d *ask.Draft, done func(error))
	// Live gives every request that has no delivered outcome, in the order asked. Called once, before the others.
	Live() ([]ask.Record, error)
	// Find looks a request up wherever it is, live or history; ok is false when it was never stored. Any goroutine.
	Find(k ask.Key) (rec ask.Record, ok bool, err error)
	// Records is the number of requests stored, live and history. Any goroutine; does not touch the disk.
	Records() int
}
