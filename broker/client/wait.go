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
	var absent error
	for {
		conn, err := c.Connect(ctx)
		switch {
		case err == nil:
			return conn, nil
		case errors.Is(err, ErrNotRunning):
			absent = err
		case absent != nil && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
			return nil, absent // the time was up in the midst of another attempt
		default:
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, absent
		case <-tick.C:
		}
	}
}
