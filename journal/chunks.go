package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// chunkSize is how much of a value stands under one key: two chunks, their keys and their headers fill a page of 4 KiB.
//
// bbolt never splits a leaf of four keys or fewer, however large, and rewrites the last leaf with each appended key: with
// whole values, an ask with 64 KiB of context wrote 310 KiB, with chunks it writes about 90, and the file holds hardly
// more than what was put into it.
const chunkSize = 2008

// smallChunk is chunkSize for values of up to four: four of them fill a page. A leaf of the one or two larger pieces that
// such values are cut into is not split until it has five, and two pages are rewritten with each ask where one would do.
const smallChunk = 993

// chunkOf is how much of a value of n bytes stands under one key. Formats before 4 had large chunks only; who reads takes
// what there is.
func chunkOf(n int) int {
	if n <= 4*smallChunk {
		return smallChunk
	}
	return chunkSize
}

// mayGoOn reports whether more of a value may stand behind its first chunk.
func mayGoOn(chunk []byte) bool { return len(chunk) == smallChunk || len(chunk) == chunkSize }

// maxChunks bounds a value at 125 MiB; the number of a chunk has two bytes.
const maxChunks = 1<<16 - 1

// maxValue is the largest value, in bytes.
const maxValue = maxChunks * chunkSize

// kind is the byte after the seq in a key. The values stand on disk and give the order within a record.
type kind byte

const (
	kindRequest kind = 'a'
	kindOutcome kind = 'b'
	kindDraft   kind = 'c'
	kindEarlier kind = 'd'
)

const keySize = 8 + 1 + 2

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, keySize), seq) }

// chunkKey is seq, kind, number of the chunk.
func chunkKey(seq uint64, k kind, n int) []byte {
	return binary.BigEndian.AppendUint16(append(seqKey(seq), byte(k)), uint16(n))
}

// splitKey takes a key apart.
func splitKey(key []byte) (seq uint64, k kind, n int, err error) {
	if len(key) != keySize {
		return 0, 0, 0, fmt.Errorf("%w: key %x", ErrDamaged, key)
	}
	return binary.BigEndian.Uint64(key), kind(key[8]), int(binary.BigEndian.Uint16(key[9:])), nil
}

// putValue writes a value under keys that hold nothing yet. value must stay as it is until the transaction has ended.
func putValue(b *bbolt.Bucket, seq uint64, k kind, value []byte) error {
	b.FillPercent = 1 // seqs grow: a page that is full is rarely opened again
	chunk := chunkOf(len(value))
	for n := 0; len(value) > 0; n++ {
		size := min(len(value), chunk)
		if err := b.Put(chunkKey(seq, k, n), value[:size]); err != nil {
			return err
		}
		value = value[size:]
	}
	return nil
}

// getValue reads a value, nil when there is none. It may be bbolt's own memory: it dies with the transaction and with
// the next change to the bucket.
func getValue(b *bbolt.Bucket, seq uint64, k kind) []byte {
	value, _ := collect(b.Cursor(), seq, k)
	return value
}

// collect joins the chunks of a value and counts them. Those of a single one are not copied. In a damaged file a page can lead
// back and a chunk can have any length: what does not come next, or is longer than any chunk, belongs to no value.
func collect(c *bbolt.Cursor, seq uint64, k kind) (joined []byte, chunks int) {
	first := chunkKey(seq, k, 0)
	key, value := c.Seek(first)
	if !bytes.Equal(key, first) {
		return nil, 0
	}
	joined = bounded(value)
	next := first
	for n := 1; ; n++ {
		key, value = c.Next()
		binary.BigEndian.PutUint16(next[9:], uint16(n))
		if n > maxChunks || !bytes.Equal(key, next) {
			return joined, n
		}
		if n == 1 {
			joined = append(make([]byte, 0, 4*len(joined)), joined...)
		}
		joined = append(joined, bounded(value)...)
	}
}

// bounded is what a chunk can hold at most of what is said to stand there. Room is made for a value before it is read, and
// a damaged length can ask for all the memory there is.
func bounded(chunk []byte) []byte { return chunk[:min(len(chunk), chunkSize)] }

// ascent is the newest key of a walk through a bucket, nil before the first. Where a page of a damaged file leads back, the
// walk would never end.
type ascent []byte

// back notes the next key and reports whether it comes before its turn.
func (a *ascent) back(key []byte) bool {
	back := *a != nil && bytes.Compare(key, *a) <= 0
	*a = key
	return back
}

// forEach is bbolt's, but ends where a page leads back.
func forEach(b *bbolt.Bucket, visit func(key, value []byte) error) error {
	var last ascent
	return b.ForEach(func(key, value []byte) error {
		if last.back(key) {
			return fmt.Errorf("%w: key %x comes again", ErrDamaged, key)
		}
		return visit(key, value)
	})
}

// removeValue deletes a value and gives it back, copied; nil when there was none.
func removeValue(b *bbolt.Bucket, seq uint64, k kind) ([]byte, error) {
	value, chunks := collect(b.Cursor(), seq, k)
	value = bytes.Clone(value)
	for n := range chunks {
		if err := b.Delete(chunkKey(seq, k, n)); err != nil {
			return nil, err
		}
	}
	return value, nil
}
