package journal

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

func saveDraft(tb testing.TB, j *Journal, k ask.Key, d *ask.Draft) error {
	tb.Helper()
	return wait(tb, func(done func(error)) { j.SaveDraft(k, d, done) })
}

func TestDraftIsWrittenByItself(t *testing.T) {
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	r := request("s", "r")
	must(t, addRequest(t, j, r))
	for _, text := range []string{"one", strings.Repeat("long ", 2000), "short"} {
		must(t, saveDraft(t, j, r.Key(), draft(text)))
		if diff := cmp.Diff(draft(text), find(t, j, r.Key()).Draft, sameRecord); diff != "" {
			t.Errorf("draft (-want +got):\n%s", diff)
		}
	}
	must(t, saveDraft(t, j, r.Key(), nil))
	if d := find(t, j, r.Key()).Draft; d != nil {
		t.Errorf("removed draft is %+v", d)
	}
	must(t, saveDraft(t, j, r.Key(), nil)) // nothing to remove, nothing to write
	if n := j.Stats().DraftCommits; n != 4 {
		t.Errorf("%d draft commits", n)
	}
}

func TestDraftsCoalesce(t *testing.T) {
	var now atomic.Int64
	j := openTest(t, Options{DraftDelay: time.Hour, Now: func() time.Time { return day.Add(time.Duration(now.Load())) }})
	a, b := request("s", "a"), request("s", "b")
	must(t, addRequest(t, j, a))
	must(t, addRequest(t, j, b))
	errs := make(chan error, 40)
	for n := range 20 {
		j.SaveDraft(a.Key(), draft(strconv.Itoa(n)), func(err error) { errs <- err })
		j.SaveDraft(b.Key(), draft(strconv.Itoa(n)), func(err error) { errs <- err })
	}
	must(t, addRequest(t, j, request("s", "c")))
	if n := len(errs); n != 0 {
		t.Errorf("%d drafts were written before their time", n)
	}
	now.Add(int64(time.Hour))
	must(t, addRequest(t, j, request("s", "d")))
	for range 40 {
		must(t, waitFor(t, errs))
	}
	for _, r := range []*ask.Request{a, b} {
		if got := find(t, j, r.Key()).Draft.Questions[0].CustomText; got != "19" {
			t.Errorf("draft of %s is %q", r.ID, got)
		}
	}
	if n := j.Stats().DraftCommits; n != 1 {
		t.Errorf("%d draft commits", n)
	}
}

// The draft goes to disk with the outcome and stays until the delivery; after that only where the form was taken away.
func TestDraftAndOutcome(t *testing.T) {
	for kind, kept := range map[ask.OutcomeKind]bool{
		ask.Answered: false, ask.Cancelled: false, ask.Interrupted: true, ask.Withdrawn: true,
	} {
		t.Run(string(kind), func(t *testing.T) {
			j := openTest(t, Options{DraftDelay: time.Hour})
			r := request("s", "r")
			must(t, addRequest(t, j, r))
			saved := make(chan error, 1)
			j.SaveDraft(r.Key(), draft("half"), func(err error) { saved <- err })
			must(t, addOutcome(t, j, outcome(r, "o", kind)))
			must(t, waitFor(t, saved))
			if find(t, j, r.Key()).Draft == nil {
				t.Error("no draft beside the outcome")
			}
			must(t, deliver(t, j, r.Key(), "o"))
			if got := find(t, j, r.Key()).Draft != nil; got != kept {
				t.Errorf("draft in the history: %v, want %v", got, kept)
			}
		})
	}
}

func TestDraftRefusals(t *testing.T) {
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	settled := request("s", "settled")
	settle(t, j, settled)
	if err := saveDraft(t, j, settled.Key(), draft("x")); !errors.Is(err, ErrAlreadyEnded) {
		t.Errorf("draft of a settled request: %v", err)
	}
	if err := saveDraft(t, j, request("s", "none").Key(), draft("x")); !errors.Is(err, ErrUnknownRequest) {
		t.Errorf("draft of an unknown request: %v", err)
	}
}
