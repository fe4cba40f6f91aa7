package main

import (
	"context"

	"github.com/spf13/cobra"

	"askd/broker/ask"
)

func (a *app) cancelVerb() *cobra.Command {
	var session string
	var yes bool
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "End a form without an answer",
		Long: `End a form without an answer. The agent is told that you cancelled it; one that stands
still until the answer comes stops what it was doing. On a terminal askctl asks
first, --yes answers that.

Where it does not ask, ID is the whole request id, or at least eight characters of its
beginning or end that fit no other form, not even one that has ended.

An agent's shell is refused as in askctl answer.

--json prints the outcome.`,
		Example: `askctl cancel 2b7e0a11
askctl cancel 2b7e0a11 --yes`,
		Args:              a.oneID,
		ValidArgsFunction: a.completeRequests,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			defer l.close()
			return a.cancel(cmd.Context(), l, args[0], session, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask first")
	a.sessionFlag(cmd, &session)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) cancel(ctx context.Context, l *link, id, session string, yes bool) error {
	if err := a.person(ctx, l, "cancel"); err != nil {
		return err
	}
	find, asks := l.unasked, !yes && a.dialogPossible()
	if asks {
		find = l.form
	}
	f, err := find(ctx, id, session)
	if err != nil {
		return err
	}
	if f.Outcome == nil && asks {
		a.drawHead(f)
		if err := a.confirm(ctx, cancelQuestion(f.Request)); err != nil {
			return err
		}
	}
	return a.respondAndShow(ctx, l, f.key(), map[string]ask.RemoteKind{"kind": ask.RemoteCancel}, false)
}

func cancelQuestion(r *ask.Request) string {
	if r.Background {
		return "Cancel this form?"
	}
	return "Cancel this form? Its agent stops what it is doing."
}
