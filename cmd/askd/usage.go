package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"askd/daemon"
)

// The exit codes of askd; an internal error has one of its own (daemon.Guard).
const (
	exitFailed  = 1
	exitUsage   = 2
	exitRunning = 3 // another askd serves the socket or the data file
)

// usageError is a fault of the command line; it ends with where to read on.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(c *cobra.Command, err error) error {
	return &usageError{fmt.Sprintf("%v\nRun '%s --help' for the ways to call it.", err, c.CommandPath())}
}

// noArguments refuses what stands behind the flags.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(c, fmt.Errorf("unknown command or argument %q", args[0]))
	}
	return nil
}

func exitCode(err error) int {
	var u *usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	if errors.Is(err, daemon.ErrRunning) {
		return exitRunning
	}
	return exitFailed
}
