package journal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"askd/broker/ask"
)

// origin is where a part of a record was found, the most trusted first.
type origin byte

const (
	fromHistory origin = iota
	fromLive
	fromNowhere // a page to which no way leads any more
)

type partKey struct {
	seq    uint64
	kind   kind
	origin origin
}

// salvage is what was found in a damaged file. It holds the readable content in memory.
type salvage struct {
	ctx     context.Context
	p       *pages
	used    map[uint64]bool
	report  Rescued
	buckets map[string]bucketValue

	parts    map[partKey]map[int][]byte // chunks by number
	names    map[uint64]ask.Key         // of settled requests, by seq
	settled  map[uint64]bool            // seqs that something says are in the history
	chunks   map[digest]map[int][]byte  // of images
	images   map[digest][]byte          // whole ones
	missing  map[digest]bool            // images that something refers to and that are not whole
	written  map[ask.Key]bool           // what is in the fresh file
	last     uint64                     // the highest seq that was ever given out, as far as is known
	remnants [][]byte
}

func newSalvage(ctx context.Context, p *pages) *salvage {
	return &salvage{
		ctx: ctx, p: p, used: map[uint64]bool{}, buckets: map[string]bucketValue{},
		parts: map[partKey]map[int][]byte{}, names: map[uint64]ask.Key{}, settled: map[uint64]bool{},
		chunks: map[digest]map[int][]byte{}, images: map[digest][]byte{}, missing: map[digest]bool{}, written: map[ask.Key]bool{},
	}
}

// takes say what to do with the elements of each bucket.
var takes = map[string]func(*salvage, element){
	string(bucketLive):      func(s *salvage, e element) { s.takeChunk(e, fromLive) },
	string(bucketDrafts):    func(s *salvage, e element) { s.takeChunk(e, fromLive) },
	string(bucketHistory):   func(s *salvage, e element) { s.takeChunk(e, fromHistory) },
	string(bucketIndex):     (*salvage).takeIndex,
	string(bucketSettled):   (*salvage).takeSettled,
	string(bucketSummaries): (*salvage).takeSummary,
	string(bucketImages):    (*salvage).takeImage,
}

// find reads the whole file: first what the newest root leads to, then the pages that nothing leads to.
func (s *salvage) find() error {
	s.report.Pages = int(s.p.count())
	free := map[uint64]bool{}
	if h := s.p.newest(); h != nil {
		s.root(h.root)
		free, _ = s.p.freed(h) // without it, what is old is looked at as well
	}
	if !s.rooted() {
		if err := s.otherRoot(); err != nil {
			return err
		}
	}
	for name, b := range s.buckets {
		take := takes[name]
		if take == nil {
			take = func(*salvage, element) {}
		}
		if err := s.walk(func(e element) { take(s, e) }).bucket(b); err != nil {
			return err
		}
	}
	if err := s.strays(free); err != nil {
		return err
	}
	s.wholeImages()
	return nil
}

func (s *salvage) walk(take func(element)) *walk {
	return &walk{p: s.p, used: s.used, spoilt: func(error) { s.report.BadPages++ }, visit: func(e element) error {
		take(e)
		return s.ctx.Err()
	}}
}

func (s *salvage) rooted() bool {
	_, live := s.buckets[string(bucketLive)]
	_, history := s.buckets[string(bucketHistory)]
	return live && history
}

// root takes the buckets that a root leads to.
func (s *salvage) root(id uint64) {
	_ = s.walk(s.takeBucket).tree(id) // ctx is looked at again
}

func (s *salvage) takeBucket(e element) {
	if b, err := parseBucket(e.value); e.bucket && err == nil {
		s.buckets[string(e.key)] = b
	}
}

// otherRoot looks for the newest page that has been a root: each commit writes one, and the one before is often still there.
func (s *salvage) otherRoot() error {
	best, newest := uint64(0), uint64(0)
	for id := uint64(2); id < s.p.count(); id++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		t, err := s.p.read(id)
		if err != nil || t.branch {
			continue
		}
		if age := rootAge(t); age > newest {
			best, newest = id, age
		}
	}
	if best != 0 {
		delete(s.used, best)
		s.root(best)
	}
	return nil
}

// rootAge is a number that grows with what was ever stored; 0 for a page that is no root of ours.
func rootAge(t tree) (age uint64) {
	known := 0
	for _, e := range t.elements {
		b, err := parseBucket(e.value)
		if !e.bucket || err != nil {
			continue
		}
		switch string(e.key) {
		case string(bucketLive), string(bucketSettled):
			age += b.sequence + 1
			known++
		}
	}
	if known < 2 {
		return 0
	}
	return age
}

// strays takes what stands on pages that were not met. Those on the freelist are of another time.
func (s *salvage) strays(free map[uint64]bool) error {
	for id := uint64(2); id < s.p.count(); id++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if s.used[id] || free[id] {
			continue
		}
		t, err := s.p.read(id)
		if err != nil || t.branch {
			continue
		}
		for _, e := range t.elements {
			s.takeStray(e)
		}
	}
	return nil
}

// takeStray tells by its form what an element is.
func (s *salvage) takeStray(e element) {
	switch {
	case e.bucket:
	case len(e.key) == imageKey:
		s.takeImage(e)
	case len(e.key) == 8 && len(e.value) == 8:
		s.takeSettled(e)
	case len(e.key) == 8:
		s.takeSummary(e)
	case len(e.value) == 16 && nameOf(e.key) != nil:
		s.takeIndex(e)
	case len(e.key) == keySize:
		s.takeChunk(e, fromNowhere)
	}
}

func (s *salvage) takeChunk(e element, from origin) {
	seq, k, n, err := splitKey(e.key)
	if err != nil || loads[k] == nil {
		return
	}
	key := partKey{seq, k, from}
	if s.parts[key] == nil {
		s.parts[key] = map[int][]byte{}
	}
	if s.parts[key][n] == nil {
		s.parts[key][n] = e.value
	}
	s.last = max(s.last, seq)
}

func (s *salvage) takeIndex(e element) {
	if name := nameOf(e.key); name != nil && len(e.value) == 16 {
		seq := readSeq(e.value)
		s.names[seq], s.settled[seq] = *name, true
	}
}

func (s *salvage) takeSettled(e element) {
	if len(e.value) == 8 {
		s.settled[binary.BigEndian.Uint64(e.value)] = true
	}
}

func (s *salvage) takeSummary(e element) {
	if len(e.key) == 8 {
		s.settled[binary.BigEndian.Uint64(e.key)] = true
	}
}

func (s *salvage) takeImage(e element) {
	if len(e.key) != imageKey {
		return
	}
	d, n := digest(e.key[:sha256.Size]), int(binary.BigEndian.Uint16(e.key[sha256.Size:]))
	if s.chunks[d] == nil {
		s.chunks[d] = map[int][]byte{}
	}
	s.chunks[d][n] = e.value
}

// nameOf undoes indexKey; nil for what it did not make.
func nameOf(key []byte) *ask.Key {
	n, used := binary.Uvarint(key)
	if used <= 0 || n > uint64(len(key)-used) {
		return nil
	}
	rest := key[used:]
	return &ask.Key{Session: string(rest[:n]), Request: string(rest[n:])}
}

// wholeImages puts images together. Their names say whether they are whole.
func (s *salvage) wholeImages() {
	for d, chunks := range s.chunks {
		if data := join(chunks); sha256.Sum256(data) == d {
			s.images[d] = data
		} else {
			s.missing[d] = true
		}
	}
}

// join puts chunks together as far as they follow each other; nil without the first.
func join(chunks map[int][]byte) (value []byte) {
	for n := 0; chunks[n] != nil; n++ {
		value = append(value, chunks[n]...)
	}
	return value
}

// seqs are those of every record of which anything was found, in their order.
func (s *salvage) seqs() []uint64 {
	all := make([]uint64, 0, len(s.parts)+len(s.settled))
	for key := range s.parts {
		all = append(all, key.seq)
	}
	for seq := range s.settled {
		all = append(all, seq)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// part gives the first value of a record's part that holds, by trust; found says whether there was anything of it.
func (s *salvage) part(seq uint64, k kind, holds func([]byte) bool, from ...origin) (value []byte, found bool) {
	for _, o := range from {
		chunks := s.parts[partKey{seq, k, o}]
		found = found || len(chunks) > 0
		if value := join(chunks); value != nil && holds(value) {
			return value, true
		}
	}
	// Of a value that goes over two pages, one may have lost its way.
	mixed := map[int][]byte{}
	for _, o := range slices.Backward(from) {
		for n, chunk := range s.parts[partKey{seq, k, o}] {
			mixed[n] = chunk
		}
	}
	if value := join(mixed); value != nil && holds(value) {
		return value, true
	}
	return nil, found
}

func holdsRequest(value []byte) bool {
	r, err := new(decoder).request(value)
	return err == nil && r.ID != ""
}
