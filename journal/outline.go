package journal

// bitmap says of each page whether it has been met.
type bitmap []uint64

// set notes a page and reports whether it had been met before.
func (b bitmap) set(id uint64) (before bool) {
	word, bit := id/64, uint64(1)<<(id%64)
	before = b[word]&bit != 0
	b[word] |= bit
	return before
}

// outline looks at the branch pages alone, of buckets that start-up does not read: one page in some fifty. A branch that leads
// back to itself, or to an older page that does, has bbolt's cursors go round until memory or stack are at an end, and there
// is no way to stop them. So this is looked for before there are any. Leaves are not read: those of a tree lie equally deep,
// and the first way down shows how deep.
type outline struct {
	p     *pages
	end   uint64 // the first page that is not in use
	met   bitmap
	free  map[uint64]bool
	fault func(error)
}

// outline looks at the buckets that are left, from which no page may lead to those that were looked at whole.
func (s *survey) outline(h *header, free map[uint64]bool) {
	o := &outline{p: s.p, end: h.end, met: make(bitmap, h.end/64+1), free: free, fault: s.fault}
	for id := range s.used {
		if id < o.end {
			o.met.set(id)
		}
	}
	for _, b := range s.buckets {
		if b.root != 0 {
			if depth, ok := o.depth(b.root); ok {
				o.down(b.root, depth)
			}
		}
	}
}

// depth is how many branches lie above the leaves.
func (o *outline) depth(id uint64) (n int, ok bool) {
	for at := id; n <= maxDepth; n++ {
		t, err := o.p.read(at)
		if err != nil {
			o.fault(err)
			return 0, false
		}
		if !t.branch {
			return n, true
		}
		at = t.elements[0].child
	}
	o.fault(bad(id, "leads back to itself"))
	return 0, false
}

// down looks at a page with so many branches from it to the leaves, itself among them.
func (o *outline) down(id uint64, branches int) {
	switch {
	case id < 2 || id >= o.end:
		o.fault(bad(id, "lies behind the end of the file"))
		return
	case o.met.set(id):
		o.fault(bad(id, "is used twice"))
		return
	case o.free[id]:
		o.fault(bad(id, "is in use and free"))
		return
	case branches == 0:
		return
	}
	t, err := o.p.read(id)
	if err != nil {
		o.fault(err)
		return
	}
	if !t.branch {
		return
	}
	for _, e := range t.elements {
		o.down(e.child, branches-1)
	}
}
