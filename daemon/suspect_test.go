package daemon_test

import (
	"encoding/binary"
	"errors"
	"fmt"
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
		r := &ask.Request{ID: fmt.Sprintf("request-%04d", i), Session: "s", Tool: ask.ToolAskUser, CreatedAt: time.Unix(int64(i), 0), Title: strings.Repeat("x", 200)}
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
