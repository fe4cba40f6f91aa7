package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// unchanged fails when a file is not as it was.
func unchanged(t *testing.T, path string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s was changed: %d bytes, %v", path, len(got), err)
	}
}

// TestNoDataFile: what is no data file of askd is refused with that word by everything that reads one, and left as it is.
func TestNoDataFile(t *testing.T) {
	garbage := make([]byte, 3000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range garbage {
		garbage[i] = byte(rng.Uint32())
	}
	long := bytes.Repeat([]byte("no pages at all\n"), 4096)
	for name, data := range map[string][]byte{"empty": nil, "garbage": garbage, "text": long, "zeros": make([]byte, 1<<16)} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(memoryDir(t), "other.db")
			must(t, os.WriteFile(path, data, 0o600))
			for _, o := range []Options{{Path: path, ReadOnly: true}, {Path: path, ReadOnly: true, WholeUpTo: -1}, {Path: path, Existing: true}} {
				j, err := Open(o)
				if !errors.Is(err, ErrNoDataFile) || !strings.Contains(err.Error(), "choose another file") {
					t.Errorf("%+v: %v", o, err)
				}
				if err == nil {
					_ = j.Close()
				}
			}
			if problems, err := Inspect(path, 0); err != nil || len(problems) != 1 || !strings.Contains(problems[0], ErrNoDataFile.Error()) {
				t.Errorf("inspect: %q, %v", problems, err)
			}
			_, err := Rescue(t.Context(), path, path+".rescued", day)
			if !errors.Is(err, ErrNoDataFile) || strings.Contains(err.Error(), "pages are damaged") {
				t.Errorf("rescue: %v", err)
			}
			unchanged(t, path, data)
		})
	}
}

// TestRescueOfNothing: a file that is in order and holds nothing is not said to be damaged.
func TestRescueOfNothing(t *testing.T) {
	path := filepath.Join(memoryDir(t), "askd.db")
	j, err := Open(Options{Path: path})
	must(t, err)
	must(t, j.Close())
	if _, err := Rescue(t.Context(), path, path+".rescued", day); !errors.Is(err, ErrNothingStored) {
		t.Error(err)
	}
}

// TestReadOnly: a check, and reading, of a file that was opened so change no byte of it; a file of an earlier format is not
// brought up to date, one that is missing not made.
func TestReadOnly(t *testing.T) {
	c := collectAll(t)
	path := c.file(t, c.data)
	j, err := Open(Options{Path: path, ReadOnly: true})
	must(t, err)
	sound(t, j)
	for range j.History(t.Context(), ask.HistoryQuery{Text: "database"}) {
	}
	must(t, j.Close())
	unchanged(t, path, c.data)

	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(metaFormat, []byte{2}) }))
	must(t, db.Close())
	old, err := os.ReadFile(path)
	must(t, err)
	if _, err := Open(Options{Path: path, ReadOnly: true}); !errors.Is(err, ErrOlderFormat) || !strings.Contains(err.Error(), "start askd on it once") {
		t.Error(err)
	}
	unchanged(t, path, old)

	missing := filepath.Join(t.TempDir(), "none", "askd.db")
	if _, err := Open(Options{Path: missing, ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(missing)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
}

// TestPagesThatOpeningDoesNotRead overwrites the history's leaves, which opening does not read. A file of usual size is looked
// at whole, does not open and stays as it is; in a large one, whoever meets the damage is told what to do about it.
func TestPagesThatOpeningDoesNotRead(t *testing.T) {
	c := collectAll(t)
	p := openPages(bytes.NewReader(c.data), int64(len(c.data)))
	s := &survey{p: p}
	s.root(p.newest())
	data := bytes.Clone(c.data)
	for _, name := range []string{"history", "summaries"} {
		root, err := p.read(s.buckets[name].root)
		must(t, err)
		spoilt := []uint64{s.buckets[name].root}
		if root.branch {
			spoilt = nil
			for _, e := range root.elements {
				spoilt = append(spoilt, e.child)
			}
		}
		for _, id := range spoilt {
			copy(data[id*pageSize:], bytes.Repeat([]byte{0xff}, pageSize))
		}
	}
	path := c.file(t, data)
	_, err := Open(Options{Path: path})
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "askctl check --rescue "+path) {
		t.Errorf("open: %v", err)
	}
	unchanged(t, path, data)

	j, err := Open(Options{Path: path, WholeUpTo: -1})
	must(t, err)
	defer func() { must(t, j.Close()) }()
	_, page := j.Page(t.Context(), ask.HistoryQuery{}, 0, 100)
	var history error
	for _, err := range j.History(t.Context(), ask.HistoryQuery{}) {
		history = errors.Join(history, err)
	}
	for what, err := range map[string]error{"page": page, "history": history} {
		met, next, ok := ask.Damaged(err)
		if !ok || !errors.Is(err, ErrDamaged) || !strings.Contains(next, "askctl check --rescue "+path) || strings.Contains(met, "rescue") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
