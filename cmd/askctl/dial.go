package main

import (
	"context"

	"askd/broker/client"
	"askd/config"
)

// dialAskd connects to the askd on a socket and introduces askctl. A missing askd is client.ErrNotRunning.
func dialAskd(ctx context.Context, socket string) (caller, error) {
	c := client.Client{Socket: socket, Name: "askctl", Version: config.Version}
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn, nil
}
