package broker_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/journal"
)

// TestClockJumps lets the machine's clock jump back a year and forward a year while forms wait: the queue keeps its order,
// nothing times out, answers are taken, and the draft that failed while the disk did is tried again by itself.
func TestClockJumps(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	clock := func() time.Time { return time.Unix(0, now.Load()) }
	w := newWorld(t)
	w.end()
	w.path = filepath.Join(t.TempDir(), "askd.db")
	j, err := journal.Open(journal.Options{Path: w.path, Failpoint: w.disk.at, DraftDelay: time.Millisecond, Now: clock})
	must(t, err)
	b, err := broker.New(broker.Options{Store: j, Now: clock})
	must(t, err)
	w.desk = desk{Seat: b.Seat(), journal: j}
	w.run()
	c := w.session("s")
	calls := map[int]*answer{}
	for n, jump := range []time.Duration{0, -365 * 24 * time.Hour, 2 * 365 * 24 * time.Hour, -time.Hour} {
		now.Add(int64(jump))
		calls[n] = c.ask(n)
	}
	for i, e := range w.Snapshot().Entries {
		if e.Request.ID != key("s", i).Request {
			t.Errorf("place %d has %s", i, e.Request.ID)
		}
		if e.Settling || e.Status != broker.Waiting {
			t.Errorf("%s is %s", e.Request.ID, e.Status)
		}
	}
	w.SaveDraft(key("s", 0), &ask.Draft{Tab: 1}, 0, func(error) {})
	now.Add(int64(-time.Hour))
	for n, call := range calls {
		c.choose(n)
		if o := call.outcome(); o.Provenance.Outcome != ask.Answered {
			t.Errorf("form %d ended as %s", n, o.Provenance.Outcome)
		}
	}
}

// TestDraftIsTriedAgain: a draft that the disk would not take is written by itself once it works again, and the notice goes.
func TestDraftIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.ask(1)
	w.disk.fail("before-draft-committed")
	draft := newAnswer(t, "draft")
	w.SaveDraft(key("s", 1), &ask.Draft{Tab: 1}, 0, draft.done)
	if _, err := draft.wait(); err == nil {
		t.Error("the draft was stored")
	}
	until(t, "a notice", func() bool { return len(w.Snapshot().Notices) == 1 })
	w.disk.heal()
	until(t, "the draft on the disk", func() bool {
		rec, _ := w.stored("s", 1)
		return rec.Draft != nil && rec.Draft.Tab == 1
	})
	until(t, "no notice", func() bool { return len(w.Snapshot().Notices) == 0 })
}

// TestDraftsNeverWait: a key in an answer waits for no disk, however many drafts the disk still owes: the desk takes them, and
// whatever else comes, while a commit hangs.
func TestDraftsNeverWait(t *testing.T) {
	const keys = 3000 // more than the desk has room for at once
	w := newWorld(t)
	c := w.session("s")
	c.ask(1)
	release := w.disk.hold("before-draft-committed")
	var kept atomic.Int64
	for n := range keys {
		w.SaveDraft(key("s", 1), &ask.Draft{Tab: n}, 0, func(err error) {
			if err != nil {
				t.Error(err)
			}
			kept.Add(1)
		})
	}
	c.settle()
	if n := kept.Load(); n != 0 {
		t.Errorf("%d drafts are on a disk that hangs", n)
	}
	release()
	until(t, "every draft", func() bool { return kept.Load() == keys })
	if rec, _ := w.stored("s", 1); rec.Draft == nil || rec.Draft.Tab != keys-1 {
		t.Errorf("the disk has the draft %+v, want the last", rec.Draft)
	}
}
