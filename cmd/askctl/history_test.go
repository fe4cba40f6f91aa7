package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/client"
	"askd/journal"
)

// TestMoment: a date, a time, a span that lies back, and nothing else.
func TestMoment(t *testing.T) {
	for text, want := range map[string]time.Time{
		"90d":                       testNow.AddDate(0, 0, -90),
		"12h":                       testNow.Add(-12 * time.Hour),
		"2w":                        testNow.AddDate(0, 0, -14),
		"0d":                        testNow,
		"2026-01-31":                time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local),
		"2026-01-31 15:04":          time.Date(2026, 1, 31, 15, 4, 0, 0, time.Local),
		"2026-01-31T15:04:05":       time.Date(2026, 1, 31, 15, 4, 5, 0, time.Local),
		"2026-01-31T15:04:05Z":      time.Date(2026, 1, 31, 15, 4, 5, 0, time.UTC),
		"2026-01-31T15:04:05+02:00": time.Date(2026, 1, 31, 13, 4, 5, 0, time.UTC),
	} {
		if got, err := moment(text, testNow); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "90", "-1d", "1.5d", "90m", "70000d", "yesterday", "2026-02-30", "31.1.2026"} {
		if got, err := moment(text, testNow); err == nil || !strings.Contains(err.Error(), "2026-01-31") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// pagesOf answers history.list from rows, page by page, and notes what was asked.
type pagesOf struct {
	canned
	rows  int
	asked *[]broker.HistoryParams
}

func (c pagesOf) Call(_ context.Context, _ string, params, result any) error {
	p := params.(broker.HistoryParams)
	*c.asked = append(*c.asked, p)
	page := map[string]any{"total": c.rows, "offset": p.Offset}
	records := []map[string]string{}
	for i := p.Offset; i < min(p.Offset+p.Limit, c.rows); i++ {
		records = append(records, map[string]string{"requestId": strconv.Itoa(i), "prompt": "<b>\u202e"})
	}
	if next := p.Offset + len(records); next < c.rows {
		page["nextOffset"] = next
	}
	page["records"] = records
	raw, err := json.Marshal(page)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// testApp runs command lines against c; its streams can be looked at.
func testApp(c caller, dialError error) (a *app, out, errs *bytes.Buffer) {
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &app{
		in:     &input{r: strings.NewReader("")},
		out:    &output{w: out},
		errors: &output{w: errs},
		getenv: func(string) string { return "" },
		getwd:  func() (string, error) { return "/src/shop", nil },
		home:   "/home/somebody",
		now:    func() time.Time { return testNow },
		spawn:  func(_ string, f func()) { go f() },
		dial:   func(context.Context, string, func(string, json.RawMessage)) (caller, error) { return c, dialError },
	}, out, errs
}

// TestHistoryPages: as many pages as are wanted, none that is not.
func TestHistoryPages(t *testing.T) {
	for _, row := range []struct {
		args         string
		rows         int
		got, calls   int
		first, limit int // of the last call
	}{
		{"", 1000, 50, 1, 0, 50},
		{"--limit 500", 1000, 500, 3, 400, 100},
		{"--limit 500 --offset 900", 1000, 100, 1, 900, 200},
		{"--all", 450, 450, 3, 400, 200},
		{"--all", 0, 0, 1, 0, 200},
		{"--all", 200, 200, 1, 0, 200},
	} {
		var asked []broker.HistoryParams
		a, out, errs := testApp(pagesOf{rows: row.rows, asked: &asked}, nil)
		code := a.run(t.Context(), append([]string{"history", "--json"}, strings.Fields(row.args)...))
		var records []struct{ RequestID, Prompt string }
		if err := json.Unmarshal(out.Bytes(), &records); err != nil || code != exitOK {
			t.Fatalf("%q: code %d, %v: %s%s", row.args, code, err, out, errs)
		}
		last := asked[len(asked)-1]
		if len(records) != row.got || len(asked) != row.calls || last.Offset != row.first || last.Limit != row.limit || !last.All || !last.Newest {
			t.Errorf("%q: %d records, %d calls, the last %+v, want %+v", row.args, len(records), len(asked), last, row)
		}
		if len(records) > 0 && (records[0].Prompt != "<b>\u202e" || strings.Contains(out.String(), "\u202e")) {
			t.Errorf("%q: a prompt came as %q in %.100q", row.args, records[0].Prompt, out)
		}
	}
}

// TestJSONArray: piece by piece gives the bytes of the whole.
func TestJSONArray(t *testing.T) {
	one, two := json.RawMessage(`{"a":[1,"x"],"b":{}}`), json.RawMessage(`{"a":"\u0041\u009b"}`)
	for _, pieces := range [][][]json.RawMessage{{}, {{}}, {{one}}, {{one, two}, {}, {one}}} {
		a, out, _ := testApp(canned{}, nil)
		w := &jsonArray{o: a.out}
		all := []json.RawMessage{}
		for _, p := range pieces {
			if err := w.add(p); err != nil {
				t.Fatal(err)
			}
			all = append(all, p...)
		}
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
		b, want, _ := testApp(canned{}, nil)
		if err := b.out.writeJSON(all); err != nil {
			t.Fatal(err)
		}
		if out.String() != want.String() {
			t.Errorf("%d pieces: %q, want %q", len(pieces), out, want)
		}
	}
}

// TestKeep: a form that is cut to one question has nothing of the others.
func TestKeep(t *testing.T) {
	f := &form{Form: broker.Form{
		Request: testRequest(question("db", ask.Single, "pg"), question("keep", ask.Multi, "2y"), question("tone", ask.Single, "calm")),
		Draft: &ask.Draft{
			Questions: []ask.QuestionDraft{{ID: "db", Note: "n"}, {ID: "tone", Note: "m"}}, Editor: &ask.EditorDraft{Question: "db", Text: "secret"},
		},
		Outcome: &ask.Outcome{Kind: ask.Answered, Result: &ask.Result{
			Questions: []ask.ResultQuestion{{ID: "db"}, {ID: "keep"}, {ID: "tone"}}, SkippedQuestionIDs: []string{"keep"},
		}},
	}}
	f.Outcome.Result.Answers.Set("db", ask.Answer{Values: []string{"pg"}})
	f.Outcome.Result.Answers.Set("tone", ask.Answer{Values: []string{"calm"}})
	if n, err := f.number("tone"); n != 3 || err != nil {
		t.Errorf("tone is question %d, %v", n, err)
	}
	f.keep([]string{"tone"})
	r := f.Outcome.Result
	if len(f.Request.Questions) != 1 || len(f.Draft.Questions) != 1 || f.Draft.Editor != nil || len(r.Questions) != 1 || len(r.SkippedQuestionIDs) != 0 || r.Answers.Len() != 1 {
		t.Errorf("%+v, %+v, %+v", f.Request, f.Draft, r)
	}
	if _, err := f.number("db"); err == nil || !strings.Contains(err.Error(), `no question "db", it has tone`) {
		t.Errorf("err = %v", err)
	}
}

// TestLockHolder believes only a lock file that names a process which lives.
func TestLockHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askd.db")
	for text, want := range map[string]int{
		strconv.Itoa(os.Getpid()) + "\n": os.Getpid(), "": 0, "x": 0, "-1": 0, "0": 0, "999999999": 0,
	} {
		if err := os.WriteFile(path+".lock", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lockHolder(path); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := lockHolder(path + "x"); got != 0 {
		t.Errorf("without a lock file: %d", got)
	}
}

// TestOfflineRefuses: a method that needs askd is refused in askd's own words, and parameters are looked at.
func TestOfflineRefuses(t *testing.T) {
	j, err := journal.Open(journal.Options{Path: filepath.Join(t.TempDir(), "askd.db")})
	if err != nil {
		t.Fatal(err)
	}
	o := &offline{j: j}
	defer o.Close()
	if err := o.Call(t.Context(), "form.respond", nil, nil); !isKind(err, broker.Unavailable) || !strings.Contains(err.Error(), "start it") {
		t.Errorf("err = %v", err)
	}
	var got any
	if err := o.Call(t.Context(), "request.get", map[string]string{"requestId": "x"}, &got); !isKind(err, broker.NotFound) {
		t.Errorf("err = %v", err)
	}
	for _, p := range []any{7, broker.HistoryParams{Since: "x"}, broker.HistoryParams{Until: "x"}} {
		for _, method := range []string{"history.list", "history.export"} {
			if err := o.Call(t.Context(), method, p, &got); err == nil {
				t.Errorf("%s took %+v", method, p)
			}
		}
	}
}

// blocked answers a call when it is told to, or when ctx ends.
type blocked struct {
	canned
	release chan struct{}
}

func (b blocked) Call(ctx context.Context, _ string, _, _ any) error {
	select {
	case <-b.release:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// noticed closes a channel when something is written.
type noticed struct {
	bytes.Buffer
	once chan struct{}
}

func (n *noticed) Write(p []byte) (int, error) {
	defer func() {
		select {
		case <-n.once:
		default:
			close(n.once)
		}
	}()
	return n.Buffer.Write(p)
}

// TestLongTellsProgress: a terminal is told how far it is, and the line is gone at the end.
func TestLongTellsProgress(t *testing.T) {
	n := &noticed{once: make(chan struct{})}
	a, _, _ := testApp(canned{}, nil)
	a.errors = &output{w: n, size: func() (int, int) { return 80, 24 }}
	l := &link{caller: blocked{release: n.once}}
	if err := a.long(t.Context(), l, "history.export", nil, nil, func() string { return "12 MiB written …" }); err != nil {
		t.Fatal(err)
	}
	if got := n.String(); !strings.HasPrefix(got, "\r12 MiB written …\x1b[K") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
}

// TestLongInterrupted: what askd does goes on, what askctl does itself ends.
func TestLongInterrupted(t *testing.T) {
	for direct, says := range map[bool]string{false: "askd goes on", true: "interrupted"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		a, _, _ := testApp(canned{}, nil)
		err := a.long(ctx, &link{caller: blocked{}, direct: direct}, "history.export", nil, nil, nil)
		if err == nil || !strings.Contains(err.Error(), says) || !errors.Is(err, context.Canceled) {
			t.Errorf("direct %v: %v", direct, err)
		}
	}
}

// TestReachWithoutFile: neither askd nor a data file is exit code 3, for each verb that could do without askd.
func TestReachWithoutFile(t *testing.T) {
	for _, args := range []string{"queue", "show 8f14e4", "history", "read 8f14e4 db", "export x", "check", "compact", "backup x", "prune --older-than 1d --yes"} {
		a, _, errs := testApp(nil, client.ErrNotRunning)
		a.data = filepath.Join(t.TempDir(), "none", "askd.db")
		code := a.run(t.Context(), append(strings.Fields(args), "--data", a.data))
		if code != exitNoDaemon || !strings.Contains(errs.String(), "no data file "+a.data) {
			t.Errorf("%s: code %d, %s", args, code, errs)
		}
		if _, err := os.Stat(filepath.Dir(a.data)); err == nil {
			t.Errorf("%s made a folder", args)
		}
	}
}
