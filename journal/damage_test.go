package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"askd/broker/ask"
)

// crashRounds is how many random cases a test has: few, or as many as ASKD_CRASH_ROUNDS says.
func crashRounds(t testing.TB, short int) int {
	t.Helper()
	text := os.Getenv("ASKD_CRASH_ROUNDS")
	if text == "" {
		return short
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// collection is a data file with records of every kind, and what stands in it.
type collection struct {
	data    []byte
	earlier []byte // the file before its last commits
	used    int    // how many bytes of data hold pages; the rest is room
	records map[ask.Key]ask.Record
}

const collected = 72

// collectAll writes a collection, record by record.
func collectAll(t *testing.T) collection {
	t.Helper()
	path := filepath.Join(memoryDir(t), "askd.db")
	j, err := Open(Options{Path: path, DraftDelay: time.Millisecond, Now: func() time.Time { return day }})
	must(t, err)
	c := collection{records: map[ask.Key]ask.Record{}}
	for n := range collected {
		if n == collected-12 {
			c.earlier, err = os.ReadFile(path)
			must(t, err)
		}
		collectOne(t, j, n)
	}
	for n := range collected {
		k := ask.Key{Session: "s" + strconv.Itoa(n%4), Request: id(n)}
		c.records[k] = find(t, j, k)
	}
	sound(t, j)
	must(t, j.Close())
	c.data, err = os.ReadFile(path)
	must(t, err)
	c.used = int(openPages(bytes.NewReader(c.data), int64(len(c.data))).newest().end) * pageSize
	return c
}

func collectOne(t *testing.T, j *Journal, n int) {
	t.Helper()
	r := requestOf("s"+strconv.Itoa(n%4), id(n), n%7*700)
	must(t, addRequest(t, j, r))
	if n%2 == 0 {
		must(t, saveDraft(t, j, r.Key(), draftWith(photo(byte(n), 700))))
	}
	if n%6 == 0 {
		return // waits
	}
	kind := ask.Answered
	if n%6 == 4 {
		kind = ask.Interrupted
	}
	o := withImages(outcome(r, fmt.Sprintf("o%d", n), kind), photo(byte(n%5), 3000))
	must(t, addOutcome(t, j, o))
	if n%6 == 1 {
		return // not delivered
	}
	must(t, deliver(t, j, r.Key(), o.ID))
	if n%6 == 5 {
		must(t, reopen(t, j, r.Key()))
		again := outcome(r, fmt.Sprintf("again%d", n), ask.Answered)
		must(t, addOutcome(t, j, again))
		must(t, deliver(t, j, r.Key(), again.ID))
	}
}

// file writes data as a file of its own.
func (c collection) file(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(memoryDir(t), "askd.db")
	must(t, os.WriteFile(path, data, 0o600))
	return path
}

// damage is a way in which a disk or a power cut spoils a file.
type damage struct {
	name string
	do   func(c collection, rng *rand.Rand) []byte
}

// somePage is the offset of a page, those of the head not left out.
func (c collection) somePage(rng *rand.Rand) int { return rng.IntN(c.used/pageSize) * pageSize }

var damages = []damage{
	{"torn page", func(c collection, rng *rand.Rand) []byte {
		data, at := slices.Clone(c.data), c.somePage(rng)
		half := at + 512*(1+rng.IntN(7)) // disks write sectors whole
		for i := half; i < at+pageSize; i++ {
			data[i] = byte(rng.Uint32())
		}
		return data
	}},
	{"half-written page", func(c collection, rng *rand.Rand) []byte {
		data, at := slices.Clone(c.data), min(c.somePage(rng), len(c.earlier)-pageSize)
		half := at + 512*(1+rng.IntN(7))
		copy(data[half:at+pageSize], c.earlier[half:])
		return data
	}},
	{"lost page", func(c collection, rng *rand.Rand) []byte {
		data, at := slices.Clone(c.data), c.somePage(rng)
		clear(data[at : at+pageSize])
		return data
	}},
	{"page of an earlier time", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		for range 1 + rng.IntN(4) {
			at := min(c.somePage(rng), len(c.earlier)-pageSize)
			copy(data[at:at+pageSize], c.earlier[at:])
		}
		return data
	}},
	{"page in the wrong place", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		from, to := c.somePage(rng), c.somePage(rng)
		copy(data[to:to+pageSize], c.data[from:from+pageSize])
		return data
	}},
	{"way that leads back", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		for range 1 + rng.IntN(3) {
			at := max(c.somePage(rng), 2*pageSize)
			keys, children := [][]byte{}, []uint64{}
			for n := range 1 + rng.IntN(4) {
				keys = append(keys, []byte{byte(n)}) // the last one takes nearly everything
				children = append(children, uint64(max(c.somePage(rng), at*rng.IntN(2))/pageSize))
			}
			copy(data[at:], branchPage(uint64(at/pageSize), keys, children))
		}
		return data
	}},
	{"branch that leads elsewhere", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		var branches []int
		for at := 2 * pageSize; at < c.used; at += pageSize {
			if binary.NativeEndian.Uint16(data[at+8:]) == flagBranch {
				branches = append(branches, at)
			}
		}
		for range 1 + rng.IntN(3) {
			at := branches[rng.IntN(len(branches))]
			child := rng.IntN(int(binary.NativeEndian.Uint16(data[at+10:])))
			binary.NativeEndian.PutUint64(data[at+pageHeader+child*elementSize+8:], uint64(c.somePage(rng)/pageSize))
		}
		return data
	}},
	{"missing tail", func(c collection, rng *rand.Rand) []byte {
		// Of less than the first head nothing tells what it was; see TestRescueRefusals.
		return slices.Clone(c.data[:max(c.somePage(rng)+rng.IntN(pageSize), pageHeader+metaSize)])
	}},
	{"both meta pages", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		for i := range 2 {
			for range 1 + rng.IntN(40) {
				data[i*pageSize+16+rng.IntN(64)] = byte(rng.Uint32())
			}
		}
		return data
	}},
	{"first pages", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		clear(data[:rng.IntN(6)*pageSize+rng.IntN(pageSize)])
		return data
	}},
	{"flipped bits", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		for range 1 + rng.IntN(30) {
			data[rng.IntN(c.used)] ^= 1 << rng.IntN(8)
		}
		return data
	}},
	{"flipped heads", func(c collection, rng *rand.Rand) []byte {
		data := slices.Clone(c.data)
		for range 1 + rng.IntN(8) {
			data[c.somePage(rng)+rng.IntN(64)] ^= 1 << rng.IntN(8)
		}
		return data
	}},
}
