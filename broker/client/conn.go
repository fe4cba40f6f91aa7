package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"askd/broker/wire"
)

// Conn is one connection. Its methods may be called from any goroutine.
type Conn struct {
	nc       net.Conn
	hello    wire.Initialized
	last     atomic.Int64 // id of the newest request
	requests chan request
	lines    chan []byte   // from the owner of the calls to the writer
	done     chan struct{} // closed when the connection has ended
	cause    error         // why it ended; read it after done
}

// request is one call on its way out; without a reply a notification, without a line a call that nobody waits for any more.
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

// open starts a connection: one goroutine reads, one writes, one owns the open calls and waits for neither, so that replies
// are taken while a request is stuck in the socket.
func open(nc net.Conn, notify func(string, json.RawMessage), spawn func(string, func())) *Conn {
	c := &Conn{nc: nc, requests: make(chan request), lines: make(chan []byte), done: make(chan struct{})}
	replies := make(chan wire.Incoming)
	spawn("client reader", func() { c.read(replies, notify) })
	spawn("client writer", c.write)
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
		return c.cause
	}
	select {
	case <-ctx.Done():
		c.post(request{id: id})
		return ctx.Err()
	case a := <-reply:
		return a.decode(result)
	}
}

// Notify sends what is not answered. It does not wait for askd; ErrConnection when the connection has ended.
func (c *Conn) Notify(method string, params any) error {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("encode notification: %w", err)
	}
	if !c.post(request{line: append(line, '\n')}) {
		return c.cause
	}
	return nil
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

// calls are the open calls of a connection and what is not written yet.
type calls struct {
	open    map[int64]chan<- answer
	waiting []request
	cause   error
}

// serve owns the open calls until the reader ends.
func (c *Conn) serve(replies <-chan wire.Incoming) {
	cs := &calls{open: map[int64]chan<- answer{}, cause: ErrConnection}
	defer c.end(cs)
	for {
		lines, line := cs.next(c.lines)
		select {
		case r := <-c.requests:
			cs.take(r)
		case lines <- line:
			cs.waiting = cs.waiting[1:]
		case m, ok := <-replies:
			if !ok {
				return
			}
			cs.settle(m)
		}
	}
}

// next is the line to be written and where it goes; a nil channel when there is none.
func (cs *calls) next(lines chan<- []byte) (chan<- []byte, []byte) {
	if len(cs.waiting) == 0 {
		return nil, nil
	}
	return lines, cs.waiting[0].line
}

func (cs *calls) take(r request) {
	if r.line != nil {
		if r.reply != nil {
			cs.open[r.id] = r.reply
		}
		cs.waiting = append(cs.waiting, r)
		return
	}
	delete(cs.open, r.id)
	cs.waiting = slices.DeleteFunc(cs.waiting, func(w request) bool { return w.id == r.id })
}

// settle gives a reply to its call. An error without an id is why askd is about to hang up.
func (cs *calls) settle(m wire.Incoming) {
	var id *int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	if id == nil {
		if m.Error != nil {
			cs.cause = fmt.Errorf("%w: %w", ErrConnection, m.Error)
		}
		return
	}
	if reply, ok := cs.open[*id]; ok {
		reply <- answer{message: m}
		delete(cs.open, *id)
	}
}

func (c *Conn) end(cs *calls) {
	_ = c.nc.Close()
	c.cause = cs.cause
	close(c.done)
	for _, reply := range cs.open {
		reply <- answer{err: cs.cause}
	}
}

// lastWords is how long the reader may still look for the reason after a write has failed.
const lastWords = time.Second

func (c *Conn) write() {
	for {
		select {
		case <-c.done:
			return
		case line := <-c.lines:
			if _, err := c.nc.Write(line); err != nil {
				_ = c.nc.SetReadDeadline(time.Now().Add(lastWords))
				return
			}
		}
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
