package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"
)

// lockEvery is how often a lock that somebody else has is tried again.
const lockEvery = 20 * time.Millisecond

// preflight looks at everything that start-up reads before bbolt does: the heads, the free pages, the buckets and what is
// live, and in a suspect file at all else; of a file that is not large at every page in use. bbolt follows a
// page that leads back to itself until the stack is full, which ends the process, and takes memory for a list of free pages as
// long as a damaged number says. It gives the rest that is still to be looked at, nil for nothing. It blocks for at most
// o.LockTimeout on another process.
func preflight(o Options) (*rest, error) {
	f, err := os.Open(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if err := shareLock(f, o.LockTimeout); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	p := openPages(f, info.Size())
	h := p.newest()
	if h == nil && !p.ours() {
		return nil, errNothingLike
	}
	if h == nil {
		return nil, nil // bbolt says what is wrong with the heads
	}
	if h.end > p.count() {
		return nil, fmt.Errorf("%w: it should have %d pages and has %d", ErrDamaged, h.end, p.count())
	}
	free, err := p.freed(h)
	if err != nil {
		return nil, err
	}
	s := &survey{p: p}
	if int64(h.end)*int64(p.page) <= o.WholeUpTo {
		s.trees(h, free)
		return nil, s.faults.verdict()
	}
	return s.start(h, free, o.Suspect)
}

// start looks at what start-up reads, and gives the rest unless that is to be looked at as well.
func (s *survey) start(h *header, free map[uint64]bool, all bool) (*rest, error) {
	s.root(h)
	for _, name := range [][]byte{bucketLive, bucketDrafts, bucketMeta} {
		s.bucket(string(name))
		delete(s.buckets, string(name))
	}
	s.overlaps(free)
	if err := s.faults.verdict(); err != nil {
		return nil, err
	}
	o := s.outline(h, free)
	if all {
		return nil, o.look()
	}
	return newRest(o, h), nil
}

// lookAgain looks at the pages of an open file as it is on the disk now, while nothing is written to it. A page that was damaged
// since it was opened may name a place far behind its end, and bbolt takes for a value whatever memory happens to lie there.
func lookAgain(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s := &survey{p: openPages(f, info.Size())}
	h := s.p.newest()
	if h == nil {
		return fmt.Errorf("%w: neither of its two heads is good", ErrDamaged)
	}
	free, err := s.p.freed(h)
	if err == nil {
		_, err = s.start(h, free, true)
	}
	return err
}

// Inspect looks at every page of a data file that nobody has open and gives what is wrong with them; unlike Open it changes
// nothing, whatever the file is. It does not look into the records. It blocks for at most timeout on another process, and
// seconds for each gigabyte. Errors: ErrLocked, or what the disk says.
func Inspect(path string, timeout time.Duration) (problems []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if err := shareLock(f, timeout); err != nil {
		return nil, fmt.Errorf("look at %s: %w", path, err)
	}
	return inspect(f)
}

func inspect(f *os.File) ([]string, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return []string{errEmpty.Error()}, nil
	}
	s := &survey{p: openPages(f, info.Size())}
	s.whole()
	problems := make([]string, len(s.faults))
	for i, fault := range s.faults {
		problems[i] = fault.Error()
	}
	return problems, nil
}

// shareLock takes the lock that bbolt takes, beside other readers. It goes with the file.
func shareLock(f *os.File, timeout time.Duration) error {
	for deadline := time.Now().Add(timeout); ; time.Sleep(lockEvery) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(deadline) {
			return ErrLocked
		}
	}
}

// survey looks at the pages of a file without changing or keeping any. Its zero value but for p is ready.
type survey struct {
	p       *pages
	used    map[uint64]bool
	buckets map[string]bucketValue
	faults  faults
	stop    func() error
}

// faults are the first maxProblems things that were found wrong.
type faults []error

func (f *faults) add(err error) {
	if len(*f) < maxProblems {
		*f = append(*f, err)
	}
}

// verdict is what was found as one error for a person, who needs no list to know what to do; nil for nothing.
func (f faults) verdict() error {
	if n := len(f); n > 1 {
		return fmt.Errorf("%w, one of %d faults", f[0], n)
	}
	return errors.Join(f...)
}

func (s *survey) walk(visit func(element)) *walk {
	if s.used == nil {
		s.used, s.buckets = map[uint64]bool{}, map[string]bucketValue{}
	}
	return &walk{p: s.p, used: s.used, spoilt: s.faults.add, visit: func(e element) error {
		visit(e)
		return nil
	}, stop: s.stop}
}

// root looks at the tree of buckets. The list of free pages stands on pages of its own.
func (s *survey) root(h *header) {
	w := s.walk(func(e element) {
		b, err := parseBucket(e.value)
		if err != nil || !e.bucket {
			s.faults.add(fmt.Errorf("%w: %q is no bucket", ErrDamaged, e.key))
			return
		}
		s.buckets[string(e.key)] = b
	})
	if h.freelist != noFreelist {
		for i := range s.p.span(h.freelist) {
			s.used[h.freelist+i] = true
		}
	}
	_ = w.tree(h.root)
}

// bucket looks at the pages of one bucket, if there is one of the name.
func (s *survey) bucket(name string) {
	if b, ok := s.buckets[name]; ok {
		_ = s.walk(func(e element) {
			if e.bucket {
				s.faults.add(fmt.Errorf("%w: %q has a bucket in it", ErrDamaged, name))
			}
		}).bucket(b)
	}
}

// whole looks at every page: each is in use once or free, stands where it belongs and holds its keys in order.
func (s *survey) whole() {
	h := s.p.newest()
	if h == nil && !s.p.ours() {
		s.faults.add(errNothingLike)
		return
	}
	if h == nil {
		s.faults.add(fmt.Errorf("%w: neither of its two heads is good", ErrDamaged))
		return
	}
	free, err := s.p.freed(h)
	if err != nil {
		s.faults.add(err)
	}
	s.trees(h, free)
	if len(s.faults) > 0 || h.freelist == noFreelist {
		return // what is missed behind a bad page is none by itself
	}
	for id := uint64(2); id < h.end; id++ {
		if !free[id] && !s.used[id] {
			s.faults.add(bad(id, "is neither in use nor free"))
		}
	}
}

// trees looks at every page that is in use, and that none of them is free: it would be written over.
func (s *survey) trees(h *header, free map[uint64]bool) {
	s.root(h)
	for _, name := range slices.Sorted(maps.Keys(s.buckets)) {
		s.bucket(name)
	}
	s.overlaps(free)
}

// overlaps finds pages that are in use and free: they would be written over, and bbolt cannot undo what it does to them.
func (s *survey) overlaps(free map[uint64]bool) {
	for id := range s.used {
		if free[id] {
			s.faults.add(bad(id, "is in use and free"))
		}
	}
}
