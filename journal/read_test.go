package journal

import (
	"errors"
	"sync"
	"testing"

	"askd/broker/ask"
)

// Readers see every request that was reported as stored, at each moment of its move to the history, and a Close in the
// middle of it all gives them ErrClosed and nothing worse.
func TestReadersBesideWritesAndClose(t *testing.T) {
	j := openTest(t, Options{})
	stored := make(chan ask.Key, 1000)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for k := range stored {
				for range 20 {
					_, ok, err := j.Find(k)
					if err != nil && !errors.Is(err, ErrClosed) || err == nil && !ok {
						t.Errorf("%v: stored %v, %v", k, ok, err)
					}
					j.Stats()
				}
			}
		})
	}
	for n := range 200 {
		r := request("s", id(n))
		must(t, addRequest(t, j, r))
		stored <- r.Key()
		must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
		must(t, deliver(t, j, r.Key(), "o"))
	}
	for n := range 200 {
		stored <- request("s", id(n)).Key()
	}
	must(t, j.Close())
	close(stored)
	readers.Wait()
}

func TestFindUnknown(t *testing.T) {
	j := openTest(t, Options{})
	must(t, addRequest(t, j, request("ab", "c")))
	for _, k := range []ask.Key{{Session: "a", Request: "bc"}, {Session: "ab"}, {}} {
		if rec, ok, err := j.Find(k); ok || err != nil {
			t.Errorf("%v: %+v, %v", k, rec, err)
		}
	}
}

// Records given out stay as they are while the file under them is rewritten and mapped anew.
func TestRecordsOutliveTheirPages(t *testing.T) {
	j := openTest(t, Options{})
	r := requestOf("s", "kept", 5000)
	must(t, addRequest(t, j, r))
	rec := find(t, j, r.Key())
	must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
	must(t, deliver(t, j, r.Key(), "o"))
	for n := range 20 {
		must(t, addRequest(t, j, requestOf("s", id(n), 512<<10)))
	}
	if rec.Request.Questions[0].Context != r.Questions[0].Context || string(rec.Request.Arguments) != string(r.Arguments) {
		t.Error("the record changed")
	}
}
