package journal

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// busy keeps the committer inside a done until release is called.
func busy(t *testing.T, j *Journal) (release func()) {
	t.Helper()
	entered, gate := make(chan struct{}), make(chan struct{})
	j.AppendRequest(request("busy", "busy"), func(error) { close(entered); <-gate })
	waitFor(t, entered)
	return func() { close(gate) }
}

func TestWhatWaitsIsOneCommit(t *testing.T) {
	j := openTest(t, Options{})
	release := busy(t, j)
	before := j.Stats().Commits
	type told struct {
		n   int
		err error
	}
	dones := make(chan told, 64)
	for n := range 64 {
		j.AppendRequest(request("s", id(n)), func(err error) { dones <- told{n, err} })
	}
	release()
	for n := range 64 {
		got := waitFor(t, dones)
		if got.n != n || got.err != nil {
			t.Errorf("done %d came as number %d with %v", got.n, n, got.err)
		}
	}
	if n := j.Stats().Commits - before; n != 1 {
		t.Errorf("64 waiting requests took %d commits", n)
	}
	live, err := j.Live()
	must(t, err)
	for n, rec := range live[1:] {
		if rec.Request.ID != id(n) {
			t.Errorf("request %s stands at %d", rec.Request.ID, n)
		}
	}
}

func TestWholeLifeInOneCommit(t *testing.T) {
	j := openTest(t, Options{})
	release := busy(t, j)
	r := request("s", "r")
	errs := make(chan error, 4)
	j.AppendRequest(r, func(err error) { errs <- err })
	j.AppendOutcome(outcome(r, "o", ask.Answered), func(err error) { errs <- err })
	j.AppendDelivered(r.Key(), "o", func(err error) { errs <- err })
	j.AppendRequest(r, func(err error) { errs <- err })
	release()
	for _, want := range []error{nil, nil, nil, ErrDuplicate} {
		if err := waitFor(t, errs); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if !find(t, j, r.Key()).Delivered {
		t.Error("not delivered")
	}
}

// A lone ask of 2 KiB, and its outcome, are one transaction each, of few pages (PERFORMANCE, 6).
func TestCostOfALoneRecord(t *testing.T) {
	j := openTest(t, Options{})
	for n := range 20 {
		must(t, addRequest(t, j, requestOf("s", id(n), 1500)))
	}
	cost := func(name string, limit int64, do func() error) {
		before, stats := j.Stats().Commits, j.db.Stats().TxStats
		must(t, do())
		after := j.db.Stats().TxStats
		written := after.GetPageAlloc() - stats.GetPageAlloc() + pageSize // and the meta page, which is not allocated
		if n := j.Stats().Commits - before; n != 1 || written > limit {
			t.Errorf("%s: %d commits, %d KiB", name, n, written>>10)
		}
		t.Logf("%s: %d KiB in %d writes", name, written>>10, after.GetWrite()-stats.GetWrite())
	}
	r := requestOf("s", "r", 1500)
	cost("request", 30<<10, func() error { return addRequest(t, j, r) })
	cost("outcome", 30<<10, func() error { return addOutcome(t, j, outcome(r, "o", ask.Answered)) })
	cost("request of 64 KiB", 110<<10, func() error { return addRequest(t, j, requestOf("s", "large", 64<<10)) })
}

func TestOneBadRecordTakesNoOtherWithIt(t *testing.T) {
	j, err := Open(Options{Path: filepath.Join(t.TempDir(), "askd.db")})
	must(t, err)
	defer j.Close()
	bad, good := request("s", "bad"), request("s", "good")
	for _, r := range []*ask.Request{bad, good} {
		must(t, addRequest(t, j, r))
		must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
	}
	must(t, j.db.Update(func(tx *bbolt.Tx) error {
		_, err := removeValue(tx.Bucket(bucketLive), j.live[bad.Key()].seq, kindRequest)
		return err
	}))
	release := busy(t, j)
	errs := make(chan error, 3)
	done := func(err error) { errs <- err }
	j.AppendDelivered(bad.Key(), "o", done)
	j.AppendDelivered(good.Key(), "o", done)
	j.AppendRequest(request("s", "b"), done)
	release()
	for _, want := range []error{nil, ErrDamaged, nil} {
		if err := waitFor(t, errs); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	find(t, j, good.Key())
	find(t, j, request("s", "b").Key())
	if n := j.Records(); n != 4 {
		t.Errorf("%d records", n)
	}
}

// A disk that is full fails what does not fit and nothing else; with room again the journal goes on.
func TestFullDisk(t *testing.T) {
	j := openTest(t, Options{})
	must(t, addRequest(t, j, request("s", "first")))
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	limit := old
	limit.Cur = uint64(j.Stats().FileBytes)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	stored, failed := 0, error(nil)
	for n := 0; n < 200 && failed == nil; n++ {
		if failed = addRequest(t, j, requestOf("s", id(n), 64<<10)); failed == nil {
			stored++
		}
	}
	lost := request("s", id(stored)).Key()
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
	if failed == nil {
		t.Fatal("nothing failed")
	}
	if _, ok, err := j.Find(lost); ok || err != nil {
		t.Errorf("what failed with %q is stored (%v, %v)", failed, ok, err)
	}
	if n := j.Records(); n != stored+1 {
		t.Errorf("%d records, %d were reported as stored", n, stored+1)
	}
	must(t, addRequest(t, j, requestOf("s", id(stored), 64<<10)))
}

func TestFailpoints(t *testing.T) {
	var steps []string
	o := Options{Path: filepath.Join(t.TempDir(), "askd.db"), Failpoint: func(step string) { steps = append(steps, step) }}
	j := openTest(t, o)
	r := request("s", "r")
	must(t, addRequest(t, j, r))
	j.SaveDraft(r.Key(), draft("x"), func(error) {})
	must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
	must(t, deliver(t, j, r.Key(), "o"))
	must(t, j.Close())
	want := []string{
		"before-request-committed", "request-committed",
		"before-outcome-committed", "before-draft-committed", "outcome-committed", "draft-committed",
		"before-ack-committed", "ack-committed",
	}
	if !slices.Equal(steps, want) {
		t.Errorf("got %q", steps)
	}
}

func TestFileMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "askd.db")
	must(t, openTest(t, Options{Path: path}).Close())
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		info, err := os.Stat(p)
		must(t, err)
		if info.Mode() != want {
			t.Errorf("%s has mode %v", p, info.Mode())
		}
	}
}
