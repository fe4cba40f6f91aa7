package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// batchRecords and batchBytes bound what History holds at a time, twice: a batch is read in one transaction and handed out
// after it, so that a slow export keeps no old pages alive and what it calls may use the journal, and the next one is read
// meanwhile, so that reading and writing have a processor each.
const (
	batchRecords = 64
	batchBytes   = 1 << 20
)

// History yields the whole records that have a question which q finds, live and settled, with draft and earlier outcomes but
// without their arguments, one at a time. A record that is stored, changed or moved meanwhile comes once, as it is when it
// is reached. It blocks on the disk, not on writers; any goroutine. After an error, which is ctx's, ErrClosed or ErrDamaged,
// it ends. A record that is kept keeps others in memory.
func (j *Journal) History(ctx context.Context, q ask.HistoryQuery) iter.Seq2[ask.Record, error] {
	return func(yield func(ask.Record, error) bool) { (&stream{j: j, q: q}).run(ctx, yield) }
}

// Passing is History for who keeps nothing but texts of a record: it is good until the next step only, and others take its
// place in memory. Collecting what was left behind took a sixth of an export.
func (j *Journal) Passing(ctx context.Context, q ask.HistoryQuery) iter.Seq2[ask.Record, error] {
	return func(yield func(ask.Record, error) bool) { (&stream{j: j, q: q, passing: true}).run(ctx, yield) }
}

// batch is some records, or the error that ended the reading.
type batch struct {
	records []ask.Record
	more    bool
	err     error
}

// handOut reports whether the caller wants more.
func (b *batch) handOut(yield func(ask.Record, error) bool) bool {
	for i := range b.records {
		if !yield(b.records[i], nil) {
			return false
		}
	}
	return b.err == nil || yield(ask.Record{}, b.err)
}

// stream is where History stands. Whoever reads the next batch has it.
type stream struct {
	j       *Journal
	ctx     context.Context
	q       ask.HistoryQuery
	passing bool

	next  uint64 // where to go on
	seqs  []uint64
	limit uint64  // records stored later are left out, or a journal in use would have no end
	trays [2]tray // of batches, in turn: one is read while the other is handed out
	turn  int
}

// tray is where a batch stands in memory.
type tray struct {
	decoder decoder
	records []ask.Record
}

// run hands the batches out.
func (s *stream) run(ctx context.Context, yield func(ask.Record, error) bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.ctx = ctx
	ahead := make(chan batch, 1)
	b := s.batch()
	for b.more {
		s.j.opts.Go("journal history", func() { ahead <- s.batch() })
		if !b.handOut(yield) {
			stop()
			<-ahead // nothing goes on reading behind the caller's back
			return
		}
		if b = <-ahead; ctx.Err() != nil {
			b = batch{err: fmt.Errorf("read history: %w", ctx.Err())}
		}
	}
	b.handOut(yield)
}

func (s *stream) batch() (b batch) {
	t := &s.trays[s.turn]
	s.turn = 1 - s.turn
	if s.passing {
		t.decoder.reader.Reuse()
		clear(t.records)
		t.records = t.records[:0]
	} else {
		t.records = nil
	}
	err := s.j.retryStale(s.ctx, func(tx *bbolt.Tx) error {
		b = batch{records: slices.Grow(t.records, batchRecords)}
		return s.read(tx, &t.decoder, &b)
	})
	t.records = b.records
	if err != nil {
		return batch{err: fmt.Errorf("read history: %w", err)}
	}
	return b
}

func (s *stream) read(tx *bbolt.Tx, d *decoder, b *batch) error {
	scan, err := s.scan(tx)
	if err != nil {
		return err
	}
	size := 0
	for seq, value := range scan.rows(s.next) {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if len(b.records) == batchRecords || size > batchBytes {
			s.next, b.more = seq, true
			return nil
		}
		if seq > s.limit {
			continue
		}
		rec, n, ok, err := scan.record(d, seq, value)
		if err != nil {
			return err
		}
		if size += n; ok {
			b.records = append(b.records, rec)
		}
	}
	return nil
}

// scan looks where the first scan has found that there is to look.
func (s *stream) scan(tx *bbolt.Tx) (*scan, error) {
	scan, err := s.j.newScan(s.ctx, tx, s.q)
	if err != nil {
		return nil, err
	}
	if s.next == 0 {
		if err := scan.narrow(); err != nil {
			return nil, err
		}
		s.seqs, s.limit = scan.seqs, tx.Bucket(bucketLive).Sequence()
	}
	scan.seqs = s.seqs
	return scan, nil
}

// record reads one whole record if the query finds any of its questions; n is about its size.
func (s *scan) record(d *decoder, seq uint64, value []byte) (rec ask.Record, n int, ok bool, err error) {
	sum, err := openSummary(&s.arena, value)
	if err != nil || !s.passes(&sum) {
		return rec, 0, false, err
	}
	p := s.parts(seq)
	n = len(p.request) + len(p.outcome)
	if !s.term.possible(p.request, p.outcome, sum.created, s.images) {
		return rec, n, false, nil
	}
	rec, ok, err = d.record(&p, seq, s.images)
	if _, live := s.live[seq]; !live {
		rec.Delivered = ok
	}
	if p.pictured() {
		n += imageBytes(&rec)
	}
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
		return s.history.parts(seq)
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
