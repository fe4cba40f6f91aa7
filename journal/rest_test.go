package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// heldLook opens a journal whose file is looked at only when release is called.
func heldLook(t *testing.T, path string) (j *Journal, release func()) {
	t.Helper()
	look := make(chan func(), 1)
	j, err := Open(Options{Path: path, WholeUpTo: -1, DraftDelay: time.Millisecond, Go: func(name string, f func()) {
		if name == "journal look" {
			look <- f
			return
		}
		go f()
	}})
	must(t, err)
	released := false
	release = func() {
		if !released {
			released = true
			go (<-look)()
		}
	}
	t.Cleanup(func() {
		release()
		_ = j.Close()
	})
	return j, release
}

// TestAskedBeforeTheFileIsLookedAt: while a large file is still to be looked at, questions are asked, kept and read, and one that
// was asked before is known; what needs the rest of the file waits, in its order, and is there in the end.
func TestAskedBeforeTheFileIsLookedAt(t *testing.T) {
	c := collectAll(t)
	j, release := heldLook(t, c.file(t, c.data))
	r := request("s", "fresh")
	must(t, addRequest(t, j, r))
	if err := addRequest(t, j, request("s2", id(2))); !errors.Is(err, ErrDuplicate) {
		t.Errorf("a settled one again: %v", err)
	}
	if _, ok, err := j.Find(ask.Key{Session: "s", Request: "none"}); ok || err != nil {
		t.Errorf("one that never was: %t, %v", ok, err)
	}
	must(t, saveDraft(t, j, r.Key(), draft("half")))
	if rec := find(t, j, r.Key()); rec.Draft == nil {
		t.Errorf("no draft in %+v", rec)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"page":    func() error { _, err := j.Page(gone, ask.HistoryQuery{}, 0, 10); return err }(),
		"check":   func() error { _, err := j.Check(gone); return err }(),
		"compact": func() error { _, err := j.Compact(gone); return err }(),
		"whole":   j.Whole(gone),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s did not wait: %v", name, err)
		}
	}
	told := make(chan string, 10)
	tell := func(what string) func(error) {
		return func(err error) { told <- fmt.Sprint(what, " ", err) }
	}
	first := withImages(outcome(r, "o1", ask.Answered), photo(200, 3000))
	j.AppendOutcome(first, tell("outcome"))
	j.AppendDelivered(r.Key(), first.ID, tell("delivered"))
	j.AppendReopened(r.Key(), tell("reopened"))
	j.SaveDraft(r.Key(), draft("more"), tell("draft"))
	must(t, addRequest(t, j, request("s", "other"))) // goes past them
	if len(told) > 0 {
		t.Errorf("%s before the file was looked at", <-told)
	}
	release()
	must(t, j.Whole(t.Context()))
	for _, want := range []string{"outcome <nil>", "delivered <nil>", "reopened <nil>", "draft <nil>"} {
		if got := waitFor(t, told); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if rec := find(t, j, r.Key()); rec.Draft == nil || len(rec.Earlier) != 1 || rec.Outcome != nil {
		t.Errorf("got %+v", rec)
	}
	for k, want := range c.records {
		if diff := cmp.Diff(want, find(t, j, k), sameRecord); diff != "" {
			t.Errorf("%v (-want +got):\n%s", k, diff)
		}
	}
	_, err := j.Compact(t.Context())
	must(t, err)
	sound(t, j)
}

// TestLiveImagesWait: what waits for the person is read before the file is looked at, but for images.
func TestLiveImagesWait(t *testing.T) {
	path := filepath.Join(memoryDir(t), "askd.db")
	j := openTest(t, Options{Path: path, DraftDelay: time.Millisecond})
	r := request("s", "r")
	must(t, addRequest(t, j, r))
	must(t, saveDraft(t, j, r.Key(), draft("half")))
	must(t, j.Close())

	j, release := heldLook(t, path)
	if live, err := j.Live(); err != nil || len(live) != 1 || live[0].Draft == nil {
		t.Errorf("live %+v, %v", live, err)
	}
	pictured := draftWith(photo(1, 3000))
	saved := make(chan error, 1)
	j.SaveDraft(r.Key(), pictured, func(err error) { saved <- err })
	release()
	must(t, waitFor(t, saved))
	must(t, j.Close())

	j, release = heldLook(t, path)
	read := make(chan error, 1)
	go func() {
		live, err := j.Live()
		if err == nil && cmp.Diff(pictured, live[0].Draft, sameRecord) != "" {
			err = fmt.Errorf("live %+v", live)
		}
		read <- err
	}()
	must(t, addRequest(t, j, request("s", "meanwhile")))
	release()
	must(t, waitFor(t, read))
}

// TestEndsBeforeTheFileIsLookedAt: an end waits for what was appended, and else for nothing; who reads is told.
func TestEndsBeforeTheFileIsLookedAt(t *testing.T) {
	for _, delivers := range []bool{false, true} {
		t.Run(fmt.Sprint(delivers), func(t *testing.T) {
			c := collectAll(t)
			path := c.file(t, c.data)
			j, release := heldLook(t, path)
			r := request("s", "r")
			must(t, addRequest(t, j, r))
			must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
			read, delivered := make(chan error, 1), make(chan error, 1)
			go func() { read <- j.Whole(context.Background()) }()
			if delivers {
				j.AppendDelivered(r.Key(), "o", func(err error) { delivered <- err })
			}
			closed := make(chan error, 1)
			go func() { closed <- j.Close() }()
			for !j.isClosed() {
				runtime.Gosched()
			}
			if !delivers {
				<-j.done // the committer waits for nothing
			}
			release()
			must(t, waitFor(t, closed))
			err := waitFor(t, read)
			if delivers {
				must(t, waitFor(t, delivered))
			} else if err != nil && !errors.Is(err, ErrClosed) {
				t.Errorf("the reader got %v", err)
			}
			again := openTest(t, Options{Path: path})
			if rec := find(t, again, r.Key()); rec.Delivered != delivers {
				t.Errorf("got %+v", rec)
			}
		})
	}
}

// TestFileChangedBeforeItIsOpened: between the look at the file and its opening another process may have written to it.
func TestFileChangedBeforeItIsOpened(t *testing.T) {
	c := collectAll(t)
	path := c.file(t, c.earlier)
	r, err := preflight(Options{Path: path, WholeUpTo: -1})
	must(t, err)
	must(t, os.WriteFile(path, c.data, 0o600))
	f, err := os.Open(path)
	must(t, err)
	defer func() { _ = f.Close() }()
	if r.isOf(f, int64(len(c.data))) {
		t.Error("what was seen of the file counts for another state of it")
	}
}

// branchPage is a page that leads to children, each under a key.
func branchPage(id uint64, keys [][]byte, children []uint64) []byte {
	page := make([]byte, pageSize)
	binary.NativeEndian.PutUint64(page, id)
	binary.NativeEndian.PutUint16(page[8:], flagBranch)
	binary.NativeEndian.PutUint16(page[10:], uint16(len(keys)))
	at := pageHeader + elementSize*len(keys)
	for i, key := range keys {
		e := pageHeader + elementSize*i
		binary.NativeEndian.PutUint32(page[e:], uint32(at-e))
		binary.NativeEndian.PutUint32(page[e+4:], uint32(len(key)))
		binary.NativeEndian.PutUint64(page[e+8:], children[i])
		at += copy(page[at:], key)
	}
	return page
}

// ring is a number of pages that lead round in a circle.
type ring struct {
	name  string
	pages []uint64
}

// ringsOf are circles on the way from a root down: of each page of the way alone, of all of it and of its parts, and of it with
// a page behind its leaf that is free.
func ringsOf(way []uint64, free uint64) (rings []ring) {
	for from := range way {
		for to := from + 1; to <= len(way); to++ {
			rings = append(rings, ring{fmt.Sprintf("pages %d to %d of its way", from, to-1), way[from:to]})
		}
		rings = append(rings, ring{fmt.Sprintf("page %d of its way to a free one", from), append(slices.Clone(way[from:]), free)})
	}
	return rings
}

// wayDown are the pages from a root down to a leaf, by the middle of each.
func wayDown(t *testing.T, p *pages, root uint64) (way []uint64, first []byte) {
	t.Helper()
	for id := root; ; {
		page, err := p.read(id)
		must(t, err)
		way = append(way, id)
		if !page.branch {
			return way, page.elements[0].key
		}
		id = page.elements[len(page.elements)/2].child
	}
}

// deepFile is a data file with a page or more in every bucket, in some of them two branches deep.
func deepFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(memoryDir(t), "askd.db")
	fill(t, path, 1500)
	changeDB(t, path, func(tx *bbolt.Tx) error {
		for n := range uint64(10) {
			search, images := tx.Bucket(bucketSearch), tx.Bucket(bucketImages)
			picture, _ := decodePicture(photo(byte(n), 3000).Data)
			if err := errors.Join(search.Put(sliceKey(0, uint16(n)), make([]byte, sliceBytes)), putImage(images, picture)); err != nil {
				return err
			}
			for _, name := range [][]byte{bucketLive, bucketDrafts} {
				draft := append([]byte{valueVersion}, fmt.Sprintf(`{"tab":%d}`, n)...)
				if err := putValue(tx.Bucket(name), 1501+n, kindDraft, append(draft, bytes.Repeat([]byte(" "), 3000)...)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// TestWaysThatLeadRound: whatever circle the pages of whichever bucket stand in, a file that was closed in order opens or is
// refused, whoever needs the bucket is told of the damage and what to do, and nothing goes round.
func TestWaysThatLeadRound(t *testing.T) {
	data := deepFile(t)
	p := openPages(bytes.NewReader(data), int64(len(data)))
	h := p.newest()
	s := &survey{p: p}
	s.root(h)
	free := stale(t, p, h.root)
	deep := 0
	for _, name := range slices.Sorted(maps.Keys(s.buckets)) {
		root := s.buckets[name].root
		if root == 0 {
			if name != string(bucketMeta) {
				t.Errorf("%s has no page of its own", name)
			}
			continue
		}
		way, key := wayDown(t, p, root)
		deep = max(deep, len(way))
		for _, r := range ringsOf(way, free) {
			t.Run(name+" "+r.name, func(t *testing.T) {
				round := bytes.Clone(data)
				for i, id := range r.pages {
					next := r.pages[(i+1)%len(r.pages)]
					copy(round[id*pageSize:], branchPage(id, [][]byte{key}, []uint64{next}))
				}
				goRound(t, round)
			})
		}
	}
	if deep < 3 {
		t.Errorf("the deepest tree has %d levels", deep)
	}
}

func goRound(t *testing.T, data []byte) {
	path := filepath.Join(memoryDir(t), "askd.db")
	must(t, os.WriteFile(path, data, 0o600))
	told := func(err error) {
		t.Helper()
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "askctl check --rescue "+path) {
			t.Errorf("got %v", err)
		}
	}
	_, err := Open(Options{Path: path, WholeUpTo: -1, Suspect: true})
	told(err)
	j, err := Open(Options{Path: path, WholeUpTo: -1})
	if err != nil {
		told(err)
		return
	}
	told(j.Whole(t.Context()))
	_, err = j.Page(t.Context(), ask.HistoryQuery{}, 0, 10)
	told(err)
	_, _, err = j.Find(ask.Key{Session: "s1", Request: id(170)})
	told(err)
	_, err = j.Compact(t.Context())
	told(err)
	if report, err := j.Check(t.Context()); err != nil || len(report.Problems) == 0 {
		t.Errorf("a check finds %q, %v", report.Problems, err)
	}
	must(t, j.Close())
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
		t.Errorf("the file was changed: %v", err)
	}
}

// TestAskedOnAWayThatLeadsRound: also before the file has been looked at, the id of a question is not looked up in circles.
func TestAskedOnAWayThatLeadsRound(t *testing.T) {
	data := deepFile(t)
	p := openPages(bytes.NewReader(data), int64(len(data)))
	s := &survey{p: p}
	s.root(p.newest())
	root := s.buckets[string(bucketIndex)].root
	way, _ := wayDown(t, p, root)
	leaf := way[len(way)-1]
	copy(data[leaf*pageSize:], branchPage(leaf, [][]byte{{1}}, []uint64{root}))
	page, err := p.read(way[len(way)-2])
	must(t, err)
	key := *nameOf(page.elements[len(page.elements)/2].key)

	path := filepath.Join(memoryDir(t), "askd.db")
	must(t, os.WriteFile(path, data, 0o600))
	j, _ := heldLook(t, path)
	want := "askctl check --rescue " + path
	if err := addRequest(t, j, request(key.Session, key.Request)); !errors.Is(err, ErrDamaged) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("asked: %v", err)
	}
	if _, _, err := j.Find(key); !errors.Is(err, ErrDamaged) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("looked up: %v", err)
	}
	must(t, addRequest(t, j, request("zz", "beside it")))
}
