package ui

import (
	"context"
	"fmt"

	"askd/broker"
)

// Multiplexer moves the focus of the terminal multiplexer in which the pane runs.
type Multiplexer interface {
	// Reaches reports whether a terminal is a pane of the same multiplexer. It returns at once.
	Reaches(broker.Terminal) bool
	// Visit moves the focus there. It runs programs, so the pane calls it from a goroutine of its own.
	Visit(context.Context, broker.Terminal) error
}

// beyond is the agent's own terminal to which the key that changes the focus leads from here, nil for none: from the inbox
// that of the focused form's session, and from an empty pane that of the only session there is.
func (p *Pane) beyond() *broker.Terminal {
	if p.o.Multiplexer == nil {
		return nil
	}
	switch {
	case p.inInbox:
		return p.terminalOf(p.inbox.focus.Session)
	case p.onScreen() == nil && len(p.listed()) == 0 && len(p.snap.Sessions) == 1:
		return p.terminalOf(p.snap.Sessions[0].ID)
	}
	return nil
}

// terminalOf is where a session's agent can be visited; one on another machine cannot.
func (p *Pane) terminalOf(session string) *broker.Terminal {
	for _, s := range p.snap.Sessions {
		here := s.Host == "" || s.Host == p.host
		if s.ID == session && here && s.Terminal != nil && p.o.Multiplexer.Reaches(*s.Terminal) {
			return s.Terminal
		}
	}
	return nil
}

// visit goes to an agent's terminal. When the person comes back, or when there is no way, the form is there.
func (p *Pane) visit(t broker.Terminal) {
	p.inInbox = false
	p.o.Go("visit", func() {
		if err := p.o.Multiplexer.Visit(context.Background(), t); err != nil {
			p.post(func() {
				p.fault = fmt.Sprintf("The agent's terminal could not be reached: %s.", shownLine(err.Error()))
			})
		}
	})
}
