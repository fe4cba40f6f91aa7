package broker

import (
	"errors"
	"sync/atomic"

	"askd/broker/ask"
)

// Same says to how many other forms that ask the same an answer was given as well.
type Same struct {
	Answered int `json:"answered"`
	Ended    int `json:"ended"`            // had ended meanwhile
	Failed   int `json:"failed,omitempty"` // could not be stored: those wait as before
}

// alike gives the other forms that ask the same and can be answered. One that the person has cancelled is not among them, nor
// is one that another surface shows.
func (d *desk) alike(it *item) []*item {
	want := ask.ContentKey(it.req)
	var out []*item
	for o := range d.queue.all() {
		r := o.req
		if o == it || o.state != pending || o.held != nil || d.elsewhere(o) || r.Tool != it.req.Tool || len(r.Questions) != len(it.req.Questions) {
			continue
		}
		if ask.ContentKey(r) == want {
			out = append(out, o)
		}
	}
	return out
}

// answerAlike ends a form, and once that is on disk gives the same answer to those that were alike, each with an outcome of its
// own. tell is called once.
func (d *desk) answerAlike(first *item, e ending, tell func(Same, error)) {
	others := d.alike(first)
	one := e
	one.done = func(err error) {
		if err != nil {
			tell(Same{}, err) // nobody gets what the first could not
			return
		}
		d.b.postOr(func(d *desk) { d.toAlike(others, e, tell) }, func() { tell(Same{}, nil) })
	}
	d.settle(first, one)
}

func (d *desk) toAlike(others []*item, e ending, tell func(Same, error)) {
	var left, answered, ended, failed atomic.Int32 // the last may be told of after the broker's end, by whoever stored it
	left.Store(int32(len(others)) + 1)
	done := func() {
		if left.Add(-1) == 0 {
			tell(Same{Answered: int(answered.Load()), Ended: int(ended.Load()), Failed: int(failed.Load())}, nil)
		}
	}
	for _, o := range others {
		other := e
		other.done = func(err error) {
			switch {
			case err == nil:
				answered.Add(1)
			case errors.Is(err, ErrNotPending):
				ended.Add(1)
			default:
				failed.Add(1)
			}
			done()
		}
		d.settle(o, other)
	}
	done()
}
