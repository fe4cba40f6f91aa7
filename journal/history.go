package journal

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// Page lists questions in short, live and settled, offset questions into what q finds and limit at most. Within a form the
// questions stand in its order, also when the newest forms come first. It reads no more of the file than it must: without
// filters the page alone; with Session that session; with Text what the search index leaves over, and whatever the index
// cannot tell; else every summary. It blocks on the disk, not on writers, and may be called from any goroutine. Errors:
// ctx's, ErrClosed, ErrDamaged.
func (j *Journal) Page(ctx context.Context, q ask.HistoryQuery, offset, limit int) (page ask.HistoryPage, err error) {
	err = j.retryStale(ctx, func(tx *bbolt.Tx) error {
		key := pageKey{db: j.db, tx: tx.ID(), query: q, offset: offset, limit: limit}
		if last := j.lastPage.Load(); last != nil && last.key == key {
			page = last.copy()
			return nil
		}
		s, err := j.newScan(ctx, tx, q)
		if err == nil {
			err = s.narrow()
		}
		if err != nil {
			return err
		}
		if page, err = s.page(offset, limit); err == nil && len(page.Records) <= keptPage {
			last := &keptRows{key: key, page: page}
			page = last.copy()
			j.lastPage.Store(last)
		}
		return err
	})
	if err != nil {
		return ask.HistoryPage{}, fmt.Errorf("list history: %w", err)
	}
	return page, nil
}

// keptPage is the longest page that is kept: a screen or two.
const keptPage = 256

// pageKey says of which rows of which state of which file a page is.
type pageKey struct {
	db            *bbolt.DB // a compaction starts another one
	tx            int
	query         ask.HistoryQuery
	offset, limit int
}

// keptRows is the page that was read last. A list is drawn far more often than the history changes.
type keptRows struct {
	key  pageKey
	page ask.HistoryPage
}

func (k *keptRows) copy() ask.HistoryPage {
	page := k.page
	page.Records = append(make([]ask.HistorySummary, 0, len(page.Records)), page.Records...)
	return page
}

// scan is one way through the history, within one transaction.
type scan struct {
	ctx     context.Context
	j       *Journal
	tx      *bbolt.Tx
	q       ask.HistoryQuery
	term    term
	live    map[uint64][]byte // summaries of the live records
	seqs    []uint64          // where to look, in the order wanted; nil is everywhere
	arena   ask.Arena
	images  *bbolt.Bucket
	history follower
	from    string // Since and Until as summaries hold times
	to      string
}

func (j *Journal) newScan(ctx context.Context, tx *bbolt.Tx, q ask.HistoryQuery) (*scan, error) {
	s := &scan{ctx: ctx, j: j, tx: tx, q: q, term: newTerm(q.Text), images: tx.Bucket(bucketImages)}
	s.history.c = tx.Bucket(bucketHistory).Cursor()
	if !q.Since.IsZero() {
		s.from = ask.FormatTime(q.Since)
	}
	if !q.Until.IsZero() {
		s.to = ask.FormatTime(q.Until)
	}
	var err error
	s.live, err = j.summaries.of(tx)
	return s, err
}

// narrow finds out where to look. A scan that is not narrowed looks everywhere.
func (s *scan) narrow() (err error) {
	if s.q.Session != "" {
		s.seqs, err = s.ofSession()
	} else if len(s.term.bits) > 0 {
		s.seqs, err = s.j.candidates(s.tx, s.term.bits)
	} else {
		return nil
	}
	for seq := range s.live {
		s.seqs = append(s.seqs, seq)
	}
	slices.Sort(s.seqs)
	if s.q.Newest {
		slices.Reverse(s.seqs)
	}
	return err
}

// ofSession finds a session's settled records: the index holds them together.
func (s *scan) ofSession() ([]uint64, error) {
	seqs := []uint64{}
	prefix := indexKey(ask.Key{Session: s.q.Session})
	c := s.tx.Bucket(bucketIndex).Cursor()
	var last ascent
	for key, value := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = c.Next() {
		if last.back(key) {
			return nil, fmt.Errorf("%w: the index comes back to %q", ErrDamaged, key)
		}
		if len(value) >= 8 {
			seqs = append(seqs, readSeq(value))
		}
	}
	return seqs, nil
}

// plain reports whether the query finds everything.
func (s *scan) plain() bool {
	return s.seqs == nil && s.term.text == "" && s.q.Tool == "" && !s.q.AnsweredOnly && s.from == "" && s.to == ""
}

func (s *scan) page(offset, limit int) (page ask.HistoryPage, err error) {
	if s.plain() {
		page.Total = s.countAll()
	}
	page.Records = make([]ask.HistorySummary, 0, min(limit, 256))
	seen, plain, looked := 0, s.plain(), 0
	for seq, value := range s.rows(0) {
		if looked++; looked%64 == 1 && s.ctx.Err() != nil {
			return page, s.ctx.Err()
		}
		if value == nil {
			return page, fmt.Errorf("%w: the history comes round again after record %d", ErrDamaged, seq)
		}
		if plain {
			if seen >= offset+limit {
				return page, nil
			}
			if n := countQuestions(value); seen+n <= offset {
				seen += n
				continue
			}
		}
		before := len(page.Records)
		if page.Records, err = s.find(page.Records, seq, value); err != nil {
			return page, err
		}
		found := len(page.Records) - before
		first, last := min(found, max(0, offset-seen)), max(0, min(found, offset+limit-seen))
		page.Records = slices.Delete(page.Records, before+max(first, last), before+found)
		page.Records = slices.Delete(page.Records, before, before+min(first, last))
		seen += found
	}
	page.Total = seen
	return page, nil
}

func (s *scan) countAll() int {
	n := int(s.tx.Bucket(bucketSummaries).Sequence())
	for _, value := range s.live {
		n += countQuestions(value)
	}
	return n
}

// rows yields the summaries to look at from a seq on, in order; 0 is from the beginning.
func (s *scan) rows(from uint64) iter.Seq2[uint64, []byte] {
	if s.seqs == nil {
		return s.everywhere(from)
	}
	summaries := s.tx.Bucket(bucketSummaries)
	return func(yield func(uint64, []byte) bool) {
		for _, seq := range s.seqs[s.position(from):] {
			value, ok := s.live[seq]
			if !ok {
				value = summaries.Get(seqKey(seq))
			}
			if value != nil && !yield(seq, value) {
				return
			}
		}
	}
}

// position is where a seq, or what comes behind it, stands in seqs.
func (s *scan) position(from uint64) int {
	if from == 0 {
		return 0
	}
	at, _ := slices.BinarySearchFunc(s.seqs, from, func(a, b uint64) int {
		if s.q.Newest {
			a, b = b, a
		}
		return compare(a, b)
	})
	return at
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// everywhere merges the summaries of history and live records. Where a damaged file comes round again it ends with a row
// that cannot be read.
func (s *scan) everywhere(from uint64) iter.Seq2[uint64, []byte] {
	live := make([]uint64, 0, len(s.live))
	for seq := range s.live {
		if from == 0 || s.inOrder(from, seq) {
			live = append(live, seq)
		}
	}
	slices.SortFunc(live, func(a, b uint64) int {
		if s.inOrder(a, b) {
			return -1
		}
		return 1
	})
	return func(yield func(uint64, []byte) bool) {
		c, next := s.start(from)
		for len(live) > 0 || c.key != nil {
			if c.key == nil || len(live) > 0 && s.inOrder(live[0], readSeq(c.key)) {
				if !yield(live[0], s.live[live[0]]) {
					return
				}
				live = live[1:]
				continue
			}
			seq := readSeq(c.key)
			if !yield(seq, c.value) {
				return
			}
			if c.key, c.value = next(); c.key != nil && s.inOrder(readSeq(c.key), seq) { // a page leads back: it would never end
				yield(seq, nil)
				return
			}
		}
	}
}

// inOrder reports whether a comes no later than b.
func (s *scan) inOrder(a, b uint64) bool { return a == b || (a < b) != s.q.Newest }

type at struct{ key, value []byte }

// start puts a cursor on the first summary wanted.
func (s *scan) start(from uint64) (first at, next func() ([]byte, []byte)) {
	c := s.tx.Bucket(bucketSummaries).Cursor()
	next = c.Next
	if s.q.Newest {
		next = c.Prev
	}
	switch {
	case from == 0 && s.q.Newest:
		first.key, first.value = c.Last()
	case from == 0:
		first.key, first.value = c.First()
	default:
		first.key, first.value = c.Seek(seqKey(from))
		if s.q.Newest && (first.key == nil || readSeq(first.key) > from) {
			if first.key == nil {
				first.key, first.value = c.Last()
			} else {
				first.key, first.value = c.Prev()
			}
		}
	}
	return first, next
}

// find appends the questions of one record that the query finds.
func (s *scan) find(rows []ask.HistorySummary, seq uint64, value []byte) ([]ask.HistorySummary, error) {
	sum, err := openSummary(&s.arena, value)
	if err != nil || !s.passes(&sum) {
		return rows, err
	}
	if s.term.text == "" {
		return sum.appendRows(rows, s.q.AnsweredOnly)
	}
	rec, ok, err := s.matching(seq, sum.created)
	if err != nil || !ok {
		return rows, err
	}
	for _, h := range rec.History() {
		if s.q.AnsweredOnly && !h.HasAnswer() || !h.Matches(s.term.text) {
			continue
		}
		row := h.Summary()
		row.Session, row.Tool = sum.session, sum.tool
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *scan) passes(sum *summary) bool {
	switch {
	case s.q.Session != "" && sum.session != s.q.Session,
		s.q.Tool != "" && sum.tool != s.q.Tool,
		s.q.AnsweredOnly && sum.answered == 0,
		sum.created < s.from,
		s.to != "" && sum.created >= s.to:
		return false
	}
	return true
}

// matching reads a record unless its bytes show already that the term is not in it.
func (s *scan) matching(seq uint64, created string) (rec ask.Record, ok bool, err error) {
	p := s.parts(seq)
	p.draft = nil // a search does not look into it
	if !s.term.possible(p.request, p.outcome, created, s.images) {
		return rec, false, nil
	}
	return p.record(seq, s.images)
}
