package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"askd/cmd/help"
	"askd/config"
)

// app is one run of askctl. Everything from outside comes in here.
type app struct {
	in     *input
	out    *output
	errors *output
	getenv func(string) string
	getwd  func() (string, error)
	home   string // the person's home folder; may be empty
	now    func() time.Time
	newID  func() string // a growing UUID
	spawn  func(name string, f func())
	dial   func(ctx context.Context, socket string, notify func(method string, params json.RawMessage)) (caller, error)

	askdHost string // the machine that askd runs on, once one was reached; else this one
	relayed  bool   // askd says that it is on another machine, or another user's

	socket   string // --socket
	data     string // --data
	agentDir string // --agent-dir of pi
	json     bool   // --json of the verb that runs
	checking bool   // the verb that runs says what is wrong with the data file and never writes to it
}

// run carries out one command line and gives the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var own *exitError
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && !errors.As(err, &own) {
		err = &exitError{exitFailed, "interrupted", err}
	}
	if lost := a.out.lost(); lost != nil && err == nil {
		err = &exitError{exitFailed, "what was to be printed is lost: " + lost.Error() + "; make room, or print elsewhere", lost}
	}
	if err != nil && err.Error() != "" {
		a.errors.printf("askctl: %s\n", a.errors.text(err.Error()))
	}
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "askctl",
		Short: "Look at the questions that wait in askd, answer them, ask from scripts",
		Long: `askctl speaks to a running askd over its socket: what waits, how it is answered, what
was asked before, what runs, and the extension that connects the Pi coding agent.
Without one, the verbs that read, and those that look after the data file, use the
file directly and say so.

Exit codes: 0 done, 1 it failed, 2 the command line was wrong, 3 no askd answers.
ask and wait also have 4 the form was cancelled, 5 it was sent without an answer,
6 its time ran out; ask --confirm has 1 for no and 7 for it failed.`,
		Example: `askctl queue
askctl answer 2b7e0a11
askctl ask --prompt 'Deploy?' --confirm && ./deploy`,
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
	root.PersistentFlags().StringVar(&a.socket, "socket", "", "`PATH` of askd's socket (default $ASKD_SOCKET, else the user's runtime folder)")
	root.PersistentFlags().StringVar(&a.data, "data", "", "`PATH` of askd's data file (default $ASKD_DATA, else the user's state folder)")
	root.AddCommand(a.queueVerb(), a.showVerb(), a.answerVerb(), a.cancelVerb(), a.askVerb(), a.waitVerb(),
		a.historyVerb(), a.readVerb(), a.exportVerb(), a.mcpVerb(), a.backupVerb(), a.checkVerb(), a.compactVerb(), a.pruneVerb(), a.statusVerb(), a.dndVerb(), a.openVerb(), a.attachVerb(), a.serviceVerb(), a.doctorVerb(), a.forwardVerb(), a.piVerb(), a.completionVerb(), a.manVerb())
	for _, v := range panelVerbs {
		root.AddCommand(a.panelVerb(v))
	}
	help.Lay(root)
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

// noFile refuses arguments of a verb that works on the data file, and says how that one is named.
func noFile(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef(cmd, "unexpected argument %q: the data file is named with --data", args[0])
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
