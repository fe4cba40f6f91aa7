package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// entry is what the journal knows in memory of a live request. seq never changes and may be read by anyone who found
// the entry under liveMu; the other fields are the committer's own.
type entry struct {
	seq     uint64
	outcome string // id of the stored outcome
	ending  ask.OutcomeKind
	ended   bool
	draft   bool // a draft is on disk
	earlier bool // it had outcomes before
	gone    bool // moved to the history by the transaction in progress
}

// txn is one transaction in the making. The entries in memory change along with it, so that later ops of the same
// transaction see what earlier ones did; undo puts them back, newest change last, when it fails.
type txn struct {
	j       *Journal
	tx      *bbolt.Tx
	undo    []func()
	moved   []ask.Key
	added   int
	writes  int
	written [len(opSteps)]bool
}

// errNothing ends a transaction in which every op was refused: there is nothing to pay two syncs for.
var errNothing = errors.New("nothing to write")

var applies = [...]func(*txn, *op) error{
	opRequest:   (*txn).applyRequest,
	opOutcome:   (*txn).applyOutcome,
	opDelivered: (*txn).applyDelivered,
	opDraft:     (*txn).applyDraft,
	opReopened:  (*txn).applyReopened,
	opIndex:     (*txn).applyIndex,
	opNote:      (*txn).applyNote,
}

// commit writes ops as one transaction and tells everyone. When the transaction fails, each op gets one of its own, so
// that a record which cannot be stored takes no other with it.
func (j *Journal) commit(ops []*op) {
	if err := j.try(ops); err != nil && len(ops) == 1 {
		ops[0].err = err
	} else if err != nil {
		for _, o := range ops {
			if err := j.try([]*op{o}); err != nil {
				o.err = err
			}
		}
	}
	for _, o := range ops {
		o.err = j.located(o.err)
		o.finish()
	}
	_ = j.viewLive(func(tx *bbolt.Tx) error {
		j.room.keep(tx.Size())
		return nil
	})
}

func (j *Journal) try(ops []*op) error {
	t := &txn{j: j}
	err := j.guarded(func() error {
		if err := j.inPlace(); err != nil {
			return err
		}
		return j.update(func(tx *bbolt.Tx) error {
			t.tx = tx
			return t.apply(ops)
		})
	})
	if err != nil {
		t.revert()
		if errors.Is(err, errNothing) {
			return nil
		}
		return err
	}
	t.settle()
	return nil
}

func (t *txn) apply(ops []*op) error {
	for _, o := range ops {
		if o.err = o.unfit; o.err == nil && o.beyond() {
			o.err = t.j.unread.wait(context.Background()) // it is over: what was found
		}
		if o.err != nil {
			continue
		}
		before := t.writes
		if err := applies[o.kind](t, o); err != nil {
			return err
		}
		t.written[o.kind] = t.written[o.kind] || t.writes > before
	}
	if t.writes == 0 {
		return errNothing
	}
	t.failpoints("before-")
	return nil
}

func (t *txn) failpoints(prefix string) {
	for k, written := range t.written {
		if written {
			t.j.opts.Failpoint(prefix + opSteps[k])
		}
	}
}

func (t *txn) revert() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
}

// settle makes the transaction visible in memory. What moved to the history leaves the live map only now: Find looks
// at the map first and at the disk afterwards, and must meet a request in one of the two.
func (t *txn) settle() {
	j := t.j
	j.liveMu.Lock()
	for _, k := range t.moved {
		if e := j.live[k]; e != nil && e.gone { // else it came back, or went twice
			delete(j.live, k)
		}
	}
	j.liveMu.Unlock()
	j.records.Add(int64(t.added))
	j.commits.Add(1)
	if t.written[opDraft] {
		j.draftCommits.Add(1)
	}
	if len(t.moved) > 0 {
		j.considerIndexing()
	}
	t.failpoints("")
}

func (t *txn) put(b *bbolt.Bucket, seq uint64, k kind, value []byte) error {
	t.writes++
	return putValue(b, seq, k, value)
}

func (t *txn) remove(b *bbolt.Bucket, seq uint64, k kind) ([]byte, error) {
	t.writes++
	return removeValue(b, seq, k)
}

// liveEntry is the entry of a request that this transaction may still write to, nil when there is none.
func (t *txn) liveEntry(k ask.Key) *entry {
	// Only the committer changes the map, so it may look without the lock.
	if e := t.j.live[k]; e != nil && !e.gone {
		return e
	}
	return nil
}

// change notes how an entry looked before it is changed.
func (t *txn) change(e *entry) {
	old := *e
	t.undo = append(t.undo, func() {
		e.outcome, e.ending, e.ended = old.outcome, old.ending, old.ended
		e.draft, e.earlier, e.gone = old.draft, old.earlier, old.gone
	})
}

// settled is the seq of a request in the history.
func (t *txn) settled(k ask.Key) (seq uint64, ok bool, err error) {
	return t.j.lookup(t.tx, k)
}

func (t *txn) applyRequest(o *op) error {
	if len(o.key.Session)+len(o.key.Request) > MaxKey {
		return o.refuse(ErrKeyTooLong)
	}
	if t.liveEntry(o.key) != nil {
		return o.refuse(ErrDuplicate)
	}
	if _, ok, err := t.settled(o.key); ok || err != nil {
		return o.refuse(cmp.Or(err, ErrDuplicate))
	}
	live := t.tx.Bucket(bucketLive)
	seq, err := live.NextSequence()
	if err != nil {
		return err
	}
	if err := t.put(live, seq, kindRequest, o.value.Bytes()); err != nil {
		return err
	}
	t.added++
	t.addLive(o.key, &entry{seq: seq})
	return nil
}

func (t *txn) addLive(k ask.Key, e *entry) {
	old := t.j.setLive(k, e)
	t.undo = append(t.undo, func() { t.j.setLive(k, old) })
}

// setLive puts an entry into the map, or takes it out with nil, and gives the one that was there.
func (j *Journal) setLive(k ask.Key, e *entry) (old *entry) {
	j.liveMu.Lock()
	defer j.liveMu.Unlock()
	old = j.live[k]
	if e == nil {
		delete(j.live, k)
	} else {
		j.live[k] = e
	}
	return old
}

func (t *txn) applyOutcome(o *op) error {
	e, err := t.find(o.key)
	if err != nil {
		return o.refuse(err)
	}
	if e == nil || e.ended {
		return o.refuse(ErrAlreadyEnded)
	}
	t.change(e)
	e.outcome, e.ending, e.ended = o.outcome, o.ending, true
	if err := t.putImages(o.pictures); err != nil {
		return err
	}
	return t.put(t.tx.Bucket(bucketLive), e.seq, kindOutcome, o.value.Bytes())
}

// find is the live entry of a request, nil for one in the history, ErrUnknownRequest for one that never was.
func (t *txn) find(k ask.Key) (*entry, error) {
	if e := t.liveEntry(k); e != nil {
		return e, nil
	}
	if _, ok, err := t.settled(k); ok || err != nil {
		return nil, err
	}
	return nil, ErrUnknownRequest
}

func (t *txn) applyDelivered(o *op) error {
	e, err := t.find(o.key)
	if err != nil {
		return o.refuse(err)
	}
	if e == nil {
		return t.redelivered(o)
	}
	if !e.ended || e.outcome != o.outcome {
		return t.deliveredEarlier(o, e)
	}
	t.change(e)
	e.gone = true
	t.moved = append(t.moved, o.key)
	return t.move(e)
}

// redelivered answers a second delivery of the same outcome, which is no error.
func (t *txn) redelivered(o *op) error {
	seq, _, err := t.settled(o.key)
	if err != nil {
		return o.refuse(err)
	}
	history := t.tx.Bucket(bucketHistory)
	var head outcomeHead
	if err := decodeValue(getValue(history, seq, kindOutcome), &head); err != nil {
		return o.refuse(err)
	}
	if head.ID == o.outcome {
		return nil
	}
	return t.refuseOther(o, history, seq, ErrOtherOutcome)
}

// move takes a record from live and drafts to history and index.
func (t *txn) move(e *entry) error {
	live, history := t.tx.Bucket(bucketLive), t.tx.Bucket(bucketHistory)
	rec, ok, err := readRecord(live, e.seq, nil, nil)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: record %d has no request", ErrDamaged, e.seq)
	}
	if err := history.SetSequence(history.Sequence() + 1); err != nil {
		return err
	}
	for _, kind := range []kind{kindRequest, kindOutcome} {
		if err := t.carry(live, history, e.seq, kind); err != nil {
			return err
		}
	}
	if e.earlier {
		if err := t.carry(live, history, e.seq, kindEarlier); err != nil {
			return err
		}
	}
	if err := t.retireDraft(e, history); err != nil {
		return err
	}
	t.writes++
	return enterHistory(t.tx, e.seq, &rec)
}

// retireDraft keeps the draft of a form that was taken away while the person worked on it, and drops others.
func (t *txn) retireDraft(e *entry, history *bbolt.Bucket) error {
	if !e.draft {
		return nil
	}
	drafts := t.tx.Bucket(bucketDrafts)
	if e.ending == ask.Interrupted || e.ending == ask.Withdrawn {
		return t.carry(drafts, history, e.seq, kindDraft)
	}
	_, err := t.remove(drafts, e.seq, kindDraft)
	return err
}

// carry moves one value.
func (t *txn) carry(from, to *bbolt.Bucket, seq uint64, k kind) error {
	value, err := t.remove(from, seq, k)
	if err != nil {
		return err
	}
	if value == nil {
		return fmt.Errorf("%w: record %d has no %c", ErrDamaged, seq, k)
	}
	return t.put(to, seq, k, value)
}

func (t *txn) applyDraft(o *op) error {
	e, err := t.find(o.key)
	if err != nil {
		return o.refuse(err)
	}
	if e == nil {
		return o.refuse(ErrAlreadyEnded)
	}
	if o.draft == nil && !e.draft {
		return nil
	}
	if err := o.encodeDraft(); err != nil {
		return o.refuse(err)
	}
	t.change(e)
	drafts := t.tx.Bucket(bucketDrafts)
	if e.draft {
		// Not only overwritten: the old one may have had more chunks.
		if _, err := t.remove(drafts, e.seq, kindDraft); err != nil {
			return err
		}
	}
	if e.draft = o.draft != nil; !e.draft {
		return nil
	}
	if err := t.putImages(o.pictures); err != nil {
		return err
	}
	return t.put(drafts, e.seq, kindDraft, o.value.Bytes())
}

// encodeDraft makes the newest draft of the op its value, none for no draft.
func (o *op) encodeDraft() (err error) {
	releaseBuffer(o.value) // of an attempt before
	o.value, o.pictures = nil, nil
	if o.draft != nil {
		o.value, o.pictures, err = encodeDraft(o.draft)
	}
	return err
}
