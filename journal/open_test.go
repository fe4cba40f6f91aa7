package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

func TestUnusableFileIsLeftAlone(t *testing.T) {
	garble := func(offset int) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			edit(t, path, func(data []byte) []byte {
				for i := offset; i < len(data); i++ {
					data[i] = 0xA5
				}
				return data
			})
		}
	}
	cases := []struct {
		name   string
		spoil  func(t *testing.T, path string)
		want   error
		advice string
	}{
		{"text", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte("text\n"), 9000), 0o600))
		}, ErrNoDataFile, "choose another file"},
		{"short", func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("x"), 0o600)) }, ErrNoDataFile, "choose another file"},
		{"everything", garble(0), ErrNoDataFile, "put a backup in its place"},
		{"both meta pages", func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			must(t, err)
			clear(data[:2*pageSize])
			must(t, os.WriteFile(path, data, 0o600))
		}, ErrDamaged, "askctl check --rescue"},
		{"everything behind them", garble(2 * pageSize), ErrDamaged, "askctl check --rescue"},
		{"cut off", func(t *testing.T, path string) { must(t, os.Truncate(path, 2*pageSize)) }, ErrDamaged, "askctl check --rescue"},
		{"record", func(t *testing.T, path string) {
			changeDB(t, path, func(tx *bbolt.Tx) error {
				return tx.Bucket(bucketLive).Put(chunkKey(1, kindRequest, 0), []byte{1, 0, '{'})
			})
		}, ErrDamaged, "askctl check --rescue"},
		{"bucket", func(t *testing.T, path string) {
			changeDB(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketIndex) })
		}, ErrDamaged, "askctl check --rescue"},
		{"newer record", func(t *testing.T, path string) {
			changeDB(t, path, func(tx *bbolt.Tx) error {
				return tx.Bucket(bucketLive).Put(chunkKey(1, kindRequest, 0), []byte{requestVersion + 1, 0, '{'})
			})
		}, ErrNewerFormat, "newer askd"},
		{"newer file", func(t *testing.T, path string) {
			changeDB(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(metaFormat, []byte{formatVersion + 1}) })
		}, ErrNewerFormat, "newer askd"},
		{"foreign", func(t *testing.T, path string) {
			changeDB(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketMeta) })
		}, ErrForeign, "choose another file"},
		{"held by a descriptor of this process", func(t *testing.T, path string) {
			j, err := Open(Options{Path: path})
			must(t, err)
			t.Cleanup(func() { must(t, j.Close()) })
		}, ErrLocked, "stop the askd"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "askd.db")
			fill(t, path, 50)
			c.spoil(t, path)
			before, err := os.ReadFile(path)
			must(t, err)
			_, err = Open(Options{Path: path, LockTimeout: time.Millisecond})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.advice) {
				t.Errorf("got %v", err)
			}
			after, err := os.ReadFile(path)
			must(t, err)
			if !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestUnusablePath(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(Options{Path: dir}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("folder: %v", err)
	}
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := Open(Options{Path: filepath.Join(file, "askd.db")}); err == nil {
		t.Error("below a file: no error")
	}
	must(t, openTest(t, Options{Path: file}).Close()) // an empty file is a new one
}

// Damage where start-up does not look is reported by whoever meets it, and ends no process.
func TestDamagedHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askd.db")
	fill(t, path, 50)
	changeDB(t, path, func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketHistory).Put(chunkKey(1, kindOutcome, 0), []byte{1, '!'})
	})
	j := openTest(t, Options{Path: path})
	if _, _, err := j.Find(ask.Key{Session: "s0", Request: id(0)}); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
	find(t, j, ask.Key{Session: "s0", Request: id(1)})
}

func TestLockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askd.db")
	child := startChild(t, "hold "+path)
	if got := child.line(t); got != "open" {
		t.Fatalf("child says %q", got)
	}
	if _, err := Open(Options{Path: path, LockTimeout: 60 * time.Millisecond}); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v", err)
	}
	child.kill(t)
	openTest(t, Options{Path: path})
}

func childHold(path string) {
	if _, err := Open(Options{Path: path}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// edit rewrites a file.
func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, change(data), 0o600))
}

// changeDB writes to a data file behind the journal's back.
func changeDB(t *testing.T, path string, change func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(change))
	must(t, db.Close())
}

// The data file of every released format is kept and opened by today's code.
func TestOpensKeptFiles(t *testing.T) {
	if *update {
		writeKept(t, filepath.Join("testdata", fmt.Sprintf("format%d.bbolt", formatVersion)))
	}
	for format := 1; format <= formatVersion; format++ {
		name := fmt.Sprintf("format%d.bbolt", format)
		t.Run(name, func(t *testing.T) { openKept(t, filepath.Join("testdata", name), format) })
	}
}

func openKept(t *testing.T, kept string, format int) {
	data, err := os.ReadFile(kept)
	must(t, err)
	path := filepath.Join(t.TempDir(), "askd.db")
	must(t, os.WriteFile(path, data, 0o600))
	j := openTest(t, Options{Path: path})
	// Format 1 knew no second answers; format 3 has a record with images, format 4 one with a text that is in no arguments.
	wantRecords := [...]int{1: 4, 2: 5, 3: 6, 4: 7}[format]
	live, err := j.Live()
	must(t, err)
	if len(live) != 2 || live[0].Draft == nil || live[1].Outcome == nil || j.Records() != wantRecords {
		t.Errorf("live %+v, %d records", live, j.Records())
	}
	if rec := find(t, j, request("s1", "settled").Key()); !rec.Delivered || len(rec.Request.Questions[0].Context) != 5000 {
		t.Errorf("settled %+v", rec)
	}
	if rec := find(t, j, request("s2", "interrupted").Key()); rec.Draft == nil {
		t.Errorf("interrupted %+v", rec)
	}
	if format > 1 {
		if again := find(t, j, request("s2", "again").Key()); len(again.Earlier) != 1 || !again.Delivered {
			t.Errorf("again %+v", again)
		}
	}
	if format > 2 {
		want := withImages(outcome(request("s1", "pictured"), "o4", ask.Answered), photo(1, 3000))
		if diff := cmp.Diff(want, find(t, j, request("s1", "pictured").Key()).Outcome, sameRecord); diff != "" {
			t.Errorf("pictured (-want +got):\n%s", diff)
		}
	}
	if format > 3 {
		for _, want := range []*ask.Request{filed(), requestOf("s1", "settled", 5000)} {
			if diff := cmp.Diff(want, find(t, j, want.Key()).Request, sameRecord); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
	must(t, reopen(t, j, request("s1", "settled").Key()))
	added := request("s1", "new")
	must(t, addRequest(t, j, added))
	must(t, addOutcome(t, j, withImages(outcome(added, "o5", ask.Answered), photo(1, 3000))))
	if n := storedImages(t, j); n != 1 {
		t.Errorf("%d images", n)
	}
	_, err = j.Compact(t.Context())
	must(t, err)
	sound(t, j)
	must(t, j.Close())
	must(t, openTest(t, Options{Path: path}).Close())
}

// filed is a request whose context was read from a file when it was asked.
func filed() *ask.Request {
	r := request("s2", "filed")
	r.Questions[0].Context = strings.Repeat("What the file said. ", 100)
	r.Arguments = []byte(`{"questions":[{"context":"/tmp/plan.md"}]}`)
	return r
}

func writeKept(t *testing.T, kept string) {
	path := filepath.Join(t.TempDir(), "askd.db")
	j := openTest(t, Options{Path: path, DraftDelay: time.Millisecond, Now: func() time.Time { return day }})
	settle(t, j, requestOf("s1", "settled", 5000))
	waiting, ended, interrupted := request("s1", "waiting"), request("s1", "ended"), request("s2", "interrupted")
	for _, r := range []*ask.Request{waiting, ended, interrupted} {
		must(t, addRequest(t, j, r))
		must(t, saveDraft(t, j, r.Key(), draft("half")))
	}
	must(t, addOutcome(t, j, outcome(ended, "o1", ask.Answered)))
	must(t, addOutcome(t, j, outcome(interrupted, "o2", ask.Interrupted)))
	must(t, deliver(t, j, interrupted.Key(), "o2"))
	again := request("s2", "again")
	settle(t, j, again)
	must(t, reopen(t, j, again.Key()))
	must(t, addOutcome(t, j, outcome(again, "o3", ask.Answered)))
	must(t, deliver(t, j, again.Key(), "o3"))
	pictured := request("s1", "pictured")
	must(t, addRequest(t, j, pictured))
	must(t, addOutcome(t, j, withImages(outcome(pictured, "o4", ask.Answered), photo(1, 3000))))
	must(t, deliver(t, j, pictured.Key(), "o4"))
	settle(t, j, filed())
	must(t, j.Close())
	src, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must(t, err)
	defer src.Close()
	must(t, os.RemoveAll(kept))
	dst, err := bbolt.Open(kept, 0o600, &bbolt.Options{PageSize: pageSize})
	must(t, err)
	defer dst.Close()
	must(t, bbolt.Compact(dst, src, 0))
}

// child is this test binary in another process, playing a part of TestMain.
type child struct {
	cmd   *exec.Cmd
	lines chan string
}

// What is written into a file that nobody will find again is not stored: the journal says so instead.
func TestFileTakenAwayWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askd.db")
	j := openTest(t, Options{Path: path})
	must(t, addRequest(t, j, request("s", "before")))
	refused := func(where string) {
		t.Helper()
		if err := addRequest(t, j, request("s", where)); !errors.Is(err, ErrGone) {
			t.Errorf("%s: a request was stored: %v", where, err)
		}
		if _, err := j.Compact(t.Context()); !errors.Is(err, ErrGone) {
			t.Errorf("%s: compacted: %v", where, err)
		}
	}
	must(t, os.Rename(path, path+".away"))
	refused("removed")
	must(t, os.WriteFile(path, []byte("another's"), 0o600))
	refused("replaced")
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "another's" {
		t.Errorf("the other file: %q, %v", raw, err)
	}
	must(t, os.Rename(path+".away", path))
	must(t, addRequest(t, j, request("s", "after")))
	if _, err := j.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, addRequest(t, j, request("s", "compacted")))
	if n := j.Stats().Live; n != 3 {
		t.Errorf("%d requests are live", n)
	}
}
