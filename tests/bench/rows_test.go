package main

import "testing"

// costs is how many costs there are to measure.
const costs = 17

// TestEveryCostIsMeasured: the table has each cost, what it is held against, and what is to be reached.
func TestEveryCostIsMeasured(t *testing.T) {
	measured := map[int]bool{}
	last := 0
	for _, r := range rows {
		measured[r.number] = true
		if r.number < last {
			t.Errorf("%d %s is out of order", r.number, r.name)
		}
		last = r.number
		if r.name == "" || r.floor == "" || r.goal == "" || r.run == nil {
			t.Errorf("%d %q has no name, floor, goal or measurement", r.number, r.name)
		}
	}
	for n := 1; n <= costs; n++ {
		if !measured[n] {
			t.Errorf("cost %d is not measured", n)
		}
	}
}
