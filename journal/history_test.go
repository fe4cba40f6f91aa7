package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

// library is a journal with records of every state, and the records in the order asked.
func library(t *testing.T, n int) (*Journal, []ask.Record) {
	t.Helper()
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	rng := rand.New(rand.NewPCG(7, 7))
	errs := make(chan error, 8*n)
	done := func(err error) { errs <- err }
	calls := 0
	for i := range n {
		r := shelf(rng, i)
		j.AppendRequest(r, done)
		calls++
		for step := range rng.IntN(6) { // ended, settled, open again, ended, settled
			o := outcome(r, fmt.Sprintf("o%d-%d", i, step/3), []ask.OutcomeKind{ask.Answered, ask.Cancelled, ask.Failed}[rng.IntN(3)])
			calls++
			switch step % 3 {
			case 0:
				if o.Kind == ask.Failed {
					o.Result, o.Error = nil, "Surface GONE"
				}
				if o.Kind == ask.Cancelled {
					o.Result.Cancelled = true
				}
				j.AppendOutcome(o, done)
			case 1:
				j.AppendDelivered(r.Key(), o.ID, done)
			default:
				j.AppendReopened(r.Key(), done)
			}
		}
	}
	for range calls {
		must(t, waitFor(t, errs))
	}
	var records []ask.Record
	for i := range n {
		records = append(records, find(t, j, shelf(rng, i).Key()))
	}
	return j, records
}

var words = []string{"Redis", "zebra", "Größe", "İstanbul", "quota", "line\none", "\u2028", `say "data"`, "a, b", "C:\\x", "naïve", "STATUS", "\ufffd", "\xff"}

// shelf is request number i of a library: one to three questions with a few words each.
func shelf(rng *rand.Rand, i int) *ask.Request {
	r := request(fmt.Sprintf("s%d", i%3), id(i))
	r.CreatedAt = day.Add(time.Duration(i) * time.Minute)
	if i%4 == 0 {
		r.Tool = "another"
	}
	q := r.Questions[0]
	r.Questions = nil
	for n := range 1 + rng.IntN(3) {
		q.ID, q.Prompt = []string{"db", "q1", "constructor"}[n], words[rng.IntN(len(words))]+" "+words[rng.IntN(len(words))]
		r.Questions = append(r.Questions, q)
	}
	return r
}

// expected finds by the definition what a query finds.
func expected(records []ask.Record, q ask.HistoryQuery) (rows []ask.HistorySummary, found []ask.Record) {
	records = slices.Clone(records)
	if q.Newest {
		slices.Reverse(records)
	}
	for _, rec := range records {
		r := rec.Request
		if q.Session != "" && r.Session != q.Session || q.Tool != "" && r.Tool != q.Tool ||
			r.CreatedAt.Before(q.Since) || !q.Until.IsZero() && !r.CreatedAt.Before(q.Until) {
			continue
		}
		before := len(rows)
		for _, h := range rec.History() {
			if h.Matches(ask.SearchTerm(q.Text)) && (h.HasAnswer() || !q.AnsweredOnly) {
				row := h.Summary()
				row.Session, row.Tool = r.Session, r.Tool
				rows = append(rows, row)
			}
		}
		if len(rows) > before {
			found = append(found, rec)
		}
	}
	return rows, found
}

var queries = []ask.HistoryQuery{
	{},
	{Newest: true},
	{Session: "s1"},
	{Session: "s1", Newest: true, AnsweredOnly: true},
	{Session: "none"},
	{Tool: "another", Newest: true},
	{AnsweredOnly: true},
	{Since: day.Add(20 * time.Minute), Until: day.Add(50 * time.Minute)},
	{Text: "redis"},
	{Text: " ZEBRA ", Newest: true},
	{Text: "größe"},
	{Text: "İSTANBUL"},
	{Text: `line\none`},
	{Text: "line\none"},
	{Text: "\u2028"},
	{Text: "\ufffd r"},
	{Text: `say \"data\"`},
	{Text: `C:\\X zebra`},
	{Text: "a, b"},
	{Text: `"status":"waiting"`},
	{Text: "waiting"},
	{Text: "status"},
	{Text: "surface gone"},
	{Text: "2026-03-01t12:0"},
	{Text: "[1]"},
	{Text: "x"},
	{Text: "absent words"},
	{Text: "constructor"},
	{Text: "quota", Session: "s2", Tool: "ask_user", AnsweredOnly: true},
	{Text: id(17)},
	{Text: "true"},
	{Text: "<fast>"},
	{Text: "12:07:00.000z"},
	{Text: "00.000"},
	{Text: "00000000-0000-4000"},
	{Text: "000"},
	{Text: "-03-"},
}

func checkQueries(t *testing.T, j *Journal, records []ask.Record) {
	t.Helper()
	for _, q := range queries {
		rows, found := expected(records, q)
		for i := range found { // History gives no arguments
			r := *found[i].Request
			r.Arguments = nil
			found[i].Request = &r
		}
		var got []ask.Record
		for rec, err := range j.History(t.Context(), q) {
			must(t, err)
			got = append(got, rec)
		}
		if diff := difference(found, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
		n := 0
		for rec, err := range j.Passing(t.Context(), q) { // good until the next step, and some others are read already
			must(t, err)
			if diff := difference(found[n], rec); diff != "" {
				t.Errorf("%+v, passing %d (-want +got):\n%s", q, n, diff)
			}
			n++
		}
		if n != len(found) {
			t.Errorf("%+v: %d passed of %d", q, n, len(found))
		}
		for offset := 0; offset < len(rows)+1; offset += 1 + len(rows)/3 {
			page, err := j.Page(t.Context(), q, offset, 7)
			must(t, err)
			want := ask.HistoryPage{Total: len(rows), Records: rows[min(offset, len(rows)):min(offset+7, len(rows))]}
			if diff := difference(want, page); diff != "" {
				t.Errorf("%+v from %d (-want +got):\n%s", q, offset, diff)
			}
		}
	}
}

// difference is cmp's, which is slow and of no use when there is none.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, sameRecord)
}

func TestQueriesFindWhatTheyMean(t *testing.T) {
	t.Parallel()
	// More than batchRecords, so that some queries need a second batch, and not many more: each query is compared with the
	// definition over all records, three times.
	j, records := library(t, batchRecords+6)
	checkQueries(t, j, records)
	// Everything moves: what was found in one place must be found in the other, and no more in the first.
	errs := make(chan error, 2*len(records))
	done := func(err error) { errs <- err }
	for _, rec := range records {
		k := rec.Request.Key()
		if rec.Outcome == nil {
			j.AppendOutcome(outcome(rec.Request, "last", ask.Answered), done)
			j.AppendDelivered(k, "last", done)
		} else {
			j.AppendReopened(k, done)
			j.AppendReopened(k, done)
		}
	}
	for range 2 * len(records) {
		must(t, waitFor(t, errs))
	}
	for i, rec := range records {
		records[i] = find(t, j, rec.Request.Key())
	}
	checkQueries(t, j, records)
	must(t, j.Close())
	checkQueries(t, openTest(t, Options{Path: j.opts.Path}), records)
}

// Records are read as they are when they are reached, each once, and none that was stored after the beginning.
func TestHistoryBesideWrites(t *testing.T) {
	j, records := library(t, 150)
	seen := map[ask.Key]int{}
	for rec, err := range j.History(t.Context(), ask.HistoryQuery{}) {
		must(t, err)
		if len(seen) == 0 {
			for _, rec := range records {
				if rec.Outcome != nil {
					must(t, reopen(t, j, rec.Request.Key()))
				}
			}
			must(t, addRequest(t, j, request("s", "later")))
		}
		seen[rec.Request.Key()]++
		if len(seen) > 2*batchRecords && rec.Outcome != nil {
			t.Errorf("%s is old news", rec.Request.ID)
		}
	}
	for _, rec := range records {
		if seen[rec.Request.Key()] != 1 {
			t.Errorf("%s came %d times", rec.Request.ID, seen[rec.Request.Key()])
		}
	}
	if len(seen) != len(records) {
		t.Errorf("%d records came", len(seen))
	}
}

func TestHistoryStops(t *testing.T) {
	j, _ := library(t, 100)
	for range j.History(t.Context(), ask.HistoryQuery{}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Page(ctx, ask.HistoryQuery{Text: "x"}, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("page: %v", err)
	}
	n := 0
	for _, err := range j.History(ctx, ask.HistoryQuery{}) {
		if n++; !errors.Is(err, context.Canceled) {
			t.Errorf("history: %v", err)
		}
	}
	must(t, j.Close())
	if _, err := j.Page(t.Context(), ask.HistoryQuery{}, 0, 10); !errors.Is(err, ErrClosed) || n != 1 {
		t.Errorf("closed: %v; %d errors", err, n)
	}
}

// A history that reads ahead ends as soon as it is told to, and reads no more when its caller has left.
func TestHistoryReadsAhead(t *testing.T) {
	j := openTest(t, Options{})
	for i := range 4 * batchRecords {
		j.AppendRequest(request("s", id(i)), func(err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	must(t, addRequest(t, j, request("s", "last")))
	for leave := 0; leave < 4*batchRecords; leave += batchRecords/2 - 1 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		for range j.History(ctx, ask.HistoryQuery{}) {
			if n++; n > leave {
				break
			}
		}
		if open := j.db.Stats().OpenTxN; open != 0 {
			t.Errorf("%d transactions go on behind a caller who left after %d", open, leave)
		}
		n = 0
		var last error
		for _, err := range j.History(ctx, ask.HistoryQuery{}) {
			if n, last = n+1, err; n == leave {
				cancel()
			}
		}
		if want := (leave+batchRecords-1)/batchRecords*batchRecords + 1; leave > 0 && (n != want || !errors.Is(last, context.Canceled)) {
			t.Errorf("told to end after %d, it ended at %d with %v", leave, n, last)
		}
		cancel()
	}
}

// The index takes over a block of records at a time, in the background, and finds the same.
func TestSearchIndex(t *testing.T) {
	t.Parallel()
	j := openTest(t, Options{Path: blockFile(t)})
	settle(t, j, request("s", "wakes the indexer"))
	awaitBlocks(t, j, 1)
	last := id(blockRecords + 299)
	for text, want := range map[string]int{
		id(3): 1, id(blockRecords - 1): 1, id(blockRecords): 1, last: 1, id(blockRecords + 305): 1, "no such words": 0, "which database for " + id(77): 1,
	} {
		page, err := j.Page(t.Context(), ask.HistoryQuery{Text: text}, 0, 10)
		must(t, err)
		if page.Total != want {
			t.Errorf("%q: found %d, want %d", text, page.Total, want)
		}
	}
	// What has come back is searched as it is now, not as it was when the block was made.
	r := request("s0", id(3))
	must(t, reopen(t, j, r.Key()))
	o := outcome(r, "again", ask.Failed)
	o.Result, o.Error = nil, "new words"
	for _, step := range []func() error{func() error { return addOutcome(t, j, o) }, func() error { return deliver(t, j, r.Key(), "again") }} {
		must(t, step())
		page, err := j.Page(t.Context(), ask.HistoryQuery{Text: "NEW words"}, 0, 10)
		must(t, err)
		if page.Total != 1 || page.Records[0].RequestID != r.ID {
			t.Errorf("found %+v", page)
		}
	}
}

func awaitBlocks(t *testing.T, j *Journal, want uint64) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for j.blocks(t) < want {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("no block within 20 s")
		}
	}
}

func FuzzTerm(f *testing.F) {
	for _, w := range words {
		f.Add(w+" beside", "Other "+w, 2, 9)
	}
	f.Fuzz(func(t *testing.T, prompt, label string, from, to int) {
		r := request("s", "r")
		r.Questions[0].Prompt, r.Questions[0].Label = prompt, label
		r.Questions[0].Options[0].Preview = label + prompt
		if from%2 == 0 { // then the form is stored as what differs from these
			raw, err := json.Marshal([]string{prompt, label + prompt})
			must(t, err)
			r.Arguments = raw
		}
		value, err := encodeRequest(r)
		must(t, err)
		var back ask.Request
		_, err = decodeRequest(value.Bytes(), &back)
		must(t, err)
		rec := ask.Record{Request: &back}
		raw, err := ask.Stringify(rec.History()[0])
		must(t, err)
		text := strings.ToLower(string(raw))
		from, to = min(max(from, 0), len(text)), min(max(to, 0), len(text))
		term := newTerm(text[from:max(from, to)])
		var s signature
		s.add(appendBody(nil, value.Bytes(), new(bytes.Buffer)))
		if rec.History()[0].Matches(term.text) && (!term.possible(value.Bytes(), nil, rec.History()[0].CreatedAt, nil) || !s.hasAll(term.bits)) {
			t.Errorf("%q is in %s and is not found", term.text, text)
		}
	})
}

// TestKeptPage: a page that was read before is given again only while nothing has changed, and belongs to who asked for it.
func TestKeptPage(t *testing.T) {
	j := openTest(t, Options{})
	settle(t, j, request("s", "a"))
	read := func() []ask.HistorySummary {
		page, err := j.Page(t.Context(), ask.HistoryQuery{Newest: true}, 0, 10)
		must(t, err)
		return page.Records
	}
	first := read()
	want := first[0].Label
	first[0].Label = "changed by its owner"
	if got := read()[0].Label; got != want {
		t.Errorf("label %q, want %q", got, want)
	}
	settle(t, j, request("s", "b"))
	if got := read(); len(got) == len(first) || got[0].RequestID != "b" {
		t.Errorf("an old page: %+v", got)
	}
	before := read()
	_, err := j.Prune(t.Context(), time.Now().Add(24*time.Hour))
	must(t, err)
	if got := read(); len(got) == len(before) {
		t.Errorf("%d rows after everything was pruned", len(got))
	}
}
