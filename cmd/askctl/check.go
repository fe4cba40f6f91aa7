package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"askd/broker/ask"
)

func (a *app) checkVerb() *cobra.Command {
	var damagedFile string
	var replace bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Read the whole data file and say whether it holds together",
		Long: `Read the whole data file and say whether it holds together: its pages, its records, and
what is stored twice. Nothing is changed. While it looks at the pages, about a second
for each gigabyte, askd accepts no new questions.

--json prints {dataFile, records, live, questions, bytes, problems}. Without a running askd the
data file is read directly. Exit codes: 0 it holds together, 1 it does not.

--rescue PATH reads everything readable out of a damaged data file, also one that askd
does not open any more, and writes it to a fresh file beside it, PATH.rescued. It says
how many requests, outcomes, drafts and images were saved and how many are lost. The
damaged file is only read: askd must not run on it. What can be read and has no place
without its lost question goes to PATH.rescued.remnants.jsonl. With --replace the fresh
file then takes the damaged one's place, which is kept as PATH.damaged-<time>.
--json prints {path, requests: {saved, lost}, outcomes, drafts, images, remnants, pages,
badPages, lostRequests, problems, bytes, replaced}.`,
		Example: `askctl check
askctl check --rescue ~/.local/state/askd/askd.db --replace`,
		Args: noFile,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch rescue := cmd.Flags().Changed("rescue"); {
			case rescue && ask.Blank(damagedFile):
				return usagef(cmd, "name the damaged file")
			case rescue:
				return a.rescue(cmd.Context(), damagedFile, replace)
			case replace:
				return usagef(cmd, "--replace goes with --rescue")
			}
			return a.check(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&damagedFile, "rescue", "", "the `PATH` of the damaged data file to save from")
	cmd.Flags().BoolVar(&replace, "replace", false, "put the fresh file in the damaged one's place, which is kept")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) check(ctx context.Context) error {
	a.checking = true
	u, err := a.upkeep(ctx, chore{"journal.check", struct{}{}, func() string { return "reading the data file …" }, checked})
	if err != nil || len(u.Problems) == 0 {
		return err
	}
	return damaged(len(u.Problems))
}

// checked words what a check has found.
func checked(file string, u *ask.Upkeep) string {
	text := file + " holds together: " + questions(u.Questions) + " in " + holding(u) + ", " + size(u.Bytes) + "."
	if len(u.Problems) == 0 {
		return text
	}
	text = file + " does not hold together:"
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
	return &exitError{code: exitFailed, text: fmt.Sprintf("the data file has %s: stop askd, then save what is readable into a fresh file with `askctl check --rescue PATH`, or put a backup in its place", found)}
}
