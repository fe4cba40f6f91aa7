package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"askd/broker"
	"askd/broker/ask"
	askd "askd/broker/client"
)

// bridge stands between one MCP client and askd. Its session opens with the first call and anew after a lost connection.
type bridge struct {
	a    *app
	o    mcpOptions
	info broker.SessionInfo // id and instance stay; the rest is known at the first call
	life context.Context    // ends with the client
	stop context.CancelFunc
	news *follower

	mu     sync.Mutex
	link   *link                          // nil before the first call and after a loss
	opened bool                           // the session has been open
	rooted bool                           // the client has said its roots
	open   []broker.OpenCall              // foreground calls on their way
	unsent map[string][]broker.OutcomeRef // by MCP call: what its result carries, until it is written
}

func newBridge(a *app, o mcpOptions) *bridge {
	b := &bridge{a: a, o: o, unsent: map[string][]broker.OutcomeRef{}}
	b.life, b.stop = context.WithCancel(context.Background())
	b.news = newFollower(b.life, a)
	b.info = broker.SessionInfo{ID: o.session, UI: "mcp", Reason: "startup", Instance: a.newID(), Ephemeral: o.session == ""}
	if b.info.ID == "" {
		b.info.ID = a.newID()
	}
	return b
}

// session gives the connection with the session open on it.
func (b *bridge) session(ctx context.Context, client *mcp.ServerSession) (*link, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.link != nil {
		select {
		case <-b.link.Done():
			b.link = nil
		default:
			return b.link, nil
		}
	}
	l, err := b.a.connect(ctx)
	if err != nil {
		return nil, err
	}
	if !b.opened {
		b.introduce(client)
	}
	info := b.info
	info.OpenCalls = slices.Clone(b.open)
	if b.opened {
		info.Reason = "reconnect"
	}
	var opened broker.Opened
	if err := l.ask(ctx, "session.open", info, &opened); err != nil {
		l.close()
		return nil, err
	}
	// Nothing reaches this agent by itself: it has to be able to wait, whatever the person set for agents that can be told.
	if err := l.ask(ctx, "session.mode", broker.ModeParams{}, nil); err != nil {
		l.close()
		return nil, err
	}
	b.link, b.opened, l.remote = l, true, opened.Remote
	return l, nil
}

// waitingText says what a call waits for.
func (b *bridge) waitingText() string {
	const waiting = "Waiting for the person's answer in askd"
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.link == nil {
		return waiting
	}
	if until := b.link.quiet.Load(); until != nil && until.After(b.a.now()) {
		return waiting + "; the person has asked not to be disturbed until " + ask.UntilText(*until, b.a.now())
	}
	return waiting
}

// introduce fills in who asks: the client's name, its first root, else the folder it started the server in.
func (b *bridge) introduce(client *mcp.ServerSession) {
	b.info.Agent = broker.Agent{Name: "mcp"}
	if p := client.InitializeParams(); p != nil && p.ClientInfo != nil {
		b.info.Agent = broker.Agent{Name: p.ClientInfo.Name, Version: p.ClientInfo.Version}
	}
	if b.info.Cwd == "" {
		b.info.Cwd, _ = b.a.getwd()
	}
	if b.info.Name = b.o.sessionName; b.info.Name == "" && b.info.Cwd != "" {
		b.info.Name = filepath.Base(b.info.Cwd)
	}
	b.info.Host = thisHost()
}

// begin notes a foreground call, so that a reconnect says that it still runs.
func (b *bridge) begin(c broker.CallParams) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = append(b.open, broker.OpenCall{RequestID: c.RequestID, Tool: c.Tool})
}

func (b *bridge) finish(c broker.CallParams) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = slices.DeleteFunc(b.open, func(o broker.OpenCall) bool { return o.RequestID == c.RequestID })
}

// carry notes what an MCP call's result is about to carry.
func (b *bridge) carry(call string, refs []broker.OutcomeRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(refs) > 0 {
		b.unsent[call] = refs
	}
}

// written acknowledges what a result that has been written to the client carried: an outcome is delivered then, not before.
func (b *bridge) written(call string) {
	b.mu.Lock()
	refs, l := b.unsent[call], b.link
	delete(b.unsent, call)
	b.mu.Unlock()
	if l == nil || len(refs) == 0 {
		return // askd gives it to the next wait
	}
	b.a.spawn("acknowledge", func() {
		for _, ref := range refs {
			if l.ask(context.Background(), "delivery.ack", ref, nil) != nil {
				return
			}
		}
	})
}

// takeBack withdraws a question that nobody waits for any more: now, or when askd is back.
func (b *bridge) takeBack(client *mcp.ServerSession, requestID string) {
	try := func(ctx context.Context) (again bool) {
		l, err := b.session(ctx, client)
		if err == nil {
			err = l.ask(ctx, "tool.abort", broker.AbortParams{RequestID: requestID, Reason: "user"}, nil)
		}
		return err != nil && (gone(err) || errors.Is(err, askd.ErrNotRunning))
	}
	if !try(context.Background()) {
		return
	}
	b.a.spawn("take back", func() {
		for b.a.comeBack(b.life) == nil && try(b.life) {
		}
	})
}

// end closes the session: the client has gone.
func (b *bridge) end() {
	b.stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.link != nil {
		_ = b.link.ask(context.Background(), "session.close", map[string]string{"reason": "quit"}, nil)
		b.link.close()
		b.link = nil
	}
}
