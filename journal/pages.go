package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The layout of a bbolt file, read here without bbolt: its own reader trusts what it finds, follows a page that leads back to
// itself until the stack is full, and asserts rather than reports. Numbers stand in the machine's byte order.
const (
	pageHeader  = 16
	elementSize = 16
	bucketSize  = 16 // root and sequence; an inline page may follow
	metaSize    = 64

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagMeta     = 0x04
	flagFreelist = 0x10

	elementBucket = 0x01 // a leaf's element is a bucket and no value

	boltMagic   = 0xED0CDAED
	boltVersion = 2

	noFreelist = 1<<64 - 1
)

// maxDepth is far over what a tree of 64 bits of pages can have.
const maxDepth = 64

// pages reads a data file page by page and believes nothing that it has not looked at. Not safe for concurrent use.
type pages struct {
	r    io.ReaderAt
	size int64 // of the file, in bytes
	page int   // bytes of a page
}

// header is the head of one of a file's two meta pages.
type header struct {
	root     uint64
	freelist uint64
	end      uint64 // the first page that is not in use
	txid     uint64
}

// element is an entry of a page: a child of a branch, or a value or bucket of a leaf.
type element struct {
	key, value []byte
	bucket     bool
	child      uint64
}

// tree is a branch or leaf page.
type tree struct {
	branch   bool
	overflow uint64
	elements []element
}

// openPages finds the size of the pages; a file without any good meta page is taken to have ours.
func openPages(r io.ReaderAt, size int64) *pages {
	p := &pages{r: r, size: size, page: pageSize}
	for at := int64(1 << 10); at <= 64<<10; at <<= 1 {
		for _, offset := range []int64{0, at} {
			if h, bytes := p.meta(offset); h != nil {
				p.page = bytes
				return p
			}
		}
	}
	return p
}

// meta reads the meta page at an offset; nil when it is none. bytes is the size of the file's pages.
func (p *pages) meta(offset int64) (h *header, bytes int) {
	b := make([]byte, pageHeader+metaSize)
	if _, err := p.r.ReadAt(b, offset); err != nil {
		return nil, 0
	}
	m := b[pageHeader:]
	u32, u64 := binary.NativeEndian.Uint32, binary.NativeEndian.Uint64
	sum := fnv.New64a()
	_, _ = sum.Write(m[:56])
	bytes = int(u32(m[8:]))
	if u32(m) != boltMagic || u32(m[4:]) != boltVersion || u64(m[56:]) != sum.Sum64() || bytes < 1<<10 || bytes > 64<<10 || bytes&(bytes-1) != 0 {
		return nil, 0
	}
	return &header{root: u64(m[16:]), freelist: u64(m[32:]), end: u64(m[40:]), txid: u64(m[48:])}, bytes
}

// newest is the meta page that bbolt would use; nil when neither is good.
func (p *pages) newest() *header {
	one, _ := p.meta(0)
	two, _ := p.meta(int64(p.page))
	if one == nil || two != nil && two.txid > one.txid {
		return two
	}
	return one
}

// count is the number of pages in the file, also of those that the last one is a part of only.
func (p *pages) count() uint64 { return uint64((p.size + int64(p.page) - 1) / int64(p.page)) }

func bad(id uint64, format string, args ...any) error {
	return fmt.Errorf("%w: page %d %s", ErrDamaged, id, fmt.Sprintf(format, args...))
}

// load reads a page with those that it flows over into.
func (p *pages) load(id uint64) (b []byte, flags, count int, err error) {
	head := make([]byte, p.page)
	offset := int64(id) * int64(p.page)
	if id >= p.count() || offset+int64(p.page) > p.size {
		return nil, 0, 0, bad(id, "lies behind the end of the file")
	}
	if _, err := p.r.ReadAt(head, offset); err != nil {
		return nil, 0, 0, bad(id, "cannot be read: %v", err)
	}
	if own := binary.NativeEndian.Uint64(head); own != id {
		return nil, 0, 0, bad(id, "takes itself for page %d", own)
	}
	flags, count = int(binary.NativeEndian.Uint16(head[8:])), int(binary.NativeEndian.Uint16(head[10:]))
	overflow := int64(binary.NativeEndian.Uint32(head[12:]))
	if offset+(overflow+1)*int64(p.page) > p.size {
		return nil, 0, 0, bad(id, "flows over behind the end of the file")
	}
	if overflow == 0 {
		return head, flags, count, nil
	}
	b = make([]byte, (overflow+1)*int64(p.page))
	if _, err := p.r.ReadAt(b, offset); err != nil {
		return nil, 0, 0, bad(id, "cannot be read: %v", err)
	}
	return b, flags, count, nil
}

// leaf reads the first page of a leaf into room, which holds a page, and gives over how many others it flows. A leaf that does
// not is looked at whole, without any memory of its own: there are many.
func (p *pages) leaf(id uint64, room []byte) (overflow uint64, err error) {
	if _, err := p.r.ReadAt(room, int64(id)*int64(p.page)); err != nil {
		return 0, bad(id, "cannot be read: %v", err)
	}
	if own := binary.NativeEndian.Uint64(room); own != id {
		return 0, bad(id, "takes itself for page %d", own)
	}
	if flags := binary.NativeEndian.Uint16(room[8:]); flags != flagLeaf {
		return 0, bad(id, "is to be a leaf and has the flags %#x", flags)
	}
	if overflow = uint64(binary.NativeEndian.Uint32(room[12:])); overflow > 0 {
		return overflow, nil
	}
	count := int(binary.NativeEndian.Uint16(room[10:]))
	if pageHeader+count*elementSize > len(room) {
		return 0, bad(id, "has no room for its %d elements", count)
	}
	var e, last element
	for i := range count {
		if err := e.parse(room, pageHeader+i*elementSize, false); err != nil {
			return 0, bad(id, "element %d: %v", i, err)
		}
		if i > 0 && bytes.Compare(last.key, e.key) >= 0 {
			return 0, bad(id, "element %d: is not in order", i)
		}
		last = e
	}
	return 0, nil
}

// span is the number of pages that a page takes, with those that it flows over into.
func (p *pages) span(id uint64) uint64 {
	b, _, _, err := p.load(id)
	if err != nil {
		return 1
	}
	return uint64(len(b) / p.page)
}

// read gives a branch or leaf page.
func (p *pages) read(id uint64) (tree, error) {
	b, flags, count, err := p.load(id)
	if err != nil {
		return tree{}, err
	}
	t, err := parseTree(b, flags, count)
	if err != nil {
		return tree{}, bad(id, "%v", err)
	}
	t.overflow = uint64(len(b)/p.page - 1)
	if end := t.end(b); t.overflow > 0 && end < int(t.overflow)*p.page {
		return tree{}, bad(id, "flows over and needs no more than %d bytes", end)
	}
	return t, nil
}

// end is how far the elements of a page reach into its bytes.
func (t tree) end(b []byte) (end int) {
	for _, e := range t.elements {
		end = max(end, cap(b)-cap(e.value)+len(e.value))
	}
	return end
}

// parseTree takes a page apart. Its elements share b.
func parseTree(b []byte, flags, count int) (t tree, err error) {
	if flags != flagBranch && flags != flagLeaf {
		return t, fmt.Errorf("has the flags %#x", flags)
	}
	if pageHeader+count*elementSize > len(b) {
		return t, fmt.Errorf("has no room for its %d elements", count)
	}
	t.branch = flags == flagBranch
	if t.branch && count == 0 {
		return t, fmt.Errorf("leads nowhere")
	}
	t.elements = make([]element, count)
	for i := range t.elements {
		e := &t.elements[i]
		if err := e.parse(b, pageHeader+i*elementSize, t.branch); err != nil {
			return t, fmt.Errorf("element %d: %w", i, err)
		}
		if i > 0 && bytes.Compare(t.elements[i-1].key, e.key) >= 0 {
			return t, fmt.Errorf("element %d: is not in order", i)
		}
	}
	return t, nil
}

// parse reads the element whose head lies at an offset of b.
func (e *element) parse(b []byte, at int, branch bool) error {
	u32 := func(offset int) uint64 { return uint64(binary.NativeEndian.Uint32(b[at+offset:])) }
	var pos, key, value uint64
	if branch {
		pos, key, e.child = u32(0), u32(4), binary.NativeEndian.Uint64(b[at+8:])
	} else {
		e.bucket = u32(0)&elementBucket != 0
		pos, key, value = u32(4), u32(8), u32(12)
	}
	start := uint64(at) + pos
	if start+key+value > uint64(len(b)) || pos < elementSize {
		return fmt.Errorf("lies outside of its page")
	}
	e.key, e.value = b[start:start+key], b[start+key:start+key+value]
	return nil
}

// freed are the pages that the freelist of a meta page says are free.
func (p *pages) freed(h *header) (map[uint64]bool, error) {
	free := map[uint64]bool{}
	if h.freelist == noFreelist {
		return free, nil
	}
	b, flags, count, err := p.load(h.freelist)
	if err != nil {
		return nil, err
	}
	list := b[pageHeader:]
	n := uint64(count)
	if count == 0xFFFF && len(list) >= 8 { // the number does not fit and stands in front
		n, list = binary.NativeEndian.Uint64(list), list[8:]
	}
	if flags != flagFreelist || n > uint64(len(list)/8) {
		return nil, bad(h.freelist, "is no list of free pages")
	}
	for i := range n {
		id := binary.NativeEndian.Uint64(list[8*i:])
		if id < 2 || id >= h.end || free[id] {
			return nil, bad(h.freelist, "gives page %d free", id)
		}
		free[id] = true
	}
	return free, nil
}

// walk visits the leaf elements of a tree in the order of their keys and passes over what cannot be read, which it tells
// spoilt about. used has the pages that were met before; no page is met twice. It ends with the first error of visit.
type walk struct {
	p      *pages
	used   map[uint64]bool
	spoilt func(error)
	visit  func(element) error
	stop   func() error // looked at before each page; may be nil
}

func (w *walk) tree(id uint64) error { return w.down(id, 0, nil, nil) }

// down walks the part of a tree below a page whose keys have to lie in [from, to); nil is no bound.
func (w *walk) down(id uint64, depth int, from, to []byte) error {
	if w.used[id] || id < 2 || depth > maxDepth {
		w.spoilt(bad(id, "is used twice"))
		return nil
	}
	if w.stop != nil {
		if err := w.stop(); err != nil {
			return err
		}
	}
	w.used[id] = true
	t, err := w.p.read(id)
	if err != nil {
		w.spoilt(err)
		return nil
	}
	for i := range t.overflow {
		w.used[id+1+i] = true
	}
	if err := inRange(id, t, from, to); err != nil {
		w.spoilt(err)
	}
	if !t.branch {
		for _, e := range t.elements {
			if err := w.visit(e); err != nil {
				return err
			}
		}
		return nil
	}
	for i, e := range t.elements {
		next := to
		if i+1 < len(t.elements) {
			next = t.elements[i+1].key
		}
		if err := w.down(e.child, depth+1, e.key, next); err != nil {
			return err
		}
	}
	return nil
}

// inRange sees that a page belongs where it was found: one of an earlier time may be whole in itself.
func inRange(id uint64, t tree, from, to []byte) error {
	if n := len(t.elements); n > 0 &&
		(from != nil && bytes.Compare(t.elements[0].key, from) < 0 || to != nil && bytes.Compare(t.elements[n-1].key, to) >= 0) {
		return bad(id, "has keys of another page")
	}
	return nil
}

// bucketValue is the element of a bucket.
type bucketValue struct {
	root, sequence uint64
	inline         []byte
}

func parseBucket(value []byte) (b bucketValue, err error) {
	if len(value) < bucketSize {
		return b, fmt.Errorf("%w: a bucket of %d bytes", ErrDamaged, len(value))
	}
	b.root, b.sequence = binary.NativeEndian.Uint64(value), binary.NativeEndian.Uint64(value[8:])
	if b.root == 0 {
		b.inline = value[bucketSize:]
	}
	return b, nil
}

// bucket visits the elements of a bucket.
func (w *walk) bucket(b bucketValue) error {
	if b.root != 0 {
		return w.tree(b.root)
	}
	if len(b.inline) < pageHeader {
		w.spoilt(fmt.Errorf("%w: a bucket without a page", ErrDamaged))
		return nil
	}
	t, err := parseTree(b.inline, int(binary.NativeEndian.Uint16(b.inline[8:])), int(binary.NativeEndian.Uint16(b.inline[10:])))
	if err == nil && t.branch {
		err = errors.New("it is a branch")
	}
	if err != nil {
		w.spoilt(fmt.Errorf("%w: the page in a bucket: %w", ErrDamaged, err))
		return nil
	}
	for _, e := range t.elements {
		if err := w.visit(e); err != nil {
			return err
		}
	}
	return nil
}
