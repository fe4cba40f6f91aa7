package broker_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
	"askd/journal"
)

// library is a world whose broker serves the history.
type library struct {
	*world
	shelf *shelf
	now   atomic.Int64 // seconds
}

// firstDay is when a library opens.
var firstDay = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newLibrary(tb testing.TB) *library {
	tb.Helper()
	l := &library{world: &world{tb: tb, path: filepath.Join(tb.TempDir(), "askd.db")}}
	l.behaviour.Store(&broker.Behaviour{HistoryTools: true})
	j, err := journal.Open(journal.Options{Path: l.path, DraftDelay: time.Millisecond})
	must(tb, err)
	l.shelf = &shelf{Journal: j}
	l.now.Store(firstDay.Unix())
	b, err := broker.New(broker.Options{
		Store: j, Archive: l.shelf, Settings: func() broker.Behaviour { return *l.behaviour.Load() },
		Now: func() time.Time { return time.Unix(l.now.Load(), 0).UTC() },
	})
	must(tb, err)
	l.desk = desk{Seat: b.Seat(), journal: j}
	l.run()
	tb.Cleanup(l.end)
	return l
}

// days lets so many days pass.
func (l *library) days(n int) { l.now.Add(int64(n) * 24 * 60 * 60) }

// at is a session's process after it has moved to a branch.
func (l *library) at(info broker.SessionInfo, events ...broker.BranchEvent) *client {
	l.tb.Helper()
	c := l.connect("probe")
	info.UI, info.Instance, info.Branch = "tui", info.ID, append([]broker.BranchEvent{}, events...)
	c.open(info)
	return c
}

func ended(kind string, n int, outcome string) broker.BranchEvent {
	return broker.BranchEvent{Type: kind, RequestID: id(n), OutcomeID: outcome, How: "message"}
}

// history calls one of the agent's tools.
func (c *client) history(name, arguments string) *answer {
	a := newAnswer(c.w.tb, name)
	c.Call(broker.CallParams{Tool: name, Arguments: json.RawMessage(arguments)}, a.reply)
	return a
}

func (c *client) list(arguments string) tool.HistoryList {
	c.w.tb.Helper()
	return c.history(tool.ToolListHistory, arguments).outcome().Details.(tool.HistoryList)
}

// requests are the request ids of a list.
func requests(l tool.HistoryList) []string {
	out := []string{}
	for _, r := range l.Records {
		out = append(out, r.RequestID)
	}
	return out
}

func ids(ns ...int) []string {
	out := []string{}
	for _, n := range ns {
		out = append(out, id(n))
	}
	return out
}

func (c *client) readQuestion(n int, question string) *tool.Outcome {
	c.w.tb.Helper()
	return c.history(tool.ToolReadHistory, fmt.Sprintf(`{"requestId":%q,"questionId":%q}`, id(n), question)).outcome()
}

// record reads question db of form n, which must be on the branch.
func (c *client) record(n int) ask.HistoryRecord {
	c.w.tb.Helper()
	o := c.readQuestion(n, "db")
	if o.IsError {
		c.w.tb.Fatal(text(o))
	}
	return o.Details.(tool.HistoryRead).Record
}

func notOnBranch(n int, question string) string {
	return "Question not found on the current branch: " + id(n) + " / " + question
}

// wantRefused checks a tool's refusal and that its row stays empty.
func wantRefused(t *testing.T, o *tool.Outcome, want string) {
	t.Helper()
	if !o.IsError || text(o) != want || len(o.Transcript) != 0 {
		t.Errorf("got %v %q with the row %v, want the error %q", o.IsError, text(o), o.Transcript, want)
	}
}

// TestHistoryToolsAreOffByDefault: without the setting there are no such tools, and what is asked is recorded all the same.
func TestHistoryToolsAreOffByDefault(t *testing.T) {
	l := newLibrary(t)
	l.behaviour.Store(&broker.Behaviour{})
	c := l.session("s")
	c.ask(1)
	for _, name := range []string{tool.ToolListHistory, tool.ToolReadHistory, tool.ToolExportHistory} {
		if e := c.history(name, `{}`).refused(broker.NotFound); e.Path != "tool" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	l.behaviour.Store(&broker.Behaviour{HistoryTools: true})
	if got := requests(c.list(`{}`)); !slices.Equal(got, ids(1)) {
		t.Errorf("recorded: %v", got)
	}
}

// TestNoArchive: a broker without a history says so.
func TestNoArchive(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	for name, call := range map[string]func(broker.HistoryParams, json.RawMessage, broker.Reply){
		"list": c.HistoryList, "read": c.HistoryRead, "export": c.HistoryExport,
	} {
		for _, all := range []bool{false, true} {
			a := newAnswer(t, name)
			call(broker.HistoryParams{All: all, Path: "/x"}, json.RawMessage(`{}`), a.reply)
			a.refused(broker.Unavailable)
		}
	}
}

// TestHistoryFollowsTheBranch: what is not on the branch is not there, for none of the tools.
func TestHistoryFollowsTheBranch(t *testing.T) {
	l := newLibrary(t)
	c := l.at(broker.SessionInfo{ID: "s"})
	for n := range 3 {
		c.queueForm(n + 1)
	}
	c.choose(1)
	c.choose(2)
	l.session("other").queueForm(4)
	path := filepath.Join(t.TempDir(), "out.md")
	for name, on := range map[string][]int{"the whole": {1, 2, 3}, "one branch": {1, 3}, "its sibling": {2}, "before all": {}} {
		t.Run(name, func(t *testing.T) {
			var events []broker.BranchEvent
			for _, n := range on {
				events = append(events, asked(n, true))
			}
			c := l.at(broker.SessionInfo{ID: "s"}, events...)
			got := c.list(`{}`)
			if want := ids(on...); !slices.Equal(requests(got), want) || got.Total != len(want) {
				t.Errorf("listed %v of %d, want %v", requests(got), got.Total, want)
			}
			for n := 1; n <= 4; n++ {
				if slices.Contains(on, n) {
					c.record(n)
					continue
				}
				wantRefused(t, c.readQuestion(n, "db"), notOnBranch(n, "db"))
				keys := fmt.Sprintf(`{"path":%q,"keys":[{"requestId":%q,"questionId":"db"}]}`, path, id(n))
				wantRefused(t, c.history(tool.ToolExportHistory, keys).outcome(), notOnBranch(n, "db"))
			}
		})
	}
}

// TestHistoryOfTwoAnswers: of a request that was answered on two branches each branch has its own.
func TestHistoryOfTwoAnswers(t *testing.T) {
	l := newLibrary(t)
	c := l.at(broker.SessionInfo{ID: "s"})
	c.queueForm(1)
	c.choose(1)
	old := c.delivered(1, 1).OutcomeID
	elsewhere := []broker.OutcomeRef{{RequestID: id(1), OutcomeID: old}}
	c = l.at(broker.SessionInfo{ID: "s", Elsewhere: elsewhere}, asked(1, true))
	if got := c.record(1).Status; got != ask.StatusWaiting {
		t.Errorf("before its answer it is %s", got)
	}
	c.respond(1, `{"kind":"answer","answers":{"db":{"values":["lite"]}}}`).responded()
	now := c.delivered(1, 1).OutcomeID
	both := append(slices.Clone(elsewhere), broker.OutcomeRef{RequestID: id(1), OutcomeID: now})
	for name, tt := range map[string]struct {
		elsewhere []broker.OutcomeRef
		branch    []broker.BranchEvent
		want      string
	}{
		"while open":        {elsewhere, []broker.BranchEvent{asked(1, true)}, "lite"},
		"the first branch":  {both[1:], []broker.BranchEvent{asked(1, true), ended("completed", 1, old), ended("delivered", 1, old)}, "pg"},
		"the second branch": {elsewhere, []broker.BranchEvent{asked(1, true), ended("completed", 1, now), ended("delivered", 1, now)}, "lite"},
		"before both":       {both, []broker.BranchEvent{asked(1, true)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := l.at(broker.SessionInfo{ID: "s", Elsewhere: tt.elsewhere}, tt.branch...)
			got := c.record(1)
			if tt.want == "" {
				if got.Status != ask.StatusWaiting || got.Answer != nil {
					t.Errorf("%+v", got)
				}
				return
			}
			if got.Status != ask.StatusAnswered || got.Answer.Values[0] != tt.want {
				t.Errorf("%+v, want %s", got, tt.want)
			}
			if n := c.list(`{"query":"` + tt.want + `","answeredOnly":true}`).Total; n != 1 {
				t.Errorf("a search finds %d", n)
			}
		})
	}
}

// TestHistoryOfAnAbort: an abort counts on the branch that has it. Before it the form waits again.
func TestHistoryOfAnAbort(t *testing.T) {
	l := newLibrary(t)
	c := l.at(broker.SessionInfo{ID: "s"})
	call := c.ask(1)
	c.abort(1, "user").state()
	if o := call.outcome(); !o.IsError {
		t.Fatalf("aborted: %q", text(o))
	}
	aborted := broker.BranchEvent{Type: "delivered", RequestID: id(1), How: "aborted"}
	for _, tt := range []struct {
		branch []broker.BranchEvent
		want   ask.Status
	}{
		{[]broker.BranchEvent{asked(1, false), aborted}, ask.StatusError},
		{[]broker.BranchEvent{asked(1, false)}, ask.StatusWaiting},
		{[]broker.BranchEvent{asked(1, false), aborted}, ask.StatusError},
	} {
		c := l.at(broker.SessionInfo{ID: "s", Reason: "tree"}, tt.branch...)
		if got := c.record(1).Status; got != tt.want {
			t.Errorf("with %d entries it is %s, want %s", len(tt.branch), got, tt.want)
		}
	}
}

// TestHistoryOfAFork: a fork has what it inherited, through all its ancestors, and its own answer to what it had to ask again.
func TestHistoryOfAFork(t *testing.T) {
	l := newLibrary(t)
	c := l.at(broker.SessionInfo{ID: "first"})
	c.queueForm(1)
	c.queueForm(2)
	c.choose(1)
	old := c.delivered(1, 1).OutcomeID
	inherited := []broker.BranchEvent{asked(1, true), ended("completed", 1, old), ended("delivered", 1, old)}
	second := l.at(broker.SessionInfo{ID: "second", ParentSession: "first"}, inherited...)
	second.queueForm(3)
	wantRefused(t, second.readQuestion(2, "db"), notOnBranch(2, "db"))

	third := l.at(broker.SessionInfo{ID: "third", ParentSession: "second", Ancestors: []string{"first"}},
		append(slices.Clone(inherited), asked(2, true), asked(3, true))...)
	third.settle()
	third.respond(2, `{"kind":"answer","answers":{"db":{"values":["lite"]}}}`).responded()
	third.delivered(2, 1)
	if got := requests(third.list(`{}`)); !slices.Equal(got, ids(1, 2, 3)) {
		t.Errorf("the fork lists %v", got)
	}
	for n, want := range map[int]ask.Status{1: ask.StatusAnswered, 2: ask.StatusAnswered, 3: ask.StatusWaiting} {
		if got := third.record(n).Status; got != want {
			t.Errorf("form %d is %s, want %s", n, got, want)
		}
	}
	if got := third.record(2).Answer.Values; !slices.Equal(got, []string{"lite"}) {
		t.Errorf("the fork's own answer is %v", got)
	}
	c.choose(2)
	c.delivered(2, 1)
	if got := third.record(2).Answer.Values; !slices.Equal(got, []string{"lite"}) {
		t.Errorf("after the parent's answer the fork's is %v", got)
	}
	if got := c.record(2).Answer.Values; !slices.Equal(got, []string{"pg"}) {
		t.Errorf("the parent's own answer is %v", got)
	}
}

// TestHistoryStatuses: only a committed answer is one.
func TestHistoryStatuses(t *testing.T) {
	l := newLibrary(t)
	c := l.at(broker.SessionInfo{ID: "s"})
	rows := []struct {
		response string // empty: none
		status   ask.Status
		answer   bool
	}{
		{"", ask.StatusWaiting, false},
		{choosePostgres, ask.StatusAnswered, true},
		{`{"kind":"answer","answers":{"db":{"customText":"neither"}}}`, ask.StatusAnswered, true},
		{`{"kind":"answer","answers":{}}`, ask.StatusSkipped, false},
		{`{"kind":"answer","answers":{"db":{"note":"not now"}}}`, ask.StatusSkipped, false},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":["db"]}`, ask.StatusSkipped, false},
		{`{"kind":"cancel"}`, ask.StatusCancelled, false},
	}
	for i, row := range rows {
		c.queueForm(i + 1)
		if row.response != "" {
			if r := c.respond(i+1, row.response).responded(); !r.OK {
				t.Fatalf("%s: %+v", row.response, r)
			}
		}
	}
	interrupted := len(rows) + 1
	call := c.ask(interrupted)
	c.abort(interrupted, "user").state()
	call.outcome()
	got := c.list(`{}`)
	for i, row := range rows {
		if r := got.Records[i]; r.Status != row.status || r.HasAnswer != row.answer {
			t.Errorf("%s gives %s, %v; want %s, %v", row.response, r.Status, r.HasAnswer, row.status, row.answer)
		}
	}
	if r := c.record(interrupted); r.Status != ask.StatusError || r.Error != "Question form interrupted" {
		t.Errorf("interrupted: %+v", r)
	}
	if got := requests(c.list(`{"answeredOnly":true}`)); !slices.Equal(got, ids(2, 3)) {
		t.Errorf("answered are %v", got)
	}
	if got := c.record(5).Answer; got == nil || got.Note != "not now" {
		t.Errorf("the note alone is kept as %+v", got)
	}
}

// TestHistoryWithoutAPane: a form that nobody could be shown is cancelled, not answered.
func TestHistoryWithoutAPane(t *testing.T) {
	l := newLibrary(t)
	c := l.connect("probe")
	c.open(broker.SessionInfo{ID: "s", UI: "print"})
	call := c.call(1, dbForm)
	c.accepted(1)
	_, err := c.fail(broker.FailParams{RequestID: id(1), Kind: "no_ui"}).wait()
	must(t, err)
	call.outcome()
	if got := c.list(`{}`); got.Total != 1 || got.Records[0].Status != ask.StatusCancelled || got.Records[0].HasAnswer {
		t.Errorf("listed %+v", got)
	}
}

// TestHistoryRecord compares a whole record, as text and as data.
func TestHistoryRecord(t *testing.T) {
	l := newLibrary(t)
	c := l.session("s")
	c.call(1, strings.Replace(dbForm, `{"questions"`, `{"title":"Storage","questions"`, 1))
	c.accepted(1)
	c.respond(1, `{"kind":"answer","answers":{"db":{"values":["lite"],"note":"for <now>","optionNotes":{"pg":"later"}}}}`).responded()
	want := `{"record":{"requestId":"` + id(1) + `","questionId":"db","title":"Storage","createdAt":"2026-03-01T12:00:00.000Z","background":false,` +
		`"question":{"id":"db","label":"Q1","prompt":"Which database?","type":"single","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]},` +
		`"status":"answered","answer":{"values":["lite"],"labels":["SQLite"],"indices":[2],"note":"for <now>","optionNotes":{"pg":"later"}}}}`
	o := c.readQuestion(1, "db")
	if diff := cmp.Diff(want, text(o)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	for what, data := range map[string]any{"details": o.Details, "structured content": o.StructuredContent} {
		raw, err := ask.Stringify(data)
		must(t, err)
		if diff := cmp.Diff(want, string(raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if len(o.Transcript) != 0 {
		t.Errorf("its row shows %v", o.Transcript)
	}
}
