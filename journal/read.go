package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"askd/broker/ask"
)

// requestHead and outcomeHead are the parts of a record that the journal itself needs.
type requestHead struct {
	ID      string `json:"id"`
	Session string `json:"session"`
}

type outcomeHead struct {
	ID   string          `json:"id"`
	Kind ask.OutcomeKind `json:"kind"`
}

// loadLive fills the map of live requests and the count of all.
func (j *Journal) loadLive(tx *bbolt.Tx) error {
	bySeq := map[uint64]*entry{}
	c := tx.Bucket(bucketLive).Cursor()
	for key, value := c.First(); key != nil; key, value = c.Next() {
		if err := j.loadValue(bySeq, key, value); err != nil {
			return fmt.Errorf("record %x: %w", key, err)
		}
	}
	c = tx.Bucket(bucketDrafts).Cursor()
	for key, _ := c.First(); key != nil; key, _ = c.Next() {
		e := (*entry)(nil)
		if len(key) == 8 {
			e = bySeq[binary.BigEndian.Uint64(key)]
		}
		if e == nil {
			return fmt.Errorf("draft %x: %w: its request is missing", key, ErrDamaged)
		}
		e.draft = true
	}
	j.records.Store(int64(len(j.live)) + int64(tx.Bucket(bucketHistory).Sequence()))
	return nil
}

func (j *Journal) loadValue(bySeq map[uint64]*entry, key, value []byte) error {
	seq, k, err := splitKey(key)
	if err != nil {
		return err
	}
	if k == kindRequest {
		var head requestHead
		if _, err := decodeRequest(value, &head); err != nil {
			return err
		}
		bySeq[seq] = &entry{seq: seq}
		j.live[ask.Key{Session: head.Session, Request: head.ID}] = bySeq[seq]
		return nil
	}
	e := bySeq[seq]
	if k != kindOutcome || e == nil {
		return fmt.Errorf("%w: it belongs to no request", ErrDamaged)
	}
	var head outcomeHead
	if err := decodeValue(value, &head); err != nil {
		return err
	}
	e.outcome, e.ending, e.ended = head.ID, head.Kind, true
	return nil
}

// Live gives every request that has no delivered outcome, in the order asked, with outcome and draft. It reads the
// disk. Drafts that still wait to be written are not in it. Errors: ErrClosed, ErrDamaged.
func (j *Journal) Live() ([]ask.Record, error) {
	var out []ask.Record
	err := j.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketLive).Cursor()
		for key, _ := c.First(); key != nil; {
			seq, _, err := splitKey(key)
			if err != nil {
				return err
			}
			rec, ok, err := readLive(tx, seq)
			if err != nil {
				return err
			}
			if ok {
				out = append(out, rec)
			}
			key, _ = c.Seek(seqKey(seq + 1))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read live requests: %w", err)
	}
	return out, nil
}

// Find looks a request up wherever it is, live or history; ok is false when it was never stored. The record shares
// nothing with the journal. A draft that still waits to be written is not in it. It reads the disk and waits for no
// writer. Errors: ErrClosed, ErrDamaged.
func (j *Journal) Find(k ask.Key) (rec ask.Record, ok bool, err error) {
	j.liveMu.RLock()
	e := j.live[k]
	j.liveMu.RUnlock()
	err = j.view(func(tx *bbolt.Tx) (err error) {
		if e != nil {
			if rec, ok, err = readLive(tx, e.seq); ok || err != nil {
				return err
			}
		}
		seq, settled := lookup(tx, k)
		if !settled {
			return nil
		}
		rec, ok, err = readHistory(tx, seq)
		return err
	})
	if err != nil {
		return ask.Record{}, false, fmt.Errorf("find request %s: %w", k.Request, err)
	}
	return rec, ok, nil
}

func (j *Journal) view(f func(*bbolt.Tx) error) error {
	err := guard(func() error { return j.db.View(f) })
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

func readLive(tx *bbolt.Tx, seq uint64) (rec ask.Record, ok bool, err error) {
	return readRecord(tx.Bucket(bucketLive), seq, tx.Bucket(bucketDrafts).Get(seqKey(seq)))
}

func readHistory(tx *bbolt.Tx, seq uint64) (rec ask.Record, ok bool, err error) {
	history := tx.Bucket(bucketHistory)
	rec, ok, err = readRecord(history, seq, history.Get(recordKey(seq, kindDraft)))
	rec.Delivered = ok
	return rec, ok, err
}

// readRecord decodes everything inside the transaction: the bytes die with it.
func readRecord(b *bbolt.Bucket, seq uint64, draft []byte) (rec ask.Record, ok bool, err error) {
	request := b.Get(recordKey(seq, kindRequest))
	if request == nil {
		return rec, false, nil
	}
	rec.Request = new(ask.Request)
	if rec.Request.Arguments, err = decodeRequest(request, rec.Request); err != nil {
		return rec, false, fmt.Errorf("request %d: %w", seq, err)
	}
	if rec.Outcome, err = decodeNew[ask.Outcome](b.Get(recordKey(seq, kindOutcome))); err != nil {
		return rec, false, fmt.Errorf("outcome %d: %w", seq, err)
	}
	if rec.Draft, err = decodeNew[ask.Draft](draft); err != nil {
		return rec, false, fmt.Errorf("draft %d: %w", seq, err)
	}
	return rec, true, nil
}

// decodeNew is nil for a value that is not there.
func decodeNew[T any](data []byte) (*T, error) {
	if data == nil {
		return nil, nil
	}
	v := new(T)
	if err := decodeValue(data, v); err != nil {
		return nil, err
	}
	return v, nil
}
