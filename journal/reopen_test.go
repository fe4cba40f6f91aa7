package journal

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

// A request that was answered on one branch is answered twice more on others; every outcome stays, in order.
func TestAnsweredOnSeveralBranches(t *testing.T) {
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	r := requestOf("s", "r", 5000)
	must(t, addRequest(t, j, r))
	var earlier []*ask.Outcome
	for n := range 3 {
		o := outcome(r, id(n), ask.Answered)
		must(t, addOutcome(t, j, o))
		must(t, deliver(t, j, r.Key(), o.ID))
		want := ask.Record{Request: r, Outcome: o, Earlier: earlier, Delivered: true}
		if diff := cmp.Diff(want, find(t, j, r.Key()), sameRecord); diff != "" {
			t.Errorf("answer %d (-want +got):\n%s", n, diff)
		}
		for range 2 {
			must(t, reopen(t, j, r.Key()))
		}
		earlier = append(earlier, o)
		must(t, saveDraft(t, j, r.Key(), draft("half")))
		want = ask.Record{Request: r, Earlier: earlier, Draft: draft("half")}
		if diff := cmp.Diff(want, find(t, j, r.Key()), sameRecord); diff != "" {
			t.Errorf("opened again after %d (-want +got):\n%s", n, diff)
		}
		live, err := j.Live()
		must(t, err)
		if diff := cmp.Diff([]ask.Record{want}, live, sameRecord); diff != "" {
			t.Errorf("live (-want +got):\n%s", diff)
		}
	}
	if s := j.Stats(); s.Records != 1 || s.Live != 1 {
		t.Errorf("stats %+v", s)
	}
}

// Reports of deliveries may come late: of an outcome set aside they change nothing, of others they are refused as ever.
func TestDeliveryOfAnEarlierOutcome(t *testing.T) {
	j := openTest(t, Options{})
	r := request("s", "r")
	settle(t, j, r)
	check := func(where string, other error, outcomes ...string) {
		before := j.Stats().Commits
		for _, id := range outcomes {
			must(t, deliver(t, j, r.Key(), id))
		}
		if err := deliver(t, j, r.Key(), "none"); !errors.Is(err, other) {
			t.Errorf("%s: %v", where, err)
		}
		if n := j.Stats().Commits - before; n != 0 {
			t.Errorf("%s: %d commits", where, n)
		}
	}
	must(t, reopen(t, j, r.Key()))
	check("waiting", ErrNotEnded, "o-r")
	must(t, addOutcome(t, j, outcome(r, "o2", ask.Answered)))
	check("ended", ErrOtherOutcome, "o-r")
	must(t, deliver(t, j, r.Key(), "o2"))
	check("settled", ErrOtherOutcome, "o-r", "o2")
}

// An outcome that is still on its way to one branch is set aside like a delivered one.
func TestReopenBeforeDelivery(t *testing.T) {
	j := openTest(t, Options{})
	r := request("s", "r")
	must(t, addRequest(t, j, r))
	must(t, reopen(t, j, r.Key()))
	first, second := outcome(r, "o1", ask.Answered), outcome(r, "o2", ask.Cancelled)
	must(t, addOutcome(t, j, first))
	must(t, reopen(t, j, r.Key()))
	must(t, addOutcome(t, j, second))
	want := ask.Record{Request: r, Outcome: second, Earlier: []*ask.Outcome{first}}
	if diff := cmp.Diff(want, find(t, j, r.Key()), sameRecord); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := reopen(t, j, request("s", "none").Key()); !errors.Is(err, ErrUnknownRequest) {
		t.Errorf("unknown: %v", err)
	}
}

// What the history kept of an interrupted form is the draft again.
func TestReopenBringsTheDraftBack(t *testing.T) {
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	r := request("s", "r")
	must(t, addRequest(t, j, r))
	must(t, saveDraft(t, j, r.Key(), draft("half")))
	must(t, addOutcome(t, j, outcome(r, "o", ask.Interrupted)))
	must(t, deliver(t, j, r.Key(), "o"))
	must(t, reopen(t, j, r.Key()))
	if d := find(t, j, r.Key()).Draft; d == nil || d.Questions[0].CustomText != "half" {
		t.Errorf("draft %+v", d)
	}
	must(t, saveDraft(t, j, r.Key(), draft("more")))
	must(t, saveDraft(t, j, r.Key(), nil))
	if d := find(t, j, r.Key()).Draft; d != nil {
		t.Errorf("draft %+v", d)
	}
}

// To the history and back, twice, and to it again, in one transaction.
func TestReopenInOneCommit(t *testing.T) {
	j := openTest(t, Options{})
	r := request("s", "r")
	release := busy(t, j)
	errs := make(chan error, 9)
	done := func(err error) { errs <- err }
	j.AppendRequest(r, done)
	for _, id := range []string{"o1", "o2"} {
		j.AppendOutcome(outcome(r, id, ask.Answered), done)
		j.AppendDelivered(r.Key(), id, done)
		j.AppendReopened(r.Key(), done)
	}
	j.AppendOutcome(outcome(r, "o3", ask.Answered), done)
	j.AppendDelivered(r.Key(), "o3", done)
	release()
	for range 9 {
		must(t, waitFor(t, errs))
	}
	rec := find(t, j, r.Key())
	if len(rec.Earlier) != 2 || rec.Outcome.ID != "o3" || !rec.Delivered || j.Stats().Live != 1 {
		t.Errorf("%+v", rec)
	}
	checkOnce(t, j)
}

// A failed transaction leaves the request where it was.
func TestReopenThatFails(t *testing.T) {
	fail := false
	j := openTest(t, Options{Failpoint: func(step string) {
		if fail && step == "before-reopen-committed" {
			panic("no space left")
		}
	}})
	r := request("s", "r")
	settle(t, j, r)
	fail = true
	if err := reopen(t, j, r.Key()); err == nil {
		t.Error("no error")
	}
	fail = false
	if rec := find(t, j, r.Key()); !rec.Delivered || len(rec.Earlier) != 0 {
		t.Errorf("%+v", rec)
	}
	checkOnce(t, j)
	must(t, reopen(t, j, r.Key()))
	checkOnce(t, j)
}

// Readers beside the move never miss a request that goes back and forth.
func TestFindBesideReopening(t *testing.T) {
	j := openTest(t, Options{})
	r := request("s", "r")
	settle(t, j, r)
	stop := make(chan struct{})
	misses := make(chan int, 1)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				misses <- n
				return
			default:
			}
			if _, ok, err := j.Find(r.Key()); !ok || err != nil {
				n++
			}
		}
	}()
	for n := range 100 {
		must(t, reopen(t, j, r.Key()))
		must(t, addOutcome(t, j, outcome(r, id(n), ask.Answered)))
		must(t, deliver(t, j, r.Key(), id(n)))
	}
	close(stop)
	if n := waitFor(t, misses); n != 0 {
		t.Errorf("missed it %d times", n)
	}
}
