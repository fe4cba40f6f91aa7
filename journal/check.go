package journal

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// maxProblems bounds a report: a file that is damaged throughout is not listed page by page.
const maxProblems = 100

// Check reads the whole file and reports what in it does not hold together: pages, records that do not decode, and
// everything that is stored in two places and differs. It changes nothing. Writers wait while the pages are looked at,
// about a second for each gigabyte, since bbolt cannot do that beside a writer; not while the records are. It blocks; any
// goroutine but a done. The error is ctx's or ErrClosed: damage is no error but a problem in the report.
func (j *Journal) Check(ctx context.Context) (ask.Upkeep, error) {
	pages := make(chan []string, 1)
	err := j.alone(ctx, func() error {
		problems, err := j.checkPages()
		pages <- problems
		return err
	})
	c := &checker{ctx: ctx}
	if err == nil {
		if c.report.Problems = <-pages; len(c.report.Problems) == 0 { // what lies on bad pages says nothing
			err = j.view(ctx, func(tx *bbolt.Tx) error {
				c.tx = tx
				c.all()
				return ctx.Err()
			})
		}
	}
	if met, _, ok := ask.Damaged(err); ok {
		c.problem("%s", met)
	} else if err != nil {
		return ask.Upkeep{}, fmt.Errorf("check data file: %w", err)
	}
	c.report.Bytes = fileSize(j.opts.Path)
	return c.report, nil
}

// checkPages is the committer's: nothing is written meanwhile. It reads the file itself: bbolt's own check looks at pages on
// a goroutine on which a page behind the end of the file ends the process.
func (j *Journal) checkPages() ([]string, error) {
	if err := j.inPlace(); err != nil {
		return nil, err
	}
	f, err := os.Open(j.opts.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return inspect(f)
}

// checker looks at one state of the file.
type checker struct {
	ctx     context.Context
	tx      *bbolt.Tx
	report  ask.Upkeep
	settled int
	counted int // questions in the summaries
}

func (c *checker) problem(format string, args ...any) {
	if len(c.report.Problems) < maxProblems {
		c.report.Problems = append(c.report.Problems, fmt.Errorf(format, args...).Error())
	}
}

func (c *checker) all() {
	c.each(bucketLive, c.live)
	c.each(bucketDrafts, func(seq uint64, k kind) error { return c.hasRequest(bucketLive, seq, k) })
	c.each(bucketHistory, c.history)
	c.images()
	c.same("records in the history", c.settled, int(c.tx.Bucket(bucketHistory).Sequence()))
	c.same("questions in the summaries", c.counted, int(c.tx.Bucket(bucketSummaries).Sequence()))
	for _, name := range [][]byte{bucketIndex, bucketSettled, bucketSummaries} {
		c.same("entries in "+string(name), c.tx.Bucket(name).Stats().KeyN, c.settled)
	}
	c.report.Records = c.report.Live + c.settled
}

func (c *checker) same(what string, got, want int) {
	if got != want {
		c.problem("%s: found %d, noted %d", what, got, want)
	}
}

func (c *checker) each(name []byte, visit func(seq uint64, k kind) error) {
	err := eachValue(c.tx.Bucket(name), func(seq uint64, k kind, _ []byte) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := visit(seq, k); err != nil {
			c.problem("%s: %w", name, err)
		}
		return nil
	})
	if err != nil && c.ctx.Err() == nil {
		c.problem("%s: %w", name, err)
	}
}

// images that nothing refers to any more are no problem: they go with the next compaction.
func (c *checker) images() {
	images := c.tx.Bucket(bucketImages)
	err := eachImage(images, func(d digest) error {
		if err := wholeImage(images, d); err != nil {
			c.problem("images: %w", err)
		}
		return c.ctx.Err()
	})
	if err != nil && c.ctx.Err() == nil {
		c.problem("images: %w", err)
	}
}

func (c *checker) hasRequest(bucket []byte, seq uint64, k kind) error {
	if getValue(c.tx.Bucket(bucket), seq, kindRequest) == nil {
		return fmt.Errorf("part %c of record %d: its request is missing", k, seq)
	}
	return nil
}

func (c *checker) live(seq uint64, k kind) error {
	if k != kindRequest {
		return c.hasRequest(bucketLive, seq, k)
	}
	rec, _, err := readLive(c.tx, seq, true)
	if err != nil {
		return err
	}
	c.report.Live++
	c.report.Questions += len(rec.Request.Questions)
	if _, ok := lookup(c.tx, rec.Request.Key()); ok {
		return fmt.Errorf("request %s stands in the history as well", rec.Request.ID)
	}
	return nil
}

func (c *checker) history(seq uint64, k kind) error {
	if k != kindRequest {
		return c.hasRequest(bucketHistory, seq, k)
	}
	c.settled++
	summary := c.tx.Bucket(bucketSummaries).Get(seqKey(seq))
	c.counted += countQuestions(summary)
	rec, _, err := readHistory(c.tx, seq)
	if err != nil {
		return err
	}
	c.report.Questions += len(rec.Request.Questions)
	switch place := c.tx.Bucket(bucketIndex).Get(indexKey(rec.Request.Key())); {
	case rec.Outcome == nil:
		return fmt.Errorf("record %d: its outcome is missing", seq)
	case len(place) != 16 || readSeq(place) != seq:
		return fmt.Errorf("record %d: the index does not lead to it", seq)
	case !bytes.Equal(c.tx.Bucket(bucketSettled).Get(place[8:]), seqKey(seq)):
		return fmt.Errorf("record %d: its settled number does not lead to it", seq)
	case !bytes.Equal(summary, appendSummary(nil, &rec)):
		return fmt.Errorf("record %d: its summary differs", seq)
	}
	return nil
}
