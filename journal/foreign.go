package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"askd/broker/ask"
)

var (
	errEmpty       = fmt.Errorf("%w: it is empty", ErrNoDataFile)
	errNothingLike = fmt.Errorf("%w: nothing in it looks like one", ErrNoDataFile)
)

// knownFlags are the flags that a page may have.
var knownFlags = map[uint16]bool{flagBranch: true, flagLeaf: true, flagMeta: true, flagFreelist: true}

// ours reports whether any page stands where it says that it does, as one of a data file whose heads are lost. It reads the
// heads of pages up to the first that does.
func (p *pages) ours() bool {
	head := make([]byte, pageHeader)
	for id := uint64(1); id < p.count(); id++ {
		if _, err := p.r.ReadAt(head, int64(id)*int64(p.page)); err != nil {
			continue // a bad sector has others behind it
		}
		if binary.NativeEndian.Uint64(head) == id && knownFlags[binary.NativeEndian.Uint16(head[8:])] {
			return true
		}
	}
	return false
}

// guarded does something to the open file as guard does, and says of damage in which file it is.
func (j *Journal) guarded(f func() error) error { return j.located(guard(f)) }

// located says of damage in which file it is.
func (j *Journal) located(err error) error {
	if _, _, told := ask.Damaged(err); !told && errors.Is(err, ErrDamaged) {
		return &ask.Damage{Path: j.opts.Path, Err: err}
	}
	return err
}
