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
	for _, bucket := range [][]byte{bucketHistory, bucketIndex, bucketSettled, bucketSummaries, bucketImages} {
		t.Run(string(bucket), func(t *testing.T) {
			way, _ := wayDown(t, p, s.buckets[string(bucket)].root)
			path := c.file(t, c.data)
			j, err := Open(Options{Path: path, WholeUpTo: -1})
			must(t, err)
			must(t, j.Whole(t.Context()))
			far := binary.NativeEndian.AppendUint32(nil, 0x7fff0000) // its first element lies far behind the end of the file
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			_, err = f.WriteAt(far, int64(way[len(way)-1])*pageSize+pageHeader+4)
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
		})
	}
}
