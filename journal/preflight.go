package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// lockEvery is how often a lock that somebody else has is tried again.
const lockEvery = 20 * time.Millisecond

// preflight looks at everything that start-up reads before bbolt does: the heads, the free pages, the buckets and what is
// live, and in a suspect file at the branches of all else. bbolt follows a page that leads back to itself until the stack is
// full, which ends the process, and takes memory for a list of free pages as long as a damaged number says. It blocks for at
// most timeout on another process.
func preflight(path string, timeout time.Duration, suspect bool) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := shareLock(f, timeout); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	p := openPages(f, info.Size())
	h := p.newest()
	if h == nil {
		return nil // bbolt says what is wrong with the heads
	}
	if h.end > p.count() {
		return fmt.Errorf("%w: it should have %d pages and has %d", ErrDamaged, h.end, p.count())
	}
	free, err := p.freed(h)
	if err != nil {
		return err
	}
	s := &survey{p: p}
	s.root(h)
	for _, name := range [][]byte{bucketLive, bucketDrafts, bucketMeta} {
		s.bucket(string(name))
		delete(s.buckets, string(name))
	}
	if suspect {
		s.outline(h, free)
	}
	return errors.Join(s.faults...)
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
	if err != nil || info.Size() == 0 {
		return nil, err
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
	faults  []error // the first ones
	stop    func() error
}

func (s *survey) fault(err error) {
	if len(s.faults) < maxProblems {
		s.faults = append(s.faults, err)
	}
}

func (s *survey) walk(visit func(element)) *walk {
	if s.used == nil {
		s.used, s.buckets = map[uint64]bool{}, map[string]bucketValue{}
	}
	return &walk{p: s.p, used: s.used, spoilt: s.fault, visit: func(e element) error {
		visit(e)
		return nil
	}, stop: s.stop}
}

// root looks at the tree of buckets.
func (s *survey) root(h *header) {
	_ = s.walk(func(e element) {
		b, err := parseBucket(e.value)
		if err != nil || !e.bucket {
			s.fault(fmt.Errorf("%w: %q is no bucket", ErrDamaged, e.key))
			return
		}
		s.buckets[string(e.key)] = b
	}).tree(h.root)
}

// bucket looks at the pages of one bucket, if there is one of the name.
func (s *survey) bucket(name string) {
	if b, ok := s.buckets[name]; ok {
		_ = s.walk(func(e element) {
			if e.bucket {
				s.fault(fmt.Errorf("%w: %q has a bucket in it", ErrDamaged, name))
			}
		}).bucket(b)
	}
}

// whole looks at every page: each is in use once or free, stands where it belongs and holds its keys in order.
func (s *survey) whole() {
	h := s.p.newest()
	if h == nil {
		s.fault(fmt.Errorf("%w: neither of its two heads is good", ErrDamaged))
		return
	}
	free, err := s.p.freed(h)
	if err != nil {
		s.fault(err)
	}
	s.root(h)
	for name := range s.buckets {
		s.bucket(name)
	}
	if len(s.faults) > 0 || h.freelist == noFreelist {
		return // what is missed behind a bad page is none by itself
	}
	for id := uint64(2); id < h.end; id++ {
		switch own := id >= h.freelist && id < h.freelist+s.p.span(h.freelist); {
		case free[id] && s.used[id]:
			s.fault(bad(id, "is in use and free"))
		case !free[id] && !s.used[id] && !own:
			s.fault(bad(id, "is neither in use nor free"))
		}
	}
}
