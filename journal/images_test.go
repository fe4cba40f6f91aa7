package journal

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"askd/broker/ask"
	"askd/journal/export"
)

// photo is an image of size bytes that look like no other's.
func photo(seed byte, size int) ask.Image {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(data)
	return ask.Image{ID: "shot", MimeType: "image/png", Data: base64.StdEncoding.EncodeToString(data)}
}

// withImages is an outcome that has the images at all three places.
func withImages(o *ask.Outcome, images ...ask.Image) *ask.Outcome {
	a, _ := o.Result.Answers.Get("db")
	a.CustomImages, a.NoteImages = images, images[:min(1, len(images))]
	a.OptionNoteImages.Set("pg", images)
	o.Result.Answers.Set("db", a)
	return o
}

func draftWith(images ...ask.Image) *ask.Draft {
	d := draft("half")
	d.Questions[0].CustomImages, d.Questions[0].NoteImages = images, images[:min(1, len(images))]
	d.Questions[0].OptionNoteImages = map[string][]ask.Image{"pg": images}
	return d
}

// storedImages counts the images in the file.
func storedImages(t *testing.T, j *Journal) (n int) {
	t.Helper()
	must(t, j.view(t.Context(), func(tx *bbolt.Tx) error {
		return eachImage(tx.Bucket(bucketImages), func(digest) error { n++; return nil })
	}))
	return n
}

func TestImageOfTenOutcomesIsStoredOnce(t *testing.T) {
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	shared := photo(1, 1<<20)
	for n := range 10 {
		r := request("s", id(n))
		must(t, addRequest(t, j, r))
		must(t, saveDraft(t, j, r.Key(), draftWith(shared)))
		must(t, addOutcome(t, j, withImages(outcome(r, "o", ask.Answered), shared)))
		must(t, deliver(t, j, r.Key(), "o"))
	}
	if n := storedImages(t, j); n != 1 {
		t.Errorf("%d images", n)
	}
	report, err := j.Compact(t.Context())
	must(t, err)
	// The file grows by growBytes more than it must. Ten outcomes with three copies of the text each were 42 MB.
	if limit := int64(2 * growBytes); max(report.BytesBefore, report.Bytes) > limit {
		t.Errorf("the file has %d bytes, compacted %d", report.BytesBefore, report.Bytes)
	}
	sound(t, j)
}

// Whatever is given as an image comes back byte for byte: what no encoder wrote, what looks like a reference, the empty.
func TestImagesKeepTheirText(t *testing.T) {
	canonical := photo(2, 3*imageChunk).Data
	long := strings.Repeat("A", minPicture)
	for name, c := range map[string]struct {
		text   string
		stored int
	}{
		"canonical":         {canonical, 1},
		"one byte more":     {photo(2, 3*imageChunk+1).Data, 1},
		"two bytes more":    {photo(2, 3*imageChunk+2).Data, 1},
		"shortest stored":   {long, 1},
		"too short":         {long[4:], 0},
		"empty":             {"", 0},
		"without padding":   {strings.TrimRight(photo(2, 1000).Data, "="), 0},
		"idle bits set":     {strings.Repeat("A", minPicture) + "AB==", 0},
		"line end inside":   {canonical[:64] + "\r\n\r\n" + canonical[64:], 0},
		"line end behind":   {canonical + "\n", 0},
		"for addresses":     {strings.Repeat("-_-_", 50), 0},
		"other text":        {strings.Repeat("no base64 ", 50), 0},
		"like a reference":  {"@0", 0},
		"like a kept text":  {"=@0", 0},
		"data of a picture": {"data:image/png;base64," + canonical, 0},
	} {
		t.Run(name, func(t *testing.T) {
			j := openTest(t, Options{DraftDelay: time.Millisecond})
			im := ask.Image{ID: "i", MimeType: "image/png", Data: c.text}
			r := request("s", "r")
			o := withImages(outcome(r, "o", ask.Interrupted), im)
			must(t, addRequest(t, j, r))
			must(t, saveDraft(t, j, r.Key(), draftWith(im)))
			must(t, addOutcome(t, j, o))
			want := ask.Record{Request: r, Outcome: o, Draft: draftWith(im)}
			if n := storedImages(t, j); n != c.stored {
				t.Errorf("%d images", n)
			}
			if diff := cmp.Diff(want, find(t, j, r.Key()), sameRecord); diff != "" {
				t.Errorf("(-want +got):\n%.2000s", diff)
			}
			// Beside one that is stored, the others are written otherwise, and come back all the same.
			other := photo(3, 500)
			second := withImages(outcome(r, "o2", ask.Answered), im, other)
			must(t, reopen(t, j, r.Key()))
			must(t, addOutcome(t, j, second))
			want.Earlier, want.Outcome = []*ask.Outcome{o}, second
			if diff := cmp.Diff(want, find(t, j, r.Key()), sameRecord); diff != "" {
				t.Errorf("beside another (-want +got):\n%.2000s", diff)
			}
			sound(t, j)
		})
	}
}

// gallery is a journal with images in an outcome, a draft of a live and of a settled request, and an earlier outcome.
func gallery(t *testing.T) (*Journal, []ask.Record) {
	t.Helper()
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	shared, own, short := photo(4, 9000), photo(5, 200), photo(6, 10)
	ended, waiting, interrupted, again := request("s", "ended"), request("s", "waiting"), request("s", "interrupted"), request("s", "again")
	ended.Tool, waiting.Tool = "a", "b"
	for _, r := range []*ask.Request{ended, waiting, interrupted, again} {
		must(t, addRequest(t, j, r))
	}
	records := []ask.Record{
		{Request: ended, Outcome: withImages(outcome(ended, "o1", ask.Answered), shared, short)},
		{Request: waiting, Draft: draftWith(shared, own)},
		{Request: interrupted, Outcome: outcome(interrupted, "o2", ask.Interrupted), Draft: draftWith(own), Delivered: true},
		{
			Request: again, Outcome: withImages(outcome(again, "o4", ask.Answered), own), Delivered: true,
			Earlier: []*ask.Outcome{withImages(outcome(again, "o3", ask.Answered), shared)},
		},
	}
	must(t, saveDraft(t, j, waiting.Key(), records[1].Draft))
	must(t, saveDraft(t, j, interrupted.Key(), records[2].Draft))
	must(t, addOutcome(t, j, records[0].Outcome))
	must(t, addOutcome(t, j, records[2].Outcome))
	must(t, deliver(t, j, interrupted.Key(), "o2"))
	must(t, addOutcome(t, j, records[3].Earlier[0]))
	must(t, deliver(t, j, again.Key(), "o3"))
	must(t, reopen(t, j, again.Key()))
	must(t, addOutcome(t, j, records[3].Outcome))
	must(t, deliver(t, j, again.Key(), "o4"))
	return j, records
}

func TestEveryReaderSeesTheImages(t *testing.T) {
	j, records := gallery(t)
	for round := range 3 {
		for _, want := range records {
			if diff := cmp.Diff(want, find(t, j, want.Request.Key()), sameRecord); diff != "" {
				t.Errorf("find (-want +got):\n%.2000s", diff)
			}
		}
		live, err := j.Live()
		must(t, err)
		if diff := cmp.Diff(records[:2], live, sameRecord); diff != "" {
			t.Errorf("live (-want +got):\n%.2000s", diff)
		}
		checkQueries(t, j, records)
		checkExport(t, j, records)
		if n := storedImages(t, j); n != 2 {
			t.Errorf("round %d: %d images", round, n)
		}
		sound(t, j)
		switch round {
		case 0:
			_, err := j.Compact(t.Context())
			must(t, err)
		case 1:
			must(t, j.Close())
			j = openTest(t, Options{Path: j.opts.Path})
		}
	}
}

func checkExport(t *testing.T, j *Journal, records []ask.Record) {
	t.Helper()
	var want, got bytes.Buffer
	must(t, export.JSONLines(&got, j.History(t.Context(), ask.HistoryQuery{})))
	must(t, export.JSONLines(&want, func(yield func(ask.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}))
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("exported %d bytes, want %d", got.Len(), want.Len())
	}
}

// Outcomes with their images inside, as format 2 wrote them, are read beside new ones and set aside with them.
func TestImagesOfFormat2(t *testing.T) {
	j := openTest(t, Options{})
	r := request("s", "r")
	must(t, addRequest(t, j, r))
	first := withImages(outcome(r, "o1", ask.Answered), photo(1, 3000), ask.Image{Data: "@0"})
	second := withImages(outcome(r, "o2", ask.Answered), photo(1, 3000), ask.Image{Data: "@0"})
	value, err := encodeValue(first)
	must(t, err)
	must(t, wait(t, func(done func(error)) {
		j.enqueue(&op{kind: opOutcome, key: r.Key(), value: value, outcome: "o1", ending: first.Kind}, done)
	}))
	must(t, reopen(t, j, r.Key()))
	must(t, addOutcome(t, j, second))
	want := ask.Record{Request: r, Outcome: second, Earlier: []*ask.Outcome{first}}
	for range 2 {
		if diff := cmp.Diff(want, find(t, j, r.Key()), sameRecord); diff != "" {
			t.Errorf("(-want +got):\n%.2000s", diff)
		}
		_, err := j.Compact(t.Context())
		must(t, err)
	}
	must(t, reopen(t, j, r.Key()))
	want.Earlier, want.Outcome = append(want.Earlier, second), nil
	if diff := cmp.Diff(want, find(t, j, r.Key()), sameRecord); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
}

// A search looks into the base64 text (contract, history), live and settled, also across the chunks of an image, and not
// into the drafts and the earlier outcomes.
func TestSearchLooksIntoImages(t *testing.T) {
	j, records := gallery(t)
	shared, own := records[0].Outcome.Result.Answers, records[3].Outcome.Result.Answers
	at := func(answers ask.Map[ask.Answer], from, to int) string {
		a, _ := answers.Get("db")
		return a.CustomImages[0].Data[from:to]
	}
	edge := imageChunk / 3 * 4
	for _, c := range []struct {
		text string
		want int
	}{
		{at(shared, 0, 40), 1},
		{at(shared, edge-20, edge+20), 1},
		{strings.ToLower(at(shared, 11980, 12000)), 1},
		{at(own, 100, 140), 1},
		{at(own, 100, 140) + "/absent", 0},
		{at(own, 100, 140) + `" "` + at(own, 10, 20), 0},
		{"image/png", 2},
		{at(shared, 0, 40) + "-", 0},
	} {
		page, err := j.Page(t.Context(), ask.HistoryQuery{Text: c.text}, 0, 10)
		must(t, err)
		rows, _ := expected(records, ask.HistoryQuery{Text: c.text})
		if page.Total != c.want || len(rows) != c.want {
			t.Errorf("%q: found %d, want %d, by the definition %d", c.text, page.Total, c.want, len(rows))
		}
	}
}

// Images go with the last thing that refers to them, and not before.
func TestPruneDropsOrphans(t *testing.T) {
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	add := func(id string, asked time.Duration, images ...ask.Image) ask.Key {
		r := request("s", id)
		r.CreatedAt = day.Add(asked)
		must(t, addRequest(t, j, r))
		must(t, addOutcome(t, j, withImages(outcome(r, "o", ask.Answered), images...)))
		must(t, deliver(t, j, r.Key(), "o"))
		return r.Key()
	}
	old, shared, reopened, drafted, replaced := photo(1, 4000), photo(2, 4000), photo(3, 4000), photo(4, 4000), photo(5, 4000)
	add("old", 0, old, shared)
	late := add("late", 48*time.Hour, shared)
	again := add("again", 0, reopened)
	must(t, reopen(t, j, again))
	must(t, saveDraft(t, j, again, draftWith(replaced)))
	must(t, saveDraft(t, j, again, draftWith(drafted)))
	steps := []struct {
		name string
		do   func()
		want int
	}{
		{"before", func() {}, 5},
		{"compacted", func() { _, err := j.Compact(t.Context()); must(t, err) }, 4},
		{"pruned", func() { _, err := j.Prune(t.Context(), day.Add(time.Hour)); must(t, err) }, 3},
		{"draft removed", func() {
			must(t, saveDraft(t, j, again, nil))
			_, err := j.Compact(t.Context())
			must(t, err)
		}, 2},
		{"pruned of all that is settled", func() { _, err := j.Prune(t.Context(), day.Add(72*time.Hour)); must(t, err) }, 1},
	}
	for _, step := range steps {
		step.do()
		if n := storedImages(t, j); n != step.want {
			t.Errorf("%s: %d images, want %d", step.name, n, step.want)
		}
		sound(t, j)
	}
	if rec := find(t, j, again); len(rec.Earlier) != 1 {
		t.Errorf("%+v", rec)
	}
	if _, ok, _ := j.Find(late); ok {
		t.Error("still there")
	}
	add("late", 0, old, shared) // what is gone can come again
	sound(t, j)
}

// The largest image that a message can bring, as base64, in a draft, an outcome and the history.
func TestLargestImage(t *testing.T) {
	j := openTest(t, Options{DraftDelay: time.Millisecond})
	large := photo(1, 6<<20)
	r := request("s", "r")
	o := outcome(r, "o", ask.Answered)
	a, _ := o.Result.Answers.Get("db")
	a.CustomImages = []ask.Image{large} // once: all that the contract's limit is about
	o.Result.Answers.Set("db", a)
	d := draft("half")
	d.Questions[0].CustomImages = a.CustomImages
	must(t, addRequest(t, j, r))
	must(t, saveDraft(t, j, r.Key(), d))
	must(t, addOutcome(t, j, o))
	same := func(rec ask.Record) {
		t.Helper()
		if a, _ := rec.Outcome.Result.Answers.Get("db"); len(a.CustomImages) != 1 || a.CustomImages[0] != large {
			t.Error("came back otherwise")
		}
	}
	rec := find(t, j, r.Key())
	same(rec)
	if got := rec.Draft.Questions[0].CustomImages; len(got) != 1 || got[0] != large {
		t.Error("the draft came back otherwise")
	}
	must(t, deliver(t, j, r.Key(), "o"))
	same(find(t, j, r.Key()))
	if n := len(large.Data); n != 8<<20 {
		t.Errorf("%d characters", n)
	}
	if page, err := j.Page(t.Context(), ask.HistoryQuery{Text: large.Data[8<<20-100:]}, 0, 1); err != nil || page.Total != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}

// What has no images is written as ever, and its way touches one bucket.
func TestNoImagesNoCost(t *testing.T) {
	r := request("s", "r")
	plain := outcome(r, "o", ask.Answered)
	want, err := encodeValue(plain)
	must(t, err)
	got, pictures, err := encodeOutcome(plain)
	must(t, err)
	if !bytes.Equal(want.Bytes(), got.Bytes()) || pictures != nil {
		t.Errorf("%q, %d images", got, len(pictures))
	}
	allocs := func(f func()) float64 { return testing.AllocsPerRun(100, f) }
	before := allocs(func() { v, _ := encodeValue(plain); releaseBuffer(v) })
	if after := allocs(func() { v, _, _ := encodeOutcome(plain); releaseBuffer(v) }); after > before+4 {
		t.Errorf("%v allocations, %v without looking for images", after, before)
	}
	j := openTest(t, Options{})
	root := func() (pages []uint64) {
		must(t, j.view(t.Context(), func(tx *bbolt.Tx) error {
			for _, name := range [][]byte{bucketImages, bucketHistory, bucketDrafts} {
				pages = append(pages, uint64(tx.Bucket(name).Root()))
			}
			return nil
		}))
		return pages
	}
	pages := root()
	must(t, addRequest(t, j, r))
	must(t, addOutcome(t, j, plain))
	if diff := cmp.Diff(pages, root()); diff != "" {
		t.Errorf("other buckets were written:\n%s", diff)
	}
}

// An image that is lost or spoilt is told by who reads it, and by the check; what has no part in it can be read.
func TestDamagedImage(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(images *bbolt.Bucket, key []byte) error
		want  string
	}{
		"missing":   {func(b *bbolt.Bucket, key []byte) error { return b.Delete(key) }, "is missing"},
		"gap":       {func(b *bbolt.Bucket, key []byte) error { key[len(key)-1] = 3; return b.Put(key, []byte("x")) }, "has no part 1"},
		"other":     {func(b *bbolt.Bucket, key []byte) error { return b.Put(key, []byte("x")) }, "has other bytes"},
		"other key": {func(b *bbolt.Bucket, _ []byte) error { return b.Put([]byte("x"), []byte("x")) }, "image key 78"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "askd.db")
			j := openTest(t, Options{Path: path})
			r, untouched := request("s", "r"), request("s", "untouched")
			settle(t, j, untouched)
			must(t, addRequest(t, j, r))
			must(t, addOutcome(t, j, withImages(outcome(r, "o", ask.Answered), photo(1, 500))))
			must(t, deliver(t, j, r.Key(), "o"))
			must(t, j.db.Update(func(tx *bbolt.Tx) error {
				images := tx.Bucket(bucketImages)
				key, _ := images.Cursor().First()
				return c.spoil(images, bytes.Clone(key))
			}))
			report, err := j.Check(t.Context())
			must(t, err)
			if !strings.Contains(strings.Join(report.Problems, "; "), c.want) {
				t.Errorf("problems %q", report.Problems)
			}
			_, _, err = j.Find(r.Key())
			_, pageErr := j.Page(t.Context(), ask.HistoryQuery{Text: "deadbeef"}, 0, 1)
			if broken := name == "missing" || name == "gap"; errors.Is(err, ErrDamaged) != broken || errors.Is(pageErr, ErrDamaged) != broken {
				t.Errorf("find: %v; page: %v", err, pageErr)
			}
			find(t, j, untouched.Key())
		})
	}
}

func FuzzImageText(f *testing.F) {
	for _, text := range []string{"", "@0", "=", photo(1, 200).Data, photo(1, 200).Data + "\n"} {
		f.Add(text, photo(2, 97).Data)
	}
	path := filepath.Join(f.TempDir(), "askd.db")
	f.Fuzz(func(t *testing.T, first, second string) {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, Timeout: time.Minute})
		must(t, err)
		defer db.Close()
		r := request("s", "r")
		o := withImages(outcome(r, "o", ask.Answered), ask.Image{Data: first}, ask.Image{Data: second}, ask.Image{Data: first})
		plain, err := encodeValue(o) // JSON itself makes other text of what is no UTF-8
		must(t, err)
		want, err := decodeOutcome(plain.Bytes(), nil)
		must(t, err)
		value, pictures, err := encodeOutcome(o)
		must(t, err)
		must(t, db.Update(func(tx *bbolt.Tx) error {
			images, err := tx.CreateBucketIfNotExists(bucketImages)
			must(t, err)
			for _, p := range pictures {
				must(t, putImage(images, p))
			}
			got, err := decodeOutcome(value.Bytes(), images)
			must(t, err)
			if diff := cmp.Diff(want, got, sameRecord); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			return nil
		}))
	})
}
