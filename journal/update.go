package journal

import (
	"fmt"
	"os"
	"syscall"

	"go.etcd.io/bbolt"
)

// errStuck: see update.
var errStuck = fmt.Errorf("%w: what was being written when it was met could not be taken back", ErrDamaged)

// update is one transaction of bbolt's. Where a damaged page makes bbolt panic, and then once more while it takes back what it
// has done, the transaction stands open for ever: every other would wait for it, as would closing the file. From then on nothing
// is written.
func (j *Journal) update(f func(*bbolt.Tx) error) error {
	if j.stuck {
		return errStuck
	}
	var open *bbolt.Tx
	defer func() { j.stuck = open != nil && open.DB() != nil }()
	return j.db.Update(func(tx *bbolt.Tx) error {
		open = tx
		return f(tx)
	})
}

// closeFile closes the DB, or only its file when the DB cannot be closed any more.
func (j *Journal) closeFile(file *os.File) error {
	if j.stuck {
		return letGo(file)
	}
	return j.db.Close()
}

// letGo closes a file whose pages are still mapped: the lock would stay as long as they are.
func letGo(file *os.File) error {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	return file.Close()
}
