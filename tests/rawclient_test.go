package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// message is any line of the protocol.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Kind string `json:"kind"`
			Hint string `json:"hint"`
			Path string `json:"path"`
		} `json:"data"`
	} `json:"error"`
}

// String is the message as one reads it in a failure.
func (m message) String() string {
	text := fmt.Sprintf("%s %s%s%s", m.ID, m.Method, m.Params, m.Result)
	if m.Error != nil {
		text += fmt.Sprintf("error %+v", *m.Error)
	}
	return text
}

// raw is a client that knows nothing but lines: what anybody with a socket can do.
type raw struct {
	t     testing.TB
	conn  net.Conn
	lines chan message // closed when the connection ends
	kept  []message    // read while looking for another
	calls int
}

func dialRaw(t testing.TB, socket string) *raw {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	return rawOn(t, conn)
}

// rawOn is a client on a connection that is there.
func rawOn(t testing.TB, conn net.Conn) *raw {
	c := &raw{t: t, conn: conn, lines: make(chan message, 1024)}
	t.Cleanup(func() { conn.Close() })
	go c.read()
	return c
}

func (c *raw) read() {
	defer close(c.lines)
	r := bufio.NewReader(c.conn)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			m.Method = "not JSON: " + string(line)
		}
		c.lines <- m
	}
}

// write sends text as it is. The other end may hang up on us, which is not always a fault.
func (c *raw) write(text string) error {
	_, err := io.WriteString(c.conn, text)
	return err
}

func (c *raw) line(text string) {
	c.t.Helper()
	if err := c.write(text + "\n"); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// start sends a request and gives its id. Params are JSON text.
func (c *raw) start(method, params string) string {
	c.t.Helper()
	c.calls++
	id := fmt.Sprint(c.calls)
	c.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// find gives the first message that fits, kept or new, and keeps the others.
func (c *raw) find(what string, fits func(message) bool) message {
	c.t.Helper()
	for i, m := range c.kept {
		if fits(m) {
			c.kept = append(c.kept[:i:i], c.kept[i+1:]...)
			return m
		}
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		select {
		case m, open := <-c.lines:
			if !open {
				c.t.Fatalf("the connection ended before %s", what)
			}
			if fits(m) {
				return m
			}
			c.kept = append(c.kept, m)
		case <-deadline.C:
			c.t.Fatalf("waited %s for %s; other messages: %v", patience, what, c.kept)
		}
	}
}

func (c *raw) reply(id string) message {
	c.t.Helper()
	return c.find("the reply to "+id, func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

func (c *raw) notice(method string) message {
	c.t.Helper()
	return c.find(method, func(m message) bool { return m.Method == method })
}

// call sends a request and waits for its reply, whatever it is.
func (c *raw) call(method, params string) message {
	c.t.Helper()
	return c.reply(c.start(method, params))
}

// must is call for a request that has to succeed; it decodes the result.
func (c *raw) must(method, params string, result any) {
	c.t.Helper()
	decode(c.t, c.call(method, params), result)
}

func decode(t testing.TB, m message, result any) {
	t.Helper()
	if m.Error != nil {
		t.Fatalf("error reply: %+v", *m.Error)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		t.Fatalf("%v in %s", err, m.Result)
	}
}

// gone waits for the other end to hang up.
func (c *raw) gone() {
	c.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		select {
		case _, open := <-c.lines:
			if !open {
				return
			}
		case <-deadline.C:
			c.t.Fatal("the connection is still open")
		}
	}
}

// hello introduces the client.
func (c *raw) hello() *raw {
	c.t.Helper()
	c.must("initialize", `{"protocol":1,"client":{"name":"probe","version":"0"}}`, nil)
	return c
}

// open opens a session without branches.
func (c *raw) open(session string) *raw {
	c.t.Helper()
	c.must("session.open", fmt.Sprintf(`{"id":%q,"name":%q,"cwd":"/src/app","ui":"cli","reason":"startup","branch":null}`, session, session), nil)
	return c
}

// connect is a client with a session of its own.
func connect(t testing.TB, p place, session string) *raw {
	t.Helper()
	return dialRaw(t, p.socket).hello().open(session)
}

// The form that most tests ask.
const dbQuestion = `{"questions":[{"id":"db","prompt":"Which database?","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]}]}`

// requestID makes a well-formed request id that a reader can tell from the others.
func requestID(n int) string { return fmt.Sprintf("8f14e45f-ceea-467f-a8d3-%012d", n) }

// askParams are the params of tool.call for a form under request id n and tool call id t<n>.
func askParams(n int, arguments string) string {
	return fmt.Sprintf(`{"tool":"ask_user","toolCallId":"t%d","requestId":%q,"arguments":%s}`, n, requestID(n), arguments)
}

// background is a form that its agent does not wait for.
func background(arguments string) string {
	return strings.Replace(arguments, "{", `{"background":true,`, 1)
}

// oneLine takes the line breaks out of JSON text, as the socket wants it.
func oneLine(t testing.TB, text string) string {
	t.Helper()
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(text)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return line.String()
}

// begin asks and waits until the request is on disk; it gives the id of the open call.
func (c *raw) begin(n int, arguments string) string {
	c.t.Helper()
	id := c.start("tool.call", askParams(n, oneLine(c.t, arguments)))
	m := c.find("ask.accepted of "+requestID(n), func(m message) bool {
		return m.Error != nil || m.Method == "ask.accepted" && strings.Contains(string(m.Params), requestID(n))
	})
	if m.Error != nil {
		c.t.Fatalf("the form was not accepted: %v", m)
	}
	return id
}

// responded is the result of form.respond.
type responded struct {
	OK      bool   `json:"ok"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// respond answers form n; response is JSON text.
func (c *raw) respond(n int, response string) responded {
	c.t.Helper()
	var r responded
	c.must("form.respond", fmt.Sprintf(`{"requestId":%q,"response":%s}`, requestID(n), response), &r)
	return r
}

const choosePostgres = `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`

// outcome is what the tests read of a ToolOutcome.
type outcome struct {
	RequestID string `json:"requestId"`
	OutcomeID string `json:"outcomeId"`
	Content   []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Details           json.RawMessage `json:"details"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
	AbortOperation    bool            `json:"abortOperation"`
	Transcript        json.RawMessage `json:"transcript"`
	Provenance        struct {
		Outcome string `json:"outcome"`
		Via     string `json:"via"`
		Client  string `json:"client"`
	} `json:"provenance"`
}

func (o outcome) text() string {
	if len(o.Content) == 0 {
		return ""
	}
	return o.Content[0].Text
}

// ended waits for the reply of an open call.
func (c *raw) ended(id string) outcome {
	c.t.Helper()
	var o outcome
	decode(c.t, c.reply(id), &o)
	return o
}

// flood writes n bytes without a line break until all are written or the other end hangs up.
func (c *raw) flood(n int) error {
	chunk := strings.Repeat("x", 1<<20)
	for sent := 0; sent < n; sent += len(chunk) {
		if err := c.write(chunk); err != nil {
			return fmt.Errorf("the other end hung up after %d MiB: %w", sent>>20, err)
		}
	}
	return nil
}
