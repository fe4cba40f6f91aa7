package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"askd/broker/ask"
)

func (a *app) checkVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Read the whole data file and say whether it holds together",
		Long: `Read the whole data file and say whether it holds together: its pages, its records, and
what is stored twice. Nothing is changed. While it looks at the pages, about a second
for each gigabyte, askd accepts no new questions.

--json prints {records, live, questions, bytes, problems}. Without a running askd the
data file is read directly. Exit codes: 0 it holds together, 1 it does not.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.check(cmd.Context())
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) check(ctx context.Context) error {
	u, err := a.upkeep(ctx, chore{"journal.check", struct{}{}, func() string { return "reading the data file …" }, checked})
	if err != nil || len(u.Problems) == 0 {
		return err
	}
	return damaged(len(u.Problems))
}

// checked words what a check has found.
func checked(u *ask.Upkeep) string {
	text := "The data file holds together: " + questions(u.Questions) + " in " + holding(u) + ", " + size(u.Bytes) + "."
	if len(u.Problems) == 0 {
		return text
	}
	text = "The data file does not hold together:"
	for _, p := range u.Problems {
		text += "\n  " + ask.CleanLine(p)
	}
	return text
}

func damaged(n int) error {
	found := strconv.Itoa(n) + " faults"
	if n == 1 {
		found = "1 fault"
	}
	return &exitError{code: exitFailed, text: fmt.Sprintf("the data file has %s: keep a copy of it, export what is readable, then stop askd and put a backup in its place", found)}
}
