package journal

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"askd/broker/ask"
)

// opKind is what an op does; its name is the failpoint after its commit.
type opKind int

const (
	opRequest opKind = iota
	opOutcome
	opDelivered
	opDraft
	opReopened
	opIndex
	opNote
	opAlone // work on the file that no writing may disturb; no part of a transaction
)

var opSteps = [...]string{
	opRequest:   "request-committed",
	opOutcome:   "outcome-committed",
	opDelivered: "ack-committed",
	opDraft:     "draft-committed",
	opReopened:  "reopen-committed",
	opIndex:     "index-committed",
	opNote:      "note-committed",
	opAlone:     "compacted",
}

var opNames = [...]string{
	opRequest:   "append request",
	opOutcome:   "append outcome",
	opDelivered: "append delivered",
	opDraft:     "save draft",
	opReopened:  "reopen",
	opIndex:     "write search index",
	opNote:      "save note",
	opAlone:     "work on data file",
}

// op is one thing to write and whom to tell about it.
type op struct {
	kind     opKind
	key      ask.Key
	value    *bytes.Buffer // request, outcome, and a draft once it is written
	pictures []picture     // what the value refers to
	outcome  string        // outcome id
	ending   ask.OutcomeKind
	draft    *ask.Draft
	note     string // name of the note
	piece    *indexPiece
	alone    func() error
	dones    []func(error)
	unfit    error // it could not even be encoded
	err      error // why it was not written; the transaction goes on without it
}

// refuse keeps the op out of the transaction, which goes on. The result is always nil.
func (o *op) refuse(err error) error {
	o.err = err
	return nil
}

// finish tells everyone who waits and gives the memory back.
func (o *op) finish() {
	err := o.err
	if err != nil {
		err = fmt.Errorf("%s %s: %w", opNames[o.kind], o.key.Request, err)
	}
	for _, done := range o.dones {
		done(err)
	}
	releaseBuffer(o.value)
	o.value, o.pictures = nil, nil
}

// AppendRequest makes a request durable. r must not change until done has been called. Errors: ErrDuplicate,
// ErrKeyTooLong, ErrClosed, or what the disk says. It does not block on the disk.
func (j *Journal) AppendRequest(r *ask.Request, done func(error)) {
	// Encoded here and not by the committer. Alone it makes no difference, and with 64 askers none that could be measured
	// beside the disk; but while the committer waits for the disk the next records are made ready, and what it commits
	// can no longer change or fail to encode.
	value, err := encodeRequest(r)
	j.enqueue(&op{kind: opRequest, key: r.Key(), value: value, unfit: err}, done)
}

// AppendOutcome makes the end of a request durable; the request stays live until AppendDelivered. A draft that waits is
// written with it. Errors: ErrUnknownRequest, ErrAlreadyEnded, ErrClosed, or what the disk says.
func (j *Journal) AppendOutcome(o *ask.Outcome, done func(error)) {
	value, pictures, err := encodeOutcome(o)
	next := &op{kind: opOutcome, key: o.Key(), value: value, pictures: pictures, outcome: o.ID, ending: o.Kind, unfit: err}
	j.enqueue(next, done)
}

// AppendDelivered moves a request and its outcome to the history. The draft is dropped, except where the person never
// got to finish the form (interrupted, withdrawn): there it stays readable. Repeating it with the same outcome is no
// error, nor is an outcome that AppendReopened has set aside; neither changes anything. It waits for company: see
// deliveryDelay. Errors: ErrUnknownRequest, ErrNotEnded, ErrOtherOutcome, ErrClosed, or what the disk says.
func (j *Journal) AppendDelivered(k ask.Key, outcomeID string, done func(error)) {
	j.enqueue(&op{kind: opDelivered, key: k, outcome: outcomeID}, done)
}

// AppendReopened makes a request wait again, live or settled: the outcome it has becomes the last of the earlier ones, and
// a draft that the history kept is its draft again. A draft that waits is written with it. A request that waits already
// stays as it is. Errors: ErrUnknownRequest, ErrClosed, or what the disk says.
func (j *Journal) AppendReopened(k ask.Key, done func(error)) {
	j.enqueue(&op{kind: opReopened, key: k}, done)
}

// SaveDraft keeps the newest draft of a live request, with or without an outcome; nil removes it. It is written after
// Options.DraftDelay at the latest, unless a newer one takes its place: then done is called for both with the result of
// the newer. d must not change until done has been called. Errors: ErrUnknownRequest, ErrAlreadyEnded once it is
// delivered, ErrClosed, or what the disk says.
func (j *Journal) SaveDraft(k ask.Key, d *ask.Draft, done func(error)) {
	j.enqueue(&op{kind: opDraft, key: k, draft: d}, done)
}

func (j *Journal) enqueue(o *op, done func(error)) {
	o.dones = []func(error){done}
	j.queueMu.Lock()
	closed := j.closed
	if !closed {
		j.queue = append(j.queue, o)
	}
	j.queueMu.Unlock()
	if !closed {
		j.kick()
		return
	}
	o.err = ErrClosed
	// Not from here: a caller may hold what its done wants.
	j.opts.Go("journal late call", o.finish)
}

// alone has the committer do something while nothing is written.
func (j *Journal) alone(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	j.enqueue(&op{kind: opAlone, alone: f}, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *Journal) isClosed() bool {
	j.queueMu.Lock()
	defer j.queueMu.Unlock()
	return j.closed
}

func (j *Journal) kick() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// run is the committer: it takes whatever waits, writes it as one transaction, tells, and starts again.
func (j *Journal) run() {
	defer close(j.done)
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	for {
		var due <-chan time.Time // a nil channel never fires: with nothing held back the committer sleeps until it is kicked
		if d, ok := j.rest(); ok {
			timer.Reset(d)
			due = timer.C
		}
		fired := false
		select {
		case <-j.wake:
		case <-due:
			fired = true // whatever the clock says: one that was set back must not hold anything up
		}
		ops, closing := j.take(fired)
		j.work(j.postpone(ops, closing))
		if closing {
			return
		}
	}
}

// work commits ops. Work on the whole file stands by itself: what was appended before it is in the file that it reads.
func (j *Journal) work(ops []*op) {
	for len(ops) > 0 {
		n := slices.IndexFunc(ops, func(o *op) bool { return o.kind == opAlone })
		switch {
		case n < 0:
			j.commit(ops)
			return
		case n > 0:
			j.commit(ops[:n])
		}
		ops[n].err = j.guarded(ops[n].alone)
		ops[n].finish()
		ops = ops[n+1:]
	}
}
