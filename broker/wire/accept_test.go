package wire

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// exhausted is a listener whose process may open no more files.
type exhausted struct {
	tries  atomic.Int64
	closed chan struct{}
}

func (l *exhausted) Accept() (net.Conn, error) {
	select {
	case <-l.closed:
		return nil, net.ErrClosed
	default:
		l.tries.Add(1)
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
}

func (l *exhausted) Close() error   { close(l.closed); return nil }
func (l *exhausted) Addr() net.Addr { return &net.UnixAddr{} }

// TestExhaustedAccept: accepting rests between its failures, goes on trying, and ends when it is told to.
func TestExhaustedAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &exhausted{closed: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- NewServer(Options{}).Serve(ctx, l) }()
		const minute = time.Minute
		<-time.After(minute)
		if got, most := l.tries.Load(), int64(minute/acceptPause)+1; got > most || got < most-1 {
			t.Errorf("%d tries in a minute, want %d", got, most)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
