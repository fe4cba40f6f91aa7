package journal

import (
	"time"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// dropped is a set of settled records, one bit a seq. The zero value is empty.
type dropped struct {
	bits         []uint64
	n, questions int
}

func (d *dropped) add(seq uint64, questions int) {
	for uint64(len(d.bits)) <= seq/64 {
		d.bits = append(d.bits, 0)
	}
	d.bits[seq/64] |= 1 << (seq % 64)
	d.n++
	d.questions += questions
}

func (d *dropped) has(seq uint64) bool {
	return seq/64 < uint64(len(d.bits)) && d.bits[seq/64]&(1<<(seq%64)) != 0
}

// keepFunc says whether an entry of a bucket stays.
type keepFunc func(d dropped, key, value []byte) bool

// keeps are the buckets that hold something of settled records. Settled numbers stay what they are: to the search index a
// record that is gone looks like one that has gone back to the live ones.
var keeps = map[string]keepFunc{
	string(bucketHistory):   keepByKey,
	string(bucketSummaries): keepByKey,
	string(bucketSettled):   keepByValue,
	string(bucketIndex):     keepByValue,
}

func keepByKey(d dropped, key, _ []byte) bool { return len(key) < 8 || !d.has(readSeq(key)) }

func keepByValue(d dropped, _, value []byte) bool { return len(value) < 8 || !d.has(readSeq(value)) }

// tooOld finds the settled records that were asked and ended before the cutoff.
func (j *Journal) tooOld(cutoff time.Time) (d dropped, err error) {
	if cutoff.IsZero() {
		return d, nil
	}
	limit := ask.FormatTime(cutoff)
	err = j.view(func(tx *bbolt.Tx) error {
		history := tx.Bucket(bucketHistory)
		return tx.Bucket(bucketSummaries).ForEach(func(key, value []byte) error {
			s, err := openSummary(nil, value)
			if err != nil || s.created >= limit {
				return err
			}
			var o struct {
				StoredAt time.Time `json:"storedAt"`
			}
			if err := decodeValue(getValue(history, readSeq(key), kindOutcome), &o); err != nil {
				return err
			}
			if o.StoredAt.Before(cutoff) {
				d.add(readSeq(key), s.questions)
			}
			return nil
		})
	})
	return d, err
}
