package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"askd/broker"
	"askd/broker/client"
	"askd/broker/wire"
	"askd/config"
)

// caller is an open connection to askd.
type caller interface {
	Call(ctx context.Context, method string, params, result any) error
	Close() error
	Done() <-chan struct{} // closed when the connection has ended
}

// link is a connection to askd with what askd says on it unasked.
type link struct {
	caller
	socket   string
	remote   bool                      // askd runs on another machine, or as another user
	direct   bool                      // no askd runs: this is its data file
	data     string                    // the data file behind it; empty until dataFile has asked
	news     chan json.RawMessage      // the newest queue.changed, at most one
	accepted chan broker.Accepted      // the first ask.accepted
	quiet    atomic.Pointer[time.Time] // until when the session is not to disturb the person; nil when it may
	hear     func(method string, params json.RawMessage)
}

// connect opens a connection for several calls, to an askd that holds the data file that is meant.
func (a *app) connect(ctx context.Context) (*link, error) {
	l, err := a.dialled(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.rightFile(ctx, l); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// dialled opens a connection whatever askd's data file is.
func (a *app) dialled(ctx context.Context) (*link, error) {
	return a.dialledBy(ctx, func(string, json.RawMessage) {})
}

// dialledBy is dialled for who wants to hear what askd sends unasked, on the connection's reader.
func (a *app) dialledBy(ctx context.Context, hear func(method string, params json.RawMessage)) (*link, error) {
	socket, err := a.socketPath()
	if err != nil {
		return nil, err
	}
	l := &link{socket: socket, news: make(chan json.RawMessage, 1), accepted: make(chan broker.Accepted, 1), hear: hear}
	ctx, cancel := context.WithTimeout(ctx, config.DialTimeout)
	defer cancel()
	if l.caller, err = a.dial(ctx, socket, l.notify); err != nil {
		return nil, silent(socket, err)
	}
	if said, ok := l.caller.(interface{ Hello() wire.Initialized }); ok && said.Hello().Server.Host != "" {
		a.askdHost = said.Hello().Server.Host
		a.relayed = said.Hello().Remote
	}
	return l, nil
}

// notify keeps the newest queue: whoever follows it needs none in between. It runs on the connection's reader alone.
func (l *link) notify(method string, params json.RawMessage) {
	switch method {
	case "queue.changed":
		select {
		case <-l.news:
		default:
		}
		l.news <- params
	case "session.state":
		var p broker.SessionState
		if json.Unmarshal(params, &p) == nil {
			l.quiet.Store(p.QuietUntil)
		}
	case "ask.accepted":
		var p broker.Accepted
		if json.Unmarshal(params, &p) != nil {
			return
		}
		select {
		case l.accepted <- p:
		default: // the call was repeated
		}
	default:
		l.hear(method, params)
	}
}

// close ends the connection; all that was asked for has been answered by then.
func (l *link) close() { _ = l.Close() }

// ask calls one method and decodes what askd answers into result. What askctl asks for is answered from memory or with one
// write to the disk, so a longer silence means that askd is stopped or wedged.
func (l *link) ask(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, config.DialTimeout)
	defer cancel()
	if err := l.Call(ctx, method, params, result); err != nil {
		return silent(l.socket, err)
	}
	return nil
}

// look asks askd what it is, whatever its data file.
func (a *app) look(ctx context.Context, result any) error {
	l, err := a.dialled(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	return l.ask(ctx, "daemon.status", struct{}{}, result)
}

// ask calls one method on a connection of its own.
func (a *app) ask(ctx context.Context, method string, params, result any) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	return l.ask(ctx, method, params, result)
}

// silent turns a deadline and a lost connection into the error of an askd that does not answer.
func silent(socket string, err error) error {
	if errors.Is(err, client.ErrConnection) {
		return hungUp(socket, err)
	}
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return &exitError{exitNoDaemon, fmt.Sprintf("askd on %s does not answer within %s: see whether it is stopped (its pid is in %s.lock), then restart it", socket, config.DialTimeout, socket), err}
}

func hungUp(socket string, err error) error {
	return &exitError{exitNoDaemon, fmt.Sprintf("askd on %s hung up before it had answered: if it has stopped, start it again, then repeat the command", socket), err}
}

// gone reports whether a call failed because askd went away, so that it may be made again when it is back.
func gone(err error) bool {
	return errors.Is(err, client.ErrConnection) || isKind(err, broker.ShuttingDown)
}

// isKind reports whether askd, or what stands in for it, refused with an error of this kind.
func isKind(err error, kind broker.Kind) bool {
	var we *wire.Error
	var be *broker.Error
	return errors.As(err, &we) && we.Kind() == kind || errors.As(err, &be) && be.Kind == kind
}

// lookAgain is how often an askd that has gone is looked for.
const lookAgain = 250 * time.Millisecond

// comeBack waits until askd listens again, or ctx ends.
func (a *app) comeBack(ctx context.Context) error {
	a.errors.printf("askctl: askd has gone; nothing is lost, this goes on when it is back\n")
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		l, err := a.connect(ctx)
		if err == nil {
			l.close()
			a.errors.printf("askctl: askd is back\n")
			return nil
		}
		if !errors.Is(err, client.ErrNotRunning) && !gone(err) {
			return err
		}
	}
}
