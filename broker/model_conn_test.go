package broker_test

import (
	"sync"

	"askd/broker"
)

// line is one connection of a simulated client. What askd says waits in the order it was said until the client takes it,
// replies and notifications alike; what waits when the connection ends is lost.
type line struct {
	m      *model
	client *broker.Client
	mu     sync.Mutex
	inbox  []func()
	dead   bool
}

func (m *model) dial(name string) *line {
	l := &line{m: m}
	l.client = m.lives.broker.Connect(lineEnd{l}, name)
	return l
}

// lineEnd is the peer that askd sees.
type lineEnd struct {
	l *line
}

func (e lineEnd) Notify(method string, params any) {
	e.l.say(func() {
		if e.l.owner() != nil {
			e.l.owner().notified(method, params)
		}
	})
}

// owner is the process that still uses the line.
func (l *line) owner() *process {
	for _, p := range l.m.processes {
		if p.line == l {
			return p
		}
	}
	return nil
}

func (l *line) say(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.dead {
		l.inbox = append(l.inbox, f)
	}
}

// take runs the oldest thing that askd has said; it reports whether there was one.
func (l *line) take() bool {
	l.mu.Lock()
	if len(l.inbox) == 0 {
		l.mu.Unlock()
		return false
	}
	f := l.inbox[0]
	l.inbox = l.inbox[1:]
	l.mu.Unlock()
	f()
	return true
}

func (l *line) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.inbox)
}

// cut ends the connection for both sides.
func (l *line) cut() {
	l.mu.Lock()
	l.dead, l.inbox = true, nil
	l.mu.Unlock()
	l.client.Disconnect()
}

// replied makes a Reply that comes to the client in its turn. It must be called exactly once, whatever becomes of the line.
func (l *line) replied(what string, f func(value any, err error)) broker.Reply {
	r := l.m.promise(what)
	return func(value any, err error) {
		r.came()
		l.say(func() { f(value, err) })
	}
}

// promise is a reply that has to come exactly once.
type promise struct {
	what string
	mu   sync.Mutex
	n    int
}

func (m *model) promise(what string) *promise {
	p := &promise{what: what}
	m.promises = append(m.promises, p)
	return p
}

func (p *promise) came() {
	p.mu.Lock()
	p.n++
	p.mu.Unlock()
}

func (p *promise) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}
