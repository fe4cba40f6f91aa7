//go:build !man

package main

import "github.com/spf13/cobra"

// packagers are commands that only a build with the tag man has: what writes manual pages is a tenth of the program.
func packagers() []*cobra.Command { return nil }
