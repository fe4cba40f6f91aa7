package export

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestEager: what goes to the disk early is there, whole and in order.
func TestEager(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	must(t, err)
	e := &eager{f: f}
	rng := rand.New(rand.NewPCG(3, 4))
	var want []byte
	for len(want) < 3*eagerBytes {
		piece := bytes.Repeat([]byte{byte(rng.Uint32())}, rng.IntN(eagerBytes/3))
		n, err := e.Write(piece)
		must(t, err)
		if want = append(want, piece...); n != len(piece) || e.written != int64(len(want)) || e.written-e.begun >= eagerBytes {
			t.Fatalf("wrote %d of %d; %d bytes, begun with %d", n, len(piece), e.written, e.begun)
		}
	}
	must(t, f.Close())
	if _, err := e.Write([]byte("x")); err == nil {
		t.Error("wrote into a closed file")
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("read %d bytes back of %d, %v", len(got), len(want), err)
	}
}
