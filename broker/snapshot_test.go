package broker_test

import (
	"slices"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// TestSnapshotsStayAsTheyWere: a snapshot that somebody holds does not change with what comes behind it, and whoever appends
// to its list spoils no other.
func TestSnapshotsStayAsTheyWere(t *testing.T) {
	w := newWorld(t)
	w.PaneSize(80, 24)
	c := w.connect("askd-pi")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
	var held []*broker.Snapshot
	var want [][]string
	keep := func() {
		c.settle()
		s := w.Snapshot()
		_ = append(s.Entries, &broker.Entry{})
		held, want = append(held, s), append(want, shownIDs(s))
	}
	for n := 1; n <= 5; n++ {
		c.ask(n)
		keep()
	}
	if got := shownIDs(held[4]); !slices.Equal(got, []string{id(1), id(2), id(3), id(4), id(5)}) {
		t.Errorf("shown %v", got)
	}
	w.submit("s", 2)
	keep()
	c.queueForm(6)
	keep()
	c.ask(7) // stands before the queued one
	keep()
	if got := shownIDs(held[7]); !slices.Equal(got, []string{id(1), id(3), id(4), id(5), id(7), id(6)}) {
		t.Errorf("shown %v", got)
	}
	for i, s := range held {
		if got := shownIDs(s); !slices.Equal(got, want[i]) {
			t.Errorf("snapshot %d has become %v, it was %v", i, got, want[i])
		}
	}
}

// TestNextSnapshotHasDraft: a draft makes no snapshot by itself, and the next one has it even if that comes of a new question.
func TestNextSnapshotHasDraft(t *testing.T) {
	w := newWorld(t)
	w.PaneSize(80, 24)
	c := w.connect("askd-pi")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", Branch: []broker.BranchEvent{}})
	c.ask(1)
	c.settle()
	saved := newAnswer(t, "draft")
	w.SaveDraft(key("s", 1), &ask.Draft{Tab: 1}, 0, saved.done)
	if _, err := saved.wait(); err != nil {
		t.Fatal(err)
	}
	c.ask(2)
	c.settle()
	if e := w.Snapshot().Entries; len(e) != 2 || e[0].Draft == nil || e[0].Draft.Tab != 1 {
		t.Errorf("the first of %d entries has the draft %+v", len(e), e[0].Draft)
	}
}

func shownIDs(s *broker.Snapshot) (ids []string) {
	for _, e := range s.Entries {
		ids = append(ids, e.Request.ID)
	}
	return ids
}
