package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// rescueTest rescues data and opens what came of it. The damaged file must be as it was.
func rescueTest(t *testing.T, c collection, data []byte) (Rescued, *Journal) {
	t.Helper()
	path := c.file(t, data)
	report, err := Rescue(t.Context(), path, path+".rescued", day)
	must(t, err)
	if len(report.Problems) > 0 {
		t.Errorf("the fresh file: %v", report.Problems)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
		t.Errorf("the damaged file was changed: %v", err)
	}
	j := openTest(t, Options{Path: report.Path})
	if got := sound(t, j); got.Records != report.Requests.Saved || got.Bytes != report.Bytes {
		t.Errorf("it holds %+v, report %+v", got, report)
	}
	return report, j
}

// seqsOn are the records of which a part stands on the page at an offset of a sound file.
func seqsOn(c collection, offset int) map[uint64]bool {
	t, err := openPages(bytes.NewReader(c.data), int64(len(c.data))).read(uint64(offset / pageSize))
	seqs := map[uint64]bool{}
	for _, e := range t.elements {
		if seq, _, _, err2 := splitKey(e.key); err == nil && err2 == nil {
			seqs[seq] = true
		}
	}
	return seqs
}

// imagesOn reports whether a part of an image stands on a page.
func imagesOn(c collection, offset int) bool {
	t, _ := openPages(bytes.NewReader(c.data), int64(len(c.data))).read(uint64(offset / pageSize))
	for _, e := range t.elements {
		if len(e.key) == imageKey {
			return true
		}
	}
	return false
}

// whole compares the records in a rescued file with what they were, but for those with a seq in without.
func (c collection) whole(t *testing.T, j *Journal, without map[uint64]bool, images bool) (same int) {
	t.Helper()
	for n := range collected {
		k := ask.Key{Session: fmt.Sprintf("s%d", n%4), Request: id(n)}
		if without[uint64(n+1)] {
			continue
		}
		got, ok, err := j.Find(k)
		must(t, err)
		want := c.records[k]
		if !images {
			got, want = withoutImages(got), withoutImages(want)
		}
		if diff := cmp.Diff(want, got, sameRecord); !ok || diff != "" {
			t.Errorf("record %d, there %t (-want +got):\n%s", n, ok, diff)
			continue
		}
		same++
	}
	return same
}

// withoutImages is a copy of a record without its images.
func withoutImages(rec ask.Record) ask.Record {
	out := rec
	out.Draft, out.Outcome, out.Earlier = nil, nil, nil
	for from, to := range map[any]any{&rec.Draft: &out.Draft, &rec.Outcome: &out.Outcome, &rec.Earlier: &out.Earlier} {
		raw, _ := json.Marshal(from)
		_ = json.Unmarshal(raw, to)
	}
	for list := range recordImages(&out) {
		for i := range list {
			list[i] = ask.Image{}
		}
	}
	return out
}

func TestRescueOfASoundFile(t *testing.T) {
	c := collectAll(t)
	report, j := rescueTest(t, c, c.data)
	c.whole(t, j, nil, true)
	if report.Requests != (Tally{collected, 0}) || report.Outcomes.Lost+report.Drafts.Lost+report.Images.Lost+report.BadPages > 0 || report.Images.Saved == 0 {
		t.Errorf("report %+v", report)
	}
}

// TestTornPageTakesNoOtherWithIt tears every page of a file, one at a time: what does not stand on the torn page is rescued
// as it was.
func TestTornPageTakesNoOtherWithIt(t *testing.T) {
	c := collectAll(t)
	for offset := 0; offset < c.used; offset += pageSize {
		if crashRounds(t, 0) == 0 && offset/pageSize > 10 && offset/pageSize%5 > 0 {
			continue
		}
		data := bytes.Clone(c.data)
		for i := offset + pageSize/2; i < offset+pageSize; i++ {
			data[i] = byte(i * 7)
		}
		t.Run(fmt.Sprintf("page %d of %d", offset/pageSize, c.used/pageSize), func(t *testing.T) {
			without := seqsOn(c, offset)
			report, j := rescueTest(t, c, data)
			c.whole(t, j, without, !imagesOn(c, offset))
			if report.Requests.Saved < collected-len(without) {
				t.Errorf("%d requests were on the page, report %+v", len(without), report)
			}
		})
	}
}

func TestRescueWithoutMetaPages(t *testing.T) {
	c := collectAll(t)
	data := bytes.Clone(c.data)
	clear(data[:2*pageSize])
	_, j := rescueTest(t, c, data)
	c.whole(t, j, nil, true)
}

// TestRescueOfRandomDamage: whatever has happened to the file, what a rescue makes of it is sound, and each record in it is
// one that there was.
func TestRescueOfRandomDamage(t *testing.T) {
	c := collectAll(t)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range crashRounds(t, 2*len(damages)) {
		d := damages[round%len(damages)]
		data := d.do(c, rng)
		ok := t.Run(fmt.Sprintf("%d %s", round, d.name), func(t *testing.T) { rescueRandom(t, c, data, d) })
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
}

func rescueRandom(t *testing.T, c collection, data []byte, d damage) {
	path := c.file(t, data)
	report, err := Rescue(t.Context(), path, path+".rescued", day)
	switch {
	case errors.Is(err, ErrNothingReadable) && len(data) < 40*pageSize: // hardly anything was left
	case err != nil || len(report.Problems) > 0:
		t.Errorf("%v, %v", report.Problems, err)
	default:
		checkRescued(t, c, report, strings.HasPrefix(d.name, "flipped"))
	}
}

func checkRescued(t *testing.T, c collection, report Rescued, flipped bool) {
	t.Helper()
	j := openTest(t, Options{Path: report.Path})
	sound(t, j)
	same := 0
	for k, want := range c.records {
		got, ok, err := j.Find(k)
		must(t, err)
		if !ok {
			continue
		}
		same++
		if got.Outcome != nil && want.Outcome == nil && got.Outcome.Error != lostText && !flipped {
			t.Errorf("%v has an outcome that it never had: %+v", k, got.Outcome)
		}
	}
	if same != report.Requests.Saved && !flipped { // a flipped bit may have changed an id
		t.Errorf("%d records are known, report %+v", same, report)
	}
	must(t, addRequest(t, j, request("s", "after")))
}

// TestRescueNamesWhatIsLost: a request of which only the index knows, an outcome without its request, an image.
func TestRescueNamesWhatIsLost(t *testing.T) {
	c := collectAll(t)
	path := c.file(t, c.data)
	j, err := Open(Options{Path: path})
	must(t, err)
	must(t, j.db.Update(func(tx *bbolt.Tx) error {
		return errors.Join(
			tx.Bucket(bucketHistory).Delete(chunkKey(3, kindRequest, 0)), // the outcome stays
			tx.Bucket(bucketHistory).Put(chunkKey(4, kindOutcome, 0), []byte{1, '!'}),
			tx.Bucket(bucketImages).Delete(imageChunkKey(pictureOf(t, 2).digest, 0)),
		)
	}))
	must(t, j.Close())
	report, err := Rescue(t.Context(), path, path+".rescued", day)
	must(t, err)
	if report.Requests.Lost != 1 || report.Outcomes.Lost != 2 || report.Images.Lost != 1 {
		t.Errorf("report %+v", report)
	}
	if len(report.LostRequests) != 1 || report.LostRequests[0] != "s2/"+id(2) {
		t.Errorf("lost %v", report.LostRequests)
	}
	raw, err := os.ReadFile(report.Remnants)
	if err != nil || !strings.Contains(string(raw), `"o2"`) || !strings.Contains(string(raw), id(2)) {
		t.Errorf("remnants %s, %v", raw, err)
	}
	j = openTest(t, Options{Path: report.Path})
	if rec := find(t, j, ask.Key{Session: "s3", Request: id(3)}); !rec.Delivered || rec.Outcome.Error != lostText {
		t.Errorf("a settled request without its outcome: %+v", rec.Outcome)
	}
	rec := find(t, j, ask.Key{Session: "s2", Request: id(7*2 + 8)})
	a, _ := rec.Outcome.Result.Answers.Get("db")
	if a.CustomImages[0].Data != blank || a.CustomImages[0].MimeType != blankType {
		t.Errorf("a lost image: %+v", a.CustomImages[0])
	}
}

func pictureOf(t *testing.T, seed byte) picture {
	t.Helper()
	p, ok := decodePicture(photo(seed, 3000).Data)
	if !ok {
		t.Fatal("no picture")
	}
	return p
}

func TestRescueRefusals(t *testing.T) {
	c := collectAll(t)
	path := c.file(t, c.data)
	rescued := func(ctx context.Context) (Rescued, error) { return Rescue(ctx, path, path+".rescued", day) }
	j, err := Open(Options{Path: path})
	must(t, err)
	if _, err := rescued(t.Context()); !errors.Is(err, ErrLocked) {
		t.Errorf("in use: %v", err)
	}
	must(t, j.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rescued(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	for _, want := range []string{path + ".rescued", path + ".rescued-2", path + ".rescued-3"} {
		if report, err := rescued(t.Context()); err != nil || report.Path != want {
			t.Errorf("%s: %v", report.Path, err)
		}
	}
	must(t, os.WriteFile(path, bytes.Repeat([]byte("text\n"), 5000), 0o600))
	if _, err := rescued(t.Context()); !errors.Is(err, ErrNoDataFile) {
		t.Errorf("text: %v", err)
	}
	for _, left := range []int{1, pageHeader, pageHeader + metaSize - 1} {
		must(t, os.WriteFile(path, c.data[:left], 0o600))
		_, rescuing := rescued(t.Context())
		_, opening := Open(Options{Path: path})
		if !errors.Is(rescuing, ErrNoDataFile) || !errors.Is(opening, ErrNoDataFile) || fileSize(path) != int64(left) {
			t.Errorf("the first %d bytes of one: %v; %v", left, rescuing, opening)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
