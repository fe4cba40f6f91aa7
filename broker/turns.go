package broker

// The messages of one connection take effect in the order in which they arrive (PROTOCOL, Transport). A call has its effect
// once it is on disk, so that what is about forms and comes behind it on the same connection waits for that, and whatever comes
// behind that as well.

// turn is a message of a connection.
type turn struct {
	run   event
	reply Reply
	kept  bool // it is about forms: what the connection has asked before has to be on disk
}

// send posts an event of this connection that needs nothing to be on disk. Its reply says that askd is stopping when nobody
// will run it.
func (c *Client) send(reply Reply, e event) { c.take(turn{run: e, reply: reply}) }

// sendKept posts an event that runs once everything is on disk that the connection has asked before.
func (c *Client) sendKept(reply Reply, e event) { c.take(turn{run: e, reply: reply, kept: true}) }

func (c *Client) take(t turn) {
	c.b.send(t.reply, func(d *desk) {
		if len(c.turns) > 0 || t.kept && c.keeping > 0 {
			c.turns = append(c.turns, t)
			return
		}
		t.run(d)
	})
}

// proceed runs what waits for its turn, as far as the disk lets it.
func (d *desk) proceed(c *Client) {
	for len(c.turns) > 0 && (c.keeping == 0 || !c.turns[0].kept) {
		run := c.turns[0].run
		c.turns[0] = turn{}
		if c.turns = c.turns[1:]; len(c.turns) == 0 {
			c.turns = nil
		}
		run(d)
	}
}

// dropTurns answers what will not have its turn any more.
func (c *Client) dropTurns() {
	for _, t := range c.turns {
		t.reply(nil, errClosing)
	}
	c.turns = nil
}
