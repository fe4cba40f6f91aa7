// Package client is the Go client of askd's socket: askctl, the demo and tests speak through it.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"askd/broker/wire"
	"askd/config"
)

// ErrNotRunning: nothing listens on the socket. Its message says what to do.
var ErrNotRunning = errors.New("askd is not running: start it with `askd` in another terminal pane")

// ErrConnection: the connection ended before the reply came.
var ErrConnection = errors.New("the connection to askd ended")

// Client says how to reach a daemon. The zero value dials the default socket.
type Client struct {
	Socket  string // path; empty means ASKD_SOCKET or the default
	Name    string // told to askd and recorded with answers; empty means "client"
	Version string
	// Dial replaces the way of connecting; nil dials Socket.
	Dial func(ctx context.Context) (net.Conn, error)
	// OnNotify gets every notification, in order, on the connection's reader; it must not call Conn.Call. nil drops them.
	OnNotify func(method string, params json.RawMessage)
}

// Connect dials and says hello. It blocks until askd has answered or ctx ends.
func (c *Client) Connect(ctx context.Context) (*Conn, error) {
	nc, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := &Conn{nc: nc, calls: map[int64]chan<- wire.Incoming{}, notify: c.OnNotify, done: make(chan struct{})}
	go conn.read()
	name := c.Name
	if name == "" {
		name = "client"
	}
	hello := wire.InitializeParams{Protocol: wire.Protocol, Client: wire.ClientInfo{Name: name, Version: c.Version}}
	if err := conn.Call(ctx, "initialize", hello, &conn.hello); err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("askd does not answer on its socket: stop it and start it again: %w", err)
		}
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return conn, nil
}

func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	if c.Dial != nil {
		return c.Dial(ctx)
	}
	path, err := config.SocketPath(c.Socket, os.Getenv, os.Getuid())
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w (socket %s)", ErrNotRunning, path)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to askd: %w", err)
	}
	return nc, nil
}

// Conn is one connection. Its methods may be called from any goroutine.
type Conn struct {
	nc     net.Conn
	hello  wire.Initialized
	notify func(string, json.RawMessage)

	write sync.Mutex // one message at a time

	mu    sync.Mutex
	next  int64
	calls map[int64]chan<- wire.Incoming
	ended bool
	done  chan struct{}
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
	id, reply, err := c.register()
	if err != nil {
		return err
	}
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		c.forget(id)
		return err
	}
	select {
	case <-ctx.Done():
		c.forget(id)
		return ctx.Err()
	case m, ok := <-reply:
		return decode(m, ok, result)
	}
}

func decode(m wire.Incoming, ok bool, result any) error {
	switch {
	case !ok:
		return ErrConnection
	case m.Error != nil:
		return m.Error
	case result == nil:
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

func (c *Conn) register() (int64, <-chan wire.Incoming, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return 0, nil, ErrConnection
	}
	c.next++
	reply := make(chan wire.Incoming, 1)
	c.calls[c.next] = reply
	return c.next, reply, nil
}

func (c *Conn) forget(id int64) {
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}

func (c *Conn) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	c.write.Lock()
	defer c.write.Unlock()
	if _, err := c.nc.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%w: %w", ErrConnection, err)
	}
	return nil
}

// read hands replies to their calls and notifications to OnNotify until the connection ends.
func (c *Conn) read() {
	defer c.end()
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
		c.take(m)
	}
}

func (c *Conn) take(m wire.Incoming) {
	if m.Method != "" {
		if c.notify != nil {
			c.notify(m.Method, m.Params)
		}
		return
	}
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	reply := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if reply != nil {
		reply <- m
	}
}

func (c *Conn) end() {
	_ = c.nc.Close()
	c.mu.Lock()
	c.ended = true
	for id, reply := range c.calls {
		close(reply)
		delete(c.calls, id)
	}
	c.mu.Unlock()
	close(c.done)
}
