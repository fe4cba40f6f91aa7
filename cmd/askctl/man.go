package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"askd/config"
)

func (a *app) manVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages of askctl into a folder",
		Long: `Write the manual pages of askctl into a folder, one a command, which is made when it is
not there. SOURCE_DATE_EPOCH sets their date.`,
		Example: "askctl man ~/.local/share/man/man1 && man askctl-answer",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef(cmd, "name the folder for the manual pages")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.writeMan(cmd.Root(), args[0])
		},
	}
}

func (a *app) writeMan(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder for the manual pages: %w: choose another", err)
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "askd " + config.Version, Manual: "askd"}
	if a.getenv("SOURCE_DATE_EPOCH") == "" {
		now := a.now()
		header.Date = &now
	}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("write the manual pages: %w: choose another folder", err)
	}
	return nil
}
