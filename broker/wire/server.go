package wire

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// Options is what a Server is made of. Broker is required.
type Options struct {
	Broker *broker.Broker
	Info   ServerInfo
	Status func() Status // the daemon's part of daemon.status; any goroutine
	// Settings reads and writes the settings file; nil means that this daemon has none.
	Settings Settings
	// OpenPane shows a view of the pane: settings, queue, history or form; false without a pane. nil means no pane.
	OpenPane func(view string, form ask.Key) bool
	Admit    func(net.Conn) error        // looks at the peer before a byte is read; nil admits all
	Go       func(name string, f func()) // nil means a plain goroutine
	Log      *slog.Logger                // nil means none
}

// Server serves the protocol to every connection of a listener.
type Server struct {
	o       Options
	stopped chan struct{}
	wg      sync.WaitGroup
	slots   chan struct{}
}

// NewServer makes a server.
func NewServer(o Options) *Server {
	if o.Go == nil {
		o.Go = func(_ string, f func()) { go f() }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{o: o, stopped: make(chan struct{}), slots: make(chan struct{}, config.MaxConnections)}
}

// Serve accepts connections until ctx ends, then closes the listener and every connection once what was queued for it is
// written. It blocks. A failing accept that is not the end is logged and tried again.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	defer s.end()
	for {
		nc, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			if !s.retry(ctx, err) {
				return nil
			}
			continue
		}
		s.admit(nc)
	}
}

func (s *Server) admit(nc net.Conn) {
	select {
	case s.slots <- struct{}{}:
	default:
		s.o.Log.Warn("connection refused: too many are open", "limit", config.MaxConnections)
		_ = nc.Close()
		return
	}
	if s.o.Admit != nil {
		if err := s.o.Admit(nc); err != nil {
			s.o.Log.Warn("connection refused", "err", err)
			_ = nc.Close()
			<-s.slots
			return
		}
	}
	s.Handle(nc)
}

// Handle serves one connection on goroutines of its own; Serve calls it, tests may.
func (s *Server) Handle(nc net.Conn) {
	c := &Conn{server: s, nc: nc, out: newOutbox(nc)}
	s.wg.Add(2)
	s.o.Go("connection writer", func() {
		defer s.wg.Done()
		c.out.write(s.stopped)
	})
	s.o.Go("connection reader", func() {
		defer s.wg.Done()
		defer s.release()
		c.serve()
	})
}

// release gives a connection's place back; those that Handle was called for had none.
func (s *Server) release() {
	select {
	case <-s.slots:
	default:
	}
}

// end closes every connection once what was queued for it is written, and waits for their goroutines.
func (s *Server) end() {
	close(s.stopped)
	s.wg.Wait()
}
