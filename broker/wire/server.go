package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// Options is what a Server is made of. Broker is required.
type Options struct {
	Broker *broker.Broker
	Info   ServerInfo
	Status func() Status // the daemon's part of daemon.status; any goroutine
	// Settings reads and writes the settings file; nil means that this daemon has none.
	Settings Settings
	// Upkeep looks after the data file; nil means that there is none.
	Upkeep Upkeep
	// OpenPane shows a view of the pane: settings, queue, history or form; false without a pane. nil means no pane.
	OpenPane func(view string, form ask.Key) bool
	// FocusPane moves the terminal multiplexer's focus to the pane, for a person who is at a terminal, nil when that is not
	// known; false when it cannot. It may block. nil means that there is no way.
	FocusPane func(from *broker.Terminal) bool
	// Attach shows a pane on a terminal that a client carries and returns when it has ended, on a goroutine of its own. nil
	// means that this daemon shows none.
	Attach func(*Terminal) (AttachEnd, error)
	Admit  func(net.Conn) error // looks at the peer before a byte is read; nil admits all
	// Other words the user at the other end of a connection that was admitted, empty for this process's own; nil means that
	// there is no other.
	Other  func(net.Conn) string
	Go     func(name string, f func()) // nil means a plain goroutine
	Log    *slog.Logger                // nil means none
	Bounds Bounds
}

// Server serves the protocol to every connection of a listener.
type Server struct {
	o       Options
	stopped chan struct{}
	late    context.Context // ends when clients have had their time to read what is left
	cutOff  context.CancelFunc
	wg      sync.WaitGroup
	slots   chan struct{}
	memory  *budget
	refused grumble
	census  census
}

// NewServer makes a server.
func NewServer(o Options) *Server {
	if o.Go == nil {
		o.Go = func(_ string, f func()) { go f() }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Bounds = o.Bounds.withDefaults()
	s := &Server{o: o, stopped: make(chan struct{}), slots: make(chan struct{}, o.Bounds.Connections), memory: newBudget(o.Bounds.Buffered)}
	s.late, s.cutOff = context.WithCancel(context.Background())
	return s
}

// Serve accepts connections until ctx ends, then closes the listener and every connection once what was queued for it is
// written. It blocks; when it returns, nobody can connect any more. A failing accept that is not the end is logged and tried again.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = l.Close()
	})
	defer func() {
		if !stop() {
			<-closed // Accept returns before the socket is closed; whoever dials it next must not reach it
		}
	}()
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

// admit serves a connection that may talk to this server, and tells the others why not.
func (s *Server) admit(nc net.Conn) {
	if s.o.Admit != nil {
		if err := s.o.Admit(nc); err != nil {
			s.refuse(nc, &broker.Error{Kind: broker.Unavailable, Message: "connection refused: " + err.Error()})
			return
		}
	}
	select {
	case s.slots <- struct{}{}:
		s.handle(nc, func() { <-s.slots })
	default:
		s.refuse(nc, &broker.Error{
			Kind: broker.Unavailable, Message: fmt.Sprintf("connection refused: %d are open already", s.o.Bounds.Connections),
			Hint: "close clients that are not needed",
		})
	}
}

// refuseTime is for a line into an empty socket, which takes it at once.
const refuseTime = 50 * time.Millisecond

func (s *Server) refuse(nc net.Conn, e *broker.Error) {
	s.refused.warn(s.o.Log, time.Now(), e.Message)
	if line, err := json.Marshal(failed(nil, errorOf(e))); err == nil {
		_ = nc.SetWriteDeadline(time.Now().Add(refuseTime))
		_, _ = nc.Write(append(line, '\n'))
	}
	_ = nc.Close()
}

// Handle serves one connection on goroutines of its own, beside those that Serve accepts.
func (s *Server) Handle(nc net.Conn) { s.handle(nc, func() {}) }

// handle serves a connection; release is called once nothing of it is left.
func (s *Server) handle(nc net.Conn, release func()) {
	c := &Conn{server: s, nc: nc}
	if s.o.Other != nil {
		c.origin.Other = s.o.Other(nc)
	}
	c.out = newOutbox(nc, s.o.Bounds, s.memory, c.encode)
	c.out.slow = func() { s.census.slow(s.o.Log, c) }
	s.census.connected.Add(1)
	keep := context.AfterFunc(s.late, c.out.cut)
	s.wg.Add(2)
	s.o.Go("connection writer", func() {
		defer s.wg.Done()
		defer release()
		defer s.census.connected.Add(-1)
		defer keep()
		c.out.write(s.stopped)
	})
	s.o.Go("connection reader", func() {
		defer s.wg.Done()
		c.serve()
	})
}

// end closes every connection once its client has read what is queued for it, and waits for their goroutines. Clients that
// do not read in time are cut off.
func (s *Server) end() {
	close(s.stopped)
	late := time.AfterFunc(s.o.Bounds.Drain, s.cutOff)
	s.wg.Wait()
	late.Stop()
	s.cutOff()
}
