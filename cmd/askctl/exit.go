package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"askd/broker/ask"
	"askd/broker/client"
	"askd/config"
)

// The exit codes, as the help of askctl lists them.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitNoDaemon  = 3
	exitCancelled = 4
	exitNoAnswer  = 5
	exitTimedOut  = 6
	exitUndecided = 7 // ask --confirm, where exitNo is an answer

	exitNo = 1 // ask --confirm
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

// tooOld says what to do about an answer that askctl does not understand.
func tooOld(err error) error {
	return fmt.Errorf("%w: askctl %s may be older than askd, update it", err, config.Version)
}

// ends says of each way in which a form can end how a script and a person are told.
var ends = map[ask.OutcomeKind]struct {
	code  int
	words string
}{
	ask.Answered:    {exitOK, "answered"},
	ask.Skipped:     {exitNoAnswer, "every question was skipped"},
	ask.Empty:       {exitNoAnswer, "submitted without an answer"},
	ask.Cancelled:   {exitCancelled, "cancelled"},
	ask.TimedOut:    {exitTimedOut, "its time ran out, nobody answered"},
	ask.Interrupted: {exitFailed, "interrupted, nobody answered"},
	ask.Withdrawn:   {exitFailed, "taken back by its asker"},
	ask.Failed:      {exitFailed, "it could not be shown"},
	ask.NoUI:        {exitFailed, "nobody could be asked"},
}

// endWords words an ending, also one that this askctl does not know.
func endWords(k ask.OutcomeKind) string {
	if e, ok := ends[k]; ok {
		return e.words
	}
	return string(k)
}

// endError is the error of a form that ended without an answer, nil for one that was answered.
func endError(k ask.OutcomeKind) error {
	if k == ask.Answered {
		return nil
	}
	e, ok := ends[k]
	if !ok {
		e.code = exitFailed
	}
	return &exitError{code: e.code, text: "the form has no answer: " + endWords(k)}
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
