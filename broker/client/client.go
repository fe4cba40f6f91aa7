// Package client is the Go client of askd's socket: askctl, the demo and tests speak through it.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
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
	// Go starts the connection's goroutines; nil means plain ones.
	Go func(name string, f func())
}

func (c *Client) spawn() func(string, func()) {
	if c.Go != nil {
		return c.Go
	}
	return func(_ string, f func()) { go f() }
}

// Connect dials and says hello. It blocks until askd has answered or ctx ends.
func (c *Client) Connect(ctx context.Context) (*Conn, error) {
	nc, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := open(nc, c.OnNotify, c.spawn())
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
