package main

import (
	"testing"

	"askd/broker"
)

// TestFormName: labels that only number the questions are no name.
func TestFormName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		r    broker.RequestSummary
		want string
	}{
		"title and labels":           {broker.RequestSummary{Title: "Storage", Subject: "Store · Tone", Labels: []string{"Store", "Tone"}}, "Storage: Store · Tone"},
		"labels":                     {broker.RequestSummary{Subject: "Store", Labels: []string{"Store"}}, "Store"},
		"a title and numbers":        {broker.RequestSummary{Title: "Storage", Subject: "Storage", Labels: []string{"Q1"}}, "Storage"},
		"numbers alone":              {broker.RequestSummary{Subject: "Push to main?", Labels: []string{"Q1"}}, "Push to main?"},
		"an askd without a subject":  {broker.RequestSummary{Labels: []string{"Q1"}}, "Q1"},
		"a title, without a subject": {broker.RequestSummary{Title: "Storage"}, "Storage"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := formName(&c.r); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
