package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"

	"askd/broker/wire"
)

// relay stands between ssh and askd: on each connection it says which machine the rest comes from, so that nothing there can
// pass for a program of this machine. It owns its listener.
type relay struct {
	net.Listener
	socket string // askd's
	origin []byte // the line that goes before what the client says
	spawn  func(string, func())
}

// newRelay listens at path, in a folder that is this user's alone.
func newRelay(path, socket, host string, a *app) (*relay, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen for ssh: %w; set TMPDIR to a folder with a short path", err)
	}
	r := &relay{Listener: l, socket: socket, origin: wire.OriginLine(host), spawn: a.spawn}
	a.spawn("relay", r.serve)
	return r, nil
}

// serve takes connections until the listener is closed.
func (r *relay) serve() {
	for {
		near, err := r.Accept()
		if err != nil {
			return
		}
		r.spawn("relayed", func() { r.carry(near) })
	}
}

// carry connects one client with askd. Without askd it hangs up, and the client tries again as it would here.
func (r *relay) carry(near net.Conn) {
	defer near.Close()
	far, err := (&net.Dialer{}).DialContext(context.Background(), "unix", r.socket)
	if err != nil {
		return
	}
	defer far.Close()
	if _, err := far.Write(r.origin); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Add(1)
	r.spawn("relayed back", func() {
		defer both.Done()
		pour(near, far)
	})
	pour(far, near)
	both.Wait()
}

// pour copies until one side ends, and passes that on: a client may close its sending half and still read.
func pour(to, from net.Conn) {
	_, err := io.Copy(to, from)
	half, ok := to.(*net.UnixConn)
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = to.Close()
		_ = from.Close()
	}
}
