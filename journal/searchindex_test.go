package journal

import (
	"math/rand/v2"
	"testing"
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
