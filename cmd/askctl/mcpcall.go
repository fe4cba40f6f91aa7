package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
	"askd/config"
)

// mcpCall is one call of an MCP client on its way through askd.
type mcpCall struct {
	b        *bridge
	client   *mcp.ServerSession
	progress any // token of the client that takes progress; nil is one that does not
	call     broker.CallParams
}

// run carries the call out. A client that takes progress is held until the answer; another gets what there is when its
// patience ends.
func (c *mcpCall) run(ctx context.Context) (*reply, error) {
	patience := c.b.o.patience
	if c.progress != nil {
		patience = 0
		done := make(chan struct{})
		defer close(done)
		c.b.a.spawn("progress", func() { c.tick(ctx, done) })
	}
	switch {
	case c.call.Tool == ask.ToolWait:
		return c.waitFor(ctx, patience)
	case patience == 0 || c.call.Tool != ask.ToolAskUser || asksInBackground(c.call.Arguments):
		return c.until(ctx, nil)
	}
	return c.queued(ctx, patience)
}

// tick tells the client that the person still thinks.
func (c *mcpCall) tick(ctx context.Context, done <-chan struct{}) {
	every := time.NewTicker(config.MCPProgress)
	defer every.Stop()
	for n := 1; ; n++ {
		p := &mcp.ProgressNotificationParams{ProgressToken: c.progress, Progress: float64(n), Message: c.b.waitingText()}
		if c.client.NotifyProgress(ctx, p) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-done:
			return
		case <-every.C:
		}
	}
}

// until makes the call and waits for its result, over lost connections too: the same request id makes repeating it
// harmless. When enough is closed first the call is aborted; so it is when the client cancels it.
func (c *mcpCall) until(ctx context.Context, enough <-chan time.Time) (*reply, error) {
	c.b.begin(c.call)
	defer c.b.finish(c.call)
	for begun := false; ; {
		l, err := c.b.session(ctx, c.client)
		if err == nil {
			var r *reply
			if r, err = c.once(ctx, l, enough); err == nil {
				return r, nil
			}
			begun = true
		}
		if !begun || !gone(err) {
			return nil, err
		}
		if err := c.b.a.comeBack(ctx); err != nil {
			c.b.takeBack(c.client, c.call.RequestID) // askd has it on disk
			return nil, err
		}
	}
}

// errEnough: the call was given up, and nothing had been decided.
var errEnough = errors.New("the client's patience ended")

func (c *mcpCall) once(ctx context.Context, l *link, enough <-chan time.Time) (*reply, error) {
	attach(&c.call, l.remote)
	done := make(chan called, 1)
	c.b.a.spawn("call", func() {
		var got called
		got.err = l.Call(context.WithoutCancel(ctx), "tool.call", c.call, &got.reply)
		done <- got
	})
	var why error
	select {
	case got := <-done:
		return &got.reply, got.err
	case <-ctx.Done():
		why = ctx.Err()
	case <-enough:
		why = errEnough
	}
	return c.giveUp(ctx, l, done, why)
}

// overtaken is how long an abort that came before its call waits for it.
const overtaken = 20 * time.Millisecond

// giveUp aborts a call; what had been decided by then stands. An abort that askd can make nothing of has overtaken its call.
func (c *mcpCall) giveUp(ctx context.Context, l *link, done <-chan called, why error) (*reply, error) {
	late := time.After(config.DialTimeout)
	for {
		var was struct {
			State string `json:"state"`
		}
		err := l.ask(context.WithoutCancel(ctx), "tool.abort", broker.AbortParams{RequestID: c.call.RequestID, Reason: "user"}, &was)
		if err != nil && ctx.Err() != nil {
			c.b.takeBack(c.client, c.call.RequestID)
		}
		var again <-chan time.Time
		if err == nil && was.State == "unknown" {
			again = time.After(overtaken)
		}
		select {
		case got := <-done:
			if got.err != nil || got.reply.IsError {
				return nil, why
			}
			return &got.reply, nil
		case <-again:
		case <-late:
			return nil, why
		}
	}
}

// asksInBackground reports whether the arguments ask for a receipt.
func asksInBackground(arguments json.RawMessage) bool {
	var a struct {
		Background bool `json:"background"`
	}
	return json.Unmarshal(arguments, &a) == nil && a.Background
}

// queued asks in the background on behalf of a client that cannot be held for long, and gives the answer itself when it
// comes in time.
func (c *mcpCall) queued(ctx context.Context, patience time.Duration) (*reply, error) {
	var arguments ask.Map[json.RawMessage]
	if json.Unmarshal(c.call.Arguments, &arguments) != nil {
		return c.until(ctx, nil) // askd says what is wrong with them
	}
	arguments.Set("background", json.RawMessage("true"))
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("write the questions: %w", err)
	}
	c.call.Arguments = raw
	receipt, err := c.until(ctx, nil)
	if err != nil || !isReceipt(receipt.Structured) {
		return receipt, err
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f, err := c.b.news.await(within, ask.Key{Session: c.b.info.ID, Request: receipt.RequestID})
	switch {
	case err == nil:
		return replyOf(f)
	case ctx.Err() != nil:
		c.b.takeBack(c.client, c.call.RequestID)
		return nil, ctx.Err()
	}
	return receipt, nil
}

// replyOf words a form's outcome as the result of a call that had waited for it.
func replyOf(f *form) (*reply, error) {
	t, ok := tool.Lookup(f.Request.Tool)
	if !ok {
		return nil, fmt.Errorf("askd answers for the unknown tool %q: update askctl", f.Request.Tool)
	}
	o := t.Outcome(f.Request, f.Outcome)
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	r := &reply{}
	return r, json.Unmarshal(raw, r)
}

// waitFor collects answers; one that is not there in time is waited for by the next call.
func (c *mcpCall) waitFor(ctx context.Context, patience time.Duration) (*reply, error) {
	var enough <-chan time.Time
	if patience > 0 {
		enough = time.After(patience)
	}
	r, err := c.until(ctx, enough)
	if !errors.Is(err, errEnough) {
		return r, err
	}
	text := "No answer yet. This is not an answer. Go on with independent work and call wait_for_answers again later."
	return &reply{Content: []ask.Block{ask.TextBlock(text)}}, nil
}
