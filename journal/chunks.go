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
	for n := 0; len(value) > 0; n++ {
		size := min(len(value), chunkSize)
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
	return collect(b.Cursor(), seq, k)
}

// collect joins the chunks of a value. Most values are a single one and are not copied.
func collect(c *bbolt.Cursor, seq uint64, k kind) []byte {
	first := chunkKey(seq, k, 0)
	key, value := c.Seek(first)
	if !bytes.Equal(key, first) {
		return nil
	}
	prefix := first[:9]
	joined := value
	for n := 1; ; n++ {
		key, value = c.Next()
		if !bytes.HasPrefix(key, prefix) {
			return joined
		}
		if n == 1 {
			joined = append(make([]byte, 0, 4*chunkSize), joined...)
		}
		joined = append(joined, value...)
	}
}

// removeValue deletes a value and gives it back, copied; nil when there was none.
func removeValue(b *bbolt.Bucket, seq uint64, k kind) ([]byte, error) {
	value := bytes.Clone(getValue(b, seq, k))
	for n := 0; n*chunkSize < len(value); n++ {
		if err := b.Delete(chunkKey(seq, k, n)); err != nil {
			return nil, err
		}
	}
	return value, nil
}
