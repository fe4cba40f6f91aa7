package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"askd/cmd/help"
	"askd/config"
	"askd/daemon"
)

// flags are the command line's part of the configuration; empty ones take their variable or default.
type flags struct {
	socket, data, log string
	headless, plain   bool
	allowUIDs         []int
}

func command() *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:   "askd",
		Short: "Show the questions of your coding agents and hand back your answers",
		Long: `Show the questions of your coding agents in this terminal pane, keep them on disk and
hand back your answers. Run it in a split pane and leave it there; agents connect over
its socket. askd demo shows how it works.

The settings file is named by ? in the pane. askctl looks at what waits, answers, asks
from scripts and connects agents.

Exit codes: 0 ended, 1 it failed, 2 the command line was wrong, 3 another askd runs.`,
		Example:           "askd\naskd --headless\ntmux split-window -h 'askd || read'",
		Args:              noArguments,
		Version:           config.Version,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE:              func(c *cobra.Command, _ []string) error { return run(c, f) },
	}
	root.SetFlagErrorFunc(usage)
	root.SetVersionTemplate("askd {{.Version}}\n")
	p := root.PersistentFlags()
	p.StringVar(&f.socket, "socket", "", "`PATH` of the socket (default $ASKD_SOCKET, else $XDG_RUNTIME_DIR/askd/askd.sock or /tmp/askd-<uid>/askd.sock)")
	p.StringVar(&f.data, "data", "", "`PATH` of the data file (default $ASKD_DATA, else $XDG_STATE_HOME/askd/askd.db or ~/.local/state/askd/askd.db)")
	p.StringVar(&f.log, "log", "", "`PATH` of the log file (default $ASKD_LOG, else askd.log beside the data file)")
	p.BoolVar(&f.headless, "headless", false, "serve the socket without a pane; askctl attach shows one")
	p.BoolVar(&f.plain, "plain", false, "the pane in words and one column, for screen readers (ASKD_PLAIN=1, setting pane.plain)")
	p.IntSliceVar(&f.allowUIDs, "allow-uid", nil, "further user `IDS` that may connect, separated by commas, for mounted sockets")
	runCmd := &cobra.Command{
		Use: "run", Example: "askd run --headless", Short: "Do the same as askd alone", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return run(c, f) },
	}
	root.AddCommand(append([]*cobra.Command{runCmd, demoCommand(&f)}, packagers()...)...)
	help.Lay(root)
	return root
}

// wantsPlain reports whether the flag or its variable asks for the pane in words.
func (f *flags) wantsPlain() bool { return f.plain || config.Plain(os.Getenv) }

func run(c *cobra.Command, f flags) error {
	o, err := options(f)
	if err != nil {
		return err
	}
	return daemon.Run(c.Context(), o)
}

// options turns flags, variables and defaults into the daemon's paths.
func options(f flags) (daemon.Options, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return daemon.Options{}, fmt.Errorf("find the home folder: %w; set HOME, or give --data and --log", err)
	}
	socket, err := config.SocketPath(f.socket, os.Getenv, os.Getuid())
	if err != nil {
		return daemon.Options{}, err
	}
	data, agent := config.DataPath(f.data, os.Getenv, home), config.AgentDir(os.Getenv, home)
	// Other programs run in other folders: askctl is told this path.
	if data, err = filepath.Abs(data); err != nil {
		return daemon.Options{}, fmt.Errorf("find the data file: %w; name it with a path that starts with /", err)
	}
	return daemon.Options{
		Socket: socket, Data: data, Log: config.LogPath(f.log, os.Getenv, data), Headless: f.headless, Plain: f.wantsPlain(), AllowUIDs: f.allowUIDs, Version: config.Version,
		SettingsFile: config.AskSettingsPath(agent), PiKeysFile: config.PiKeysPath(agent),
		Steps: daemon.HaltAt(os.Getenv("ASKD_HALT")), // for tests of what a crash leaves behind
	}, nil
}
