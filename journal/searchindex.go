package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

const (
	// blockRecords is how many records stand in a block of the index, in the order in which they were settled. A slice of
	// a block, one bit of each record, then fills half a page.
	blockRecords = 16_000
	sliceBytes   = blockRecords / 8
	// pieceBits is how many slices go into one transaction: few, so that an accept which meets it hardly waits.
	pieceBits = 64
)

// indexPiece is a part of a block on its way to the file. The last one makes the block count.
type indexPiece struct {
	block    uint64
	firstBit int
	slices   [][]byte
}

func sliceKey(block uint64, bit uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(nil, uint32(block)), bit)
}

func (t *txn) applyIndex(o *op) error {
	search, p := t.tx.Bucket(bucketSearch), o.piece
	search.FillPercent = 1
	if search.Sequence() != p.block {
		return nil // it is there already
	}
	t.writes++
	for i, slice := range p.slices {
		key := sliceKey(p.block, uint16(p.firstBit+i))
		var err error
		if allZero(slice) {
			err = search.Delete(key)
		} else {
			err = search.Put(key, slice)
		}
		if err != nil {
			return err
		}
	}
	if p.firstBit+len(p.slices) < signatureBits {
		return nil
	}
	return search.SetSequence(p.block + 1)
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// considerIndexing starts the indexer when a block's worth of records has settled since the last block. It is called as
// records settle and not when the file is opened, where a person waits.
func (j *Journal) considerIndexing() {
	if !j.indexing.CompareAndSwap(false, true) {
		return
	}
	due := false
	_ = j.viewLive(func(tx *bbolt.Tx) error {
		due = indexDue(tx)
		return nil
	})
	if !due {
		j.indexing.Store(false)
		return
	}
	j.indexers.Add(1)
	j.opts.Go("journal indexer", func() {
		defer j.indexers.Done()
		defer j.indexing.Store(false)
		for j.indexBlock() == nil {
		}
	})
}

func indexDue(tx *bbolt.Tx) bool {
	return tx.Bucket(bucketSettled).Sequence() >= (tx.Bucket(bucketSearch).Sequence()+1)*blockRecords
}

// errNotDue ends the indexer.
var errNotDue = errors.New("not enough records for a block")

// indexBlock makes the next block. Another error than errNotDue ends the indexer too: the next settled record starts it
// again.
func (j *Journal) indexBlock() error {
	matrix := make([]byte, signatureBits*sliceBytes)
	block, err := j.fillBlock(matrix)
	if err != nil {
		return err
	}
	for bit := 0; bit < signatureBits; bit += pieceBits {
		p := &indexPiece{block: block, firstBit: bit}
		for b := bit; b < bit+pieceBits; b++ {
			p.slices = append(p.slices, matrix[b*sliceBytes:(b+1)*sliceBytes])
		}
		written := make(chan error, 1)
		j.enqueue(&op{kind: opIndex, piece: p}, func(err error) { written <- err })
		if err := <-written; err != nil {
			return err
		}
	}
	return nil
}

// fillBlock signs the records of the next block, a few in each transaction.
func (j *Journal) fillBlock(matrix []byte) (block uint64, err error) {
	err = j.view(context.Background(), func(tx *bbolt.Tx) error {
		if block = tx.Bucket(bucketSearch).Sequence(); !indexDue(tx) {
			return errNotDue
		}
		return nil
	})
	const step = 64
	for at := 0; err == nil && at < blockRecords; at += step {
		if j.isClosed() {
			return 0, ErrClosed
		}
		err = j.view(context.Background(), func(tx *bbolt.Tx) error {
			begin := time.Now()
			first := block*blockRecords + uint64(at) + 1
			signs := make([]signature, step)
			err := eachSettled(tx, first, first+step, func(n uint64, s *signature) { signs[n-first] = *s })
			transpose(matrix, at, signs)
			j.indexTime.Add(int64(time.Since(begin)))
			return err
		})
		j.indexed.Add(step)
	}
	return block, err
}

// transpose writes 64 signatures into a block as the records from at on, a multiple of 64. A signature has hundreds of
// bits and each lies in a slice of its own: taking them one by one means as many misses of the cache.
func transpose(matrix []byte, at int, signs []signature) {
	var square [64]uint64
	for word := 0; word < signatureBits; word += 64 {
		for i := range square {
			square[i] = binary.LittleEndian.Uint64(signs[i][word/8:])
		}
		transpose64(&square)
		for i, bits := range square {
			binary.LittleEndian.PutUint64(matrix[(word+i)*sliceBytes+at/8:], bits)
		}
	}
}

// transpose64 swaps rows and columns of a square of bits: its quarters, then theirs, down to single bits.
func transpose64(square *[64]uint64) {
	mask := uint64(0x00000000ffffffff)
	for width := 32; width > 0; width, mask = width/2, mask^mask<<(width/2) {
		for i := 0; i < 64; i = (i + width + 1) &^ width {
			swap := (square[i]>>width ^ square[i+width]) & mask
			square[i] ^= swap << width
			square[i+width] ^= swap
		}
	}
}

// eachSettled signs the records with settled numbers from first to before end that are still in the history.
func eachSettled(tx *bbolt.Tx, first, end uint64, visit func(n uint64, s *signature)) error {
	images, c := tx.Bucket(bucketImages), tx.Bucket(bucketSettled).Cursor()
	history := follower{c: tx.Bucket(bucketHistory).Cursor()}
	var lowered []byte
	var scratch bytes.Buffer
	next := first
	for key, value := c.Seek(seqKey(first)); key != nil && readSeq(key) < end; key, value = c.Next() {
		if readSeq(key) < next { // a page leads back: it would never end
			return fmt.Errorf("%w: settled number %d comes again", ErrDamaged, readSeq(key))
		}
		next = readSeq(key) + 1
		var s signature
		p := history.parts(readSeq(value)) // mostly asked in the order in which they settled
		lowered = appendBody(lowered[:0], p.request, &scratch)
		s.add(lowered)
		lowered = appendLower(lowered[:0], p.outcome)
		s.add(lowered)
		s.images(p.outcome, images)
		visit(readSeq(key), &s)
	}
	return nil
}

// tail holds the signatures of what has settled since the last block, made when a search first wants them. The zero value
// is ready for use.
type tail struct {
	mu      sync.Mutex
	first   uint64      // settled number from which on it holds them; 0 is none yet
	signs   []signature // of the records with numbers, in their order
	numbers []uint64    // a damaged file can have any, so they say nothing of how many there are
}

// errStale: the tail has moved on past this transaction; a new one will do.
var errStale = errors.New("read transaction is too old")

func (j *Journal) retryStale(ctx context.Context, f func(*bbolt.Tx) error) error {
	for {
		if err := j.view(ctx, f); !errors.Is(err, errStale) {
			return err
		}
	}
}

// candidates gives the seqs of the settled records whose signatures have all bits, in no order.
func (j *Journal) candidates(tx *bbolt.Tx, term []uint16) ([]uint64, error) {
	// No more than there are records for, whatever a damaged file counts.
	blocks := min(tx.Bucket(bucketSearch).Sequence(), tx.Bucket(bucketSettled).Sequence()/blockRecords)
	var numbers []uint64
	for block := range blocks {
		numbers = appendBlock(numbers, tx.Bucket(bucketSearch), block, term)
	}
	numbers, err := j.tail.find(numbers, tx, blocks*blockRecords+1, term)
	if err != nil {
		return nil, err
	}
	seqs := make([]uint64, 0, len(numbers))
	settled := tx.Bucket(bucketSettled)
	for _, n := range numbers {
		if seq := settled.Get(seqKey(n)); seq != nil { // else it has gone back to the live ones
			seqs = append(seqs, readSeq(seq))
		}
	}
	return seqs, nil
}

// appendBlock appends the settled numbers of a block whose records have all bits.
func appendBlock(numbers []uint64, search *bbolt.Bucket, block uint64, term []uint16) []uint64 {
	var all [sliceBytes]byte
	for i, bit := range term {
		slice := search.Get(sliceKey(block, bit))
		if len(slice) != sliceBytes || !intersect(&all, slice, i == 0) {
			return numbers
		}
	}
	for at := 0; at < sliceBytes; at += 8 {
		for w := binary.LittleEndian.Uint64(all[at:]); w != 0; w &= w - 1 {
			numbers = append(numbers, block*blockRecords+uint64(at*8+bits.TrailingZeros64(w))+1)
		}
	}
	return numbers
}

// intersect reports whether anything is left.
func intersect(all *[sliceBytes]byte, slice []byte, first bool) bool {
	if first {
		copy(all[:], slice)
		return true
	}
	left := uint64(0)
	for at := 0; at+8 <= sliceBytes; at += 8 {
		w := binary.LittleEndian.Uint64(all[at:]) & binary.LittleEndian.Uint64(slice[at:])
		binary.LittleEndian.PutUint64(all[at:], w)
		left |= w
	}
	return left != 0
}

// find appends the settled numbers from first on whose records have all bits, after signing what is new.
func (t *tail) find(numbers []uint64, tx *bbolt.Tx, first uint64, term []uint16) ([]uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if first < t.first {
		return nil, errStale
	}
	if gone, _ := slices.BinarySearch(t.numbers, first); gone > 0 {
		t.signs, t.numbers = slices.Clone(t.signs[gone:]), slices.Clone(t.numbers[gone:])
	}
	t.first = first
	next := first
	if n := len(t.numbers); n > 0 {
		next = t.numbers[n-1] + 1
	}
	last := min(tx.Bucket(bucketSettled).Sequence(), ^uint64(0)-1) // beyond it only a damaged file has any
	err := eachSettled(tx, next, last+1, func(n uint64, s *signature) {
		t.signs, t.numbers = append(t.signs, *s), append(t.numbers, n)
	})
	if err != nil {
		return nil, err
	}
	for i := range t.signs {
		if t.signs[i].hasAll(term) {
			numbers = append(numbers, t.numbers[i])
		}
	}
	return numbers, nil
}

func (s *signature) hasAll(term []uint16) bool {
	for _, bit := range term {
		if !s.has(bit) {
			return false
		}
	}
	return true
}
