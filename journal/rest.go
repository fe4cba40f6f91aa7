package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sort"
	"sync/atomic"

	"askd/broker/ask"
)

// rest is what opening leaves out of a large file that was closed in order: the buckets that start-up does not read. They are
// looked at beside the running journal, and whoever wants something of them waits for that, once. nil is a file of which
// nothing was left out.
//
// It reads the file by itself, as it was when it was opened, and holds no transaction of bbolt, which would keep the
// committer from mapping a file anew that has grown. Nothing it reads changes meanwhile: until it is done nothing is
// written to these buckets, so that no page of theirs moves, is freed or is used again. What is asked goes to live, and its id
// is looked up in the index on a path that is looked at for it alone: nobody who asks waits.
type rest struct {
	outline *outline
	opened  header // the head of the file that the buckets are of
	stopped atomic.Bool
	done    chan struct{} // closed when it has been looked at or given up
	err     error         // what is wrong; set before done is closed
}

func newRest(o *outline, h *header) *rest {
	r := &rest{outline: o, opened: *h, done: make(chan struct{})}
	o.stopped = r.stopped.Load
	return r
}

// isOf reports whether a file is still in the state that was looked at, and has the rest read on there.
func (r *rest) isOf(f io.ReaderAt, size int64) bool {
	if r == nil {
		return true
	}
	r.outline.p = openPages(f, size)
	now := r.outline.p.newest()
	return now != nil && *now == r.opened
}

// look blocks until all of it has been looked at. It is called once.
func (r *rest) look(path string) {
	defer close(r.done)
	err := r.outline.look()
	switch {
	case r.stopped.Load():
		r.err = ErrClosed
	case err != nil:
		r.err = &ask.Damage{Path: path, Err: err}
	}
	r.outline.free, r.outline.met, r.outline.leaves = nil, nil, nil
}

// giveUp ends the looking. Who waits gets ErrClosed.
func (r *rest) giveUp() {
	if r != nil {
		r.stopped.Store(true)
		<-r.done
	}
}

// ahead reports whether it is still to be looked at.
func (r *rest) ahead() bool {
	if r == nil {
		return false
	}
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// wait blocks until it has been looked at. Errors: ctx's, ErrClosed, or the damage that was found.
func (r *rest) wait(ctx context.Context) error {
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sound reports whether all of it has been looked at and is in order.
func (r *rest) sound() bool { return r == nil || !r.ahead() && r.err == nil }

// path sees that the way to a key leads down to a leaf, as bbolt will go it. Any goroutine, within a transaction.
func (r *rest) path(bucket, key []byte) error {
	if r == nil {
		return nil
	}
	if !r.ahead() {
		return r.err
	}
	root := r.outline.buckets[string(bucket)].root
	if root == 0 {
		return nil
	}
	for id, depth := root, 0; depth <= maxDepth; depth++ {
		t, err := r.outline.p.read(id)
		if err != nil || !t.branch {
			return err
		}
		behind := sort.Search(len(t.elements), func(i int) bool { return bytes.Compare(t.elements[i].key, key) > 0 })
		id = t.elements[max(behind-1, 0)].child
	}
	return bad(root, "leads back to itself")
}

// errLater: what is asked for lies in buckets that are still to be looked at.
var errLater = errors.New("not looked at yet")

// Whole blocks until the file has been looked at as far as is needed for nothing in it to lead askd round in circles; Open has
// done so unless the file is large. Whatever needs that waits by itself. Any goroutine but a done. Errors: ctx's, ErrClosed, or
// what is wrong with the file as ErrDamaged: then nothing more is asked, read of the history or moved there.
func (j *Journal) Whole(ctx context.Context) error { return j.unread.wait(ctx) }

// lookOn starts looking at the rest.
func (j *Journal) lookOn() {
	if !j.unread.ahead() {
		return
	}
	j.opts.Go("journal look", func() {
		j.unread.look(j.opts.Path)
		j.kick()
	})
}

// beyond reports whether an op reads or writes more than what start-up has read.
func (o *op) beyond() bool {
	switch o.kind {
	case opOutcome:
		return len(o.pictures) > 0
	case opDraft:
		return o.draft != nil && showsImages(o.draft)
	case opDelivered, opReopened, opIndex, opAlone:
		return true
	}
	return false
}

func showsImages(d *ask.Draft) bool {
	for list := range draftImages(d) {
		if len(list) > 0 {
			return true
		}
	}
	return false
}

// postpone keeps back what needs the rest of the file while that is still to be looked at, and whatever comes after it for the
// same request; the others go on. At the end it waits: what was appended is written.
func (j *Journal) postpone(ops []*op, closing bool) (now []*op) {
	ops, j.postponed = append(j.postponed, ops...), nil
	if !j.unread.ahead() {
		return ops
	}
	for _, o := range ops {
		earlier := func(p *op) bool { return p.key == o.key && o.key != ask.Key{} }
		if o.beyond() || slices.ContainsFunc(j.postponed, earlier) {
			j.postponed = append(j.postponed, o)
		} else {
			now = append(now, o)
		}
	}
	if closing && len(j.postponed) > 0 {
		_ = j.unread.wait(context.Background()) // each op is told
		now, j.postponed = append(now, j.postponed...), nil
	}
	return now
}
