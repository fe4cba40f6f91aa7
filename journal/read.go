package journal

import (
	"bytes"
	"context"
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
	for _, bucket := range [][]byte{bucketLive, bucketDrafts} {
		err := eachValue(tx.Bucket(bucket), func(seq uint64, k kind, value []byte) error {
			load := loads[k]
			if load == nil {
				return fmt.Errorf("%w: record %d has a part %q", ErrDamaged, seq, byte(k))
			}
			return load(j, bySeq, seq, value)
		})
		if err != nil {
			return err
		}
	}
	j.records.Store(int64(len(j.live)) + int64(tx.Bucket(bucketHistory).Sequence()))
	return nil
}

// eachValue visits the values of a bucket by their first chunks, in the order of the keys.
func eachValue(b *bbolt.Bucket, visit func(seq uint64, k kind, value []byte) error) error {
	c := b.Cursor()
	var last ascent
	for key, value := c.First(); key != nil; key, value = c.Next() {
		seq, k, n, err := splitKey(key)
		if err != nil {
			return err
		}
		if last.back(key) {
			return fmt.Errorf("%w: record %d comes again", ErrDamaged, seq)
		}
		if n > 0 {
			continue
		}
		if mayGoOn(value) {
			value = getValue(b, seq, k)
		}
		if err := visit(seq, k, value); err != nil {
			return err
		}
	}
	return nil
}

type loadFunc func(j *Journal, bySeq map[uint64]*entry, seq uint64, value []byte) error

var loads = map[kind]loadFunc{
	kindRequest: loadRequest, kindOutcome: loadOutcome, kindDraft: loadDraft, kindEarlier: loadEarlier,
}

func loadRequest(j *Journal, bySeq map[uint64]*entry, seq uint64, value []byte) error {
	var head requestHead
	if _, err := decodeRequest(value, &head); err != nil {
		return fmt.Errorf("request %d: %w", seq, err)
	}
	bySeq[seq] = &entry{seq: seq}
	j.live[ask.Key{Session: head.Session, Request: head.ID}] = bySeq[seq]
	return nil
}

func loadOutcome(_ *Journal, bySeq map[uint64]*entry, seq uint64, value []byte) error {
	e := bySeq[seq]
	if e == nil {
		return fmt.Errorf("outcome %d: %w: its request is missing", seq, ErrDamaged)
	}
	var head outcomeHead
	if err := decodeValue(value, &head); err != nil {
		return fmt.Errorf("outcome %d: %w", seq, err)
	}
	e.outcome, e.ending, e.ended = head.ID, head.Kind, true
	return nil
}

func loadDraft(_ *Journal, bySeq map[uint64]*entry, seq uint64, _ []byte) error {
	e := bySeq[seq]
	if e == nil {
		return fmt.Errorf("draft %d: %w: its request is missing", seq, ErrDamaged)
	}
	e.draft = true
	return nil
}

func loadEarlier(_ *Journal, bySeq map[uint64]*entry, seq uint64, _ []byte) error {
	e := bySeq[seq]
	if e == nil {
		return fmt.Errorf("earlier outcomes %d: %w: their request is missing", seq, ErrDamaged)
	}
	e.earlier = true
	return nil
}

// Live gives every request that has no delivered outcome, in the order asked, with outcome and draft. It reads the
// disk. Drafts that still wait to be written are not in it. Errors: ErrClosed, ErrDamaged.
func (j *Journal) Live() ([]ask.Record, error) {
	var out []ask.Record
	err := j.early(func(tx *bbolt.Tx, whole bool) error {
		out = nil
		return eachValue(tx.Bucket(bucketLive), func(seq uint64, k kind, _ []byte) error {
			if k != kindRequest {
				return nil
			}
			rec, _, err := readLive(tx, seq, whole)
			out = append(out, rec)
			return err
		})
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
	// A request that is opened again while we look was in the history when we looked at the map and is in the map when we
	// look at the disk: then the map has news, and we look again.
	for e := j.liveEntry(k); ; {
		rec, ok, err = j.find(k, e)
		if err != nil {
			return ask.Record{}, false, fmt.Errorf("find request %s: %w", k.Request, err)
		}
		now := j.liveEntry(k)
		if ok || now == e {
			return rec, ok, nil
		}
		e = now
	}
}

func (j *Journal) liveEntry(k ask.Key) *entry {
	j.liveMu.RLock()
	defer j.liveMu.RUnlock()
	return j.live[k]
}

func (j *Journal) find(k ask.Key, e *entry) (rec ask.Record, ok bool, err error) {
	err = j.early(func(tx *bbolt.Tx, whole bool) (err error) {
		if e != nil {
			if rec, ok, err = readLive(tx, e.seq, whole); ok || err != nil {
				return err
			}
		}
		seq, settled, err := j.lookup(tx, k)
		if !settled || err != nil {
			return err
		}
		if !whole {
			return errLater
		}
		rec, ok, err = readHistory(tx, seq)
		return err
	})
	return rec, ok, err
}

// view reads whatever is in the file, once it has been looked at.
func (j *Journal) view(ctx context.Context, f func(*bbolt.Tx) error) error {
	if err := j.unread.wait(ctx); err != nil {
		return err
	}
	return j.viewLive(f)
}

// early does not wait for that: f reads what is live, and gives errLater when it needs more. Then it is called again in time.
func (j *Journal) early(f func(tx *bbolt.Tx, whole bool) error) error {
	whole := j.unread.sound()
	err := j.viewLive(func(tx *bbolt.Tx) error { return f(tx, whole) })
	if !errors.Is(err, errLater) {
		return err
	}
	return j.view(context.Background(), func(tx *bbolt.Tx) error { return f(tx, true) })
}

// viewLive reads what start-up has read: live, drafts, meta, and what the heads of buckets say.
func (j *Journal) viewLive(f func(*bbolt.Tx) error) error {
	j.dbMu.RLock()
	defer j.dbMu.RUnlock()
	err := j.guarded(func() error { return j.db.View(f) })
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// readLive gives errLater for a record with images when these have not been looked at yet.
func readLive(tx *bbolt.Tx, seq uint64, whole bool) (rec ask.Record, ok bool, err error) {
	p := readParts(tx.Bucket(bucketLive), seq)
	p.draft = getValue(tx.Bucket(bucketDrafts), seq, kindDraft)
	if !whole && p.refers() {
		return rec, false, errLater
	}
	return p.record(seq, tx.Bucket(bucketImages))
}

func readHistory(tx *bbolt.Tx, seq uint64) (rec ask.Record, ok bool, err error) {
	p := readParts(tx.Bucket(bucketHistory), seq)
	rec, ok, err = p.record(seq, tx.Bucket(bucketImages))
	rec.Delivered = ok
	return rec, ok, err
}

func readRecord(b *bbolt.Bucket, seq uint64, draft []byte, images *bbolt.Bucket) (rec ask.Record, ok bool, err error) {
	p := readParts(b, seq)
	p.draft = draft
	return p.record(seq, images)
}

// parts are the stored values of one record, nil for those that there are not. They may be bbolt's own memory.
type parts struct{ request, outcome, draft, earlier []byte }

func (p *parts) of(k kind) *[]byte {
	switch k {
	case kindRequest:
		return &p.request
	case kindOutcome:
		return &p.outcome
	case kindDraft:
		return &p.draft
	case kindEarlier:
		return &p.earlier
	}
	return nil
}

// pictured reports whether there may be images that stand elsewhere.
func (p *parts) pictured() bool {
	return p.draft != nil || p.earlier != nil || len(p.outcome) > 0 && bytes.HasPrefix(p.outcome[1:], []byte(imagesFirst))
}

// readParts goes once through a record, whose values stand side by side.
func readParts(b *bbolt.Bucket, seq uint64) parts {
	f := follower{c: b.Cursor()}
	return f.parts(seq)
}

// refers reports whether the values refer to images, or do not hold together well enough to tell.
func (p *parts) refers() bool {
	for _, k := range []kind{kindOutcome, kindDraft, kindEarlier} {
		value := *p.of(k)
		if value == nil {
			continue
		}
		if digests, err := refersBy[k](value); len(digests) > 0 || err != nil {
			return true
		}
	}
	return false
}

// record decodes everything inside the transaction: the bytes die with it. Who needs no image data gives no images.
func (p *parts) record(seq uint64, images *bbolt.Bucket) (rec ask.Record, ok bool, err error) {
	d := decoder{arguments: true}
	return d.record(p, seq, images)
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
