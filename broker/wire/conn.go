package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync/atomic"

	"askd/broker"
	"askd/config"
)

// Conn is one client's connection. It implements broker.Peer.
type Conn struct {
	server *Server
	nc     net.Conn
	client *broker.Client // set by initialize, on the reader's goroutine
	out    *outbox
	open   atomic.Int64 // requests not yet answered
}

// Notify queues a notification; it never blocks.
func (c *Conn) Notify(method string, params any) {
	c.send(notification{Version: "2.0", Method: method, Params: params})
}

func (c *Conn) send(message any) {
	line, err := json.Marshal(message)
	if err != nil {
		c.server.o.Log.Error("encode message", "err", err)
		return
	}
	if len(line) > config.MaxLineOut {
		c.server.o.Log.Error("message over the outgoing limit", "bytes", len(line))
		c.out.cut()
		return
	}
	c.out.put(append(line, '\n'))
}

// serve reads until the connection ends.
func (c *Conn) serve() {
	err := c.read()
	if errors.Is(err, io.EOF) && c.open.Load() > 0 {
		// The client may have closed its sending half only: it still gets what it waits for.
		waitHangup(c.nc, func() bool { return c.open.Load() == 0 }, c.server.stopped)
	}
	if c.client != nil {
		c.client.Disconnect()
	}
	c.out.finish()
}

func (c *Conn) read() error {
	r := newLineReader(c.nc, config.MaxLineIn)
	for {
		line, err := r.next()
		if errors.Is(err, errTooLong) {
			c.fail(nil, &Error{Code: codeInvalidRequest, Message: "message too large (limit 8 MiB)", Data: &ErrorData{Kind: broker.TooLarge, Hint: "send less context or smaller images"}})
			return err
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			c.handle(line)
		}
	}
}

func (c *Conn) handle(line []byte) {
	if bytes.TrimLeft(line, " \t\r")[0] == '[' {
		c.fail(nil, &Error{Code: codeInvalidRequest, Message: "batches are not supported: send one message a line"})
		return
	}
	var m Incoming
	if err := json.Unmarshal(line, &m); err != nil {
		c.fail(nil, &Error{Code: codeParse, Message: "not a JSON-RPC message: " + err.Error()})
		return
	}
	if m.Version != "2.0" || m.Method == "" || !validID(m.ID) {
		c.fail(nil, &Error{Code: codeInvalidRequest, Message: `not a JSON-RPC 2.0 request: it needs "jsonrpc":"2.0", a method and a string or number id`})
		return
	}
	c.dispatch(m)
}

// validID accepts what JSON-RPC allows as an id; absent is a notification.
func validID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

func (c *Conn) dispatch(m Incoming) {
	reply := c.reply(m.ID)
	if m.Method == "initialize" {
		c.initialize(m.Params, reply)
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

// reply makes the function that answers one request, once. A notification is answered with nothing.
func (c *Conn) reply(id json.RawMessage) broker.Reply {
	if len(id) == 0 {
		return func(any, error) {}
	}
	id = bytes.Clone(id)
	c.open.Add(1)
	return func(result any, err error) {
		if err != nil {
			c.fail(id, errorOf(err))
		} else {
			c.send(response{Version: "2.0", ID: id, Result: result})
		}
		c.open.Add(-1)
	}
}

func (c *Conn) fail(id json.RawMessage, e *Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	c.send(failure{Version: "2.0", ID: id, Error: e})
}
