package daemon

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"askd/broker"
	"askd/broker/ask"
	"askd/ui"
)

// Steps hears of the named steps of a question's way through askd, each at the moment when it has been taken and, with
// "before-" in front, when everything for it is ready:
//
//	received, validated, request-committed, accepted-sent, shown, draft-committed, submitted, outcome-committed,
//	outcome-sent, ack-received, ack-committed
//
// What is sent has a third moment, "half-", when half of the line is out. It may be called from many goroutines at once
// and must not call back. Nil hears nothing and costs nothing. For crash tests.
type Steps func(step string)

// HaltAt makes Steps that end the process as a crash would, without a word to anybody. spec is the name of a step and, after
// a number sign, the how manieth time it is taken; "" gives nil.
func HaltAt(spec string) Steps {
	name, turn, _ := strings.Cut(spec, "#")
	if name == "" {
		return nil
	}
	n, err := strconv.ParseInt(turn, 10, 64)
	if err != nil {
		n = 1
	}
	var left atomic.Int64
	left.Store(n)
	return func(step string) {
		if step == name && left.Add(-1) == 0 {
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// store is the journal with the steps at which something is on its way into it; those of its transactions are its own.
func (at Steps) store(s broker.Store) broker.Store {
	if at == nil {
		return s
	}
	return stepStore{s, at}
}

type stepStore struct {
	broker.Store
	at Steps
}

// AppendRequest implements broker.Store.
func (s stepStore) AppendRequest(r *ask.Request, done func(error)) {
	s.at("validated")
	s.Store.AppendRequest(r, done)
}

// AppendOutcome implements broker.Store.
func (s stepStore) AppendOutcome(o *ask.Outcome, done func(error)) {
	s.at("submitted")
	s.Store.AppendOutcome(o, done)
}

// desk is the desk as a pane sees it from its seat.
func (at Steps) desk(s *broker.Seat) ui.Desk {
	if at == nil {
		return s
	}
	return stepDesk{s, at}
}

type stepDesk struct {
	*broker.Seat
	at Steps
}

// Shown implements ui.Desk.
func (d stepDesk) Shown(k ask.Key) {
	d.at("before-shown")
	d.Seat.Shown(k)
	d.at("shown")
}

// listener is l with the steps that lie on its connections.
func (at Steps) listener(l net.Listener) net.Listener {
	if at == nil {
		return l
	}
	return stepListener{l, at}
}

type stepListener struct {
	net.Listener
	at Steps
}

// Accept implements net.Listener.
func (l stepListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return stepConn{nc, l.at}, nil
}

// stepConn looks at the bytes that go over a connection. That a line may come in parts makes a step rarer, no other.
type stepConn struct {
	net.Conn
	at Steps
}

// SyscallConn implements syscall.Conn: the kernel says who calls.
func (c stepConn) SyscallConn() (syscall.RawConn, error) {
	return c.Conn.(syscall.Conn).SyscallConn()
}

// readSteps are the steps that a line from a client is.
var readSteps = []struct{ mark, step string }{
	{`"tool.call"`, "received"}, {`"delivery.ack"`, "ack-received"},
}

// Read implements net.Conn.
func (c stepConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for _, s := range readSteps {
		if bytes.Contains(b[:n], []byte(s.mark)) {
			c.at(s.step)
		}
	}
	return n, err
}

// Write implements net.Conn.
func (c stepConn) Write(b []byte) (int, error) {
	step := sending(b)
	if step == "" {
		return c.Conn.Write(b)
	}
	c.at("before-" + step)
	n, err := c.Conn.Write(b[:len(b)/2])
	if err != nil {
		return n, err
	}
	c.at("half-" + step)
	rest, err := c.Conn.Write(b[n:])
	if err == nil {
		c.at(step)
	}
	return n + rest, err
}

// sending is the step that sending b is, "" for none.
func sending(b []byte) string {
	switch {
	case bytes.Contains(b, []byte(`"method":"ask.accepted"`)):
		return "accepted-sent"
	case bytes.Contains(b, []byte(`"outcomeId":`)) && bytes.Contains(b, []byte(`"transcript":`)):
		return "outcome-sent"
	}
	return ""
}
