package journal

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
)

// TestDamageThatCannotBeTakenBack: when bbolt panics in a transaction and once more while it takes it back, whoever writes from
// then on is told, reading goes on, and the journal ends and lets go of its file.
func TestDamageThatCannotBeTakenBack(t *testing.T) {
	c := collectAll(t)
	path := c.file(t, c.data)
	armed := false
	j, err := Open(Options{Path: path, DraftDelay: time.Millisecond, Failpoint: func(step string) {
		if armed && step == "before-request-committed" {
			panic("a damaged page")
		}
	}})
	must(t, err)
	must(t, addRequest(t, j, request("s", "before")))
	spoilFreelist(t, path)
	armed = true
	told := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "askctl check --rescue "+path) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	told("the first", addRequest(t, j, request("s", "first")))
	armed = false
	k := request("s", "before").Key()
	told("a request", addRequest(t, j, request("s", "second")))
	told("a draft", saveDraft(t, j, k, draft("half")))
	told("an outcome", addOutcome(t, j, outcome(request("s", "before"), "o", ask.Answered)))
	_, err = j.Compact(t.Context())
	told("a compaction", err)
	find(t, j, k)
	if _, err := j.Page(t.Context(), ask.HistoryQuery{}, 0, 10); err != nil {
		t.Error(err)
	}
	must(t, j.Close())
	if _, err := Rescue(t.Context(), path, path+".rescued", day); err != nil { // nobody holds the file
		t.Error(err)
	}
}

// spoilFreelist clears the kind of the page with the list of free pages, which bbolt reads again to take something back.
func spoilFreelist(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer func() { _ = f.Close() }()
	h := openPages(f, fileSize(path)).newest()
	_, err = f.WriteAt([]byte{0, 0}, int64(h.freelist)*pageSize+8)
	must(t, err)
}
