package broker_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/tool"
)

// The methods over the branch keep to a time and to a format as those over the whole journal do.
func TestBranchHistoryInTime(t *testing.T) {
	l := newLibrary(t)
	c := l.at(broker.SessionInfo{ID: "s", Cwd: t.TempDir()})
	for n := 1; n <= 3; n++ {
		c.queueForm(n)
		l.days(1)
	}
	middle := ""
	for _, r := range c.wideList(broker.HistoryParams{All: true, Limit: 3}).Records {
		if r.RequestID == id(2) {
			middle = r.CreatedAt
		}
	}
	at, err := time.Parse(time.RFC3339, middle)
	must(t, err)
	since, until := at.Add(-time.Hour).Format(time.RFC3339), at.Add(time.Hour).Format(time.RFC3339)
	for _, tt := range []struct {
		since, until string
		want         []int
	}{
		{"", "", []int{1, 2, 3}}, {since, "", []int{2, 3}}, {"", until, []int{1, 2}}, {since, until, []int{2}},
	} {
		if got := c.wideList(broker.HistoryParams{Since: tt.since, Until: tt.until}); strings.Join(requests(got), " ") != strings.Join(ids(tt.want...), " ") {
			t.Errorf("since %q until %q: %v", tt.since, tt.until, requests(got))
		}
	}
	a := newAnswer(t, "history.list")
	c.HistoryList(broker.HistoryParams{Since: "nope"}, nil, a.reply)
	if e := a.refused(broker.InvalidParams); e.Path != "since" {
		t.Errorf("%+v", e)
	}
}

func TestBranchHistoryAsLines(t *testing.T) {
	l := newLibrary(t)
	dir := t.TempDir()
	c := l.at(broker.SessionInfo{ID: "s", Cwd: dir})
	for n := 1; n <= 3; n++ {
		c.queueForm(n)
	}
	export := func(raw string) *answer {
		var p broker.HistoryParams
		must(t, json.Unmarshal([]byte(raw), &p))
		a := newAnswer(t, "history.export "+raw)
		c.HistoryExport(p, []byte(raw), a.reply)
		return a
	}
	v, err := export(`{"path":"some.jsonl","format":"jsonl","keys":[{"requestId":"` + id(3) + `","questionId":"db"},{"requestId":"` + id(1) + `","questionId":"db"}]}`).wait()
	must(t, err)
	if e := v.(tool.HistoryExport); e.Path != filepath.Join(dir, "some.jsonl") || len(e.Keys) != 2 {
		t.Errorf("exported %+v", e)
	}
	data, err := os.ReadFile(filepath.Join(dir, "some.jsonl"))
	must(t, err)
	var got []string
	for line := range strings.Lines(string(data)) {
		var row struct{ RequestID, QuestionID string }
		must(t, json.Unmarshal([]byte(line), &row))
		got = append(got, row.RequestID+row.QuestionID)
	}
	if strings.Join(got, " ") != id(1)+"db "+id(3)+"db" {
		t.Errorf("lines of %v", got)
	}
	export(`{"path":"some.jsonl","format":"jsonl"}`).refused(broker.InvalidParams)
	if e := export(`{"path":"new","format":"yaml"}`).refused(broker.InvalidParams); e.Path != "format" {
		t.Errorf("%+v", e)
	}
}
