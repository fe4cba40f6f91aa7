package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

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

// TestPageHasEveryCost: the page of what askd costs has each line of the table, with the goal, and says why it is so.
func TestPageHasEveryCost(t *testing.T) {
	raw, err := os.ReadFile("PERFORMANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, r := range rows {
		name := strings.ReplaceAll(regexp.QuoteMeta(r.name), "%s", `\d+(,000)+`) // as many as there were in the file
		if !regexp.MustCompile(`(?m)^\| ` + strconv.Itoa(r.number) + ` \| ` + name + ` \|.*\| ` + regexp.QuoteMeta(r.goal) + ` \|$`).MatchString(page) {
			t.Errorf("the page lacks %d %s, goal %s", r.number, r.name, r.goal)
		}
	}
	for n := 1; n <= costs; n++ {
		if !regexp.MustCompile(`(?m)^- \*\*(\d+, )?` + strconv.Itoa(n) + `\b`).MatchString(page) {
			t.Errorf("the page does not say what makes %d what it is", n)
		}
	}
}
