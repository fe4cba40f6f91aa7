package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

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
		Use:           "askd",
		Short:         "an inbox for the questions of your coding agents",
		Long:          "askd shows the questions of your coding agents in this terminal pane, keeps them on disk and hands back your answers.\nRun it in a split pane and leave it there; agents connect over its socket. `askd demo` shows how it works.",
		Args:          noArguments,
		Version:       config.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return run(c, f) },
	}
	root.SetFlagErrorFunc(usage)
	root.SetVersionTemplate("askd {{.Version}}\n")
	p := root.PersistentFlags()
	p.StringVar(&f.socket, "socket", "", "socket path (ASKD_SOCKET; default $XDG_RUNTIME_DIR/askd/askd.sock or /tmp/askd-<uid>/askd.sock)")
	p.StringVar(&f.data, "data", "", "data file (ASKD_DATA; default $XDG_STATE_HOME/askd/askd.db or ~/.local/state/askd/askd.db)")
	p.StringVar(&f.log, "log", "", "log file (ASKD_LOG; default askd.log beside the data file)")
	p.BoolVar(&f.headless, "headless", false, "serve the socket without a pane; askctl attach shows one")
	p.BoolVar(&f.plain, "plain", false, "the pane in words and one column, for screen readers (ASKD_PLAIN=1, setting pane.plain)")
	p.IntSliceVar(&f.allowUIDs, "allow-uid", nil, "further user ids that may connect, for mounted sockets")
	runCmd := &cobra.Command{
		Use: "run", Short: "the same as askd alone", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return run(c, f) },
	}
	root.AddCommand(append([]*cobra.Command{runCmd, demoCommand(&f)}, packagers()...)...)
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
