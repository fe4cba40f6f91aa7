package journal

import (
	"context"
	"crypto/sha256"
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
type keepFunc func(c *copier, key, value []byte) bool

// keeps are the buckets that hold something of settled records, and the images. Settled numbers stay what they are: to the search index a
// record that is gone looks like one that has gone back to the live ones.
var keeps = map[string]keepFunc{
	string(bucketHistory):   keepByKey,
	string(bucketSummaries): keepByKey,
	string(bucketSettled):   keepByValue,
	string(bucketIndex):     keepByValue,
	string(bucketImages):    keepUsed,
}

func keepByKey(c *copier, key, _ []byte) bool { return len(key) < 8 || !c.drop.has(readSeq(key)) }

func keepByValue(c *copier, _, value []byte) bool {
	return len(value) < 8 || !c.drop.has(readSeq(value))
}

func keepUsed(c *copier, key, _ []byte) bool {
	return len(key) != imageKey || c.used[digest(key[:sha256.Size])]
}

// refersBy says how the values of a kind give the images they refer to. Requests have none.
var refersBy = map[kind]func(value []byte) ([]digest, error){
	kindOutcome: referred, kindDraft: referred, kindEarlier: referredEarlier,
}

// usedImages finds the images that anything but the dropped records refers to.
func usedImages(tx *bbolt.Tx, drop dropped) (map[digest]bool, error) {
	used := map[digest]bool{}
	if first, _ := tx.Bucket(bucketImages).Cursor().First(); first == nil {
		return used, nil // nothing to look for
	}
	for _, name := range [][]byte{bucketLive, bucketHistory, bucketDrafts} {
		err := eachValue(tx.Bucket(name), func(seq uint64, k kind, value []byte) error {
			refers := refersBy[k]
			if refers == nil || drop.has(seq) {
				return nil
			}
			digests, err := refers(value)
			for _, d := range digests {
				used[d] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return used, nil
}

// tooOld finds the settled records that were asked and ended before the cutoff.
func (j *Journal) tooOld(cutoff time.Time) (d dropped, err error) {
	if cutoff.IsZero() {
		return d, nil
	}
	limit := ask.FormatTime(cutoff)
	err = j.view(context.Background(), func(tx *bbolt.Tx) error {
		history := tx.Bucket(bucketHistory)
		return forEach(tx.Bucket(bucketSummaries), func(key, value []byte) error {
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
