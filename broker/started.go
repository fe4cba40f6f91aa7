package broker

// The contract's event that a form waits for its answer (contract, "Remote inter-extension events").

// tellStarted sends the event to a client, once for each time that it starts or enters another branch.
func (d *desk) tellStarted(c *Client, it *item) {
	r := it.req
	if !it.told() {
		return
	}
	if epoch, ok := c.started[r.ID]; ok && epoch == c.info.Epoch {
		return
	}
	c.started[r.ID] = c.info.Epoch
	at := r.CreatedAt
	if it.orphan {
		at = d.now() // of the flow, which is a new one
	}
	c.peer.Notify("ask.started", Started{
		Version: 1, FlowID: r.FlowID(), ToolCallID: r.ToolCallID, Source: it.source(), Title: r.Title, Questions: r.Questions, CreatedAt: at.UnixMilli(),
	})
}

// tellRestarted tells a program that has just started of the session's queued forms: it is not the one that asked them.
func (d *desk) tellRestarted(s *session, c *Client) {
	switch c.info.Reason {
	case "startup", "resume", "fork", "reload":
	default:
		return
	}
	for _, it := range s.own {
		if it.req.Background && it.state == pending && !it.parked {
			d.tellStarted(c, it)
		}
	}
}
