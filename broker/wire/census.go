package wire

import (
	"log/slog"
	"sync/atomic"
)

// Clients counts connections (PROTOCOL, daemon.status).
type Clients struct {
	Connected int `json:"connected"` // open now, the one that asks among them
	CutOff    int `json:"cutOff"`    // ended by askd since it started, because the client did not read
}

// census counts the connections of a server.
type census struct {
	connected atomic.Int64
	cutOff    atomic.Int64
}

// slow counts a client that was cut off, and leaves a line for whoever looks for the reason. Any goroutine.
func (n *census) slow(log *slog.Logger, c *Conn) {
	n.cutOff.Add(1)
	log.Warn("a client does not read and was cut off; what was for it is delivered on its next connection", "queued bytes", c.out.waiting.Load())
}

func (n *census) now() Clients {
	return Clients{Connected: int(n.connected.Load()), CutOff: int(n.cutOff.Load())}
}
