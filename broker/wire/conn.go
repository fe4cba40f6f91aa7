package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"unicode/utf8"

	"askd/broker"
	"askd/broker/ask"
)

// Conn is one client's connection. It implements broker.Peer.
type Conn struct {
	server *Server
	nc     net.Conn
	client *broker.Client // set by initialize, on the reader's goroutine
	origin broker.Origin  // of the client; the reader's own
	out    *outbox
	open   atomic.Int64 // requests not yet answered
	// terminal is what pane.attach carries, nil for none.
	terminal atomic.Pointer[Terminal]
}

// Notify queues a notification; it never blocks.
func (c *Conn) Notify(method string, params any) {
	n := notification{Version: "2.0", Method: method, Params: params}
	if method == "queue.changed" {
		c.out.refresh(n)
	} else if line, err := c.encode(n); err == nil {
		c.out.put(line)
	} else {
		c.out.cut()
	}
}

// encode makes a line of a message.
func (c *Conn) encode(message any) ([]byte, error) {
	line, err := marshal(message)
	if err == nil && len(line) > c.server.o.Bounds.LineOut {
		err = fmt.Errorf("%w: %d bytes", errTooLong, len(line))
	}
	if err != nil {
		c.server.o.Log.Error("encode message", "err", err)
		return nil, err
	}
	return append(line, '\n'), nil
}

// serve reads until the connection ends.
func (c *Conn) serve() {
	err := c.read()
	if errors.Is(err, io.EOF) && c.open.Load() > 0 {
		// The client may have closed its sending half only: it still gets what it waits for.
		waitHangup(c.nc, func() bool { return c.open.Load() == 0 }, c.server.stopped)
	}
	if t := c.terminal.Load(); t != nil {
		t.HangUp()
	}
	if c.client != nil {
		c.client.Disconnect()
	}
	c.out.finish()
}

func (c *Conn) read() error {
	limit := c.server.o.Bounds.LineIn
	r := newLineReader(c.nc, limit, c.server.memory)
	for {
		line, err := r.next()
		if errors.Is(err, errTooLong) {
			c.fail(nil, &Error{
				Code: codeInvalidRequest, Message: "message too large (limit " + size(limit) + ")",
				Data: &ErrorData{Kind: broker.TooLarge, Hint: "send less context or smaller images"},
			})
			return err
		}
		if errors.Is(err, errNoMemory) {
			c.fail(nil, c.server.memory.spent())
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			c.handle(line)
			c.out.room()
		}
	}
}

func (c *Conn) handle(line []byte) {
	if bytes.TrimLeft(line, " \t\r")[0] == '[' {
		c.fail(nil, &Error{Code: codeInvalidRequest, Message: "batches are not supported: send one message a line"})
		return
	}
	m, fault := decodeLine(line)
	if fault != nil {
		c.fail(m.ID, fault)
		return
	}
	c.dispatch(m)
}

// decodeLine reads one message. With a fault, the id is what the reply goes to, if it could be made out.
// The message may be a part of the line.
func decodeLine(line []byte) (m Incoming, fault *Error) {
	if m, ok := quickLine(line); ok {
		return m, nil
	}
	err := ask.UnmarshalExactly(line, &m)
	switch {
	case !utf8.Valid(line):
		fault = &Error{Code: codeParse, Message: "not a JSON-RPC message: the line is not UTF-8"}
	case err != nil && !json.Valid(line):
		fault = &Error{Code: codeParse, Message: "not a JSON-RPC message: " + err.Error()}
	case err != nil || m.Version != "2.0" || m.Method == "" || !validID(m.ID):
		fault = &Error{Code: codeInvalidRequest, Message: `not a JSON-RPC 2.0 request: it needs "jsonrpc":"2.0", a method and a string or number id`}
	}
	if fault != nil && (fault.Code == codeParse || !validID(m.ID)) {
		m.ID = nil
	}
	return m, fault
}

// validID accepts what JSON-RPC allows as an id; absent is a notification.
func validID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

func (c *Conn) dispatch(m Incoming) {
	reply, over := c.reply(m.ID)
	defer over()
	if m.Method == "initialize" {
		c.initialize(m.Params, reply)
		return
	}
	if m.Method == "connection.origin" {
		reply(struct{}{}, c.comesFrom(m.Params))
		return
	}
	if c.client == nil {
		reply(nil, &Error{Code: codeInvalidRequest, Message: "the first request must be initialize", Data: &ErrorData{Kind: broker.InvalidParams, Hint: "send initialize with protocol 1"}})
		return
	}
	f, ok := methods[m.Method]
	if !ok {
		reply(nil, &Error{Code: codeUnknownMethod, Message: "unknown method " + m.Method})
		return
	}
	f(c, m.Params, reply)
}

// reply makes the function that answers one request, once. A notification is answered with nothing. What is answered before
// over is called, while the request is still looked at, need not wait for the writer's turn.
func (c *Conn) reply(id json.RawMessage) (reply broker.Reply, over func()) {
	if len(id) == 0 {
		return func(any, error) {}, func() {}
	}
	id = bytes.Clone(id)
	c.open.Add(1)
	var later atomic.Bool
	return func(result any, err error) {
		defer c.open.Add(-1)
		line := c.answer(id, result, err)
		if line != nil && (later.Load() || !c.out.now(line)) {
			c.out.put(line)
		}
	}, func() { later.Store(true) }
}

// answer is the line that answers a request, nil when there is none that can be sent.
func (c *Conn) answer(id json.RawMessage, result any, err error) []byte {
	if err == nil {
		var line []byte
		if line, err = c.encode(response{Version: "2.0", ID: id, Result: result}); err == nil {
			return line
		}
		err = &Error{Code: codeInvalidRequest, Message: "the reply could not be sent: " + err.Error(), Data: &ErrorData{Kind: broker.TooLarge, Hint: "ask for less"}}
	}
	line, _ := c.encode(failed(id, errorOf(err)))
	return line
}

func (c *Conn) fail(id json.RawMessage, e *Error) {
	if line, err := c.encode(failed(id, e)); err == nil {
		c.out.put(line)
	}
}

// failed is the reply that carries an error; nil is the id of a request that could not be read.
func failed(id json.RawMessage, e *Error) failure {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	return failure{Version: "2.0", ID: id, Error: e.shown()}
}
