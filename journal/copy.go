package journal

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// copyBytes is how much goes into one transaction of a copy.
const copyBytes = 4 << 20

// copier writes buckets into a new file, in transactions of bounded size.
type copier struct {
	db   *bbolt.DB
	tx   *bbolt.Tx
	size int
	drop dropped
	used map[digest]bool // the images that something kept refers to
}

// copyAll copies everything into an empty file but the dropped records and the images that nothing refers to any more.
func copyAll(db *bbolt.DB, from *bbolt.Tx, drop dropped) (err error) {
	c := &copier{db: db, drop: drop}
	if c.used, err = usedImages(from, drop); err != nil {
		return err
	}
	if c.tx, err = db.Begin(true); err != nil {
		return err
	}
	// Also when a damaged page that is read panics: the file could never be closed with a transaction left open. No matter when
	// it has ended already.
	defer func() { _ = c.tx.Rollback() }()
	if err := from.ForEach(func(name []byte, b *bbolt.Bucket) error { return c.bucket(name, b) }); err != nil {
		return err
	}
	if err := c.counts(from); err != nil {
		return err
	}
	return c.tx.Commit()
}

func (c *copier) bucket(name []byte, from *bbolt.Bucket) error {
	to, err := c.tx.CreateBucket(name)
	if err != nil {
		return err
	}
	if err := to.SetSequence(from.Sequence()); err != nil {
		return err
	}
	keep := keeps[string(name)]
	return forEach(from, func(key, value []byte) error {
		if keep != nil && !keep(c, key, value) {
			return nil
		}
		if len(value) > maxSummary { // nothing under one key is so long
			return fmt.Errorf("%w: key %x has %d bytes", ErrDamaged, key, len(value))
		}
		if c.size += len(key) + len(value); c.size > copyBytes {
			if err := c.next(); err != nil {
				return err
			}
			to = c.tx.Bucket(name)
		}
		to.FillPercent = 1
		return to.Put(key, value)
	})
}

func (c *copier) next() (err error) {
	if err := c.tx.Commit(); err != nil {
		return err
	}
	c.size = 0
	tx, err := c.db.Begin(true)
	if err == nil {
		c.tx = tx
	}
	return err
}

// counts corrects the sequences that count what has been dropped.
func (c *copier) counts(from *bbolt.Tx) error {
	for name, n := range map[string]int{string(bucketHistory): c.drop.n, string(bucketSummaries): c.drop.questions} {
		count := from.Bucket([]byte(name)).Sequence() - uint64(n)
		if err := c.tx.Bucket([]byte(name)).SetSequence(count); err != nil {
			return err
		}
	}
	return nil
}
