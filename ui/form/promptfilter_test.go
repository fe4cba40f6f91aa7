package form

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"askd/broker/ask"
)

func TestPromptScores(t *testing.T) {
	for _, r := range []struct {
		word, text string
		want       float64 // NaN: no match
	}{
		{"lru", "LRU x", -5 - 10 - 10 + .1 - 15 + .2},                                     // the first place counts as the run's first
		{"lru", "Tiered lru x", -10 + .7 - 5 + .8 - 10 + .9},                              // a run that starts late counts from its second
		{"sk", "s k", -15 + 2 - 10 + .2},                                                  // a skipped character costs 2, a word beginning earns 10
		{"opus", "openrouter/opus", -15 - 10 + .1 + 8 + .6 + 14 + 1.4},                    // leftmost, even where a later place is better
		{"bcdefg", "a-bcdefg", -10 + .2 - 5 + .3 - 10 + .4 - 15 + .5 - 20 + .6 - 25 + .7}, // after each of - _ . / :
		{"b", "a_b", -10 + .2},
		{"b", "a.b", -10 + .2},
		{"b", "a/b", -10 + .2},
		{"b", "a:b", -10 + .2},
		{"b", "a+b", .2},
		{"b", "a\u00a0b", -10 + .2},
		{"é", "CAFÉ", .3},
		{"🙂", "a🙂", .1 - 5 + .2}, // counted in UTF-16 units
		{"x4", "4x large", -15 - 10 + .1 + 5},
		{"4x", "x4", -15 - 10 + .1 + 5},
		{"x4", "x 4", -15 + 2 - 10 + .2}, // as typed first
		{"x4y", "4yx", math.NaN()},
		{"ab", "ba", math.NaN()},
		{"aa", "a", math.NaN()},
	} {
		got, ok := scoreWords([]string{r.word}, r.text)
		if !ok {
			got = math.NaN()
		}
		if math.IsNaN(got) != math.IsNaN(r.want) || math.Abs(got-r.want) > 1e-9 {
			t.Errorf("%q in %q scores %v, want %v", r.word, r.text, got, r.want)
		}
	}
}

func TestPromptFilterOrder(t *testing.T) {
	for _, r := range []struct {
		query string
		texts []string // label|description
		want  string
	}{
		{"", []string{"b|", "a|"}, "[0 1]"},
		{" \t ", []string{"b|", "a|"}, "[0 1]"},
		{"lru", []string{"Tiered lru|x", "Clock|x", "LRU|x"}, "[2 0]"},
		{"cookies state", []string{"Redis|state", "Signed cookies|no server state"}, "[1]"},
		{"zz", []string{"a|", "b|"}, "[]"},
		{"same", []string{"same|1", "same|2", "same|3"}, "[0 1 2]"},
		{"ab", []string{"a|b", "b|a"}, "[0]"}, // the label's end and the description's beginning are one text
		{"ΣΊΣΥΦΟΣ", []string{"σίσυφοσ|"}, "[0]"},
	} {
		options := make([]ask.Option, len(r.texts))
		for i, text := range r.texts {
			options[i].Label, options[i].Description, _ = strings.Cut(text, "|")
		}
		if got := fmt.Sprint(filterOptions(options, r.query)); got != r.want {
			t.Errorf("%q over %q gave %s, want %s", r.query, r.texts, got, r.want)
		}
	}
}

// The preview is no part of what is searched.
func TestPromptFilterLeavesPreviewsOut(t *testing.T) {
	if got := filterOptions([]ask.Option{{Label: "a", Preview: "zebra"}}, "zebra"); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}
