package journal

import (
	"errors"
	"testing"

	"askd/broker/ask"
)

// ended stores requests with an outcome each, whose deliveries are still to come.
func ended(t *testing.T, j *Journal, n int) (keys []ask.Key) {
	t.Helper()
	for i := range n {
		r := request("s", "ended-"+id(i))
		must(t, addRequest(t, j, r))
		must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
		keys = append(keys, r.Key())
	}
	return keys
}

// An ask does not pay for the pages of a delivery that came before it.
func TestDeliveryLetsAnAskGoFirst(t *testing.T) {
	j := openTest(t, Options{})
	k := ended(t, j, 1)[0]
	release := busy(t, j)
	before := j.Stats().Commits
	order := make(chan string, 2)
	j.AppendDelivered(k, "o", func(err error) { must(t, err); order <- "delivery" })
	j.AppendRequest(request("s", "next"), func(err error) { must(t, err); order <- "ask" })
	release()
	if first, second := waitFor(t, order), waitFor(t, order); first != "ask" || second != "delivery" {
		t.Errorf("%s before %s", first, second)
	}
	if n := j.Stats().Commits - before; n != 2 {
		t.Errorf("%d commits", n)
	}
}

// Deliveries that others keep from having a pause are written all the same, once they are many.
func TestManyDeliveriesDoNotWait(t *testing.T) {
	j := openTest(t, Options{})
	keys := ended(t, j, deliveryBatch)
	release := busy(t, j)
	before := j.Stats().Commits
	errs := make(chan error, deliveryBatch+1)
	for _, k := range keys {
		j.AppendDelivered(k, "o", func(err error) { errs <- err })
	}
	j.AppendRequest(request("s", "next"), func(err error) { errs <- err })
	release()
	for range deliveryBatch + 1 {
		must(t, waitFor(t, errs))
	}
	if n := j.Stats().Commits - before; n != 1 {
		t.Errorf("%d commits", n)
	}
	if n := j.Stats().Live; n != 2 { // the one that kept the committer busy, and the next
		t.Errorf("%d live", n)
	}
}

// What follows on a delivery that waits finds it done: of one request everything is written in the order it was appended.
func TestDeliveryBeforeWhatFollows(t *testing.T) {
	j := openTest(t, Options{})
	keys := ended(t, j, 3)
	release := busy(t, j)
	errs := make(chan error, 6)
	done := func(err error) { errs <- err }
	for _, k := range keys {
		j.AppendDelivered(k, "o", done)
	}
	j.AppendReopened(keys[1], done)
	j.SaveDraft(keys[2], &ask.Draft{}, done)
	release()
	var failed []error
	for range 5 {
		if err := waitFor(t, errs); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) != 1 || !errors.Is(failed[0], ErrAlreadyEnded) {
		t.Errorf("got %v, want the draft alone refused", failed)
	}
	if rec := find(t, j, keys[1]); rec.Outcome != nil {
		t.Errorf("it was opened again and has the outcome %q", rec.Outcome.ID)
	}
	if n := j.Stats().Live; n != 2 {
		t.Errorf("%d live", n)
	}
}

// What waits when the journal is closed is written.
func TestCloseWritesDeliveries(t *testing.T) {
	j := openTest(t, Options{})
	k := ended(t, j, 1)[0]
	release := busy(t, j)
	errs := make(chan error, 1)
	j.AppendDelivered(k, "o", func(err error) { errs <- err })
	closed := make(chan error, 1)
	go func() { closed <- j.Close() }()
	release()
	must(t, waitFor(t, errs))
	must(t, waitFor(t, closed))
}
