package client

import (
	"context"
	"errors"
	"time"
)

// waitEvery is how often WaitConnect looks again.
const waitEvery = 20 * time.Millisecond

// WaitConnect connects as soon as a daemon listens: it tries again while none does, until ctx ends.
func (c *Client) WaitConnect(ctx context.Context) (*Conn, error) {
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	for {
		conn, err := c.Connect(ctx)
		if err == nil || !errors.Is(err, ErrNotRunning) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-tick.C:
		}
	}
}
