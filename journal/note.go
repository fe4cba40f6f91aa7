package journal

import (
	"bytes"
	"slices"

	"go.etcd.io/bbolt"
)

// metaNote stands before the name of a note in the bucket meta: nothing else there begins so.
const metaNote = "note/"

// MaxNote is the most that a note may hold, in bytes: notes are a few words of state that every start reads whole.
const MaxNote = 64 << 10

// SaveNote keeps a small value under a name, for what the broker has to know after a restart and is no question; an empty
// value removes it. The newest stands. Errors: ErrNoteTooLong, ErrClosed, or what the disk says. It does not block on the disk.
func (j *Journal) SaveNote(name string, value []byte, done func(error)) {
	o := &op{kind: opNote, note: name, value: bytes.NewBuffer(slices.Clone(value))}
	if len(value) > MaxNote {
		o.unfit = ErrNoteTooLong
	}
	j.enqueue(o, done)
}

// Note gives what was kept under a name last, nil for nothing. It reads the disk; any goroutine may call it.
func (j *Journal) Note(name string) (value []byte, err error) {
	err = j.viewLive(func(tx *bbolt.Tx) error {
		value = slices.Clone(tx.Bucket(bucketMeta).Get([]byte(metaNote + name)))
		return nil
	})
	return value, err
}

func (t *txn) applyNote(o *op) error {
	t.writes++
	meta, key := t.tx.Bucket(bucketMeta), []byte(metaNote+o.note)
	if o.value.Len() == 0 {
		return meta.Delete(key)
	}
	return meta.Put(key, slices.Clone(o.value.Bytes()))
}
