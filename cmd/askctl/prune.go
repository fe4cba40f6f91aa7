package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/ask"
)

// pruneOptions are the flags of prune.
type pruneOptions struct {
	olderThan string
	yes       bool
}

func (a *app) pruneVerb() *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune --older-than TIME",
		Short: "Drop old forms that have ended and been delivered, for good",
		Long: `Drop the forms that were asked and had ended before a time, for good, and write the data
file anew without them. What waits, or has an outcome that its agent has not got yet,
stays whatever its age; that is also the answer to a background question of askctl ask
that no askctl wait has collected. TIME is ` + momentHelp + `.

On a terminal askctl says how many questions that is about and asks first; elsewhere
it needs --yes. askctl backup or export keep them elsewhere before.

--json prints {dataFile, records, live, removed, bytesBefore, bytes}; removed counts
forms.
Without a running askd it works on the data file directly.`,
		Example: `askctl prune --older-than 90d
askctl prune --older-than 2026-01-31 --yes`,
		Args: noFile,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.olderThan == "" {
				return usagef(cmd, "say what is old: --older-than 90d, or a date")
			}
			cutoff, err := moment(o.olderThan, a.now())
			if err != nil {
				return usagef(cmd, "--older-than: %v", err)
			}
			return a.prune(cmd, cutoff, o.yes)
		},
	}
	cmd.Flags().StringVar(&o.olderThan, "older-than", "", "drop what is older than this `TIME`: "+momentHelp)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask first")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) prune(cmd *cobra.Command, cutoff time.Time, yes bool) error {
	ctx := cmd.Context()
	l, err := a.reach(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	file, err := l.dataFile(ctx)
	if err != nil {
		return err
	}
	if !yes {
		n, err := a.prunable(ctx, l, cutoff)
		if err != nil {
			return err
		}
		if n == 0 && !a.json {
			a.out.printf("Nothing that has ended was asked before %s in %s.\n", stamp(cutoff), a.out.line(file))
			return nil
		}
		if err := a.agreeToPrune(cmd, file, n, cutoff); err != nil {
			return err
		}
	}
	_, err = a.upkeepOn(ctx, l, chore{"journal.prune", pruneParams{cutoff.UTC()}, compacting, func(file string, u *ask.Upkeep) string {
		return "Dropped " + forms(u.Removed) + ". " + shrunk(file, u)
	}})
	return err
}

// prunable counts the questions that were asked before the cutoff and wait no more. One whose outcome is not delivered, or
// came later, is among them and stays all the same: the count is the most that may go.
func (a *app) prunable(ctx context.Context, l *link, cutoff time.Time) (int, error) {
	var page listing
	p := broker.HistoryParams{All: true, Until: wireTime(cutoff), Limit: 1}
	if err := a.long(ctx, l, "history.list", p, &page, nil); err != nil {
		return 0, err
	}
	queue, err := l.queue(ctx, "")
	if err != nil {
		return 0, err
	}
	n := page.Total
	for i := range queue {
		if ask.FormatTime(queue[i].CreatedAt) < ask.FormatTime(cutoff) {
			n -= len(queue[i].QuestionIDs)
		}
	}
	return max(0, n), nil
}

func (a *app) agreeToPrune(cmd *cobra.Command, file string, n int, cutoff time.Time) error {
	about := fmt.Sprintf("up to %s asked before %s from %s", questions(n), stamp(cutoff), file)
	if !a.dialogPossible() {
		return usagef(cmd, "%s would go for good: say --yes to that, nobody can be asked here", about)
	}
	if a.confirm(cmd.Context(), "Drop "+about+", for good?") != nil {
		return &exitError{code: exitFailed, text: "nothing was dropped"}
	}
	return nil
}
