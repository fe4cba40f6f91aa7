package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"askd/broker/client"
)

// The exit codes, as the help of askctl lists them.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNoDaemon = 3
)

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	text string
	err  error // what is behind it; may be nil
}

func (e *exitError) Error() string { return e.text }
func (e *exitError) Unwrap() error { return e.err }

// usagef is a fault of the command line; it ends with where to read on.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	text := fmt.Sprintf(format, args...) + fmt.Sprintf("\nRun '%s --help' for the ways to call it.", cmd.CommandPath())
	return &exitError{code: exitUsage, text: text}
}

func exitCode(err error) int {
	var own *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &own):
		return own.code
	case errors.Is(err, client.ErrNotRunning):
		return exitNoDaemon
	}
	return exitFailed
}
