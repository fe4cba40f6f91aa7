package journal

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// lookup is the seq of a request in the history.
func lookup(tx *bbolt.Tx, k ask.Key) (seq uint64, ok bool) {
	v := tx.Bucket(bucketIndex).Get(indexKey(k))
	if len(v) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(v), true
}

// lookup is lookup, by a way that has been looked at.
func (j *Journal) lookup(tx *bbolt.Tx, k ask.Key) (seq uint64, ok bool, err error) {
	if err := j.unread.path(bucketIndex, indexKey(k)); err != nil {
		return 0, false, err
	}
	seq, ok = lookup(tx, k)
	return seq, ok, nil
}

// enterHistory makes a record that stands in the history known to everything that finds it there. The settled number is
// new each time a request comes in, so that what was noted under an old one is of no effect once it has gone back.
func enterHistory(tx *bbolt.Tx, seq uint64, rec *ask.Record) error {
	settled, summaries := tx.Bucket(bucketSettled), tx.Bucket(bucketSummaries)
	settled.FillPercent, summaries.FillPercent = 1, 1
	n, err := settled.NextSequence()
	if err != nil {
		return err
	}
	if err := settled.Put(seqKey(n), seqKey(seq)); err != nil {
		return err
	}
	if err := summaries.SetSequence(summaries.Sequence() + uint64(len(rec.Request.Questions))); err != nil {
		return err
	}
	if err := summaries.Put(seqKey(seq), appendSummary(nil, rec)); err != nil {
		return err
	}
	return tx.Bucket(bucketIndex).Put(indexKey(rec.Request.Key()), binary.BigEndian.AppendUint64(seqKey(seq), n))
}

// leaveHistory undoes enterHistory.
func leaveHistory(tx *bbolt.Tx, seq uint64, k ask.Key) error {
	index, summaries := tx.Bucket(bucketIndex), tx.Bucket(bucketSummaries)
	key := indexKey(k)
	place := index.Get(key)
	s, err := openSummary(nil, summaries.Get(seqKey(seq)))
	if err != nil || len(place) != 16 {
		return fmt.Errorf("%w: record %d is not entered in the history as it should be", ErrDamaged, seq)
	}
	if err := summaries.SetSequence(summaries.Sequence() - uint64(s.questions)); err != nil {
		return err
	}
	if err := tx.Bucket(bucketSettled).Delete(place[8:]); err != nil {
		return err
	}
	if err := summaries.Delete(seqKey(seq)); err != nil {
		return err
	}
	return index.Delete(key)
}
