package main

import (
	"context"
	"encoding/json"

	"askd/broker/client"
	"askd/config"
)

// dialAskd connects to the askd on a socket and introduces askctl. notify gets what askd sends unasked, on the connection's
// reader. A missing askd is client.ErrNotRunning.
func dialAskd(ctx context.Context, socket string, notify func(string, json.RawMessage)) (caller, error) {
	c := client.Client{Socket: socket, Name: "askctl", Version: config.Version, OnNotify: notify}
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return conn, nil
}
