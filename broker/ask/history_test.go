package ask_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"askd/broker/ask"
)

// TestFormatTime holds it to a layout, of any time and zone.
func TestFormatTime(t *testing.T) {
	times := []time.Time{
		{},
		time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)), time.Date(-5, 2, 3, 4, 5, 6, 7, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600)),
		time.Date(12345, 6, 7, 8, 9, 10, 0, time.UTC),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		zone := time.FixedZone("", rng.IntN(86_400)-43_200)
		times = append(times, time.Unix(rng.Int64N(1<<39)-1<<37, rng.Int64N(1e9)).In(zone))
	}
	for _, at := range times {
		if got, want := ask.FormatTime(at), at.UTC().Format("2006-01-02T15:04:05.000Z"); got != want {
			t.Errorf("%v: got %s, want %s", at, got, want)
		}
	}
}
