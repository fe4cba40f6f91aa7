package daemon

import "runtime/debug"

// startHeap is the collector's percentage while askd starts. What a start makes is nearly all kept, the cells of the first
// frame above all, so a collection under way finds nothing and takes a processor from the frame. At 400 the first one comes
// with 16 MiB instead of 4, which a start reaches when thousands of questions wait.
const startHeap = 400

// roomToStart puts collections off until the function that it gives is called. One that the person has set with GOGC stays.
func roomToStart(gogc string) (over func()) {
	if gogc != "" {
		return func() {}
	}
	before := debug.SetGCPercent(startHeap)
	return func() { debug.SetGCPercent(before) }
}
