package broker_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
	"askd/journal"
	"askd/journal/export"
)

// shelf is the archive as the daemon makes it, with a gate for whole records.
type shelf struct {
	*journal.Journal
	gate atomic.Pointer[gate]
}

// gate holds an export back after its first record.
type gate struct {
	reached  chan struct{} // closed by the export
	released chan struct{} // closed by the test
}

func (*shelf) WriteQuestions(path string, records []ask.HistoryRecord) error {
	return export.WriteQuestions(path, records)
}

func (s *shelf) WriteRecords(path string, records iter.Seq2[ask.Record, error], format string) error {
	return export.Write(path, s.slow(records), export.Format(format))
}

func (s *shelf) slow(records iter.Seq2[ask.Record, error]) iter.Seq2[ask.Record, error] {
	g := s.gate.Swap(nil)
	if g == nil {
		return records
	}
	return func(yield func(ask.Record, error) bool) {
		first := true
		for rec, err := range records {
			if !yield(rec, err) {
				return
			}
			if first {
				close(g.reached)
				<-g.released
			}
			first = false
		}
	}
}

// TestHistoryPages goes through a list in pages, filtered and not.
func TestHistoryPages(t *testing.T) {
	l := newLibrary(t)
	c := l.session("s")
	for n := 1; n <= 5; n++ {
		c.queueForm(n)
	}
	c.choose(2)
	c.choose(4)
	for _, tt := range []struct {
		arguments string
		total     int
		next      int
		want      []int
	}{
		{`{}`, 5, 0, []int{1, 2, 3, 4, 5}},
		{`{"limit":2}`, 5, 2, []int{1, 2}},
		{`{"limit":2,"offset":2}`, 5, 4, []int{3, 4}},
		{`{"limit":2,"offset":4}`, 5, 0, []int{5}},
		{`{"limit":5,"offset":0}`, 5, 0, []int{1, 2, 3, 4, 5}},
		{`{"offset":9}`, 5, 0, nil},
		{`{"answeredOnly":true,"limit":1}`, 2, 1, []int{2}},
		{`{"query":"  WHICH database "}`, 5, 0, []int{1, 2, 3, 4, 5}},
		{`{"query":"` + id(3) + `"}`, 1, 0, []int{3}},
		{`{"query":"\"status\":\"answered\""}`, 2, 0, []int{2, 4}},
		{`{"query":"nothing like it"}`, 0, 0, nil},
	} {
		got := c.list(tt.arguments)
		if got.Total != tt.total || got.NextOffset != tt.next || !slices.Equal(requests(got), ids(tt.want...)) {
			t.Errorf("%s: %d, next %d, %v", tt.arguments, got.Total, got.NextOffset, requests(got))
		}
		var p broker.HistoryParams
		must(t, json.Unmarshal([]byte(tt.arguments), &p))
		p.All = true
		if wide := c.wideList(p); wide.Total != tt.total || wide.NextOffset != tt.next || !slices.Equal(requests(wide), ids(tt.want...)) {
			t.Errorf("over all, %s: %d, next %d, %v", tt.arguments, wide.Total, wide.NextOffset, requests(wide))
		}
	}
}

func TestHistoryParametersAreChecked(t *testing.T) {
	l := newLibrary(t)
	c := l.session("s")
	for _, tt := range [][3]string{
		{tool.ToolListHistory, `{"limit":0}`, "limit"},
		{tool.ToolListHistory, `{"limit":201}`, "limit"},
		{tool.ToolListHistory, `{"offset":-1}`, "offset"},
		{tool.ToolListHistory, `{"query":7}`, "query"},
		{tool.ToolReadHistory, `{"requestId":7,"questionId":"db"}`, "requestId"},
		{tool.ToolReadHistory, `{"requestId":"r","questionId":[]}`, "questionId"},
		{tool.ToolExportHistory, `{"path":7}`, "path"},
		{tool.ToolExportHistory, `{"path":"x","keys":{}}`, "keys"},
	} {
		if e := c.history(tt[0], tt[1]).refused(broker.InvalidParams); !strings.HasSuffix(e.Path, tt[2]) {
			t.Errorf("%s %s: %+v", tt[0], tt[1], e)
		}
	}
}

// TestHistoryExport: a new file beside the agent's work, with the questions named, each once, in the order asked.
func TestHistoryExport(t *testing.T) {
	l := newLibrary(t)
	dir := t.TempDir()
	c := l.at(broker.SessionInfo{ID: "s", Cwd: dir})
	for n := 1; n <= 3; n++ {
		c.queueForm(n)
	}
	key := func(n int) string { return fmt.Sprintf(`{"requestId":%q,"questionId":"db"}`, id(n)) }
	o := c.history(tool.ToolExportHistory, `{"path":"notes.md","keys":[`+key(3)+`,`+key(1)+`,`+key(3)+`]}`).outcome()
	if o.IsError {
		t.Fatal(text(o))
	}
	want := tool.HistoryExport{Path: filepath.Join(dir, "notes.md"), Keys: []ask.HistoryKey{{RequestID: id(1), QuestionID: "db"}, {RequestID: id(3), QuestionID: "db"}}}
	if got := o.Details.(tool.HistoryExport); got.Path != want.Path || !slices.Equal(got.Keys, want.Keys) {
		t.Errorf("exported %+v, want %+v", got, want)
	}
	info, err := os.Stat(want.Path)
	must(t, err)
	data, err := os.ReadFile(want.Path)
	must(t, err)
	if info.Mode().Perm() != 0o600 || strings.Count(string(data), "\n## Question ") != 2 || strings.Index(string(data), id(1)) > strings.Index(string(data), id(3)) {
		t.Errorf("mode %v:\n%s", info.Mode(), data)
	}
	all := c.history(tool.ToolExportHistory, `{"path":`+quote(filepath.Join(dir, "all.md"))+`}`).outcome()
	if got := all.Details.(tool.HistoryExport).Keys; len(got) != 3 {
		t.Errorf("without keys: %+v", got)
	}
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

// TestHistoryExportRefuses: nothing is replaced, followed or left behind, and the reason is the contract's.
func TestHistoryExportRefuses(t *testing.T) {
	l := newLibrary(t)
	dir := t.TempDir()
	c := l.at(broker.SessionInfo{ID: "s", Cwd: dir})
	c.queueForm(1)
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(in("there.md"), []byte("mine"), 0o644))
	must(t, os.Symlink(in("there.md"), in("link.md")))
	must(t, os.Symlink(in("nowhere.md"), in("dangling.md")))
	must(t, os.Mkdir(in("folder"), 0o755))
	for arguments, want := range map[string]string{
		`{"path":"there.md"}`:              "EEXIST: file already exists, open '" + in("there.md") + "'",
		`{"path":"link.md"}`:               "EEXIST: file already exists, open '" + in("link.md") + "'",
		`{"path":"dangling.md"}`:           "EEXIST: file already exists, open '" + in("dangling.md") + "'",
		`{"path":"folder"}`:                "EEXIST: file already exists, open '" + in("folder") + "'",
		`{"path":"no/such/x.md"}`:          "ENOENT: no such file or directory, open '" + in("no/such/x.md") + "'",
		`{"path":"there.md/x.md"}`:         "ENOTDIR: not a directory, open '" + in("there.md/x.md") + "'",
		`{"path":"  "}`:                    "An export path is required.",
		`{}`:                               "An export path is required.",
		`{"path":"new.md","keys":[]}`:      "Select at least one question or omit keys to export all history.",
		`{"path":"","keys":[]}`:            "Select at least one question or omit keys to export all history.", // the selection comes first
		`{"path":"","keys":[` + bad + `]}`: notOnBranch(1, "other"),
		`{"path":"new.md","keys":[{"requestId":"` + id(1) + `","questionId":"db"},` + bad + `]}`: notOnBranch(1, "other"),
	} {
		wantRefused(t, c.history(tool.ToolExportHistory, arguments).outcome(), want)
	}
	if data, err := os.ReadFile(in("there.md")); err != nil || string(data) != "mine" {
		t.Errorf("there.md is %q, %v", data, err)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 4 {
		t.Errorf("left behind: %v", entries)
	}
}

// bad is the key of a question that form 1 does not have.
var bad = `{"requestId":"` + id(1) + `","questionId":"other"}`

// wideList lists beyond the caller's branch.
func (c *client) wideList(p broker.HistoryParams) tool.HistoryList {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "history.list")
	c.HistoryList(p, nil, a.reply)
	v, err := a.wait()
	must(c.w.tb, err)
	return v.(tool.HistoryList)
}

// threeDays is a library with two sessions: forms 1 and 3 of a on the first and third day, form 2 of b between them.
func threeDays(t *testing.T) (*library, *client) {
	l := newLibrary(t)
	a, b := l.session("a"), l.session("b")
	a.ask(1)
	a.choose(1)
	l.days(1)
	b.ask(2)
	l.days(1)
	a.ask(3)
	return l, l.connect("askctl") // no session of its own
}

func TestHistoryOverSessions(t *testing.T) {
	_, c := threeDays(t)
	for name, tt := range map[string]struct {
		p    broker.HistoryParams
		want []int
	}{
		"all":              {broker.HistoryParams{All: true}, []int{1, 2, 3}},
		"newest":           {broker.HistoryParams{All: true, Newest: true}, []int{3, 2, 1}},
		"newest, paged":    {broker.HistoryParams{All: true, Newest: true, Offset: 1, Limit: 1}, []int{2}},
		"one session":      {broker.HistoryParams{Session: "a"}, []int{1, 3}},
		"one of all":       {broker.HistoryParams{All: true, Session: "b"}, []int{2}},
		"unknown session":  {broker.HistoryParams{Session: "c"}, nil},
		"since":            {broker.HistoryParams{All: true, Since: "2026-03-02T12:00:00Z"}, []int{2, 3}},
		"until":            {broker.HistoryParams{All: true, Until: "2026-03-02T12:00:00Z"}, []int{1}},
		"between":          {broker.HistoryParams{All: true, Since: "2026-03-02T00:00:00Z", Until: "2026-03-03T00:00:00Z"}, []int{2}},
		"since a day":      {broker.HistoryParams{All: true, Since: "2026-03-02"}, []int{2, 3}},
		"answered":         {broker.HistoryParams{All: true, AnsweredOnly: true}, []int{1}},
		"query":            {broker.HistoryParams{All: true, Query: id(2)}, []int{2}},
		"negative offset":  {broker.HistoryParams{All: true, Offset: -2}, []int{1, 2, 3}},
		"everything wrong": {broker.HistoryParams{All: true, Session: "b", Until: "2026-03-01"}, nil},
	} {
		got := c.wideList(tt.p)
		if !slices.Equal(requests(got), ids(tt.want...)) || got.Offset != max(0, tt.p.Offset) {
			t.Errorf("%s: %v from %d, want %v", name, requests(got), got.Offset, ids(tt.want...))
		}
		for _, r := range got.Records {
			if r.Session == "" || r.Tool != ask.ToolAskUser {
				t.Errorf("%s: %+v does not say whose it is", name, r)
			}
		}
	}
	a := newAnswer(t, "history.list")
	c.HistoryList(broker.HistoryParams{All: true, Since: "yesterday"}, nil, a.reply)
	if e := a.refused(broker.InvalidParams); e.Path != "since" || e.Message != `since: "yesterday" is no time` {
		t.Errorf("%+v", e)
	}
}

func TestHistoryReadOverSessions(t *testing.T) {
	_, c := threeDays(t)
	for _, tt := range []struct {
		p    broker.HistoryParams
		want ask.Status // empty: not found
	}{
		{broker.HistoryParams{All: true, RequestID: id(1), QuestionID: "db"}, ask.StatusAnswered},
		{broker.HistoryParams{All: true, RequestID: id(2), QuestionID: "db"}, ask.StatusWaiting},
		{broker.HistoryParams{Session: "b", RequestID: id(2), QuestionID: "db"}, ask.StatusWaiting},
		{broker.HistoryParams{Session: "a", RequestID: id(2), QuestionID: "db"}, ""},
		{broker.HistoryParams{All: true, RequestID: id(9), QuestionID: "db"}, ""},
		{broker.HistoryParams{All: true, RequestID: id(1), QuestionID: "other"}, ""},
	} {
		a := newAnswer(t, "history.read")
		c.HistoryRead(tt.p, nil, a.reply)
		if tt.want == "" {
			a.refused(broker.NotFound)
			continue
		}
		v, err := a.wait()
		must(t, err)
		if got := v.(tool.HistoryRead).Record.Status; got != tt.want {
			t.Errorf("%+v is %s, want %s", tt.p, got, tt.want)
		}
	}
}

// export writes whole records.
func (c *client) export(p broker.HistoryParams) *answer {
	a := newAnswer(c.w.tb, "history.export")
	c.HistoryExport(p, nil, a.reply)
	return a
}

func TestHistoryExportOverSessions(t *testing.T) {
	_, c := threeDays(t)
	path := filepath.Join(t.TempDir(), "all.jsonl")
	v, err := c.export(broker.HistoryParams{All: true, Path: path, Format: "jsonl"}).wait()
	must(t, err)
	if got := v.(broker.Exported); got != (broker.Exported{Path: path, Count: 3}) {
		t.Errorf("exported %+v", got)
	}
	data, err := os.ReadFile(path)
	must(t, err)
	var sessions []string
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var line struct{ Session, Tool, RequestID, Status string }
		must(t, json.Unmarshal(lines.Bytes(), &line))
		sessions = append(sessions, line.Session+" "+line.Tool+" "+line.Status)
	}
	if want := []string{"a ask_user answered", "b ask_user waiting", "a ask_user waiting"}; !slices.Equal(sessions, want) {
		t.Errorf("lines %v, want %v", sessions, want)
	}
	markdown := filepath.Join(t.TempDir(), "b.md")
	if v, err := c.export(broker.HistoryParams{Session: "b", Path: markdown}).wait(); err != nil || v.(broker.Exported).Count != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if data, err := os.ReadFile(markdown); err != nil || strings.Count(string(data), "\n## Question ") != 1 || !strings.Contains(string(data), id(2)) {
		t.Errorf("%v:\n%s", err, data)
	}
	for _, p := range []broker.HistoryParams{{All: true, Path: "relative.md"}, {All: true, Path: "/x", Until: "soon"}} {
		c.export(p).refused(broker.InvalidParams)
	}
	if e := c.export(broker.HistoryParams{All: true, Path: path}).refused(broker.Storage); !strings.Contains(e.Message, "EEXIST: file already exists, open '"+path+"'") {
		t.Errorf("%+v", e)
	}
	if e := c.export(broker.HistoryParams{All: true, Path: path + "2", Format: "csv"}).refused(broker.InvalidParams); e.Path != "format" {
		t.Errorf("%+v", e)
	}
}

// TestLongExportHoldsNobodyUp: while an export stands still in the middle, forms are asked and answered, also those that
// make the data file grow, and the exporting client is served too.
func TestLongExportHoldsNobodyUp(t *testing.T) {
	l := newLibrary(t)
	c := l.session("s")
	big := strings.Replace(dbForm, `"prompt"`, `"context":"`+strings.Repeat("x", 100<<10)+`","prompt"`, 1)
	for n := 1; n <= 20; n++ {
		c.call(n, big)
		c.accepted(n)
		c.choose(n)
	}
	g := &gate{reached: make(chan struct{}), released: make(chan struct{})}
	l.shelf.gate.Store(g)
	path := filepath.Join(t.TempDir(), "all.jsonl")
	exported := c.export(broker.HistoryParams{All: true, Path: path, Format: "jsonl"})
	<-g.reached
	other := l.session("other")
	for n := 101; n <= 140; n++ {
		call := other.call(n, big)
		other.accepted(n)
		other.choose(n)
		if o := call.outcome(); o.IsError {
			t.Fatal(text(o))
		}
	}
	c.call(50, dbForm)
	c.accepted(50)
	if got := c.list(`{"answeredOnly":true}`); got.Total != 20 {
		t.Errorf("meanwhile the history lists %d", got.Total)
	}
	if !exported.open() {
		t.Fatal("the export did not stand still")
	}
	close(g.released)
	v, err := exported.wait()
	must(t, err)
	if got := v.(broker.Exported).Count; got != 20 { // what was asked later is left out
		t.Errorf("exported %d", got)
	}
}
