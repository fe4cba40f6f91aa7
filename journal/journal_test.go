package journal

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"askd/broker/ask"
)

var sameRecord = cmp.Options{cmp.AllowUnexported(ask.Map[ask.Answer]{}, ask.Map[string]{}, ask.Map[[]ask.Image]{}), cmpopts.EquateEmpty()}

func TestRecordComesBackAsItWas(t *testing.T) {
	j := openTest(t, Options{})
	r := request("s1", "r1")
	o := outcome(r, "o1", ask.Answered)
	steps := []struct {
		name string
		do   func() error
		want ask.Record
	}{
		{"asked", func() error { return addRequest(t, j, r) }, ask.Record{Request: r}},
		{"ended", func() error { return addOutcome(t, j, o) }, ask.Record{Request: r, Outcome: o}},
		{"delivered", func() error { return deliver(t, j, r.Key(), "o1") }, ask.Record{Request: r, Outcome: o, Delivered: true}},
	}
	for _, step := range steps {
		must(t, step.do())
		if diff := cmp.Diff(step.want, find(t, j, r.Key()), sameRecord); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		if j.Records() != 1 {
			t.Errorf("%s: %d records", step.name, j.Records())
		}
	}
}

func TestSurvivesReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "askd", "askd.db")
	j := openTest(t, Options{Path: path, DraftDelay: time.Hour})
	waiting, ended, settled := request("s1", "waiting"), request("s1", "ended"), request("s2", "settled")
	settle(t, j, settled)
	must(t, addRequest(t, j, waiting))
	must(t, addRequest(t, j, ended))
	o := outcome(ended, "o1", ask.Skipped)
	must(t, addOutcome(t, j, o))
	saved := make(chan error, 1)
	j.SaveDraft(waiting.Key(), draft("half"), func(err error) { saved <- err })
	must(t, j.Close())
	must(t, waitFor(t, saved))

	j = openTest(t, Options{Path: path})
	live, err := j.Live()
	must(t, err)
	want := []ask.Record{{Request: waiting, Draft: draft("half")}, {Request: ended, Outcome: o}}
	if diff := cmp.Diff(want, live, sameRecord); diff != "" {
		t.Errorf("live (-want +got):\n%s", diff)
	}
	if !find(t, j, settled.Key()).Delivered {
		t.Error("the settled request is not in the history")
	}
	if s := j.Stats(); s.Records != 3 || s.Live != 2 || s.FileBytes == 0 {
		t.Errorf("stats %+v", s)
	}
	must(t, deliver(t, j, ended.Key(), "o1"))
	must(t, addRequest(t, j, request("s1", "next")))
}

func TestRefusals(t *testing.T) {
	j := openTest(t, Options{})
	waiting, ended, settled := request("s", "waiting"), request("s", "ended"), request("s", "settled")
	must(t, addRequest(t, j, waiting))
	must(t, addRequest(t, j, ended))
	must(t, addOutcome(t, j, outcome(ended, "o1", ask.Cancelled)))
	settle(t, j, settled)
	other := request("other", "waiting")
	before := j.Stats().Commits
	cases := []struct {
		name string
		do   func(done func(error))
		want error
	}{
		{"ask twice", func(d func(error)) { j.AppendRequest(waiting, d) }, ErrDuplicate},
		{"ask again what is settled", func(d func(error)) { j.AppendRequest(settled, d) }, ErrDuplicate},
		{"end twice", func(d func(error)) { j.AppendOutcome(outcome(ended, "o2", ask.Answered), d) }, ErrAlreadyEnded},
		{"end what is settled", func(d func(error)) { j.AppendOutcome(outcome(settled, "o2", ask.Answered), d) }, ErrAlreadyEnded},
		{"end the unknown", func(d func(error)) { j.AppendOutcome(outcome(other, "o2", ask.Answered), d) }, ErrUnknownRequest},
		{"deliver the unknown", func(d func(error)) { j.AppendDelivered(other.Key(), "o1", d) }, ErrUnknownRequest},
		{"deliver what waits", func(d func(error)) { j.AppendDelivered(waiting.Key(), "o1", d) }, ErrNotEnded},
		{"deliver another outcome", func(d func(error)) { j.AppendDelivered(ended.Key(), "o2", d) }, ErrOtherOutcome},
		{"deliver another outcome of what is settled", func(d func(error)) { j.AppendDelivered(settled.Key(), "o2", d) }, ErrOtherOutcome},
		{"deliver twice", func(d func(error)) { j.AppendDelivered(settled.Key(), "o-settled", d) }, nil},
		{"overlong key", func(d func(error)) { j.AppendRequest(request(string(make([]byte, MaxKey)), "x"), d) }, ErrKeyTooLong},
	}
	for _, c := range cases {
		if err := wait(t, c.do); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if n := j.Stats().Commits - before; n != 0 {
		t.Errorf("refusals made %d commits", n)
	}
	must(t, addRequest(t, j, other)) // the same id in another session is another request
	if got := find(t, j, waiting.Key()).Request.Session; got != "s" {
		t.Errorf("found the request of session %q", got)
	}
}

func TestClosedJournal(t *testing.T) {
	j := openTest(t, Options{})
	r := request("s", "r")
	must(t, addRequest(t, j, r))
	must(t, j.Close())
	must(t, j.Close())
	if err := addRequest(t, j, request("s", "late")); !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if _, _, err := j.Find(r.Key()); !errors.Is(err, ErrClosed) {
		t.Errorf("find: %v", err)
	}
	if _, err := j.Live(); !errors.Is(err, ErrClosed) {
		t.Errorf("live: %v", err)
	}
	if s := j.Stats(); s.Records != 1 {
		t.Errorf("stats %+v", s)
	}
}
