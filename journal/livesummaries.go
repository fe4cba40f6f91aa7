package journal

import (
	"encoding/binary"
	"fmt"
	"sync"

	"go.etcd.io/bbolt"
)

func readSeq(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// liveSummaries makes the summaries of live records as they are asked for: on the way of an accept there is no time for
// them. Those of waiting requests never change and are kept. The zero value is ready for use.
type liveSummaries struct {
	mu   sync.Mutex
	kept map[uint64][]byte
}

// of gives the summaries of what is live, by seq.
func (l *liveSummaries) of(tx *bbolt.Tx) (map[uint64][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, waiting := map[uint64][]byte{}, map[uint64][]byte{}
	live := tx.Bucket(bucketLive)
	c := live.Cursor()
	next := uint64(0)
	for key, _ := c.First(); key != nil; key, _ = c.Seek(seqKey(next)) {
		seq := readSeq(key)
		if seq < next {
			return nil, fmt.Errorf("%w: record %d comes again", ErrDamaged, seq)
		}
		next = seq + 1
		ended := live.Get(chunkKey(seq, kindOutcome, 0)) != nil
		if kept := l.kept[seq]; kept != nil && !ended {
			all[seq], waiting[seq] = kept, kept
			continue
		}
		rec, ok, err := readRecord(live, seq, nil, nil)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if all[seq] = appendSummary(nil, &rec); !ended {
			waiting[seq] = all[seq]
		}
	}
	l.kept = waiting
	return all, nil
}
