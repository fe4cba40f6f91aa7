package broker

import (
	"iter"
	"slices"
)

// queue is what waits for the person: foreground before background, because an agent stands still for those; first come,
// first served within each.
type queue struct {
	foreground []*item
	background []*item
}

func (q *queue) part(it *item) *[]*item {
	if it.req.Background {
		return &q.background
	}
	return &q.foreground
}

// add puts an item at its place by the order of asking, which is the end but for what comes back. It reports whether nothing
// in the whole queue stands behind it.
func (q *queue) add(it *item) (last bool) {
	p := q.part(it)
	i := len(*p)
	for i > 0 && (*p)[i-1].serial > it.serial {
		i--
	}
	last = i == len(*p) && (it.req.Background || len(q.background) == 0)
	*p = slices.Insert(*p, i, it)
	return last
}

// remove reports whether the item was queued.
func (q *queue) remove(it *item) bool {
	p := q.part(it)
	i := slices.Index(*p, it)
	if i < 0 {
		return false
	}
	*p = slices.Delete(*p, i, i+1)
	return true
}

func (q *queue) len() int { return len(q.foreground) + len(q.background) }

// position is the item's 1-based place; new ones are near the end.
func (q *queue) position(it *item) int {
	p, before := q.foreground, 0
	if it.req.Background {
		p, before = q.background, len(q.foreground)
	}
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] == it {
			return before + i + 1
		}
	}
	return 0
}

// all yields the items in queue order.
func (q *queue) all() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for _, part := range [][]*item{q.foreground, q.background} {
			for _, it := range part {
				if !yield(it) {
					return
				}
			}
		}
	}
}
