package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

func sound(t *testing.T, j *Journal) ask.Upkeep {
	t.Helper()
	report, err := j.Check(t.Context())
	must(t, err)
	if len(report.Problems) > 0 || report.Records != j.Records() || report.Live != j.Stats().Live || report.Bytes == 0 {
		t.Errorf("check: %+v, %d records", report, j.Records())
	}
	return report
}

func TestCheckOfASoundFile(t *testing.T) {
	j, records := library(t, 60)
	questions := 0
	for _, rec := range records {
		questions += len(rec.Request.Questions)
	}
	if report := sound(t, j); report.Questions != questions {
		t.Errorf("%d questions, want %d", report.Questions, questions)
	}
}

func TestCheckFindsDamage(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(tx *bbolt.Tx) error
		want  string
	}{
		"outcome": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketHistory).Delete(chunkKey(3, kindOutcome, 0))
		}, "record 3: its outcome is missing"},
		"request": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketHistory).Delete(chunkKey(3, kindRequest, 0))
		}, "part b of record 3: its request is missing"},
		"text": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketHistory).Put(chunkKey(3, kindOutcome, 0), []byte{1, '!'})
		}, "outcome 3"},
		"index": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketIndex).Delete(indexKey(ask.Key{Session: "s0", Request: id(2)}))
		}, "record 3: the index does not lead to it"},
		"settled": {func(tx *bbolt.Tx) error { return tx.Bucket(bucketSettled).Delete(seqKey(3)) }, "record 3: its settled number"},
		"summary": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketSummaries).Put(seqKey(3), []byte{1, 0, 1, 0})
		}, "record 3: its summary differs"},
		"count": {func(tx *bbolt.Tx) error { return tx.Bucket(bucketHistory).SetSequence(7) }, "found 20, noted 7"},
		"both": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketIndex).Put(indexKey(ask.Key{Session: "s0", Request: id(21)}), make([]byte, 16))
		}, "stands in the history as well"},
		"draft": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketDrafts).Put(chunkKey(3, kindDraft, 0), []byte("x"))
		}, "part c of record 3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "askd.db")
			fill(t, path, 20)
			j := openTest(t, Options{Path: path})
			must(t, j.db.Update(c.spoil))
			report, err := j.Check(t.Context())
			must(t, err)
			if !strings.Contains(strings.Join(report.Problems, "; "), c.want) {
				t.Errorf("problems %q", report.Problems)
			}
		})
	}
}

func TestBackupBesideWrites(t *testing.T) {
	j, records := library(t, 60)
	path := filepath.Join(t.TempDir(), "backup.db")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				_ = wait(t, func(done func(error)) { j.AppendRequest(request("beside", id(n)), done) })
			}
		}
	}()
	report, err := j.Backup(t.Context(), path)
	must(t, err)
	close(stop)
	<-stopped
	info, err := os.Lstat(path)
	must(t, err)
	if info.Mode() != 0o600 || info.Size() != report.Bytes {
		t.Errorf("%v, %d bytes, report %+v", info.Mode(), info.Size(), report)
	}
	b := openTest(t, Options{Path: path})
	if got := sound(t, b); got.Records != report.Records || got.Live != report.Live {
		t.Errorf("backup holds %+v, report %+v", got, report)
	}
	for _, rec := range records {
		if diff := cmp.Diff(rec, find(t, b, rec.Request.Key()), sameRecord); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if names, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.partial")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}

func TestBackupRefusals(t *testing.T) {
	j, _ := library(t, 5)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("kept"), 0o600))
	must(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "link")))
	for name, want := range map[string]error{"file": fs.ErrExist, "link": fs.ErrExist, "none/backup": fs.ErrNotExist} {
		if _, err := j.Backup(t.Context(), filepath.Join(dir, name)); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Backup(ctx, filepath.Join(dir, "late")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestCompact(t *testing.T) {
	j, records := library(t, 80)
	for n := range 6 { // room that becomes free
		r := requestOf("large", id(n), 1<<20)
		must(t, addRequest(t, j, r))
		must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
		must(t, deliver(t, j, r.Key(), "o"))
	}
	report, err := j.Prune(t.Context(), day) // nothing was asked before
	must(t, err)
	if report.Removed != 0 || report.Records != 86 || report.Bytes >= report.BytesBefore {
		t.Errorf("report %+v", report)
	}
	must(t, addRequest(t, j, request("s", "after")))
	compacted := func(j *Journal) {
		for _, rec := range records {
			if diff := cmp.Diff(rec, find(t, j, rec.Request.Key()), sameRecord); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		sound(t, j)
	}
	compacted(j)
	_, err = j.Backup(t.Context(), filepath.Join(t.TempDir(), "backup")) // which opens the file by its name
	must(t, err)
	if _, err := Open(Options{Path: j.opts.Path, LockTimeout: time.Millisecond}); !errors.Is(err, ErrLocked) {
		t.Errorf("the new file is not locked: %v", err)
	}
	if info, err := os.Stat(j.opts.Path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	must(t, j.Close())
	compacted(openTest(t, Options{Path: j.opts.Path}))
}

// What waits or is on its way is never pruned, nor what was asked long ago and ended late.
func TestPrune(t *testing.T) {
	j := openTest(t, Options{})
	cutoff := day.Add(time.Hour)
	add := func(id string, asked, ended time.Duration, delivered bool) {
		r := request("s", id)
		r.CreatedAt = day.Add(asked)
		must(t, addRequest(t, j, r))
		if ended < 0 {
			return
		}
		o := outcome(r, "o", ask.Answered)
		o.StoredAt = day.Add(ended)
		must(t, addOutcome(t, j, o))
		if delivered {
			must(t, deliver(t, j, r.Key(), "o"))
		}
	}
	for n := range 50 {
		add("old"+strconv.Itoa(n), 0, time.Minute, true)
	}
	add("waiting", 0, -1, false)
	add("undelivered", 0, time.Minute, false)
	add("ended late", 0, 2*time.Hour, true)
	add("new", 90*time.Minute, 2*time.Hour, true)
	add("reopened", 0, time.Minute, true)
	must(t, reopen(t, j, request("s", "reopened").Key()))
	if page, err := j.Page(t.Context(), ask.HistoryQuery{Text: "old17"}, 0, 5); err != nil || page.Total != 1 {
		t.Errorf("before: %+v, %v", page, err)
	}
	report, err := j.Prune(t.Context(), cutoff)
	must(t, err)
	if report.Removed != 50 || report.Records != 5 || report.Live != 3 {
		t.Errorf("report %+v", report)
	}
	for range 2 {
		for _, id := range []string{"waiting", "undelivered", "ended late", "new", "reopened"} {
			find(t, j, request("s", id).Key())
		}
		for _, q := range []ask.HistoryQuery{{Text: "old17"}, {Session: "s", Text: "old"}} {
			if page, err := j.Page(t.Context(), q, 0, 5); err != nil || page.Total != 0 {
				t.Errorf("%+v: %+v, %v", q, page, err)
			}
		}
		if page, err := j.Page(t.Context(), ask.HistoryQuery{}, 0, 50); err != nil || page.Total != 5 || len(page.Records) != 5 {
			t.Errorf("page %+v, %v", page, err)
		}
		sound(t, j)
		must(t, j.Close())
		j = openTest(t, Options{Path: j.opts.Path})
	}
	add("old17", 0, -1, false) // the id is free again
}

// A pruned record of an indexed block is not found, and those beside it are.
func TestPruneKeepsTheIndex(t *testing.T) {
	t.Parallel()
	j := openTest(t, Options{Path: blockFile(t)})
	late := request("late", "late")
	late.CreatedAt = day.Add(48 * time.Hour)
	must(t, addRequest(t, j, late))
	must(t, addOutcome(t, j, outcome(late, "o", ask.Answered)))
	must(t, deliver(t, j, late.Key(), "o"))
	awaitBlocks(t, j, 1)
	report, err := j.Prune(t.Context(), day.Add(time.Hour))
	must(t, err)
	if report.Removed != blockRecords+300 || report.Records != 11 {
		t.Errorf("report %+v", report)
	}
	for text, want := range map[string]int{"which database for late": 1, "which database for 0": 10} {
		if page, err := j.Page(t.Context(), ask.HistoryQuery{Text: text}, 0, 5); err != nil || page.Total != want {
			t.Errorf("%q: %+v, %v", text, page, err)
		}
	}
}

// Writers that come during a compaction are served after it, readers all the time.
func TestCompactBesideUse(t *testing.T) {
	j, records := library(t, 60)
	errs := make(chan error, 400)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				rec := records[n%len(records)]
				if _, ok, err := j.Find(rec.Request.Key()); !ok || err != nil {
					t.Errorf("%s: %v, %v", rec.Request.ID, ok, err)
				}
			}
		}
	}()
	for round := range 5 {
		for n := range 80 {
			j.AppendRequest(request("beside"+strconv.Itoa(round), id(n)), func(err error) { errs <- err })
		}
		_, err := j.Compact(t.Context())
		must(t, err)
	}
	for range 400 {
		must(t, waitFor(t, errs))
	}
	close(stop)
	<-stopped
	if n := j.Records(); n != 460 {
		t.Errorf("%d records", n)
	}
	sound(t, j)
}

func TestUpkeepOfAClosedJournal(t *testing.T) {
	j, _ := library(t, 3)
	must(t, j.Close())
	_, compact := j.Compact(t.Context())
	_, check := j.Check(t.Context())
	_, backup := j.Backup(t.Context(), filepath.Join(t.TempDir(), "b"))
	for name, err := range map[string]error{"compact": compact, "check": check, "backup": backup} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A disk without room for a second file leaves the first as it was, and in use.
func TestCompactWithoutRoom(t *testing.T) {
	j, records := library(t, 40)
	must(t, os.Mkdir(compactPath(j.opts.Path), 0o700))
	must(t, os.WriteFile(filepath.Join(compactPath(j.opts.Path), "in the way"), nil, 0o600))
	if _, err := j.Compact(t.Context()); err == nil {
		t.Error("no error")
	}
	must(t, os.RemoveAll(compactPath(j.opts.Path)))
	find(t, j, records[0].Request.Key())
	must(t, addRequest(t, j, request("s", "after")))
	sound(t, j)
}

// TestKilledDuringUpkeep kills a process while it compacts, prunes or backs up, at once or at the named steps. The file is
// the old one or the new one, and whatever has the backup's name is a whole backup. The file is on a disk, as the exchange
// of the two is about one. Its size is what matters: more than copyBytes, so that a copy takes several transactions. One
// record with large arguments does that, where ordinary ones would all have to be decoded time and again. Each named step comes twice, the first time in a fresh
// process and later in one that has found the leavings of another.
func TestKilledDuringUpkeep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askd.db")
	fill(t, path, 300)
	addPictured(t, path)
	for round, step := range []string{"before-compacted", "compacted", "none", "none", "before-compacted", "none", "compacted"} {
		c := startChild(t, fmt.Sprintf("upkeep %s %s", step, path))
		if line := c.line(t); line != "open" {
			t.Fatalf("child says %q", line)
		}
		if step == "none" {
			for range round {
				c.line(t)
			}
			c.kill(t)
		} else if err := awaitEnd(t, c, promises{}); err != nil {
			t.Fatal(err)
		}
		for _, p := range append(backups(t, path), path) {
			checkFile(t, p)
			j, err := Open(Options{Path: p})
			must(t, err)
			if sound(t, j); j.Records() != 311 || !slices.Equal(picturesOf(t, j), large) {
				t.Errorf("round %d: %s holds %d records, or other images", round, filepath.Base(p), j.Records())
			}
			must(t, j.Close())
			if p != path {
				must(t, os.Remove(p)) // looked at once, it need not be looked at again
			}
		}
		if _, err := os.Lstat(compactPath(path)); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a half file outlived the next start")
		}
	}
}

// large are the images of the record that addPictured settles.
var large = []ask.Image{photo(1, 20_000), photo(2, 200)}

func addPictured(t *testing.T, path string) {
	t.Helper()
	j, err := Open(Options{Path: path})
	must(t, err)
	r := request("s", "pictured")
	r.Arguments = make([]byte, copyBytes+copyBytes/2)
	must(t, addRequest(t, j, r))
	must(t, addOutcome(t, j, withImages(outcome(r, "o", ask.Answered), large...)))
	must(t, deliver(t, j, r.Key(), "o"))
	must(t, j.Close())
}

func picturesOf(t *testing.T, j *Journal) []ask.Image {
	t.Helper()
	a, _ := find(t, j, request("s", "pictured").Key()).Outcome.Result.Answers.Get("db")
	return a.CustomImages
}

func backups(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + ".backup*")
	must(t, err)
	return names
}

// childUpkeep compacts and backs up without end.
func childUpkeep(args string) {
	step, path, _ := strings.Cut(args, " ")
	j, err := Open(Options{Path: path, Failpoint: func(at string) {
		if at == step {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("open")
	for n := 0; ; n++ {
		backup := path + ".backup" + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(n%2)
		_ = os.Remove(backup)
		if _, err := j.Backup(context.Background(), backup); err != nil {
			fmt.Println(err)
			return
		}
		if step == "none" {
			fmt.Println("backed up")
		}
		if _, err := j.Compact(context.Background()); err != nil {
			fmt.Println(err)
			return
		}
	}
}
