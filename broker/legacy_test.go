package broker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// Forms as an earlier release wrote them: arguments as they came, and questions as it had normalised them.
const (
	oldParams    = `{"title":" Storage ","questions":[{"id":"db","prompt":"Which database?","type":"preview","options":[{"value":"pg","label":"Postgres","preview":"# ACID"},{"value":"lite"}]}]}`
	oldQuestions = `[{"id":"db","label":"Q1","prompt":"Which database?","type":"preview","required":false,"options":[{"value":"pg","label":"Postgres","preview":"# ACID"},{"value":"lite","label":"Lite"}]}]`
	oldResult    = `{"title":"Storage","mode":"submit","cancelled":false,"questions":[{"id":"db","label":"Q1","prompt":"Which database?","type":"single"}],"answers":{"db":{"values":["pg"],"labels":["Postgres"],"indices":[1],"note":"soon"}},"elaboration":{"x":1}}`
)

// oldCreated is when the forms of the earlier release were asked.
var oldCreated = time.Date(2025, 5, 6, 7, 8, 9, 10_000_000, time.UTC)

// oldFile is a session file of an earlier release.
type oldFile []broker.LegacyEntry

func (f *oldFile) add(kind, format string, args ...any) {
	*f = append(*f, broker.LegacyEntry{Type: kind, Data: json.RawMessage(fmt.Sprintf(format, args...)), Timestamp: "2025-05-06T08:00:00.000Z"})
}

// asked adds what a call of tool call id t<n> wrote before its form opened.
func (f *oldFile) asked(n int, background bool) {
	f.add("ask:payload", `{"version":1,"timestamp":%d,"params":%s,"source":"tool","sourceEntryId":"t%d"}`, oldCreated.UnixMilli(), oldParams, n)
	f.add("ask:history-request", `{"version":1,"requestId":%q,"toolCallId":"t%d","title":"Storage","background":%v,"createdAt":%q,"questions":%s}`,
		id(n), n, background, ask.FormatTime(oldCreated), oldQuestions)
	if background {
		f.add("ask:queued", `{"version":1,"requestId":%q,"toolCallId":"t%d","params":%s,"presentSingleAsMulti":false}`, id(n), n, oldParams)
	}
}

func (f *oldFile) completed(n int, background bool, rest string) {
	f.add("ask:history-completed", `{"version":1,"requestId":%q,%s}`, id(n), rest)
	if background {
		f.add("ask:queue-completed", `{"requestId":%q,%s}`, id(n), rest)
	}
}

func oldAsked(n int, background bool) broker.BranchEvent {
	return broker.BranchEvent{Type: "asked", RequestID: id(n), ToolCallID: fmt.Sprintf("t%d", n), Tool: "ask_user", Background: background}
}

func oldEnd(n int) broker.BranchEvent {
	return broker.BranchEvent{Type: "completed", RequestID: id(n), OutcomeID: "legacy-" + id(n)}
}

func oldCall(n int) broker.BranchEvent {
	return broker.BranchEvent{Type: "call", ToolCallID: fmt.Sprintf("t%d", n), Tool: "ask_user", Arguments: json.RawMessage(oldParams)}
}

// from opens a session whose file an earlier release has written.
func (l *library) from(f oldFile, events ...broker.BranchEvent) (*client, broker.Opened) {
	l.tb.Helper()
	c := l.connect("probe")
	return c, c.open(broker.SessionInfo{ID: "s", UI: "tui", Reason: "resume", Instance: "p", Branch: append([]broker.BranchEvent{}, events...), Legacy: f})
}

func TestLegacyQueue(t *testing.T) {
	l := newLibrary(t)
	var f oldFile
	for n := 1; n <= 4; n++ {
		f.asked(n, true)
	}
	f.completed(2, true, `"result":`+oldResult)
	f.completed(3, true, `"result":`+oldResult)
	f.completed(4, true, `"error":"no terminal"`)
	events := []broker.BranchEvent{
		oldAsked(1, true), oldAsked(2, true), oldAsked(3, true), oldAsked(4, true), oldEnd(2), oldEnd(3), oldEnd(4),
		{Type: "delivered", RequestID: id(3), OutcomeID: "legacy-" + id(3), How: "message"},
	}
	c, opened := l.from(f, events...)
	if len(opened.Pending) != 1 || opened.Pending[0].RequestID != id(1) || !opened.Pending[0].Background || opened.Pending[0].Status != broker.Waiting {
		t.Errorf("pending %+v", opened.Pending)
	}
	if !opened.Pending[0].CreatedAt.Equal(oldCreated) || len(opened.Unknown) != 0 {
		t.Errorf("created %v, unknown %v", opened.Pending[0].CreatedAt, opened.Unknown)
	}
	if want := []broker.OutcomeRef{{RequestID: id(2), OutcomeID: "legacy-" + id(2)}, {RequestID: id(4), OutcomeID: "legacy-" + id(4)}}; !slices.Equal(opened.Undelivered, want) {
		t.Errorf("undelivered %v", opened.Undelivered)
	}
	got := []broker.Delivery{c.delivered(2, 1), c.delivered(4, 1)}
	if text := got[0].Content[0].Text; text != "Background answer ["+id(2)+"] — Storage:\nQuestions:\n- [db] Q1: Which database?\nResponse:\nQ1 [db]: Postgres\nQ1 [db] note: soon" {
		t.Errorf("delivered %q", text)
	}
	if text := got[1].Content[0].Text; text != "Background answer ["+id(4)+"]:\nQuestion form failed: no terminal" {
		t.Errorf("delivered %q", text)
	}
	if p := got[0].Provenance; p.Outcome != ask.Answered || p.Client != "pi-agent-ask" {
		t.Errorf("provenance %+v", p)
	}
	if q := l.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil }).Request.Questions[0]; q.Context != "# ACID" || q.Type != ask.Single || q.Options[1].Label != "Lite" {
		t.Errorf("the form is %+v", q)
	}
	if list := requests(c.list(`{}`)); !slices.Equal(list, ids(1, 2, 3, 4)) {
		t.Errorf("history %v", list)
	}
	if r := c.record(3); r.Status != ask.StatusAnswered || r.CreatedAt != ask.FormatTime(oldCreated) || r.Question.Context != "# ACID" {
		t.Errorf("record %+v", r)
	}

	// What is known is not taken over again, in this life of the daemon or in the next.
	for _, o := range opened.Undelivered {
		_, err := c.ack(map[string]int{id(2): 2, id(4): 4}[o.RequestID], o.OutcomeID).wait()
		must(t, err)
	}
	c.choose(1)
	_, err := c.ack(1, c.delivered(1, 1).OutcomeID).wait()
	must(t, err)
	until(t, "four settled forms", func() bool { rec, _ := l.stored("s", 1); return rec.Delivered })
	before := l.journal.Records()
	c.closeSession()
	again, opened := l.from(f, append(events, ended("delivered", 1, ""), ended("delivered", 2, ""), ended("delivered", 4, ""))...)
	if len(opened.Pending)+len(opened.Undelivered) > 0 || l.journal.Records() != before {
		t.Errorf("opened %+v with %d records", opened, l.journal.Records())
	}
	if r := again.record(1); r.Status != ask.StatusAnswered {
		t.Errorf("record %+v", r)
	}
}

// The newest foreground call without a result is shown again, made of what was saved of it.
func TestLegacyForeground(t *testing.T) {
	l := newLibrary(t)
	l.behaviour.Store(&broker.Behaviour{HistoryTools: true, PresentSingleAsMulti: true})
	var f oldFile
	for n := 1; n <= 5; n++ {
		f.asked(n, false)
	}
	f.completed(1, false, `"result":`+oldResult)
	f.completed(4, false, `"error":"Question form interrupted"`)
	f = slices.DeleteFunc(f, func(e broker.LegacyEntry) bool { // of the last form only the payload was written
		return e.Type == "ask:history-request" && json.Valid(e.Data) && slices.Contains(ids(5), requestOf(e))
	})
	c, _ := l.from(f,
		oldAsked(1, false), oldEnd(1), ended("delivered", 1, ""), // answered
		oldCall(2), oldAsked(2, false), // open
		oldAsked(3, false), broker.BranchEvent{Type: "delivered", RequestID: id(3), How: "aborted"},
		oldCall(4), oldAsked(4, false), oldEnd(4), // interrupted, and its call never got a result
		oldCall(5),
	)
	until(t, "three forms", func() bool { return len(c.queue()) == 3 })
	status := map[string]broker.Status{}
	for _, p := range c.queue() {
		status[p.FlowID] = p.Status
		if !p.CreatedAt.Equal(oldCreated) {
			t.Errorf("%s was created %v", p.FlowID, p.CreatedAt)
		}
	}
	if status["tool:t2"] != broker.Interrupted || status["tool:t4"] != broker.Interrupted || status["tool:t5"] != broker.Waiting {
		t.Errorf("pending %v", status)
	}
	for _, e := range l.Snapshot().Entries {
		if q := e.Request.Questions[0]; q.Context != "# ACID" || e.Request.Title != "Storage" || (e.Request.ToolCallID != "t4" && q.PresentedType != ask.Multi) {
			t.Errorf("%s is %+v", e.Request.ToolCallID, q)
		}
	}
	if r := c.record(3); r.Status != ask.StatusError {
		t.Errorf("record of the aborted form: %+v", r)
	}
	if r := c.respondWith(broker.RespondParams{FlowID: "tool:t5", Response: json.RawMessage(choosePostgres)}).responded(); !r.OK {
		t.Fatalf("%+v", r)
	}
	until(t, "the answer", func() bool { return len(c.told("ask.deliver")) > 0 })
	if d := c.told("ask.deliver")[0].params.(broker.Delivery); d.As != "followUp" || d.ToolCallID != "t5" {
		t.Errorf("delivered %+v", d)
	}
}

func requestOf(e broker.LegacyEntry) string {
	var d struct{ RequestID string }
	_ = json.Unmarshal(e.Data, &d)
	return d.RequestID
}

// An answer that another branch has got does not count on this one; going there brings it back.
func TestLegacyBranches(t *testing.T) {
	l := newLibrary(t)
	var f oldFile
	f.asked(1, true)
	f.completed(1, true, `"result":`+oldResult)
	f.asked(2, true)
	c := l.connect("probe")
	info := broker.SessionInfo{
		ID: "s", UI: "tui", Instance: "p", Branch: []broker.BranchEvent{oldAsked(1, true)}, Legacy: f,
		Elsewhere: []broker.OutcomeRef{{RequestID: id(1), OutcomeID: "legacy-" + id(1)}},
	}
	if o := c.open(info); len(o.Pending) != 1 || o.Pending[0].RequestID != id(1) || len(o.Undelivered) != 0 {
		t.Errorf("opened %+v", o)
	}
	info.Branch, info.Elsewhere, info.Legacy, info.Epoch = []broker.BranchEvent{oldAsked(1, true), oldEnd(1), oldAsked(2, true)}, nil, nil, 1
	if o := c.open(info); len(o.Pending) != 1 || o.Pending[0].RequestID != id(2) || len(o.Undelivered) != 1 {
		t.Errorf("opened %+v", o)
	}
}

// What is not as earlier releases wrote it is passed over; of two valid descriptions the later one counts.
func TestLegacyEntriesThatAreWrong(t *testing.T) {
	l := newLibrary(t)
	var f oldFile
	f.add("ask:history-request", `{"version":2,"requestId":%q,"toolCallId":"t1","background":false,"createdAt":"2025-05-06T07:08:09.010Z","questions":%s}`, id(1), oldQuestions)
	f.add("ask:history-request", `{"version":1,"requestId":%q,"toolCallId":"t2","background":false,"createdAt":"yesterday","questions":%s}`, id(2), oldQuestions)
	f.add("ask:history-request", `{"version":1,"requestId":%q,"toolCallId":"t3","background":false,"createdAt":"2025-05-06T07:08:09.010Z","questions":[]}`, id(3))
	f.add("ask:queued", `{"version":1,"requestId":%q,"params":{"questions":[{"id":"","prompt":"?","options":[]}]},"presentSingleAsMulti":false}`, id(4))
	f.add("ask:queued", `"text"`)
	f.add("ask:elsewhere", `{"version":1,"requestId":%q}`, id(5))
	f.asked(6, true)
	f.completed(6, true, `"nothing":true`)
	f.completed(6, true, `"result":{"cancelled":"no"}`)
	f.completed(7, true, `"result":`+oldResult)
	f.add("ask:history-request", `{"version":1,"requestId":%q,"toolCallId":"t8","title":"Old","background":true,"createdAt":"2025-05-06T07:08:09.010Z","questions":%s}`, id(8), oldQuestions)
	f.add("ask:history-request", `{"version":1,"requestId":%q,"toolCallId":"t8","title":"New","background":true,"createdAt":"2025-05-06T07:08:09.010Z","questions":%s}`, id(8), oldQuestions)
	var events []broker.BranchEvent
	for n := 1; n <= 8; n++ {
		events = append(events, oldAsked(n, true))
	}
	c, opened := l.from(f, events...)
	if !slices.Equal(opened.Unknown, ids(1, 2, 3, 4, 5, 7)) || len(opened.Pending) != 2 || opened.Pending[1].Title != "New" {
		t.Errorf("unknown %v, pending %+v", opened.Unknown, opened.Pending)
	}
	if list := c.list(`{}`).Records; len(list) != 2 || list[0].Status != ask.StatusWaiting {
		t.Errorf("history %+v", list)
	}
}

// An import that was cut short by the end of the daemon is brought to its end by the next.
func TestLegacyEndIsMadeUpFor(t *testing.T) {
	l := newLibrary(t)
	var f oldFile
	f.asked(1, true)
	c, _ := l.from(f, oldAsked(1, true))
	c.closeSession()
	f.completed(1, true, `"result":`+oldResult)
	c, opened := l.from(f, oldAsked(1, true), oldEnd(1))
	if len(opened.Undelivered) != 1 || c.delivered(1, 1).Details.(tool.Finished).Result.Answers.Len() != 1 {
		t.Errorf("opened %+v", opened)
	}
}

// A fork inherits what its parent's session has in the journal; the entries it has copied say nothing new.
func TestLegacyFork(t *testing.T) {
	l := newLibrary(t)
	var f oldFile
	f.asked(1, true)
	parent, _ := l.from(f, oldAsked(1, true))
	parent.closeSession()
	fork := l.connect("probe")
	o := fork.open(broker.SessionInfo{ID: "f", ParentSession: "s", UI: "tui", Reason: "fork", Branch: []broker.BranchEvent{oldAsked(1, true)}, Legacy: f})
	if len(o.Pending) != 1 || o.Pending[0].Session != "f" || len(fork.queue()) != 1 {
		t.Errorf("opened %+v, the queue is %+v", o, fork.queue())
	}
}
