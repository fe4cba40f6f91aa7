package journal

import (
	"context"
	"fmt"
	"iter"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// batchRecords and batchBytes bound what History holds at a time: a batch is read in one transaction and handed out after
// it, so that a slow export keeps no old pages alive and what it calls may use the journal.
const (
	batchRecords = 64
	batchBytes   = 1 << 20
)

// History yields the whole records that have a question which q finds, live and settled, with draft and earlier outcomes,
// one at a time. A record that is stored, changed or moved meanwhile comes once, as it is when it is reached. It blocks on
// the disk, not on writers; any goroutine. After an error, which is ctx's, ErrClosed or ErrDamaged, it ends.
func (j *Journal) History(ctx context.Context, q ask.HistoryQuery) iter.Seq2[ask.Record, error] {
	return func(yield func(ask.Record, error) bool) {
		for b := (batch{more: true}); b.more; {
			err := j.retryStale(func(tx *bbolt.Tx) error { return b.read(ctx, j, tx, q) })
			if err != nil {
				yield(ask.Record{}, fmt.Errorf("read history: %w", err))
				return
			}
			for _, rec := range b.records {
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

// batch is where History stands.
type batch struct {
	records []ask.Record
	next    uint64 // where to go on
	more    bool
	seqs    []uint64
	limit   uint64 // records stored later are left out, or a journal in use would have no end
}

func (b *batch) read(ctx context.Context, j *Journal, tx *bbolt.Tx, q ask.HistoryQuery) error {
	s, err := j.newScan(ctx, tx, q)
	if err != nil {
		return err
	}
	start := b.next
	if start == 0 {
		if err := s.narrow(); err != nil {
			return err
		}
		b.seqs, b.limit = s.seqs, tx.Bucket(bucketLive).Sequence()
	}
	s.seqs = b.seqs
	b.records, b.more = b.records[:0], false
	size := 0
	for seq, value := range s.rows(start) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(b.records) == batchRecords || size > batchBytes {
			b.next, b.more = seq, true
			return nil
		}
		if seq > b.limit {
			continue
		}
		rec, n, ok, err := s.record(seq, value)
		if err != nil {
			return err
		}
		if size += n; ok {
			b.records = append(b.records, rec)
		}
	}
	return nil
}

// record reads one whole record if the query finds any of its questions; n is about its size.
func (s *scan) record(seq uint64, value []byte) (rec ask.Record, n int, ok bool, err error) {
	sum, err := openSummary(nil, value)
	if err != nil || !s.passes(&sum) {
		return rec, 0, false, err
	}
	p := s.parts(seq)
	n = len(p.request) + len(p.outcome)
	if !s.term.possible(p.request, p.outcome, sum.created, s.tx.Bucket(bucketImages)) {
		return rec, n, false, nil
	}
	rec, ok, err = p.record(seq, s.tx.Bucket(bucketImages))
	if _, live := s.live[seq]; !live {
		rec.Delivered = ok
	}
	n += imageBytes(&rec)
	if err != nil || !ok || s.term.text == "" {
		return rec, n, ok, err
	}
	for _, h := range rec.History() {
		if h.Matches(s.term.text) && (h.HasAnswer() || !s.q.AnsweredOnly) {
			return rec, n, true, nil
		}
	}
	return rec, n, false, nil
}

// parts reads a record where it stands, live ones with their drafts.
func (s *scan) parts(seq uint64) (p parts) {
	if _, live := s.live[seq]; !live {
		return readParts(s.tx.Bucket(bucketHistory), seq)
	}
	p = readParts(s.tx.Bucket(bucketLive), seq)
	p.draft = getValue(s.tx.Bucket(bucketDrafts), seq, kindDraft)
	return p
}

// imageBytes is about what the images of a record take in memory.
func imageBytes(rec *ask.Record) (n int) {
	for list := range recordImages(rec) {
		for i := range list {
			n += len(list[i].Data)
		}
	}
	return n
}
