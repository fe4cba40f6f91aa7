package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSessionByHand is the contract's own example, line by line.
func TestSessionByHand(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	c := dialRaw(t, p.socket)

	c.line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"probe","version":"0"}}}`)
	var hello struct {
		Protocol int
		Server   struct {
			Name, Version string
			PID           int
		}
		Pane   struct{ Attached *bool }
		Limits json.RawMessage
	}
	decode(t, c.reply("1"), &hello)
	if hello.Protocol != 1 || hello.Server.Name != "askd" || hello.Server.Version == "" || hello.Server.PID != askd.pid() {
		t.Errorf("initialize: %+v", hello)
	}
	if hello.Pane.Attached == nil || *hello.Pane.Attached || hello.Limits == nil {
		t.Errorf("initialize of an askd without a pane: %+v", hello)
	}

	c.line(`{"jsonrpc":"2.0","id":2,"method":"session.open","params":{"id":"s1","cwd":"/src/app","ui":"cli","reason":"startup","branch":null}}`)
	var opened struct {
		Role        string
		Pending     []any
		Undelivered []any
		Unknown     []any
	}
	decode(t, c.reply("2"), &opened)
	if opened.Role != "primary" || opened.Pending == nil || opened.Undelivered == nil || len(opened.Pending)+len(opened.Undelivered)+len(opened.Unknown) != 0 {
		t.Errorf("session.open: %+v", opened)
	}

	c.line(`{"jsonrpc":"2.0","id":3,"method":"tool.call","params":{"tool":"ask_user","toolCallId":"t1","requestId":"8f14e45f-ceea-467f-a8d3-9f1c2b7e0a11","arguments":` + dbQuestion + `}}`)
	var accepted struct {
		Session, RequestID, ToolCallID string
		Background                     bool
		Position, PendingRequests      int
	}
	if err := json.Unmarshal(c.notice("ask.accepted").Params, &accepted); err != nil {
		t.Fatal(err)
	}
	if accepted.Session != "s1" || accepted.ToolCallID != "t1" || accepted.Background || accepted.Position != 1 || accepted.PendingRequests != 1 {
		t.Errorf("ask.accepted: %+v", accepted)
	}

	c.line(`{"jsonrpc":"2.0","id":4,"method":"form.respond","params":{"flowId":"tool:t1","response":{"kind":"answer","answers":{"db":{"values":["pg"]}}}}}`)
	var ok responded
	decode(t, c.reply("4"), &ok)
	if !ok.OK {
		t.Errorf("form.respond: %+v", ok)
	}
	checkByHand(t, c.ended("3"))
}

func checkByHand(t *testing.T, o outcome) {
	t.Helper()
	const id = "8f14e45f-ceea-467f-a8d3-9f1c2b7e0a11"
	if o.RequestID != id || o.OutcomeID == "" || o.IsError || o.AbortOperation {
		t.Errorf("outcome: %+v", o)
	}
	if want := "ask_user [" + id + "]\nQ1: Postgres"; o.text() != want {
		t.Errorf("text %q, want %q", o.text(), want)
	}
	if o.Provenance.Outcome != "answered" || o.Provenance.Via == "" || o.Provenance.Via == "pane" {
		t.Errorf("provenance: %+v", o.Provenance)
	}
	sameJSON(t, "details", o.Details, `{"cancelled":false,"requestId":"`+id+`",
		"questions":[{"id":"db","label":"Q1","prompt":"Which database?","type":"single"}],
		"answers":{"db":{"values":["pg"],"labels":["Postgres"],"indices":[1]}}}`)
	sameJSON(t, "structuredContent", o.StructuredContent, `{"cancelled":false,"requestId":"`+id+`",
		"answers":{"db":{"values":["pg"],"labels":["Postgres"]}}}`)
	var lines []struct {
		Spans []struct{ Style, Text string }
	}
	if err := json.Unmarshal(o.Transcript, &lines); err != nil || len(lines) != 1 {
		t.Fatalf("transcript %s: %v", o.Transcript, err)
	}
	var row strings.Builder
	for _, span := range lines[0].Spans {
		row.WriteString(span.Text)
	}
	if row.String() != "✓ Q1: Postgres" {
		t.Errorf("transcript row %q", row.String())
	}
}

// sameJSON compares two JSON texts as values. A "transcript" that rides in details is not looked at.
func sameJSON(t *testing.T, what string, got json.RawMessage, want string) {
	t.Helper()
	var a, b map[string]any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%s %s: %v", what, got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	delete(a, "transcript")
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestMalformedLines sends what is no request; each is answered by its code and the connection lives on.
func TestMalformedLines(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	const parse, invalid, unknown = -32700, -32600, -32601
	for _, row := range []struct {
		name, line string
		code       int
	}{
		{"no JSON", `hello`, parse},
		{"half an object", `{"jsonrpc":"2.0","id":7,"method":"tool.list"`, parse},
		{"two values on a line", `{"jsonrpc":"2.0","id":7,"method":"tool.list"} {}`, parse},
		{"control bytes", "\x00\x1b[2J\x07", parse},
		{"bytes that are no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tool.list\",\"params\":{\"x\":\"\xff\xfe\"}}", parse},
		{"a number", `42`, invalid},
		{"a string", `"tool.list"`, invalid},
		{"null", `null`, invalid},
		{"a batch", `[{"jsonrpc":"2.0","id":7,"method":"tool.list","params":{}}]`, invalid},
		{"an empty batch", `[]`, invalid},
		{"no method", `{"jsonrpc":"2.0","id":7}`, invalid},
		{"another version of JSON-RPC", `{"jsonrpc":"1.0","id":7,"method":"tool.list","params":{}}`, invalid},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"tool.list","params":{}}`, invalid},
		{"an unknown method", `{"jsonrpc":"2.0","id":7,"method":"tool.nonsense","params":{}}`, unknown},
		{"very deep nesting", `{"jsonrpc":"2.0","id":7,"method":"tool.call","params":` + strings.Repeat("[", 200000) + strings.Repeat("]", 200000) + `}`, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := dialRaw(t, p.socket).hello()
			c.line(row.line)
			m := c.find("an error", func(m message) bool { return m.Error != nil })
			if row.code != 0 && m.Error.Code != row.code {
				t.Errorf("code %d, want %d: %s", m.Error.Code, row.code, m.Error.Message)
			}
			c.must("daemon.status", `{}`, nil)
		})
	}
}

// TestNotificationsAreNotAnswered: a message without an id gets no reply, even a wrong one; the next reply is for the
// next request.
func TestNotificationsAreNotAnswered(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := dialRaw(t, p.socket).hello()
	c.line(`{"jsonrpc":"2.0","method":"tool.nonsense","params":{}}`)
	c.must("daemon.status", `{}`, nil)
	if len(c.kept) != 0 {
		t.Errorf("a notification was answered: %+v", c.kept)
	}
}

// TestLineInPieces sends one request in several writes, cut inside a character, and an unfinished one before hanging up.
func TestLineInPieces(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := dialRaw(t, p.socket).hello()
	line := `{"jsonrpc":"2.0","id":"größe","method":"daemon.status","params":{}}` + "\r\n"
	cut := strings.Index(line, "ö") + 1
	for _, piece := range []string{line[:3], line[3:cut], line[cut:]} {
		if err := c.write(piece); err != nil {
			t.Fatal(err)
		}
	}
	decode(t, c.reply(`"größe"`), nil)

	half := dialRaw(t, p.socket).hello()
	if err := half.write(`{"jsonrpc":"2.0","id":9,"method":"tool.ca`); err != nil {
		t.Fatal(err)
	}
	half.conn.Close()
	c.must("daemon.status", `{}`, nil)
}

// TestLongLines: up to 8 MiB is a message; more is answered, and that connection alone is closed.
func TestLongLines(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	const limit = 8 << 20
	bystander := connect(t, p, "bystander")

	t.Run("at the limit", func(t *testing.T) {
		c := dialRaw(t, p.socket).hello()
		line := `{"jsonrpc":"2.0","id":5,"method":"daemon.status","params":{"ignored":"%s"}}`
		c.line(fmt.Sprintf(line, strings.Repeat("x", limit-len(line)+len("%s")-1)))
		decode(t, c.reply("5"), nil)
	})
	for name, size := range map[string]int{"just over": limit + 1, "far over, never ending": 64 << 20} {
		t.Run(name, func(t *testing.T) {
			c := dialRaw(t, p.socket).hello()
			_ = c.flood(size) // the other end may hang up
			_ = c.write("\n") // at any moment
			m := c.find("the refusal", func(m message) bool { return m.Error != nil })
			if m.Error.Code != -32600 || m.Error.Message != "message too large (limit 8 MiB)" || m.Error.Data.Kind != "too_large" {
				t.Errorf("refusal: %+v", *m.Error)
			}
			c.gone()
		})
	}
	bystander.must("daemon.status", `{}`, nil)
}

func TestInitializeComesFirst(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	for name, row := range map[string]struct{ method, params, kind string }{
		"another method first":     {"daemon.status", `{}`, ""},
		"a newer protocol":         {"initialize", `{"protocol":2,"client":{"name":"probe","version":"0"}}`, "unsupported_version"},
		"a protocol of no version": {"initialize", `{"client":{"name":"probe","version":"0"}}`, "unsupported_version"},
	} {
		t.Run(name, func(t *testing.T) {
			m := dialRaw(t, p.socket).call(row.method, row.params)
			if m.Error == nil || m.Error.Message == "" {
				t.Fatalf("accepted: %s", m.Result)
			}
			if row.kind != "" && m.Error.Data.Kind != row.kind {
				t.Errorf("kind %q, want %q", m.Error.Data.Kind, row.kind)
			}
		})
	}
}

// TestWrongTypes: arguments of the wrong JSON type name their path and store nothing; missing ones are the tool's own
// validation's matter.
func TestWrongTypes(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	c := connect(t, p, "s1")
	question := `{"questions":[{"id":"a","prompt":"p","options":[{"value":"v","label":"l"%s}]%s}]%s}`
	for _, row := range []struct{ arguments, path string }{
		{`[]`, ""},
		{`"text"`, ""},
		{`{"questions":"x"}`, "questions"},
		{`{"questions":[5]}`, "questions[0]"},
		{`{"questions":[{"id":5,"prompt":"p","options":[]}]}`, "questions[0].id"},
		{fmt.Sprintf(question, "", `,"context":{}`, ""), "questions[0].context"},
		{fmt.Sprintf(question, `,"recommended":"yes"`, "", ""), "questions[0].options[0].recommended"},
		{fmt.Sprintf(question, "", "", `,"background":1`), "background"},
		{fmt.Sprintf(question, "", "", `,"title":7`), "title"},
	} {
		m := c.call("tool.call", fmt.Sprintf(`{"tool":"ask_user","arguments":%s}`, row.arguments))
		if m.Error == nil {
			t.Errorf("%s was accepted: %s", row.arguments, m.Result)
			continue
		}
		if m.Error.Data.Kind != "invalid_params" || !strings.HasSuffix(m.Error.Data.Path, row.path) {
			t.Errorf("%s: %+v, want invalid_params at %s", row.arguments, *m.Error, row.path)
		}
	}
	var o outcome
	c.must("tool.call", `{"tool":"ask_user","arguments":{"questions":[{"options":[]}]}}`, &o)
	if want := "Invalid ask_user payload:\n- questions[0].id: Question 1: id is required\n- questions[0].prompt: Question 1: prompt is required\n- questions[0].options: Question 1: at least one option is required"; o.text() != want {
		t.Errorf("missing fields: %q", o.text())
	}
	if m := c.call("tool.call", `{"tool":"no_such_tool","arguments":{}}`); m.Error == nil {
		t.Errorf("an unknown tool was called: %s", m.Result)
	}
	if got := c.queue(`{"all":true}`); len(got) != 0 {
		t.Errorf("refused forms were stored: %+v", got)
	}
}

// summary is what the tests read of a RequestSummary.
type summary struct {
	RequestID   string
	FlowID      string
	Session     string
	Host        string
	Background  bool
	Status      string
	Position    int
	QuestionIDs []string
	Labels      []string
	AskerOnline bool
}

func (c *raw) queue(params string) []summary {
	c.t.Helper()
	var result struct{ Requests []summary }
	c.must("queue.list", params, &result)
	return result.Requests
}

// TestQueueOrder: an agent that stands still comes before one that goes on; within each, first come first served.
func TestQueueOrder(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	one, two := connect(t, p, "one"), connect(t, p, "two")
	one.begin(1, background(dbQuestion))
	two.begin(2, dbQuestion)
	two.begin(3, background(dbQuestion))
	one.begin(4, dbQuestion)
	one.begin(5, background(dbQuestion))

	var got []string
	for i, r := range one.queue(`{}`) {
		got = append(got, r.RequestID)
		if r.Position != i+1 || r.FlowID == "" || r.Status != "waiting" || !r.AskerOnline {
			t.Errorf("entry %d: %+v", i+1, r)
		}
		if diff := cmp.Diff([]string{"Q1"}, r.Labels); diff != "" || len(r.QuestionIDs) != 1 || r.QuestionIDs[0] != "db" {
			t.Errorf("entry %d: %+v", i+1, r)
		}
	}
	want := []string{requestID(2), requestID(4), requestID(1), requestID(3), requestID(5)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if own := two.queue(`{"session":"two"}`); len(own) != 2 || own[0].RequestID != requestID(2) || own[1].RequestID != requestID(3) {
		t.Errorf("queue of one session: %+v", own)
	}
}

// TestQueueWatch: the first snapshot comes with the subscription, then every change.
func TestQueueWatch(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	asker, watcher := connect(t, p, "asker"), dialRaw(t, p.socket).hello()
	asker.begin(1, dbQuestion)
	var first struct{ Requests []summary }
	watcher.must("queue.watch", `{}`, &first)
	if len(first.Requests) != 1 {
		t.Fatalf("first snapshot: %+v", first)
	}
	asker.begin(2, dbQuestion)
	watcher.find("a queue of two", func(m message) bool {
		var now struct{ Requests []summary }
		return m.Method == "queue.changed" && json.Unmarshal(m.Params, &now) == nil && len(now.Requests) == 2
	})
}

// TestParallelAsks: each of several open calls gets its own answer, in whatever order they are answered.
func TestParallelAsks(t *testing.T) {
	p := newPlace(t)
	serve(t, p)
	one, two := connect(t, p, "one"), connect(t, p, "two")
	calls := map[int]string{1: one.begin(1, dbQuestion), 3: one.begin(3, dbQuestion)}
	other := two.begin(2, dbQuestion)
	answer := map[int]string{1: "pg", 2: "lite", 3: "lite"}
	label := map[string]string{"pg": "Postgres", "lite": "SQLite"}
	for _, n := range []int{3, 2, 1} {
		if r := one.respond(n, fmt.Sprintf(`{"kind":"answer","answers":{"db":{"values":[%q]}}}`, answer[n])); !r.OK {
			t.Errorf("answer %d: %+v", n, r)
		}
	}
	got := map[int]outcome{1: one.ended(calls[1]), 2: two.ended(other), 3: one.ended(calls[3])}
	for n, o := range got {
		if want := "ask_user [" + requestID(n) + "]\nQ1: " + label[answer[n]]; o.text() != want {
			t.Errorf("call %d got %q, want %q", n, o.text(), want)
		}
	}
}
