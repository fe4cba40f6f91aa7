package journal

import (
	"encoding/binary"
	"slices"

	"go.etcd.io/bbolt"
)

// follower reads records of a bucket, one after the other. Where they come in the order of their seqs it goes on from where it
// stands: looking each one up takes several times as long. What it gives is bbolt's memory or its own, and dies with the
// transaction and with the next record. Make one with a cursor in c.
type follower struct {
	c          *bbolt.Cursor
	key, value []byte // where c stands; nil when it has to look
	rooms      parts  // for values of several chunks
}

// parts goes once through the values of a record, which stand side by side.
func (f *follower) parts(seq uint64) (p parts) {
	if !f.standsAt(seq) {
		f.key, f.value = f.c.Seek(seqKey(seq))
	}
	var last ascent
	for ; len(f.key) == keySize && readSeq(f.key) == seq; f.key, f.value = f.c.Next() {
		if last.back(f.key) {
			f.key = nil
			return p
		}
		f.take(&p)
	}
	if last != nil && last.back(f.key) {
		f.key = nil
	}
	return p
}

// standsAt reports whether the first value of a record comes next.
func (f *follower) standsAt(seq uint64) bool {
	return len(f.key) == keySize && readSeq(f.key) == seq && kind(f.key[8]) == kindRequest && binary.BigEndian.Uint16(f.key[9:]) == 0
}

// take puts a chunk to its value.
func (f *follower) take(p *parts) {
	k, chunk := kind(f.key[8]), bounded(f.value)
	into, room := p.of(k), f.rooms.of(k)
	switch n := binary.BigEndian.Uint16(f.key[9:]); {
	case into == nil || n > 0 && *into == nil: // no part of ours, or one whose beginning is lost
	case n == 0 && !mayGoOn(chunk):
		*into = slices.Clip(chunk) // what is appended goes elsewhere
	case n == 0:
		*room = append(slices.Grow((*room)[:0], 2*len(chunk)), chunk...)
		*into = *room
	default:
		*into = append(*into, chunk...)
		*room = *into
	}
}
