package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// TestCompactionMeetsDamage: a compaction that meets a page, damaged since the file was opened, in the middle of its copy ends with what to do and leaves
// everything as it was; the journal goes on to answer, and ends.
func TestCompactionMeetsDamage(t *testing.T) {
	c := collectAll(t)
	p := openPages(bytes.NewReader(c.data), int64(len(c.data)))
	s := &survey{p: p}
	s.root(p.newest())
	places := map[string]uint32{"behind the end": 0x7fff0000, "in another page": 3 * pageSize} // of its first element
	for _, bucket := range [][]byte{bucketHistory, bucketIndex, bucketSettled, bucketSummaries, bucketImages} {
		for name, place := range places {
			t.Run(string(bucket)+" "+name, func(t *testing.T) {
				way, _ := wayDown(t, p, s.buckets[string(bucket)].root)
				meetDamage(t, c.file(t, c.data), int64(way[len(way)-1])*pageSize+pageHeader+4, place)
			})
		}
	}
}

// meetDamage opens a file, damages a number in it, and compacts.
func meetDamage(t *testing.T, path string, at int64, number uint32) {
	t.Helper()
	j, err := Open(Options{Path: path, WholeUpTo: -1})
	must(t, err)
	must(t, j.Whole(t.Context()))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt(binary.NativeEndian.AppendUint32(nil, number), at)
	must(t, errors.Join(err, f.Close()))
	for _, cutoff := range []time.Time{{}, day.AddDate(1, 0, 0)} {
		if _, err := j.Prune(t.Context(), cutoff); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "askctl check --rescue "+path) {
			t.Errorf("got %v", err)
		}
	}
	if err := addRequest(t, j, request("s", "after")); err != nil && !errors.Is(err, ErrDamaged) { // that page is read for it
		t.Error(err)
	}
	must(t, j.Close())
}
