package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"askd/broker/client"
	"askd/config"
)

// caller is an open connection to askd.
type caller interface {
	Call(ctx context.Context, method string, params, result any) error
	Close() error
}

// app is one run of askctl. Everything from outside comes in here.
type app struct {
	out    *output
	errors *output
	getenv func(string) string
	home   string // the person's home folder; may be empty
	now    func() time.Time
	dial   func(ctx context.Context, socket string) (caller, error)

	socket   string // --socket
	data     string // --data
	agentDir string // --agent-dir of pi
	json     bool   // --json of the verb that runs
}

// run carries out one command line and gives the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		a.errors.printf("askctl: %s\n", a.errors.text(err.Error()))
	}
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "askctl",
		Short: "Look at the questions that wait in askd, and connect agents to it",
		Long: `askctl speaks to a running askd over its socket: what waits, what runs, and the
extension that connects the Pi coding agent.

Exit codes: 0 done, 1 it failed, 2 the command line was wrong, 3 no askd answers.`,
		Version:                    config.Version,
		Args:                       cobra.ArbitraryArgs,
		RunE:                       verbs,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetVersionTemplate("askctl {{.Version}}\n")
	root.SetOut(a.out)
	root.SetErr(a.errors)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef(cmd, "%s", err.Error())
	})
	root.PersistentFlags().StringVar(&a.socket, "socket", "", "askd's socket (default $ASKD_SOCKET, else the user's runtime folder)")
	root.PersistentFlags().StringVar(&a.data, "data", "", "askd's data file (default $ASKD_DATA, else the user's state folder)")
	root.AddCommand(a.statusVerb(), a.queueVerb(), a.piVerb(), a.completionVerb())
	return root
}

// verbs is the run function of a command that only groups others: alone it shows its help, anything else is a verb that
// does not exist.
func verbs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef(cmd, "unknown command %q: did you mean %q?", args[0], near[0])
	}
	return usagef(cmd, "unknown command %q", args[0])
}

// noArgs refuses arguments with askctl's own usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef(cmd, "unexpected argument %q", args[0])
	}
	return nil
}

// socketPath and dataPath are where askd's socket and data file are expected for this command line.
func (a *app) socketPath() (string, error) {
	return config.SocketPath(a.socket, a.getenv, os.Getuid())
}

func (a *app) dataPath() string {
	return config.DataPath(a.data, a.getenv, a.home)
}

// ask calls one method of a running askd and decodes what it answers into result. All that askctl asks for is answered
// from memory or with one write to the disk, so a longer silence means that askd is stopped or wedged.
func (a *app) ask(ctx context.Context, method string, params, result any) error {
	socket, err := a.socketPath()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, config.DialTimeout)
	defer cancel()
	c, err := a.dial(ctx, socket)
	if err != nil {
		return silent(socket, err)
	}
	defer func() { _ = c.Close() }() // all that was asked for has been answered by then
	if err := c.Call(ctx, method, params, result); err != nil {
		return silent(socket, fmt.Errorf("%s: %w", method, err))
	}
	return nil
}

// silent turns a deadline and a lost connection into the error of an askd that does not answer.
func silent(socket string, err error) error {
	if errors.Is(err, client.ErrConnection) {
		return &exitError{exitNoDaemon, fmt.Sprintf("askd on %s hung up before it had answered: if it has stopped, start it again, then repeat the command", socket), err}
	}
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return &exitError{exitNoDaemon, fmt.Sprintf("askd on %s does not answer within %s: see whether it is stopped (its pid is in askd.lock beside the socket), then restart it", socket, config.DialTimeout), err}
}
