package daemon_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
	"askd/daemon"
	"askd/journal"
)

// historyOf writes a data file with so many settled questions.
func historyOf(t *testing.T, path string, n int) {
	t.Helper()
	j, err := journal.Open(journal.Options{Path: path})
	must(t, err)
	for i := range n {
		r := &ask.Request{ID: fmt.Sprintf("request-%04d", i), Session: "s", Tool: ask.ToolAskUser, CreatedAt: time.Unix(int64(i), 0), Title: strings.Repeat("x", 200), Questions: []ask.Question{{ID: "q", Prompt: "Which?"}}}
		o := &ask.Outcome{ID: "o", RequestID: r.ID, Session: "s", Kind: ask.Withdrawn, StoredAt: r.CreatedAt}
		done := make(chan error, 3)
		tell := func(err error) { done <- err }
		j.AppendRequest(r, tell)
		j.AppendOutcome(o, tell)
		j.AppendDelivered(r.Key(), "o", tell)
		for range cap(done) {
			must(t, <-done)
		}
	}
	must(t, j.Close())
}

// enlarge has a data file use so many pages, nearly all of them holes, that it is not looked at as a whole before the start.
func enlarge(t *testing.T, path string) {
	t.Helper()
	const page, head = 4096, 16
	const pages = journal.DefaultWholeUpTo/page + 1
	must(t, os.Truncate(path, pages*page))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer func() { _ = f.Close() }()
	for at := range int64(2) {
		meta := make([]byte, 64)
		_, err := f.ReadAt(meta, at*page+head)
		must(t, err)
		binary.NativeEndian.PutUint64(meta[40:], pages)
		sum := fnv.New64a()
		_, _ = sum.Write(meta[:56])
		binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
		_, err = f.WriteAt(meta, at*page+head)
		must(t, err)
	}
}

// turnRound makes every branch page of a data file lead to itself and says how many there are.
func turnRound(t *testing.T, path string) (n int) {
	t.Helper()
	const page = 4096
	data, err := os.ReadFile(path)
	must(t, err)
	for at := 2 * page; at+page <= len(data); at += page {
		id := binary.NativeEndian.Uint64(data[at:])
		if id == uint64(at/page) && data[at+8] == 1 {
			binary.NativeEndian.PutUint64(data[at+16+8:], id)
			n++
		}
	}
	must(t, os.WriteFile(path, data, 0o600))
	return n
}

// TestSuspectFile: when the askd before was killed, damage that would hang this one is found at the start, and at each start
// until something has been done about it.
func TestSuspectFile(t *testing.T) {
	o := place(t)
	historyOf(t, o.Data, 120)
	start(t, o).halt()
	if raw, err := os.ReadFile(o.Data + ".lock"); err != nil || len(raw) > 0 {
		t.Errorf("after a clean stop the lock file says %q, %v", raw, err)
	}
	if turnRound(t, o.Data) == 0 {
		t.Fatal("the file has no branches")
	}
	must(t, os.WriteFile(o.Data+".lock", []byte("4711\n"), 0o600)) // what a kill leaves
	for range 2 {
		err := daemon.Run(t.Context(), o)
		if !errors.Is(err, journal.ErrDamaged) || !strings.Contains(err.Error(), "askctl check --rescue "+o.Data) {
			t.Fatalf("got %v", err)
		}
	}
}

// TestLargeFileThatLeadsRound: damage in a file that is too large to be looked at before the start ends askd with what to do
// before anything goes round in it, and from then on keeps it from starting. A large file that is whole is used.
func TestLargeFileThatLeadsRound(t *testing.T) {
	o := place(t)
	historyOf(t, o.Data, 120)
	enlarge(t, o.Data)
	r := start(t, o)
	c := r.connect(nil)
	call(t, c, "session.open", `{"id":"s","ui":"cli","branch":null}`, nil)
	var past struct{ Total int }
	call(t, c, "history.list", `{"all":true}`, &past)
	if past.Total == 0 {
		t.Error("there is no history")
	}
	r.halt()
	if turnRound(t, o.Data) == 0 {
		t.Fatal("the file has no branches")
	}
	for _, want := range []string{"stop askd if it runs, then", "open journal"} {
		err := daemon.Run(t.Context(), o)
		if !errors.Is(err, journal.ErrDamaged) || !strings.Contains(err.Error(), "askctl check --rescue "+o.Data) || !strings.Contains(err.Error(), want) {
			t.Fatalf("got %v", err)
		}
	}
}
