package wire_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"askd/broker"
	"askd/broker/wire"
	"askd/journal"
)

const patience = 20 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is a journal, a broker and a server on a real socket.
type house struct {
	tb     testing.TB
	broker *broker.Broker
	server *wire.Server
	socket string
	end    func() // stops the server alone; once
}

// newHouse starts everything and stops it when the test ends, in the daemon's order.
func newHouse(tb testing.TB, o wire.Options) *house {
	tb.Helper()
	dir, err := os.MkdirTemp("", "wire") // a test's own folder can be too long for a socket
	must(tb, err)
	j, err := journal.Open(journal.Options{Path: filepath.Join(dir, "askd.db")})
	must(tb, err)
	b, err := broker.New(broker.Options{Store: j})
	must(tb, err)
	o.Broker = b
	o.Info = wire.ServerInfo{Name: "askd", Version: "0", PID: os.Getpid()}
	o.Status = func() wire.Status {
		return wire.Status{Version: "0", PID: os.Getpid(), Socket: filepath.Join(dir, "s")}
	}
	h := &house{tb: tb, broker: b, server: wire.NewServer(o), socket: filepath.Join(dir, "s")}
	l, err := net.Listen("unix", h.socket)
	must(tb, err)
	brokerCtx, stopBroker := context.WithCancel(context.Background())
	serverCtx, stopServer := context.WithCancel(context.Background())
	brokerDone, serverDone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(brokerDone)
		b.Run(brokerCtx)
	}()
	go func() {
		defer close(serverDone)
		if err := h.server.Serve(serverCtx, l); err != nil {
			tb.Error(err)
		}
	}()
	h.end = func() {
		stopServer()
		select {
		case <-serverDone:
		case <-time.After(patience):
			tb.Error("the server does not end")
		}
	}
	tb.Cleanup(func() {
		stopBroker()
		<-brokerDone
		h.end()
		must(tb, j.Close())
		must(tb, os.RemoveAll(dir))
	})
	return h
}

// message is any line of the protocol.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *wire.Error     `json:"error"`
}

func (m message) String() string {
	if m.Error != nil {
		return fmt.Sprintf("id %s error %+v", m.ID, *m.Error)
	}
	return fmt.Sprintf("id %s method %s %.80s%.80s", m.ID, m.Method, m.Params, m.Result)
}

// raw is a client that knows nothing but lines.
type raw struct {
	tb   testing.TB
	conn net.Conn
	in   *bufio.Reader
	next int
}

func (h *house) dial() *raw {
	h.tb.Helper()
	conn, err := net.Dial("unix", h.socket)
	must(h.tb, err)
	return newRaw(h.tb, conn)
}

// pipe is a connection without a socket.
func (h *house) pipe() *raw {
	client, server := net.Pipe()
	h.server.Handle(server)
	return newRaw(h.tb, client)
}

func newRaw(tb testing.TB, conn net.Conn) *raw {
	tb.Cleanup(func() { conn.Close() })
	must(tb, conn.SetDeadline(time.Now().Add(patience)))
	return &raw{tb: tb, conn: conn, in: bufio.NewReader(conn)}
}

func (c *raw) write(text string) error {
	_, err := io.WriteString(c.conn, text)
	return err
}

func (c *raw) line(text string) {
	c.tb.Helper()
	must(c.tb, c.write(text+"\n"))
}

// read gives the next message; io.EOF when the other end has hung up.
func (c *raw) read() (message, error) {
	var m message
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
		c.tb.Errorf("not a message: %.200s", line)
	}
	return m, nil
}

func (c *raw) must() message {
	c.tb.Helper()
	m, err := c.read()
	if err != nil {
		c.tb.Fatalf("read: %v", err)
	}
	return m
}

// reply skips notifications until the reply to id.
func (c *raw) reply(id string) message {
	c.tb.Helper()
	for {
		if m := c.must(); m.Method == "" && string(m.ID) == id {
			return m
		}
	}
}

// notice skips everything until a notification.
func (c *raw) notice(method string) message {
	c.tb.Helper()
	for {
		if m := c.must(); m.Method == method {
			return m
		}
	}
}

func (c *raw) start(method, params string) string {
	c.tb.Helper()
	c.next++
	id := fmt.Sprint(c.next)
	c.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

func (c *raw) call(method, params string) message {
	c.tb.Helper()
	return c.reply(c.start(method, params))
}

func (c *raw) ok(method, params string) json.RawMessage {
	c.tb.Helper()
	m := c.call(method, params)
	if m.Error != nil {
		c.tb.Fatalf("%s: %+v", method, *m.Error)
	}
	return m.Result
}

// hungUp reads to the end of the connection.
func (c *raw) hungUp() {
	c.tb.Helper()
	for {
		if _, err := c.read(); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				c.tb.Error("the connection is still open")
			}
			return
		}
	}
}

const hello = `{"protocol":1,"client":{"name":"probe","version":"0"}}`

func (c *raw) hello() *raw {
	c.tb.Helper()
	c.ok("initialize", hello)
	return c
}

func (c *raw) open(session string) *raw {
	c.tb.Helper()
	c.ok("session.open", fmt.Sprintf(`{"id":%q,"ui":"cli","branch":null}`, session))
	return c
}

const dbForm = `{"questions":[{"id":"db","prompt":"Which database?","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]}]}`

// ask calls ask_user as t<n> and waits until it is accepted; it gives the id of the open call.
func (c *raw) ask(n int) string {
	c.tb.Helper()
	id := c.start("tool.call", askParams(n))
	c.notice("ask.accepted")
	return id
}

func askParams(n int) string {
	return fmt.Sprintf(`{"tool":"ask_user","toolCallId":"t%d","requestId":"8f14e45f-ceea-467f-a8d3-%012d","arguments":%s}`, n, n, dbForm)
}

func choose(n int) string {
	return fmt.Sprintf(`{"flowId":"tool:t%d","response":{"kind":"answer","answers":{"db":{"values":["pg"]}}}}`, n)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// padded is a valid request of exactly n bytes.
func padded(id, n int) string {
	head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tool.list","params":{"pad":"`, id)
	tail := `"}}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}
