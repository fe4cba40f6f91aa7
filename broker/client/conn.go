package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync/atomic"

	"askd/broker/wire"
)

// Conn is one connection. Its methods may be called from any goroutine.
type Conn struct {
	nc       net.Conn
	hello    wire.Initialized
	last     atomic.Int64 // id of the newest request
	requests chan request
	done     chan struct{} // closed when the connection has ended
}

// request is one call on its way out, or, without a line, one that nobody waits for any more.
type request struct {
	id    int64
	line  []byte
	reply chan<- answer
}

// answer is what a call gets: a reply, or why there is none.
type answer struct {
	message wire.Incoming
	err     error
}

// open starts a connection: one goroutine reads, one owns the open calls and writes.
func open(nc net.Conn, notify func(string, json.RawMessage), spawn func(string, func())) *Conn {
	c := &Conn{nc: nc, requests: make(chan request), done: make(chan struct{})}
	replies := make(chan wire.Incoming)
	spawn("client reader", func() { c.read(replies, notify) })
	spawn("client calls", func() { c.serve(replies) })
	return c
}

// Server is what askd said of itself.
func (c *Conn) Server() wire.ServerInfo { return c.hello.Server }

// Hello is askd's whole first answer.
func (c *Conn) Hello() wire.Initialized { return c.hello }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the connection; open calls fail with ErrConnection.
func (c *Conn) Close() error { return c.nc.Close() }

// Call sends a request and waits for its reply, which it decodes into result unless that is nil. A refusal is a
// *wire.Error. When ctx ends first the call is no longer waited for; askd is not told.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	id := c.last.Add(1)
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	reply := make(chan answer, 1)
	if !c.post(request{id, append(line, '\n'), reply}) {
		return ErrConnection
	}
	select {
	case <-ctx.Done():
		c.post(request{id: id})
		return ctx.Err()
	case a := <-reply:
		return a.decode(result)
	}
}

func (c *Conn) post(r request) bool {
	select {
	case c.requests <- r:
		return true
	case <-c.done:
		return false
	}
}

func (a answer) decode(result any) error {
	switch {
	case a.err != nil:
		return a.err
	case a.message.Error != nil:
		return a.message.Error
	case result == nil:
		return nil
	}
	return json.Unmarshal(a.message.Result, result)
}

// serve owns the open calls until the reader ends.
func (c *Conn) serve(replies <-chan wire.Incoming) {
	calls := map[int64]chan<- answer{}
	for {
		select {
		case r := <-c.requests:
			c.send(calls, r)
		case m, ok := <-replies:
			if !ok {
				c.end(calls)
				return
			}
			settle(calls, m)
		}
	}
}

func (c *Conn) send(calls map[int64]chan<- answer, r request) {
	if r.line == nil {
		delete(calls, r.id)
		return
	}
	if _, err := c.nc.Write(r.line); err != nil {
		r.reply <- answer{err: fmt.Errorf("%w: %w", ErrConnection, err)}
		return
	}
	calls[r.id] = r.reply
}

func settle(calls map[int64]chan<- answer, m wire.Incoming) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	if reply, ok := calls[id]; ok {
		reply <- answer{message: m}
		delete(calls, id)
	}
}

func (c *Conn) end(calls map[int64]chan<- answer) {
	_ = c.nc.Close()
	close(c.done)
	for _, reply := range calls {
		reply <- answer{err: ErrConnection}
	}
}

// read hands replies on and notifications to notify until the connection ends.
func (c *Conn) read(replies chan<- wire.Incoming, notify func(string, json.RawMessage)) {
	defer close(replies)
	r := bufio.NewReaderSize(c.nc, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m wire.Incoming
		if json.Unmarshal(line, &m) != nil {
			return
		}
		if m.Method == "" {
			replies <- m
		} else if notify != nil {
			notify(m.Method, m.Params)
		}
	}
}
