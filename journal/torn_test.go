package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
)

// TestDamagedFileNeverCrashes opens files that a disk or a power cut has spoilt and uses them: every call gives what was
// stored, or an error that says what is wrong and what to do. Nothing panics, hangs or gives what nobody stored. A file that
// is found damaged when it is opened stays as it was.
func TestDamagedFileNeverCrashes(t *testing.T) {
	c := collectAll(t)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	opened, soundOnes := 0, 0
	for round := range crashRounds(t, 3*len(damages)) {
		d := damages[round%len(damages)]
		data := d.do(c, rng)
		ok := t.Run(fmt.Sprintf("%d %s", round, d.name), func(t *testing.T) {
			t.Logf("seed %d", seed)
			o, s := openDamaged(t, c, data, d)
			opened, soundOnes = opened+o, soundOnes+s
		})
		if !ok {
			t.FailNow()
		}
	}
	t.Logf("%d opened, %d of them without a fault", opened, soundOnes)
}

// openDamaged counts the files that opened and those without a fault.
func openDamaged(t *testing.T, c collection, data []byte, d damage) (opened, sound int) {
	path := c.file(t, data)
	j, err := Open(Options{Path: path, WholeUpTo: -1, DraftDelay: time.Millisecond})
	if err != nil {
		after, _ := os.ReadFile(path)
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrNewerFormat) ||
			!strings.Contains(err.Error(), path) || string(after) != string(data) {
			t.Error(err)
		}
		return 0, 0
	}
	defer func() { _ = j.Close() }()
	if use(t, c, j, strings.HasPrefix(d.name, "flipped")) {
		return 1, 1
	}
	return 1, 0
}

// use does everything with a file that may be damaged where start-up does not look; sound says that it is not. A flipped bit
// may make other text of a text, of which nobody can know.
func use(t *testing.T, c collection, j *Journal, flipped bool) (sound bool) {
	t.Helper()
	report, err := j.Check(t.Context())
	must(t, err)
	sound = len(report.Problems) == 0
	for k, want := range c.records {
		got, ok, err := j.Find(k)
		switch {
		case err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewerFormat):
			t.Errorf("%v: %v", k, err)
		case err == nil && ok && got.Request.Title != want.Request.Title && sound && !flipped:
			t.Errorf("%v is %q in a file that is said to be sound", k, got.Request.Title)
		case sound && !flipped && (err != nil || !ok):
			t.Errorf("%v: %t, %v in a file that is said to be sound", k, ok, err)
		}
	}
	_, _ = j.Live()
	for _, err := range j.History(t.Context(), ask.HistoryQuery{}) {
		_ = err
	}
	_, _ = j.Page(t.Context(), ask.HistoryQuery{Text: "database"}, 0, 100)
	if err := writeAll(t, c, j); sound {
		must(t, err)
	}
	return sound
}

// writeAll does everything that writes, to what is there and to what is new. Each gives an answer.
func writeAll(t *testing.T, c collection, j *Journal) error {
	t.Helper()
	r := request("s", "after")
	o := withImages(outcome(r, "o", ask.Answered), photo(7, 3000))
	err := errors.Join(addRequest(t, j, r), saveDraft(t, j, r.Key(), draftWith(photo(8, 3000))), addOutcome(t, j, o), deliver(t, j, r.Key(), "o"))
	left := 12 // any of them
	for k, rec := range c.records {
		if left--; left < 0 {
			break
		}
		_ = reopen(t, j, k)
		_ = saveDraft(t, j, k, draft("again"))
		_ = addOutcome(t, j, outcome(rec.Request, "last", ask.Interrupted))
		_ = deliver(t, j, k, "last")
	}
	_, _ = j.Prune(t.Context(), day)
	return err
}

// TestDamagedLengthTakesNoMemory: whatever length a page gives a value, reading everything takes no more memory than the file
// has, many times over.
func TestDamagedLengthTakesNoMemory(t *testing.T) {
	const most = 200 << 20
	c := collectAll(t)
	for page := range c.used / pageSize {
		head := c.data[page*pageSize:]
		leaf, count := binary.NativeEndian.Uint16(head[8:]) == 2, int(binary.NativeEndian.Uint16(head[10:]))
		if !leaf {
			continue
		}
		t.Run(fmt.Sprint(page), func(t *testing.T) {
			data := bytes.Clone(c.data)
			for n := range count {
				element := data[page*pageSize+pageHeader+n*16:]
				if binary.NativeEndian.Uint32(element) == 0 { // not the head of a bucket
					binary.NativeEndian.PutUint32(element[12:], 0x1fffffff)
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			j, err := Open(Options{Path: c.file(t, data), WholeUpTo: -1})
			if err == nil {
				useOrFail(t, c, j)
				must(t, j.Close())
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%d MiB were allocated", took>>20)
			}
		})
	}
}

// useOrFail reads everything, and takes every error for the right answer.
func useOrFail(t *testing.T, c collection, j *Journal) {
	t.Helper()
	_, _ = j.Check(t.Context())
	for k := range c.records {
		_, _, _ = j.Find(k)
	}
	_, _ = j.Live()
	for _, err := range j.History(t.Context(), ask.HistoryQuery{}) {
		_ = err
	}
	for _, q := range []ask.HistoryQuery{{Text: "database"}, {Session: "s1"}, {}} {
		_, _ = j.Page(t.Context(), q, 0, 100)
	}
	_, _ = j.Prune(t.Context(), day)
	_, _ = j.Compact(t.Context())
}

// TestPageThatLeadsBack: a branch page that has itself for a child is found before anything follows it.
func TestPageThatLeadsBack(t *testing.T) {
	c := collectAll(t)
	p := openPages(bytes.NewReader(c.data), int64(len(c.data)))
	s := &survey{p: p}
	s.root(p.newest())
	for _, name := range []string{"live", "history"} {
		t.Run(name, func(t *testing.T) {
			root := s.buckets[name].root
			branch, err := p.read(root)
			must(t, err)
			if !branch.branch {
				t.Fatalf("page %d is no branch", root)
			}
			data := bytes.Clone(c.data)
			binary.NativeEndian.PutUint64(data[int(root)*pageSize+pageHeader+8:], root)
			path := c.file(t, data)
			want := fmt.Sprintf("page %d is used twice", root)
			if problems, err := Inspect(path, 0); err != nil || !strings.Contains(strings.Join(problems, "; "), want) {
				t.Errorf("%v, %v", problems, err)
			}
			j, err := Open(Options{Path: path, WholeUpTo: -1})
			if name == "live" { // start-up reads it
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "askctl check --rescue "+path) {
					t.Errorf("got %v", err)
				}
				return
			}
			must(t, err) // what lies elsewhere is looked at beside it
			if err := j.Whole(t.Context()); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fmt.Sprintf("page %d ", root)) {
				t.Errorf("looked at: %v", err)
			}
			report, err := j.Check(t.Context())
			must(t, err)
			must(t, j.Close())
			if !strings.Contains(strings.Join(report.Problems, "; "), want) {
				t.Errorf("problems %q", report.Problems)
			}
		})
	}
}
