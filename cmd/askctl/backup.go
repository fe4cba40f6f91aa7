package main

import (
	"github.com/spf13/cobra"

	"askd/broker/ask"
)

func (a *app) backupVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup PATH",
		Short: "Write a copy of the data file while askd runs",
		Long: `Write a copy of the data file, consistent in itself, while askd goes on. PATH must not
be there yet; it gets its name only when it is whole. To use it, stop askd and put it
in the data file's place, or start askd with --data PATH.

--json prints {dataFile, records, live, bytes}. Without a running askd the data file is copied
directly.`,
		Example: `askctl backup askd-copy.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || ask.Blank(args[0]) {
				return usagef(cmd, "name the file to write")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := a.absolute(args[0])
			if err != nil {
				return err
			}
			_, err = a.upkeep(cmd.Context(), chore{"journal.backup", backupParams{path}, nil, func(file string, u *ask.Upkeep) string {
				return "Copied " + holding(u) + ", " + size(u.Bytes) + ", from " + file + " to " + path + "."
			}})
			return err
		},
	}
	a.jsonFlag(cmd)
	return cmd
}
