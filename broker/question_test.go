package broker_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/ask/asktest"
	"askd/broker/tool"
	"askd/config"
)

// clock is a clock that a test moves.
type clock struct {
	mu     sync.Mutex
	at     time.Time
	timers map[*timer]struct{}
}

type timer struct {
	at time.Time
	f  func()
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) after(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.at.Add(d), f}
	c.timers[t] = struct{}{}
	if d <= 0 {
		delete(c.timers, t)
		go f()
	}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, was := c.timers[t]
		delete(c.timers, t)
		return was
	}
}

// move lets time pass; with late timers it is past before they have run.
func (c *clock) move(d time.Duration, late bool) {
	c.mu.Lock()
	c.at = c.at.Add(d)
	var due []func()
	for t := range c.timers {
		if !late && !t.at.After(c.at) {
			due = append(due, t.f)
			delete(c.timers, t)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// questions is a world with a clock and settings of ask_user_question.
type questions struct {
	*world
	clock    *clock
	mu       sync.Mutex
	settings config.QuestionLoaded
	seen     []string // Pi folders and variables for which settings were asked
}

func newQuestions(t *testing.T) *questions {
	q := &questions{clock: &clock{at: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), timers: map[*timer]struct{}{}}}
	q.settings = config.LoadQuestion("", func(string) (string, bool) { return "", false })
	q.world = newWorldWith(t, filepath.Join(t.TempDir(), "askd.db"), func(o *broker.Options) {
		o.Now, o.After = q.clock.now, q.clock.after
		o.Question = func(dir string, env map[string]string) config.QuestionLoaded {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.seen = append(q.seen, dir+" "+env["PI_ASK_USER_DISPLAY_MODE"])
			return q.settings
		}
	})
	return q
}

func (q *questions) set(change func(*config.QuestionLoaded)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change(&q.settings)
}

const batch = `{"questions":[
	{"question":"Where should sessions live?","header":"Sessions","options":[{"label":"Redis","description":"fast"},{"label":"Postgres","description":""}]},
	{"question":"Which checks gate a merge?","header":"CI gates","multiSelect":true,"options":[{"label":"Unit tests","description":""},{"label":"Linters","description":""}]},
	{"question":"Which log format?","header":"Logs","options":[{"label":"JSON","description":""},{"label":"Text","description":""}]}]}`

// put calls ask_user_question under request id n.
func (c *client) put(n int, arguments string) *answer {
	a := newAnswer(c.w.tb, "tool.call "+id(n))
	c.Call(broker.CallParams{Tool: ask.ToolQuestion, Arguments: json.RawMessage(arguments), RequestID: id(n), ToolCallID: "t" + id(n)}, a.reply)
	return a
}

func details(o *tool.Outcome) tool.QuestionDetails {
	d, _ := o.Details.(tool.QuestionDetails)
	return d
}

func ofText(s string) *string { return &s }

func TestQuestionAnswered(t *testing.T) {
	q := newQuestions(t)
	c := q.session("s")
	a := c.put(1, batch)
	if got := c.accepted(1); got.Background || got.Deadline != nil {
		t.Errorf("accepted %+v", got)
	}
	if r := c.respond(1, `{"kind":"answer","answers":{"q1":{"values":["Redis"]},"q2":{"values":["Linters"],"customText":" licence, scan "}},"skippedQuestionIds":["q3"]}`).responded(); !r.OK {
		t.Fatalf("refused: %+v", r)
	}
	o := a.outcome()
	want := tool.QuestionDetails{Answers: []tool.QuestionAnswer{
		{Question: "Where should sessions live?", Kind: "option", Answer: ofText("Redis")},
		{Question: "Which checks gate a merge?", Kind: "multi", Selected: []string{"Linters", "licence, scan"}},
	}}
	if diff := cmp.Diff(want, details(o)); diff != "" || text(o) != "User answered 2 questions:\n1. Where should sessions live? → Redis\n2. Which checks gate a merge? → Linters, licence, scan" {
		t.Error(text(o), diff)
	}
	for _, method := range []string{"ask.started", "ask.completed"} {
		if len(c.told(method)) > 0 {
			t.Errorf("%s was sent: other extensions hear of ask_user alone", method)
		}
	}
	rec, ok := q.stored("s", 1)
	if !ok || rec.Request.Tool != ask.ToolQuestion || rec.Outcome.Kind != ask.Answered || len(rec.Request.Questions) != 3 {
		t.Errorf("stored %+v", rec)
	}
	if again := c.put(1, batch).outcome(); text(again) != text(o) {
		t.Error("the same call has another outcome the second time")
	}
}

func TestQuestionRefused(t *testing.T) {
	q := newQuestions(t)
	c := q.session("s")
	o := c.put(1, `{"questions":[],"timeout":5}`).outcome()
	if !o.IsError || text(o) != "timeout are configuration settings, not ask_user_question parameters. Use /ask-user-question-settings to configure them." {
		t.Errorf("got %+v", o)
	}
	if _, ok := q.stored("s", 1); ok || len(c.told("ask.accepted")) > 0 {
		t.Error("a refused call left something behind")
	}
}

// TestQuestionIsNeverQueued: background-only mode is ask_user's.
func TestQuestionIsNeverQueued(t *testing.T) {
	q := newQuestions(t)
	q.behaviour.Store(&broker.Behaviour{BackgroundOnly: true, AskUserQuestion: true})
	c := q.session("s")
	a := c.put(1, batch)
	if got := c.accepted(1); got.Background || !a.open() {
		t.Errorf("accepted %+v", got)
	}
	if tools := q.Tools(); tools[len(tools)-1].Name != ask.ToolQuestion {
		t.Error("the tool is not listed")
	}
	c.respond(1, `{"kind":"cancel"}`).responded()
	if o := a.outcome(); text(o) != "User cancelled the questions" || o.AbortOperation || o.IsError {
		t.Errorf("got %+v", o)
	}
}

func TestQuestionSettingsOfTheAsker(t *testing.T) {
	q := newQuestions(t)
	q.set(func(l *config.QuestionLoaded) {
		l.Settings = config.QuestionSettings{DisplayMode: "overlay", SingleSelectLayout: "list", OverlayToggleKey: "shift+alt+escape", Timeout: time.Minute}
		l.Warning = "Cannot load"
	})
	c := q.connect("pi")
	c.open(broker.SessionInfo{ID: "s", UI: "tui", AgentDir: "/agent", Env: map[string]string{"PI_ASK_USER_DISPLAY_MODE": "overlay"}})
	c.put(1, batch)
	at := q.clock.now().Add(time.Minute)
	if got := c.accepted(1); got.Deadline == nil || !got.Deadline.Equal(at) {
		t.Errorf("accepted %+v", got)
	}
	e := q.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil })
	want := ask.PromptSettings{DisplayMode: "overlay", Layout: "list", ToggleKey: "shift+alt+esc"}
	if e.Request.Prompt == nil || *e.Request.Prompt != want || !e.Request.Deadline.Equal(at) {
		t.Errorf("the form has %+v until %v", e.Request.Prompt, e.Request.Deadline)
	}
	if s := c.queue(); s[0].Deadline == nil || !s[0].Deadline.Equal(at) {
		t.Errorf("summary %+v", s[0])
	}
	q.set(func(l *config.QuestionLoaded) { l.Settings.DisplayMode = "inline" })
	q.restart()
	if e := q.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil }); *e.Request.Prompt != want {
		t.Errorf("after a restart it has %+v", e.Request.Prompt)
	}
	if len(q.seen) != 1 || q.seen[0] != "/agent overlay" {
		t.Errorf("settings were read for %q", q.seen)
	}
	if notes := c.told("notify"); len(notes) != 1 || string(encode(t, notes[0].params)) != `{"level":"warning","text":"Cannot load"}` {
		t.Errorf("told %v", notes)
	}
}

// timed gives the next calls a deadline in a minute.
func (q *questions) timed() {
	q.set(func(l *config.QuestionLoaded) { l.Settings.Timeout = time.Minute })
}

func TestQuestionTimesOut(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.session("s")
	first := c.put(1, batch)
	c.accepted(1)
	q.clock.move(30*time.Second, false)
	second := c.put(2, batch)
	c.accepted(2)
	c.settle()
	q.clock.move(30*time.Second, false)
	if o := first.outcome(); text(o) != "User cancelled the questions" || !details(o).Cancelled || o.Provenance.Outcome != ask.TimedOut || o.IsError {
		t.Errorf("got %+v", o)
	}
	if r := c.respond(1, `{"kind":"answer","answers":{"q1":{"values":["Redis"]}}}`).responded(); r.OK || r.Error != "flow_not_found" {
		t.Errorf("a late answer: %+v", r)
	}
	if !second.open() {
		t.Error("the second question ended with the first")
	}
	q.clock.move(30*time.Second, false)
	if o := second.outcome(); o.Provenance.Outcome != ask.TimedOut {
		t.Errorf("got %+v", o)
	}
}

// TestQuestionLateAnswer: what is answered after the deadline is no answer, also when the timer has not run yet.
func TestQuestionLateAnswer(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.session("s")
	a := c.put(1, batch)
	c.accepted(1)
	q.clock.move(time.Minute, true)
	if _, err := q.submit("s", 1).wait(); !errors.Is(err, broker.ErrNotPending) {
		t.Errorf("submit: %v", err)
	}
	if o := a.outcome(); o.Provenance.Outcome != ask.TimedOut || o.Provenance.AnsweredAt != nil {
		t.Errorf("got %+v", o)
	}
}

func TestQuestionDeadlineOverRestart(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.session("s")
	c.put(1, batch)
	c.accepted(1)
	q.clock.move(10*time.Second, false)
	c.put(2, batch)
	c.accepted(2)
	q.clock.move(20*time.Second, false)
	q.end()
	q.clock.move(30*time.Second, true)
	q.start()
	c = q.connect("probe")
	c.open(broker.SessionInfo{ID: "s"})
	if o := c.await(1).outcome(); o.Provenance.Outcome != ask.TimedOut {
		t.Errorf("a deadline that passed meanwhile: %+v", o)
	}
	second := c.await(2)
	c.settle()
	if !second.open() {
		t.Error("ended before its deadline")
	}
	q.clock.move(10*time.Second, false)
	if o := second.outcome(); o.Provenance.Outcome != ask.TimedOut {
		t.Errorf("got %+v", o)
	}
}

// TestQuestionTimeoutOnFullDisk: the end is tried again, and nothing is an answer meanwhile.
func TestQuestionTimeoutOnFullDisk(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.session("s")
	a := c.put(1, batch)
	c.accepted(1)
	q.disk.fail("before-outcome-committed")
	q.clock.move(time.Minute, false)
	until(t, "a failing disk", func() bool { return len(q.Snapshot().Notices) > 0 })
	if !a.open() {
		t.Error("the call ended without the disk")
	}
	q.disk.heal()
	q.clock.move(config.DeadlineRetry, false)
	if o := a.outcome(); o.Provenance.Outcome != ask.TimedOut {
		t.Errorf("got %+v", o)
	}
}

func TestQuestionAborted(t *testing.T) {
	q := newQuestions(t)
	c := q.session("s")
	a := c.put(1, batch)
	c.accepted(1)
	if s := c.abort(1, "user").state(); s != "interrupted" {
		t.Errorf("abort: %s", s)
	}
	if o := a.outcome(); text(o) != "User cancelled the questions" || !details(o).Cancelled || o.IsError {
		t.Errorf("got %+v", o)
	}
}

// TestQuestionWithoutUI: the call fails with the questions, as if it had never been put.
func TestQuestionWithoutUI(t *testing.T) {
	q := newQuestions(t)
	c := q.connect("pi")
	c.open(broker.SessionInfo{ID: "s", UI: "print"})
	o := c.put(1, `{"questions":[{"question":"Which log format?","header":"Logs","options":[{"label":"JSON","description":"for machines"},{"label":"Text","description":""}]}]}`).outcome()
	want := "ask_user_question requires interactive mode. Please answer these questions:\n\n1. Which log format?\n   Options:\n   1. JSON — for machines\n   2. Text\n   You can also answer freely."
	if !o.IsError || text(o) != want || len(c.told("ask.accepted")) > 0 {
		t.Errorf("got %+v", o)
	}
}

// interrupted asks a question in pi, whose process then dies, and gives the next one.
func (q *questions) interrupted() *client {
	c := q.connect("pi")
	info := broker.SessionInfo{ID: "s", UI: "tui", Reason: "startup", Branch: []broker.BranchEvent{}}
	c.open(info)
	c.put(1, batch)
	c.accepted(1)
	c.Disconnect()
	next := q.connect("pi")
	info.Branch = []broker.BranchEvent{
		{Type: "call", ToolCallID: "t" + id(1), Tool: ask.ToolQuestion, Arguments: json.RawMessage(batch)},
		{Type: "asked", RequestID: id(1), ToolCallID: "t" + id(1), Tool: ask.ToolQuestion},
	}
	next.open(info)
	return next
}

func TestQuestionRecovered(t *testing.T) {
	q := newQuestions(t)
	c := q.interrupted()
	if notes := c.told("notify"); len(notes) != 1 || string(encode(t, notes[0].params)) != `{"level":"info","text":"Reopening unanswered ask_user_question form: 3 question(s)."}` {
		t.Errorf("told %v", notes)
	}
	c.respond(1, `{"kind":"answer","answers":{"q3":{"customText":"logfmt"}}}`).responded()
	if d := c.delivered(1, 1); d.As != "followUp" || !d.Wake || d.Content[0].Text != "User answered 1 questions:\n1. Which log format? → logfmt" {
		t.Errorf("delivered %+v", d)
	}
}

// TestQuestionRecoveredTooLate: nobody is made to say that they cancelled.
func TestQuestionRecoveredTooLate(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.interrupted()
	q.clock.move(time.Minute, false)
	if d := c.delivered(1, 1); d.As != "dismissOnly" || d.Wake {
		t.Errorf("delivered %+v", d)
	}
}

// TestQuestionAskedAnewFromTheBranch: the journal has gone, the call has not.
func TestQuestionAskedAnewFromTheBranch(t *testing.T) {
	q := newQuestions(t)
	c := q.connect("pi")
	c.open(broker.SessionInfo{
		ID: "s", UI: "tui", Reason: "startup", Env: map[string]string{"PI_ASK_USER_DISPLAY_MODE": "overlay"},
		Branch: []broker.BranchEvent{{Type: "call", ToolCallID: "t1", Tool: ask.ToolQuestion, Arguments: json.RawMessage(batch)}},
	})
	until(t, "the form", func() bool { return len(q.Snapshot().Entries) == 1 })
	r := q.Snapshot().Entries[0].Request
	if r.Prompt == nil || r.Prompt.DisplayMode != "overlay" || !r.Deadline.IsZero() || r.Questions[1].Type != ask.Multi {
		t.Errorf("asked %+v", r)
	}
}

// TestQuestionParkedDeadline: what is not on the open branch waits for it, and is over when it comes back too late.
func TestQuestionParkedDeadline(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.interrupted()
	info := broker.SessionInfo{ID: "s", UI: "tui", Reason: "tree", Epoch: 1, Branch: []broker.BranchEvent{}}
	c.open(info)
	q.entry("s", 1, "a parked form", func(e *broker.Entry) bool { return e == nil })
	q.clock.move(2*time.Minute, false)
	c.settle()
	if rec, _ := q.stored("s", 1); rec.Outcome != nil {
		t.Errorf("ended while parked: %+v", rec.Outcome)
	}
	info.Epoch, info.Branch = 2, []broker.BranchEvent{{Type: "asked", RequestID: id(1), ToolCallID: "t" + id(1), Tool: ask.ToolQuestion}}
	c.open(info)
	if d := c.delivered(1, 1); d.As != "dismissOnly" {
		t.Errorf("delivered %+v", d)
	}
}

// TestQuestionResponses: form.respond takes labels under q1 to q4.
func TestQuestionResponses(t *testing.T) {
	q := newQuestions(t)
	c := q.session("s")
	c.put(1, batch)
	c.accepted(1)
	for response, want := range map[string]string{
		`{"kind":"answer","answers":{"Sessions":{"values":["Redis"]}}}`:                         `Unknown question id "Sessions".`,
		`{"kind":"answer","answers":{"q1":{"values":["redis"]}}}`:                               `Unknown option value "redis" for question "q1".`,
		`{"kind":"answer","answers":{"q1":{"values":["Redis","Postgres"]}}}`:                    `Question "q1" accepts only one selected value.`,
		`{"kind":"answer","answers":{"q1":{"values":["Redis"],"customText":"or so"}}}`:          `Question "q1" cannot combine a selected value and custom text.`,
		`{"kind":"answer","answers":{"q2":{"values":["Linters"]}},"skippedQuestionIds":["q2"]}`: `Question "q2" cannot be both answered and skipped.`,
	} {
		if r := c.respond(1, response).responded(); r.OK || r.Message != want {
			t.Errorf("%s: %+v", response, r)
		}
	}
}

// TestQuestionIsNotForOtherExtensions: whoever answers forms of ask_user alone does not find it.
func TestQuestionIsNotForOtherExtensions(t *testing.T) {
	q := newQuestions(t)
	c := q.session("s")
	c.put(1, batch)
	c.accepted(1)
	p := broker.RespondParams{FlowID: "tool:t" + id(1), Tool: ask.ToolAskUser, Response: json.RawMessage(`{"kind":"cancel"}`)}
	if r := c.respondWith(p).responded(); r.OK || r.Error != "flow_not_found" {
		t.Errorf("got %+v", r)
	}
	if p.Tool = ask.ToolQuestion; !c.respondWith(p).responded().OK {
		t.Error("its own tool does not find it")
	}
}

// TestQuestionResultsThroughTheDesk asks and answers the checked values of results.
func TestQuestionResultsThroughTheDesk(t *testing.T) {
	q := newQuestions(t)
	c := q.session("s")
	for n, v := range asktest.Load(t, "ask/testdata/ask_user_question.json", "result") {
		input := asktest.Decode[struct{ Params json.RawMessage }](t, v.Input)
		want := asktest.Decode[struct {
			Content string
			Details *tool.QuestionDetails
		}](t, v.Expect)
		if want.Details == nil || v.Name == "dialogs-multi-numbers-taken-literally" || v.Name == "dialogs-single-unlisted-value-accepted" {
			continue // rows: broker/tool; what dialogs give: below
		}
		a := c.put(n, string(input.Params))
		c.accepted(n)
		if r := c.respond(n, responseFor(t, input.Params, want.Details)).responded(); !r.OK {
			t.Errorf("%s: %+v", v.Name, r)
			continue
		}
		if o := a.outcome(); text(o) != want.Content || !cmp.Equal(*want.Details, details(o)) {
			t.Errorf("%s: %q %+v", v.Name, text(o), o.Details)
		}
	}
}

// responseFor words details as a response to their form.
func responseFor(t *testing.T, params json.RawMessage, d *tool.QuestionDetails) string {
	if d.Cancelled {
		return `{"kind":"cancel"}`
	}
	type one struct {
		Values     []string `json:"values,omitempty"`
		CustomText string   `json:"customText,omitempty"`
	}
	form := asktest.Decode[struct {
		Questions []struct {
			Question string
			Options  []struct{ Label string }
		}
	}](t, params)
	answers := map[string]one{}
	for _, a := range d.Answers {
		for i, q := range form.Questions {
			if q.Question != a.Question {
				continue
			}
			o, picked := one{}, a.Selected
			if a.Answer != nil {
				picked = []string{*a.Answer}
			}
			for _, label := range picked {
				o.CustomText = label
				for _, option := range q.Options {
					if option.Label == label && a.Kind != "custom" {
						o.Values, o.CustomText = append(o.Values, label), ""
					}
				}
			}
			answers["q"+string(rune('1'+i))] = o
		}
	}
	return string(encode(t, map[string]any{"kind": "answer", "answers": answers}))
}

// TestQuestionByDialogs plays the checked values of the dialogs.
func TestQuestionByDialogs(t *testing.T) {
	q := newQuestions(t)
	for _, v := range asktest.Load(t, "ask/testdata/ask_user_question.json", "result") {
		input := asktest.Decode[struct {
			UI     string
			Params json.RawMessage
		}](t, v.Input)
		if input.UI != "dialogs" {
			continue
		}
		want := asktest.Decode[struct {
			Content string
			Details tool.QuestionDetails
			Dialogs any
		}](t, v.Expect)
		var raw struct {
			Actions []struct{ Reply *string }
		}
		must(t, json.Unmarshal(vectorText(t, v.Name), &raw))
		c := q.connect("pi")
		c.open(broker.SessionInfo{ID: v.Name, UI: "rpc"})
		a := c.put(1, string(input.Params))
		var shown []any
		for i, action := range raw.Actions {
			d := c.dialog(i)
			shown = append(shown, withoutIDs(t, d))
			c.reply(d, action.Reply)
		}
		o := a.outcome()
		if diff := cmp.Diff(want.Details, details(o)); diff != "" || text(o) != want.Content || o.Provenance.Via != ask.ViaDialog {
			t.Errorf("%s: %q %+v %s", v.Name, text(o), o.Provenance, diff)
		}
		if diff := cmp.Diff(want.Dialogs, any(shown)); diff != "" {
			t.Errorf("%s: %s", v.Name, diff)
		}
		if n := len(c.told("ask.accepted")); n != 1 {
			t.Errorf("%s: accepted %d times", v.Name, n)
		}
	}
}

// vectorText is a checked value whole.
func vectorText(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("ask/testdata/ask_user_question.json")
	must(t, err)
	var all []map[string]any
	must(t, json.Unmarshal(data, &all))
	for _, v := range all {
		if v["name"] == name {
			return encode(t, v)
		}
	}
	t.Fatalf("no checked value %q", name)
	return nil
}

// dialog waits for the dialog of that number.
func (c *client) dialog(n int) broker.DialogShow {
	c.w.tb.Helper()
	until(c.w.tb, "dialog.show", func() bool { return len(c.told("dialog.show")) > n })
	return c.told("dialog.show")[n].params.(broker.DialogShow)
}

func (c *client) reply(d broker.DialogShow, value *string) {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "dialog.reply")
	c.AnswerDialog(broker.DialogReply{DialogID: d.DialogID, Value: value}, a.reply)
	_, err := a.wait()
	must(c.w.tb, err)
}

func withoutIDs(t *testing.T, d broker.DialogShow) any {
	m := asktest.Value(t, d).(map[string]any)
	delete(m, "dialogId")
	delete(m, "requestId")
	return m
}

// TestQuestionBatchByDialogs: all questions in order, one deadline for all, no answer from those before a dismissal.
func TestQuestionBatchByDialogs(t *testing.T) {
	q := newQuestions(t)
	q.timed()
	c := q.connect("pi")
	c.open(broker.SessionInfo{ID: "s", UI: "rpc"})
	first := c.put(1, batch)
	d := c.dialog(0)
	if d.Title != "(1/3) Where should sessions live?" || d.TimeoutMs != 60_000 {
		t.Errorf("first dialog %+v", d)
	}
	q.clock.move(20*time.Second, false)
	c.reply(d, ofText("✏️ Type custom response..."))
	if d = c.dialog(1); d.Method != "input" || d.TimeoutMs != 40_000 {
		t.Errorf("second dialog %+v", d)
	}
	c.reply(d, ofText(" a file "))
	d = c.dialog(2)
	if d.Title != "(2/3) Which checks gate a merge?\n\nOptions (select one or more):\n1. Unit tests\n2. Linters" {
		t.Errorf("third dialog %+v", d)
	}
	c.reply(d, ofText("Linters, Unit tests"))
	c.reply(c.dialog(3), ofText(" JSON"))
	if o := first.outcome(); text(o) != "User answered 3 questions:\n1. Where should sessions live? → a file\n2. Which checks gate a merge? → Linters, Unit tests\n3. Which log format? → JSON" {
		t.Errorf("got %q", text(o))
	}

	second := c.put(2, batch)
	c.reply(c.dialog(4), ofText("Redis"))
	d = c.dialog(5)
	q.clock.move(time.Minute, false)
	if o := second.outcome(); o.Provenance.Outcome != ask.TimedOut || len(details(o).Answers) > 0 {
		t.Errorf("got %+v", o)
	}
	until(t, "dialog.close", func() bool { return len(c.told("dialog.close")) == 1 })
	c.reply(d, ofText("Linters"))

	third := c.put(3, batch)
	c.reply(c.dialog(6), ofText("Redis"))
	d = c.dialog(7)
	q.clock.move(time.Minute, true)
	c.reply(d, ofText("Linters")) // the timer has not run yet
	if o := third.outcome(); o.Provenance.Outcome != ask.TimedOut {
		t.Errorf("got %+v", o)
	}
	c.settle()
	if n := len(c.told("dialog.show")); n != 8 {
		t.Errorf("%d dialogs were shown, the last of them after the deadline", n)
	}
}

// TestQuestionDialogsBroke: what the program reports fails the call in its own words.
func TestQuestionDialogsBroke(t *testing.T) {
	q := newQuestions(t)
	c := q.connect("pi")
	c.open(broker.SessionInfo{ID: "s", UI: "rpc"})
	call := c.put(1, batch)
	c.dialog(0)
	a := newAnswer(t, "form.fail")
	c.Fail(broker.FailParams{RequestID: id(1), Error: "terminal went away"}, a.reply)
	if _, err := a.wait(); err != nil {
		t.Error(err)
	}
	if o := call.outcome(); !o.IsError || text(o) != "terminal went away" {
		t.Errorf("got %+v", o)
	}
}

// TestQuestionInPaneOfRPC: an attached pane comes before dialogs.
func TestQuestionInPaneOfRPC(t *testing.T) {
	q := newQuestions(t)
	q.PaneSize(80, 24)
	c := q.connect("pi")
	c.open(broker.SessionInfo{ID: "s", UI: "rpc"})
	a := c.put(1, batch)
	c.accepted(1)
	q.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil })
	if _, err := q.submit("s", 1).wait(); err != nil || len(c.told("dialog.show")) > 0 {
		t.Error(err, c.methods())
	}
	if o := a.outcome(); o.Provenance.Via != ask.ViaPane {
		t.Errorf("got %+v", o)
	}
}
