package main

import (
	"github.com/spf13/cobra"
)

func (a *app) compactVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Write the data file anew without the room that is free in it",
		Long: `Write the data file anew without the room that is free in it. Nothing that is stored is
dropped. It needs room on the disk for a second copy meanwhile, and askd accepts no
new questions, seconds for each gigabyte. Whatever fails, the file stays whole.

--json prints {dataFile, records, live, bytesBefore, bytes}. Without a running askd it
works on the data file directly.`,
		Example: `askctl compact`,
		Args:    noFile,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := a.upkeep(cmd.Context(), chore{"journal.compact", struct{}{}, compacting, shrunk})
			return err
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func compacting() string { return "writing the data file anew …" }
