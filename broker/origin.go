package broker

// Origin is what is known of where a client is, whatever it says itself. The zero value is a process of this user on this
// machine.
type Origin struct {
	Relay string // the machine from which a relay brings the connection (PROTOCOL, connection.origin); empty without one
	Other string // words for the other user whose process it is, such as "uid 1000"; empty for this user's own
}

// Foreign reports whether the other end is not this user on this machine: the connection then reaches no file here.
func (o Origin) Foreign() bool { return o != Origin{} }

// locate settles on which machine a session is: info.Host is empty for this one from here on. It reports whether the
// session's files are out of reach. What is known goes before what the client says of itself.
func (c *Client) locate(info *SessionInfo) (remote bool) {
	switch own := c.b.o.Host; {
	case c.from.Relay != "" && c.from.Relay == own:
		info.Host = own + " (relayed)"
	case c.from.Relay != "":
		info.Host = c.from.Relay
	default:
		if info.Host = c.b.hostOf(info.Host); info.Host == "" && c.from.Other != "" {
			info.Host = c.from.Other
		}
	}
	if info.Host == "" {
		return false
	}
	info.Terminal = nil // it names a pane of a multiplexer over there
	return true
}

// hostOf is a machine's name as it is told: this machine has none.
func (b *Broker) hostOf(host string) string {
	if host == b.o.Host {
		return ""
	}
	return host
}

// remote reports whether the files that the client's session names are out of reach. Any goroutine may call it.
func (c *Client) remote() bool {
	a := c.asker.Load()
	return a != nil && a.remote || c.from.Foreign()
}
