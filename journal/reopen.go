package journal

import (
	"bytes"
	"encoding/json"
	"slices"

	"go.etcd.io/bbolt"
)

func (t *txn) applyReopened(o *op) error {
	e, err := t.find(o.key)
	if err != nil {
		return o.refuse(err)
	}
	if e == nil {
		return t.bringBack(o)
	}
	if !e.ended {
		return nil
	}
	t.change(e)
	e.outcome, e.ending, e.ended, e.earlier = "", "", false, true
	live := t.tx.Bucket(bucketLive)
	return t.setAside(live, live, e.seq)
}

// bringBack takes a settled record from history and index to live and drafts.
func (t *txn) bringBack(o *op) error {
	seq, _, err := t.settled(o.key)
	if err != nil {
		return o.refuse(err)
	}
	live, history := t.tx.Bucket(bucketLive), t.tx.Bucket(bucketHistory)
	if err := history.SetSequence(history.Sequence() - 1); err != nil {
		return err
	}
	if err := t.carry(history, live, seq, kindRequest); err != nil {
		return err
	}
	if err := t.setAside(history, live, seq); err != nil {
		return err
	}
	e := &entry{seq: seq, earlier: true, draft: getValue(history, seq, kindDraft) != nil}
	if e.draft {
		if err := t.carry(history, t.tx.Bucket(bucketDrafts), seq, kindDraft); err != nil {
			return err
		}
	}
	t.addLive(o.key, e)
	t.writes++
	return leaveHistory(t.tx, seq, o.key)
}

// setAside puts the outcome of a record behind its earlier ones.
func (t *txn) setAside(from, to *bbolt.Bucket, seq uint64) error {
	outcome, err := t.remove(from, seq, kindOutcome)
	if err != nil {
		return err
	}
	earlier, err := t.remove(from, seq, kindEarlier)
	if err != nil {
		return err
	}
	value, err := joinEarlier(earlier, outcome)
	if err != nil {
		return err
	}
	return t.put(to, seq, kindEarlier, value)
}

// joinEarlier works on the bytes: what a later release wrote into an outcome stays in it.
func joinEarlier(earlier, outcome []byte) ([]byte, error) {
	var all []json.RawMessage
	if earlier != nil {
		if err := decodeValue(earlier, &all); err != nil {
			return nil, err
		}
	}
	var last json.RawMessage
	if err := decodeValue(outcome, &last); err != nil {
		return nil, err
	}
	value, err := encodeValue(append(all, last))
	if err != nil {
		return nil, err
	}
	defer releaseBuffer(value)
	return bytes.Clone(value.Bytes()), nil
}

// deliveredEarlier answers the delivery of another outcome than the live request has.
func (t *txn) deliveredEarlier(o *op, e *entry) error {
	refusal := ErrOtherOutcome
	if !e.ended {
		refusal = ErrNotEnded
	}
	return t.refuseOther(o, t.tx.Bucket(bucketLive), e.seq, refusal)
}

// refuseOther refuses an outcome, unless the record had it earlier.
func (t *txn) refuseOther(o *op, b *bbolt.Bucket, seq uint64, refusal error) error {
	var heads []outcomeHead
	if value := getValue(b, seq, kindEarlier); value != nil {
		if err := decodeValue(value, &heads); err != nil {
			return o.refuse(err)
		}
	}
	if slices.ContainsFunc(heads, func(h outcomeHead) bool { return h.ID == o.outcome }) {
		return nil
	}
	return o.refuse(refusal)
}
