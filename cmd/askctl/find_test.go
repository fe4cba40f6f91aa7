package main

import (
	"encoding/json"
	"strings"
	"testing"

	"askd/broker"
)

const someQueue = `{"requests":[
	{"requestId":"8f14e45f-ceea-467f-a8d3-000000000001","flowId":"tool:t1","session":"0190aa-1","sessionName":"shop","labels":["Store"],"askerOnline":true},
	{"requestId":"8f14e45f-ceea-467f-a8d3-000000000002","flowId":"tool:t2","session":"0190aa-2","sessionName":"docs","labels":["Tone"],"askerOnline":true,"background":true},
	{"requestId":"9a14e45f-ceea-467f-a8d3-000000000003","flowId":"tool:t1","session":"0190aa-3","sessionName":"docs","labels":["\u001b[2J"],"askerOnline":true,"background":true},
	{"requestId":"8f14e45f","flowId":"tool:t4","session":"0190aa-3","sessionName":"docs","labels":[],"askerOnline":true}]}`

func queued(t *testing.T) []broker.RequestSummary {
	t.Helper()
	var q struct{ Requests []broker.RequestSummary }
	if err := json.Unmarshal([]byte(someQueue), &q); err != nil {
		t.Fatal(err)
	}
	return q.Requests
}

// TestMatching: a whole id comes before the beginnings of others, and short beginnings stand for nothing.
func TestMatching(t *testing.T) {
	for id, want := range map[string]string{
		"8f14e45f-ceea-467f-a8d3-000000000002": "000000000002",
		"9a14e4":                               "000000000003",
		"9a14e":                                "",
		"8f14e45f":                             "8f14e45f",
		"8f14e4":                               "000000000001 000000000002 8f14e45f",
		"tool:t2":                              "000000000002",
		"tool:t1":                              "000000000001 000000000003",
		"":                                     "",
		"tool:t":                               "",
		"000002":                               "000000000002",
		"00002":                                "",
	} {
		var got []string
		for _, r := range matching(queued(t), id) {
			got = append(got, r.RequestID[max(0, len(r.RequestID)-12):])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

func TestAmbiguousListsCandidates(t *testing.T) {
	text := ambiguous("tool:t1", matching(queued(t), "tool:t1")).Error()
	for _, part := range []string{"fits 2 forms", "000000000001  shop  Store", "000000000003  docs"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %q", part, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("a label reached the terminal raw: %q", text)
	}
}

// TestSession: id before name before the beginning of an id; several are never guessed between.
func TestSession(t *testing.T) {
	background := func(r *broker.RequestSummary) bool { return r.Background }
	all := func(*broker.RequestSummary) bool { return true }
	for _, row := range []struct {
		name   string
		wanted func(*broker.RequestSummary) bool
		want   string
		says   string
	}{
		{"0190aa-2", all, "0190aa-2", ""},
		{"shop", all, "0190aa-1", ""},
		{"docs", all, "", "several sessions fit"},
		{"0190aa", all, "", "several sessions fit"},
		{"0190a", all, "", `no session "0190a"`},
		{"shop", background, "", `no session "shop"`},
		{"", background, "", "several sessions fit"},
		{"", func(r *broker.RequestSummary) bool { return r.Labels != nil && len(r.Labels) == 0 }, "0190aa-3", ""},
		{"", func(*broker.RequestSummary) bool { return false }, "", "no session has forms"},
	} {
		l := &link{caller: canned{result: someQueue}}
		got, err := l.session(t.Context(), row.name, "forms", row.wanted)
		if got != row.want || (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q: %q, %v, want %q, %q", row.name, got, err, row.want, row.says)
		}
	}
}

// TestUnasked: a shortened id of a session that is changed unasked is long enough and fits no other one that is known.
func TestUnasked(t *testing.T) {
	for _, row := range []struct{ name, id, says string }{
		{"0190aa-1", "0190aa-1", ""},
		{"docs", "0190aa-2", ""},
		{"0190aa", "0190aa-2", "too short"},
		{"190aa-1000", "0190aa-1000", "no session"},
	} {
		l := &link{caller: canned{result: someQueue}}
		if err := l.unaskedSession(t.Context(), row.name, row.id); (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q for %s: %v, want %q", row.name, row.id, err, row.says)
		}
	}
}

func TestHarmless(t *testing.T) {
	for id, want := range map[string]bool{
		"8f14e45f-ceea": true, "s_1.2": true, "": false, "-x": false, "a b": false, "a;rm": false, "$(x)": false, "a\tb": false, "é": false,
	} {
		if harmless(id) != want {
			t.Errorf("harmless(%q) is %v", id, !want)
		}
	}
}
