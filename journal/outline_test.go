package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSuspectFile: whatever branch leads round in a circle, a file that was not closed does not open, is left as it is, and the
// person is told what to do. One that is whole opens.
func TestSuspectFile(t *testing.T) {
	c := collectAll(t)
	j, err := Open(Options{Path: c.file(t, c.data), Suspect: true})
	must(t, err)
	sound(t, j)
	must(t, j.Close())

	p := openPages(bytes.NewReader(c.data), int64(len(c.data)))
	s := &survey{p: p}
	s.root(p.newest())
	branches := 0
	for _, name := range slices.Sorted(maps.Keys(s.buckets)) {
		root := s.buckets[name].root
		if root == 0 {
			continue
		}
		page, err := p.read(root)
		must(t, err)
		if !page.branch {
			continue
		}
		branches++
		for child := range page.elements {
			for _, to := range []uint64{root, s.buckets["live"].root, 1, p.newest().end, stale(t, p, root)} {
				data := bytes.Clone(c.data)
				binary.NativeEndian.PutUint64(data[int(root)*pageSize+pageHeader+child*elementSize+8:], to)
				path := c.file(t, data)
				_, err := Open(Options{Path: path, Suspect: true})
				if !errors.Is(err, ErrDamaged) || !strings.Contains(fmt.Sprint(err), "askctl check --rescue "+path) {
					t.Errorf("%s: page %d leads to %d at element %d: %v", name, root, to, child, err)
				}
			}
		}
	}
	if branches < 3 {
		t.Errorf("the file has only %d buckets with branches", branches)
	}
}

// stale is a free page; the root where there is none.
func stale(t *testing.T, p *pages, root uint64) uint64 {
	t.Helper()
	free, err := p.freed(p.newest())
	must(t, err)
	for id := range free {
		return id
	}
	return root
}

// TestLengthsInLeaves: a value that is said to be longer than its page is found in whichever bucket, before room is made for it.
func TestLengthsInLeaves(t *testing.T) {
	data := deepFile(t)
	p := openPages(bytes.NewReader(data), int64(len(data)))
	s := &survey{p: p}
	s.root(p.newest())
	for name, b := range s.buckets {
		if b.root == 0 {
			continue
		}
		way, _ := wayDown(t, p, b.root)
		leaf := way[len(way)-1]
		spoilt := bytes.Clone(data)
		spoilt[int(leaf)*pageSize+pageHeader+elementSize-1] ^= 0x40 // a gigabyte more
		path := filepath.Join(memoryDir(t), "askd.db")
		must(t, os.WriteFile(path, spoilt, 0o600))
		j, err := Open(Options{Path: path, WholeUpTo: -1})
		if err == nil {
			err = j.Whole(t.Context())
			must(t, j.Close())
		}
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fmt.Sprintf("page %d element 0", leaf)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
