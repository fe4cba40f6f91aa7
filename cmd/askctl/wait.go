package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/client"
)

func (a *app) waitVerb() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "wait ID | --session SESSION",
		Short: "Wait until a form has ended and print how",
		Long: `Wait until a form has ended and print how. With --session and no ID, wait for all
forms that wait in that session now. It goes on when askd is stopped and comes back.

--json prints the outcome as askd stores it; with --session one a line.

Exit codes: 0 answered, 4 cancelled, 5 sent without an answer or skipped, 1 it ended
otherwise, 6 nobody answered in time; of several forms the first that was not answered
counts.`,
		Example: `askctl wait 2b7e0a11
askctl wait --session shop`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && session == "" {
				return usagef(cmd, "name one form by its request id, or a session with --session")
			}
			return nil
		},
		ValidArgsFunction: a.completeRequests,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.wait(cmd.Context(), args, session)
			if err != nil && cmd.Context().Err() != nil {
				return &exitError{exitFailed, "stopped waiting: nothing has changed for the form", err}
			}
			return err
		},
	}
	a.sessionFlag(cmd, &session)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) wait(ctx context.Context, args []string, session string) error {
	keys, err := a.awaited(ctx, args, session)
	if err != nil {
		return err
	}
	if a.errors.width > 0 {
		a.errors.printf("Waiting for %s. Ctrl+C stops waiting and changes nothing.\n", forms(len(keys)))
	}
	var worst error
	for i, k := range keys {
		f, err := a.await(ctx, k)
		if err != nil {
			return err
		}
		if err := a.showAwaited(f, i, len(args) == 0); err != nil {
			return err
		}
		a.collect(ctx, f)
		if worst == nil {
			worst = endError(f.Outcome.Kind)
		}
	}
	return worst
}

// awaited gives the forms that a command line waits for.
func (a *app) awaited(ctx context.Context, args []string, session string) ([]ask.Key, error) {
	l, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if len(args) == 1 {
		f, err := l.form(ctx, args[0], session)
		if err != nil {
			return nil, err
		}
		return []ask.Key{f.key()}, nil
	}
	id, err := l.session(ctx, session, "forms that wait", func(r *broker.RequestSummary) bool { return r.Status != broker.Parked })
	if err != nil {
		return nil, err
	}
	queue, err := l.queue(ctx, id)
	var keys []ask.Key
	for _, r := range queue {
		if r.Status != broker.Parked {
			keys = append(keys, ask.Key{Session: r.Session, Request: r.RequestID})
		}
	}
	return keys, err
}

// await follows the queue until a form has ended, also over a restart of askd.
func (a *app) await(ctx context.Context, k ask.Key) (*form, error) {
	for {
		f, err := a.awaitOnce(ctx, k)
		if err == nil || !gone(err) {
			return f, err
		}
		if err := a.comeBack(ctx); err != nil {
			return nil, err
		}
	}
}

func (a *app) awaitOnce(ctx context.Context, k ask.Key) (*form, error) {
	l, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	return l.await(ctx, k)
}

// await follows the queue on this connection until the form has an outcome. A form that is off the queue without one, since
// its branch is not open, is waited for too.
func (l *link) await(ctx context.Context, k ask.Key) (*form, error) {
	var now json.RawMessage
	if err := l.ask(ctx, "queue.watch", struct{}{}, &now); err != nil {
		return nil, err
	}
	for {
		queued, err := holds(now, k)
		if err != nil {
			return nil, err
		}
		if !queued {
			if f, err := l.get(ctx, k.Request, k.Session, nil); err != nil || f.Outcome != nil {
				return f, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.Done():
			return nil, hungUp(l.socket, client.ErrConnection)
		case now = <-l.news:
		}
	}
}

// holds reports whether a form is in a queue.
func holds(raw json.RawMessage, k ask.Key) (bool, error) {
	queued, err := keysOf(raw)
	return queued[k], err
}

func (a *app) showAwaited(f *form, i int, several bool) error {
	switch {
	case a.json && several:
		return a.out.writeJSONLine(f.Outcome)
	case a.json:
		return a.out.writeJSON(f.Outcome)
	case i > 0:
		a.out.printf("\n")
	}
	a.printOutcome(f)
	return nil
}

// collect tells askd that the answer to a background form of askctl itself has arrived. Its session ended with the command
// that asked; nobody else would ever take the answer. It is a courtesy: a failure changes nothing.
func (a *app) collect(ctx context.Context, f *form) {
	r := f.Request
	if !r.Background || !strings.HasPrefix(r.Asker.Agent, agentName) {
		return
	}
	l, err := a.connect(ctx)
	if err != nil {
		return
	}
	defer l.close()
	info := sessionInfo(r.Session, r.Asker.SessionName, r.Asker.Cwd)
	var opened broker.Opened
	if l.ask(ctx, "session.open", info, &opened) == nil && opened.Role == "primary" {
		_ = l.ask(ctx, "delivery.ack", broker.OutcomeRef{RequestID: r.ID, OutcomeID: f.Outcome.ID}, nil)
	}
}
