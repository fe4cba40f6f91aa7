//go:build man

package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"askd/config"
)

// packagers are the commands for who packages askd. man writes the manual pages; SOURCE_DATE_EPOCH sets their date.
func packagers() []*cobra.Command {
	return []*cobra.Command{{
		Use: "man DIR", Short: "write the manual pages of askd into a folder", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder for the manual pages: %w; choose another", err)
			}
			root := c.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "askd " + config.Version, Manual: "askd"}, args[0])
		},
	}}
}
