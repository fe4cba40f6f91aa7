package broker

import (
	"slices"
	"time"
)

// Latencies are how long askd itself takes, in daemon.status (PROTOCOL). What the person takes is in neither.
type Latencies struct {
	Accepted  Latency `json:"accepted"`  // from a question's arrival to the word that it is kept
	Delivered Latency `json:"delivered"` // from an answer to the asker's word that it has it, when the asker is there
}

// Latency sums up the newest latencyKept durations of a kind, in milliseconds; all zero before the first one.
type Latency struct {
	Count  int     `json:"count"`    // all since askd started, also those that are no longer summed up
	Median float64 `json:"medianMs"` //
	P95    float64 `json:"p95Ms"`    // 95 of 100 took no longer
	Max    float64 `json:"maxMs"`    // the slowest one
}

// latencyKept is enough for a day of one person's agents, and makes a few kilobytes.
const latencyKept = 512

// stopwatch keeps the newest durations of a kind. The desk's goroutine owns it.
type stopwatch struct {
	count int
	ring  []time.Duration
}

// stop adds the time since start, which comes from time.Now, so that a clock that is set does not matter. A zero start
// is nothing to measure.
func (w *stopwatch) stop(start time.Time) {
	if start.IsZero() {
		return
	}
	took := time.Since(start)
	if len(w.ring) < latencyKept {
		w.ring = append(w.ring, took)
	} else {
		w.ring[w.count%latencyKept] = took
	}
	w.count++
}

func (w *stopwatch) read() Latency {
	n := len(w.ring)
	if n == 0 {
		return Latency{}
	}
	sorted := slices.Sorted(slices.Values(w.ring))
	return Latency{Count: w.count, Median: millis(sorted[(n-1)/2]), P95: millis(sorted[(n*95+99)/100-1]), Max: millis(sorted[n-1])}
}

// millis rounds to a microsecond: more digits say nothing.
func millis(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}
