package journal

import (
	"maps"
	"math/bits"
	"slices"
)

// bitmap says of each page whether it has been met.
type bitmap []uint64

// set notes a page and reports whether it had been met before.
func (b bitmap) set(id uint64) (before bool) {
	word, bit := id/64, uint64(1)<<(id%64)
	before = b[word]&bit != 0
	b[word] |= bit
	return before
}

// outline looks at buckets that start-up does not read: at their branch pages, one page in some fifty, and then at their leaves.
// A branch that leads back to itself, or to an older page that does, has bbolt's cursors go round until memory or stack are at
// an end, and there is no way to stop them; a damaged length in a leaf has it take as much memory, when something is written
// beside it. So this is looked for before there are any.
//
// The leaves of a tree lie equally deep, and the first way down shows how deep. A branch where a leaf should be is what a
// write that never reached the disk leaves behind. Leaves are read from the front of the file to its end: that is how disks
// and kernels read fast.
type outline struct {
	p       *pages
	buckets map[string]bucketValue
	end     uint64 // the first page that is not in use
	met     bitmap
	leaves  bitmap
	free    map[uint64]bool
	stopped func() bool // looked at before each page; may be nil
	faults  faults
}

// outline is of the buckets that are left, from which no page may lead to those that were looked at whole.
func (s *survey) outline(h *header, free map[uint64]bool) *outline {
	words := h.end/64 + 1
	o := &outline{p: s.p, buckets: s.buckets, end: h.end, met: make(bitmap, words), leaves: make(bitmap, words), free: free}
	for id := range s.used {
		if id < o.end {
			o.met.set(id)
		}
	}
	return o
}

// look gives what is wrong; nil for nothing, and for what had not been found when it was stopped.
func (o *outline) look() error {
	for _, name := range slices.Sorted(maps.Keys(o.buckets)) {
		if root := o.buckets[name].root; root != 0 {
			if depth, ok := o.depth(root); ok {
				o.down(root, depth)
			}
		}
	}
	o.ends()
	return o.faults.verdict()
}

func (o *outline) stop() bool { return o.stopped != nil && o.stopped() }

// depth is how many branches lie above the leaves.
func (o *outline) depth(id uint64) (n int, ok bool) {
	for at := id; n <= maxDepth; n++ {
		t, err := o.p.read(at)
		if err != nil {
			o.faults.add(err)
			return 0, false
		}
		if !t.branch {
			return n, true
		}
		at = t.elements[0].child
	}
	o.faults.add(bad(id, "leads back to itself"))
	return 0, false
}

// down looks at a page with so many branches from it to the leaves, itself among them.
func (o *outline) down(id uint64, branches int) {
	switch {
	case o.stop() || !o.take(id):
		return
	case branches == 0:
		o.leaves.set(id)
		return
	}
	t, err := o.p.read(id)
	if err != nil {
		o.faults.add(err)
		return
	}
	_ = o.over(id, t.overflow)
	if !t.branch {
		return
	}
	for _, e := range t.elements {
		o.down(e.child, branches-1)
	}
}

// take notes that a page is in use, unless it cannot be.
func (o *outline) take(id uint64) bool {
	switch {
	case id < 2 || id >= o.end:
		o.faults.add(bad(id, "lies behind the end of the file"))
	case o.met.set(id):
		o.faults.add(bad(id, "is used twice"))
	case o.free[id]:
		o.faults.add(bad(id, "is in use and free"))
	default:
		return true
	}
	return false
}

// over takes the pages that a page flows over into, as far as the first that cannot be.
func (o *outline) over(id, overflow uint64) bool {
	for next := id + 1; next <= id+overflow; next++ {
		if !o.take(next) {
			return false
		}
	}
	return true
}

// ends looks at all leaves.
func (o *outline) ends() {
	room := make([]byte, o.p.page)
	for word, left := range o.leaves {
		for ; left != 0; left &= left - 1 {
			if o.stop() {
				return
			}
			id := uint64(word*64 + bits.TrailingZeros64(left))
			overflow, err := o.p.leaf(id, room)
			if overflow > 0 && o.over(id, overflow) {
				_, err = o.p.read(id)
			}
			if err != nil {
				o.faults.add(err)
			}
		}
	}
}
