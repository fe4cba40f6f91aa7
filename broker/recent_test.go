package broker

import (
	"strconv"
	"testing"
)

// TestRepliesAreBounded: a connection that asks for days remembers the replies to its newest calls, and what each of those was
// told last.
func TestRepliesAreBounded(t *testing.T) {
	const calls = 3*mostRecent + 7
	var r recent[said]
	for n := range calls {
		id := strconv.Itoa(n)
		r.note(id, saidNothing)
		r.note(id, saidOutcome)
		r.note(strconv.Itoa(max(0, n-1)), saidInterrupted)
	}
	if len(r.kept) != mostRecent || len(r.ids) != mostRecent {
		t.Errorf("%d calls and %d ids are kept, want %d", len(r.kept), len(r.ids), mostRecent)
	}
	for n, want := range map[int]said{
		calls - 1: saidOutcome, calls - 2: saidInterrupted, calls - mostRecent: saidInterrupted, calls - mostRecent - 1: saidNothing, 0: saidNothing,
	} {
		if got := r.of(strconv.Itoa(n)); got != want {
			t.Errorf("call %d was told %d, want %d", n, got, want)
		}
	}
}
