package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"askd/broker/ask"
)

// model is what a journal must look like from outside: records in the order asked.
type model struct {
	t     *testing.T
	path  string
	j     *Journal
	order []ask.Key
	recs  map[ask.Key]*ask.Record
	n     int
}

// TestAgainstModel runs random histories with restarts against the model. modelRuns histories of some thirty steps each meet
// every pair of steps that follow each other many times over; -rapid.checks has more.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	base := memoryDir(t)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(base, "model")
		must(t, err)
		m := &model{t: t, path: filepath.Join(dir, "askd.db"), recs: map[ask.Key]*ask.Record{}}
		m.open(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"request": m.request, "outcome": m.outcome, "deliver": m.deliver, "draft": m.draft, "again": m.again,
			"restart": m.restart, "compact": m.compact, "": m.check,
		})
		m.restart(rt)
		m.check(rt)
		must(t, m.j.Close())
		checkFile(t, m.path)
		must(t, os.RemoveAll(dir))
	})
}

// open has the file looked at before or beside what follows.
func (m *model) open(rt *rapid.T) {
	upTo := rapid.SampledFrom([]int64{0, -1}).Draw(rt, "looked at whole up to")
	j, err := Open(Options{Path: m.path, DraftDelay: time.Hour, WholeUpTo: upTo})
	must(m.t, err)
	m.j = j
}

// pick draws from few keys, so that most actions meet a request that is there.
func (m *model) pick(rt *rapid.T) (ask.Key, *ask.Record) {
	k := ask.Key{
		Session: rapid.SampledFrom([]string{"a", "ab"}).Draw(rt, "session"),
		Request: rapid.SampledFrom([]string{"c", "bc", "d"}).Draw(rt, "request"),
	}
	return k, m.recs[k]
}

func (m *model) expect(rt *rapid.T, got, want error) {
	if !errors.Is(got, want) || want == nil && got != nil {
		rt.Fatalf("got %v, want %v", got, want)
	}
}

func (m *model) request(rt *rapid.T) {
	k, rec := m.pick(rt)
	r := requestOf(k.Session, k.Request, rapid.SampledFrom([]int{0, 2000, 9000}).Draw(rt, "size"))
	err := addRequest(m.t, m.j, r)
	if rec != nil {
		m.expect(rt, err, ErrDuplicate)
		return
	}
	m.expect(rt, err, nil)
	m.recs[k] = &ask.Record{Request: r}
	m.order = append(m.order, k)
}

func (m *model) outcome(rt *rapid.T) {
	k, rec := m.pick(rt)
	m.n++
	kind := rapid.SampledFrom([]ask.OutcomeKind{ask.Answered, ask.Interrupted}).Draw(rt, "kind")
	o := outcome(request(k.Session, k.Request), "o"+strconv.Itoa(m.n), kind)
	if images := m.images(rt); len(images) > 0 {
		withImages(o, images...)
	}
	err := addOutcome(m.t, m.j, o)
	switch {
	case rec == nil:
		m.expect(rt, err, ErrUnknownRequest)
	case rec.Outcome != nil:
		m.expect(rt, err, ErrAlreadyEnded)
	default:
		m.expect(rt, err, nil)
		rec.Outcome = o
	}
}

func (m *model) deliver(rt *rapid.T) {
	k, rec := m.pick(rt)
	id := "other"
	if rec != nil && rec.Outcome != nil && rapid.Bool().Draw(rt, "right") {
		id = rec.Outcome.ID
	}
	if rec != nil && len(rec.Earlier) > 0 && rapid.Bool().Draw(rt, "earlier") {
		id = rapid.SampledFrom(rec.Earlier).Draw(rt, "outcome").ID
	}
	err := deliver(m.t, m.j, k, id)
	switch {
	case rec == nil:
		m.expect(rt, err, ErrUnknownRequest)
	case slices.ContainsFunc(rec.Earlier, func(o *ask.Outcome) bool { return o.ID == id }):
		m.expect(rt, err, nil)
	case rec.Outcome == nil:
		m.expect(rt, err, ErrNotEnded)
	case rec.Outcome.ID != id:
		m.expect(rt, err, ErrOtherOutcome)
	default:
		m.expect(rt, err, nil)
		if rec.Outcome.Kind != ask.Interrupted && !rec.Delivered {
			rec.Draft = nil
		}
		rec.Delivered = true
	}
}

func (m *model) again(rt *rapid.T) {
	k, rec := m.pick(rt)
	err := reopen(m.t, m.j, k)
	if rec == nil {
		m.expect(rt, err, ErrUnknownRequest)
		return
	}
	m.expect(rt, err, nil)
	if rec.Outcome != nil {
		rec.Earlier = append(rec.Earlier, rec.Outcome)
	}
	rec.Outcome, rec.Delivered = nil, false
}

// draft does not wait: drafts are written by what follows them.
func (m *model) draft(rt *rapid.T) {
	k, rec := m.pick(rt)
	var d *ask.Draft
	if rapid.Bool().Draw(rt, "some") {
		if d = draft(rapid.StringN(0, 10, -1).Draw(rt, "text")); rapid.Bool().Draw(rt, "pictured") {
			d = draftWith(m.images(rt)...)
		}
	}
	m.j.SaveDraft(k, d, func(error) {})
	if rec != nil && !rec.Delivered {
		rec.Draft = d
	}
}

var album3 = []ask.Image{photo(1, 300), photo(2, 5000), {ID: "short", Data: "@0"}}

// images draws from few, so that most are stored already.
func (m *model) images(rt *rapid.T) []ask.Image {
	return rapid.SliceOfN(rapid.SampledFrom(album3), 0, 3).Draw(rt, "images")
}

// compact leaves the images that the records show, drafts included: after a restart none is on its way.
func (m *model) compact(rt *rapid.T) {
	m.restart(rt)
	if _, err := m.j.Compact(m.t.Context()); err != nil {
		rt.Fatal(err)
	}
	shown := map[string]bool{}
	for _, rec := range m.recs {
		for list := range recordImages(rec) {
			for _, im := range list {
				shown[im.Data] = true
			}
		}
	}
	delete(shown, album3[2].Data)
	if n := storedImages(m.t, m.j); n != len(shown) {
		rt.Fatalf("%d images, want %d", n, len(shown))
	}
}

func (m *model) restart(rt *rapid.T) {
	must(m.t, m.j.Close())
	m.open(rt)
	var want []ask.Record
	for _, k := range m.order {
		if rec := m.recs[k]; !rec.Delivered {
			want = append(want, *rec)
		}
	}
	live, err := m.j.Live()
	must(m.t, err)
	if diff := cmp.Diff(want, live, sameRecord); diff != "" {
		rt.Fatalf("live (-want +got):\n%s", diff)
	}
	for k, rec := range m.recs {
		if diff := cmp.Diff(*rec, find(m.t, m.j, k), sameRecord); diff != "" {
			rt.Fatalf("%v (-want +got):\n%s", k, diff)
		}
	}
}

// check looks after every step, so it compares only what a step can change; restart compares whole records. Drafts are
// left out: some are still on their way.
func (m *model) check(rt *rapid.T) {
	if m.j.Records() != len(m.order) {
		rt.Fatalf("%d records, want %d", m.j.Records(), len(m.order))
	}
	for k, rec := range m.recs {
		got := find(m.t, m.j, k)
		same := got.Request.Key() == k && got.Delivered == rec.Delivered && (got.Outcome == nil) == (rec.Outcome == nil) &&
			len(got.Earlier) == len(rec.Earlier)
		if !same || got.Outcome != nil && got.Outcome.ID != rec.Outcome.ID {
			rt.Fatalf("%v: got %+v, want %+v", k, got, *rec)
		}
	}
}
