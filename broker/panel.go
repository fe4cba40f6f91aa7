package broker

import "askd/broker/ask"

// The background panel of a session: hiding and showing it, and what that does to a wait (contract, "Background queue").

// DeferQueue hides a session's background forms (PROTOCOL, queue.defer).
func (c *Client) DeferQueue(session string, reply Reply) {
	c.sendKept(reply, func(d *desk) { reply(struct{}{}, d.panel(c, session, true)) })
}

// ShowQueue brings a session's hidden forms back (PROTOCOL, queue.show).
func (c *Client) ShowQueue(session string, reply Reply) {
	c.sendKept(reply, func(d *desk) { reply(struct{}{}, d.panel(c, session, false)) })
}

func (d *desk) panel(c *Client, session string, hide bool) error {
	if session == "" && c.session != nil {
		session = c.session.id
	}
	if session == "" {
		return &Error{Kind: InvalidParams, Path: "session", Message: "session: none is named, and none is open on this connection", Hint: "name the session whose forms are meant"}
	}
	s := d.sessions[session]
	if s == nil {
		return &Error{Kind: NotFound, Path: "session", Message: "no session " + session + " has anything here", Hint: "askctl queue lists what is pending"}
	}
	d.setDeferred(s, hide, ask.DeferHidden)
	return nil
}

// setDeferred hides or shows; hiding releases a running wait.
func (d *desk) setDeferred(s *session, on bool, reason ask.DeferReason) {
	if on && s.background == 0 && s.wait == nil {
		return
	}
	if s.deferred != on {
		s.deferred = on
		d.touch(s)
	}
	if on {
		d.deferWait(s, reason)
	}
}

// UserMessage tells that the person sent the agent a message: a running wait is released and the panel hidden (PROTOCOL,
// session.userMessage).
func (c *Client) UserMessage(reply Reply) {
	c.sendKept(reply, func(d *desk) {
		s := c.session
		released := s != nil && s.wait != nil
		if released {
			d.setDeferred(s, true, ask.DeferMessage)
		}
		reply(struct {
			Released bool `json:"released"`
		}{released}, nil)
	})
}

// ModeParams are the parameters of session.mode.
type ModeParams struct {
	BackgroundOnly bool `json:"backgroundOnly"`
}

// Mode takes in the question mode that the client has applied (PROTOCOL, session.mode). Background-only ends a running
// wait; its forms stay.
func (c *Client) Mode(p ModeParams, reply Reply) {
	c.send(reply, func(d *desk) {
		if c.session == nil {
			reply(nil, errNoSession)
			return
		}
		c.session.mode = &p.BackgroundOnly
		if p.BackgroundOnly {
			d.abortWait(c.session)
		}
		reply(struct{}{}, nil)
	})
}

func (d *desk) backgroundOnly(s *session) bool {
	if s.mode != nil {
		return *s.mode
	}
	return d.b.o.Settings().BackgroundOnly
}
