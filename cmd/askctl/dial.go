package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"askd/broker/client"
	"askd/config"
)

// dialAskd connects to the askd on a socket and introduces askctl. notify gets what askd sends unasked, on the connection's
// reader. A missing askd is client.ErrNotRunning.
func dialAskd(ctx context.Context, socket string, notify func(string, json.RawMessage)) (caller, error) {
	c := client.Client{Socket: socket, Name: "askctl", Version: config.Version, OnNotify: notify}
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, unreachable(socket, err)
	}
	return conn, nil
}

// unreachable tells an askd that does not run from one whose socket has been taken away: its lock names a living process.
// That one is no client.ErrNotRunning, because starting another would be refused.
func unreachable(socket string, err error) error {
	pid := lockHolder(socket)
	if !errors.Is(err, client.ErrNotRunning) || pid == 0 {
		return err
	}
	return &exitError{exitNoDaemon, fmt.Sprintf(
		"askd runs as pid %d, but its socket %s has been removed: stop it with `kill %d`, which leaves everything on disk, and start it again", pid, socket, pid,
	), nil}
}
