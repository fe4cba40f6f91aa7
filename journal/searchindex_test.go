package journal

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// TestTranspose: bit b of record n stands in slice b as its bit n.
func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	matrix := make([]byte, signatureBits*sliceBytes)
	const at = 128
	signs := make([]signature, 64)
	for i := range signs {
		for k := range signs[i] {
			signs[i][k] = byte(rng.Uint32() & rng.Uint32())
		}
	}
	transpose(matrix, at, signs)
	for n := range signs {
		for bit := range uint16(signatureBits) {
			place := at + n
			if got := matrix[int(bit)*sliceBytes+place/8]>>(place%8)&1 == 1; got != signs[n].has(bit) {
				t.Fatalf("record %d, bit %d: %v", n, bit, got)
			}
		}
	}
}

// TestSearchBesideStrayNumber: the number under which a damaged file says that a record was settled costs a search no memory,
// however large it is, and takes nothing from what is found.
func TestSearchBesideStrayNumber(t *testing.T) {
	const stray = 1 << 22
	j, err := Open(Options{Path: filepath.Join(t.TempDir(), "askd.db")})
	must(t, err)
	defer func() { _ = j.Close() }()
	for n := range 3 {
		settle(t, j, request("s", id(n)))
	}
	must(t, j.db.Update(func(tx *bbolt.Tx) error {
		settled := tx.Bucket(bucketSettled)
		_, first := settled.Cursor().First()
		return settled.Put(seqKey(stray), append([]byte(nil), first...))
	}))
	for n := range 3 {
		settle(t, j, request("s", id(10+n)))
		page, err := j.Page(t.Context(), ask.HistoryQuery{Text: "database"}, 0, 100)
		must(t, err)
		if got := len(page.Records); got != 4+n {
			t.Errorf("%d records found, want %d", got, 4+n)
		}
		if n := cap(j.tail.signs); n > 100 {
			t.Errorf("signatures of %d records are kept", n)
		}
	}
}

// TestAppendLower: each character at each place of a word, beside what is lowered and what is not.
func TestAppendLower(t *testing.T) {
	chars := []string{"É", "ß", "İ", "漢", "\u212a", "\xff", "\xc3"}
	for c := range 0x80 {
		chars = append(chars, string(rune(c)))
	}
	for _, char := range chars {
		for at := range 17 {
			for _, beside := range []string{"a", "Z", "\x7f", "@[`{"} {
				text := strings.Repeat("M", at) + char + beside + strings.Repeat("m", 17-at)
				if got, want := string(appendLower([]byte("X"), []byte(text))), "X"+string(bytes.ToLower([]byte(text))); got != want {
					t.Errorf("%q: got %q, want %q", text, got, want)
				}
			}
		}
	}
}
