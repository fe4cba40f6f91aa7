package wire_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"askd/broker/wire"
)

// slowCloser is a listener whose Accept returns as soon as Close has begun, as that of a real one may.
type slowCloser struct {
	net.Listener
	began, finish chan struct{}
	closed        atomic.Bool
}

func (l *slowCloser) Accept() (net.Conn, error) {
	<-l.began
	return nil, net.ErrClosed
}

func (l *slowCloser) Close() error {
	close(l.began)
	<-l.finish
	l.closed.Store(true)
	return nil
}

// TestServeWaitsForTheListener: when Serve has returned, nobody can connect any more. The daemon then looks whether its
// path is still its own, and a socket that lingers would seem to be somebody else's.
func TestServeWaitsForTheListener(t *testing.T) {
	l := &slowCloser{began: make(chan struct{}), finish: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan bool, 1)
	go func() {
		_ = wire.NewServer(wire.Options{}).Serve(ctx, l)
		returned <- l.closed.Load()
	}()
	cancel()
	<-l.began
	select {
	case <-returned:
		t.Fatal("Serve returned while the listener was being closed")
	default:
	}
	close(l.finish)
	if !<-returned {
		t.Error("Serve returned before the listener was closed")
	}
}
