package main

import (
	"context"

	"askd/broker/client"
)

// dialAskd connects to the askd on a socket and introduces askctl. A missing askd is client.ErrNotRunning.
func dialAskd(ctx context.Context, socket string) (caller, error) {
	c := client.Client{Socket: socket, Name: "askctl", Version: version}
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn, nil
}
