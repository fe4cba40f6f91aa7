package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/client"
	"askd/config"
	"askd/journal"
)

// startWithin is how long a fresh askd may take until its socket answers; it takes a few hundredths of a second.
const startWithin = 10 * time.Second

func (a *app) openVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "open",
		Short: "Start askd in a new pane of the terminal multiplexer",
		Long: `Start askd in a new pane beside this one, unless it runs already. The focus stays here.
It works in tmux, zellij, WezTerm and kitty (which needs its allow_remote_control).

With the setting pane.autoOpen on, Pi and askctl ask do the same by themselves when
there is a question and no askd.`,
		Example: `askctl open`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opened, err := a.open(cmd.Context())
			switch {
			case err != nil:
				return err
			case opened:
				a.out.printf("askd runs in a new pane.\n")
			default:
				a.out.printf("askd is running already. `askctl attach` shows its pane here.\n")
			}
			return nil
		},
	}
}

// open starts askd in a pane beside this one and waits until it answers; false when it ran already.
func (a *app) open(ctx context.Context) (bool, error) {
	l, err := a.connect(ctx)
	if err == nil {
		l.close()
		return false, nil
	}
	if !errors.Is(err, client.ErrNotRunning) {
		return false, err
	}
	m, id := openerHere(a.getenv)
	if m == nil {
		return false, &exitError{code: exitFailed, text: "this terminal is not in a multiplexer that askctl can open a pane in (tmux, zellij, WezTerm, kitty): start `askd` in a terminal of its own"}
	}
	program, err := a.daemonInPane()
	if err != nil {
		return false, err
	}
	if err := m.start(ctx, id, program); err != nil {
		return false, fmt.Errorf("open a pane in %s: %w; start `askd` in a pane by hand", m.name, err)
	}
	return true, a.awaitStart(ctx)
}

// awaitStart waits until the socket answers.
func (a *app) awaitStart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return &exitError{exitNoDaemon, "a pane was opened, but askd does not answer: look there for what it says", ctx.Err()}
		case <-tick.C:
		}
		if l, err := a.dialled(ctx); err == nil {
			l.close()
			return nil
		}
	}
}

// inPane runs askd so that a failed start stays readable. That another one was faster is none.
const inPane = `"$@"; code=$?; if [ $code != 0 ] && [ $code != 3 ]; then printf '\nEnter closes this pane. '; read -r _; fi`

// passedOn are the variables that decide what askd finds and how it looks. A multiplexer starts programs in its own
// environment, not in the asker's.
var passedOn = []string{"PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "PI_CODING_AGENT_DIR", "ASKD_LOG", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "ASKD_PLAIN"}

// daemonInPane is the program of the new pane: askd on the socket and the data file that askctl would use.
func (a *app) daemonInPane() ([]string, error) {
	path, err := findDaemon()
	if err != nil {
		return nil, err
	}
	socket, err := a.socketPath()
	if err != nil {
		return nil, err
	}
	argv := []string{"env"}
	for _, name := range passedOn {
		if v := a.getenv(name); v != "" {
			argv = append(argv, name+"="+v)
		}
	}
	argv = append(argv, "sh", "-c", inPane, "askd", path)
	for _, file := range [][2]string{{"--socket", socket}, {"--data", a.dataPath()}} {
		whole, err := filepath.Abs(file[1])
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", file[1], err)
		}
		argv = append(argv, file[0], whole)
	}
	return argv, nil
}

// findDaemon finds askd: beside askctl, else in the PATH.
func findDaemon() (string, error) {
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), "askd")
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return beside, nil
		}
	}
	path, err := exec.LookPath("askd")
	if err != nil {
		return "", &exitError{exitFailed, "there is no `askd` beside askctl or in the PATH: install it, or start it by hand", err}
	}
	return filepath.Abs(path)
}

// opensByItself reports whether the person has set that a question opens the pane, and it can.
func (a *app) opensByItself() bool {
	path := config.AskSettingsPath(config.AgentDir(a.getenv, a.home))
	if _, err := os.Stat(path); err != nil {
		return false
	}
	loaded, err := config.Open(path).Load()
	m, _ := openerHere(a.getenv)
	return err == nil && loaded.Settings.Pane.AutoOpen && m != nil
}

// openForQuestion opens the pane for a question that nobody could be shown, where the person has set so. Otherwise it
// gives back what stood in the way.
func (a *app) openForQuestion(ctx context.Context, missing error) error {
	if !errors.Is(missing, client.ErrNotRunning) || !a.opensByItself() || a.quietOnDisk() {
		return missing
	}
	_, err := a.open(ctx)
	return err
}

// quietOnDisk reports whether the data file of an askd that does not run says that the person is not to be disturbed.
func (a *app) quietOnDisk() bool {
	j, err := journal.Open(journal.Options{Path: a.dataPath(), Go: a.spawn, Now: a.now, LockTimeout: openWithin, Existing: true, ReadOnly: true, WholeUpTo: -1})
	if err != nil {
		return false // there is none, or whoever opens it will say what is wrong with it
	}
	defer func() { _ = j.Close() }()
	q, err := broker.KeptQuiet(j)
	return err == nil && q.Until.After(a.now())
}
