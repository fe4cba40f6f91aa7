package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// serviceFlags are what the verbs of service are called with.
type serviceFlags struct {
	print, force, now bool
}

func (a *app) serviceVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Run askd in the background from login on, with systemd or launchd",
		Long: `Run askd in the background from login on: as a user service of systemd, which listens on
the socket and starts askd with the first connection, or on macOS as an agent of
launchd. askctl attach shows its pane.`,
		Args: cobra.ArbitraryArgs,
		RunE: verbs,
	}
	var f serviceFlags
	install := &cobra.Command{
		Use:   "install",
		Short: "Write the files of the service, for this askd and these paths",
		Long: `Write the files of the service, for the askd that this shell finds and the paths that it
would use. A file that was changed by hand is left alone without --force.`,
		Example: `askctl service install --now
askctl service install --print`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.installService(cmd.Context(), f) },
	}
	install.Flags().BoolVar(&f.print, "print", false, "write the files to standard output and nothing to the disk")
	uninstall := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove the files of the service again",
		Long: `Remove the files of the service again. A file that was changed by hand is left alone
without --force. Questions, answers and settings stay.`,
		Example: "askctl service uninstall --now",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.uninstallService(cmd.Context(), f) },
	}
	for _, c := range []*cobra.Command{install, uninstall} {
		c.Flags().BoolVar(&f.force, "force", false, "replace or remove a file that was changed by hand too")
		c.Flags().BoolVar(&f.now, "now", false, "also run the commands that switch the service on or off")
	}
	status := &cobra.Command{
		Use:     "status",
		Short:   "Say whether the files are there and whether askd runs",
		Example: "askctl service status",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.serviceStatus(cmd.Context()) },
	}
	cmd.AddCommand(install, uninstall, status)
	return cmd
}

// carriedOver are the variables that change what askd finds; a service manager does not have those of a shell.
var carriedOver = []string{"ASKD_LOG", "PI_CODING_AGENT_DIR"}

// wishes are the service that would do what `askd` does in this shell.
func (a *app) wishes() (w serviceWishes, err error) {
	if w.program, err = findDaemon(); err != nil {
		return w, err
	}
	if w.socket, err = a.socketPath(); err != nil {
		return w, err
	}
	for _, p := range []struct {
		into *string
		path string
	}{{&w.socket, w.socket}, {&w.data, a.dataPath()}} {
		if *p.into, err = filepath.Abs(p.path); err != nil {
			return w, fmt.Errorf("find %s: %w", p.path, err)
		}
	}
	if a.home == "" {
		return w, &exitError{code: exitFailed, text: "there is no home folder to install a service in: set HOME"}
	}
	w.home, w.runtime, w.config = a.home, a.getenv("XDG_RUNTIME_DIR"), a.getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(w.config) {
		w.config = filepath.Join(a.home, ".config")
	}
	for _, name := range carriedOver {
		if v := a.getenv(name); v != "" {
			w.environ = append(w.environ, [2]string{name, v})
		}
	}
	return w, nil
}

func (a *app) installService(ctx context.Context, f serviceFlags) error {
	w, err := a.wishes()
	if err != nil {
		return err
	}
	kind := servicesOf[serviceKind()]
	files := kind.files(w)
	if f.print {
		for i, file := range files {
			if i > 0 {
				a.out.printf("\n")
			}
			if len(files) > 1 {
				a.out.printf("# %s\n", filepath.Base(file.path))
			}
			a.out.printf("%s", file.whole())
		}
		return nil
	}
	if err := keepChanged(files, f.force, "replaces"); err != nil {
		return err
	}
	for _, file := range files {
		if err := file.write(); err != nil {
			return fmt.Errorf("write %s: %w", file.path, err)
		}
		a.out.printf("wrote %s\n", a.out.line(file.path))
	}
	a.inTheWay(ctx)
	return a.switching(ctx, f.now, "switch it on", kind.on(os.Getuid(), w))
}

// inTheWay says when an askd that was started by hand holds the socket.
func (a *app) inTheWay(ctx context.Context) {
	var s status
	if a.look(ctx, &s) == nil {
		a.errors.printf("askctl: askd runs already (pid %d): stop it with `kill %d` first if it was started by hand; it leaves everything on disk\n", s.PID, s.PID)
	}
}

func (a *app) uninstallService(ctx context.Context, f serviceFlags) error {
	w, err := a.wishes()
	if err != nil {
		return err
	}
	kind := servicesOf[serviceKind()]
	files := kind.files(w)
	if err := keepChanged(files, f.force, "removes"); err != nil {
		return err
	}
	off := kind.off(os.Getuid(), w)
	if !f.now && kind.enabled != nil {
		if _, err := os.Lstat(kind.enabled(w)); err == nil { // without its files it could not be switched off any more
			return &exitError{code: exitFailed, text: fmt.Sprintf("the service is switched on: nothing was removed; run `%s` first, or use --now", strings.Join(off[0], " "))}
		}
	}
	if f.now || kind.enabled == nil {
		if err := a.switching(ctx, f.now, "switch it off", off); err != nil {
			return err
		}
	}
	for _, file := range files {
		if state, err := file.state(); err != nil || state == fileAbsent {
			continue
		}
		if err := os.Remove(file.path); err != nil {
			return fmt.Errorf("remove the service: %w", err)
		}
		a.out.printf("removed %s\n", a.out.line(file.path))
	}
	return nil
}

// keepChanged refuses while a file is not as askctl wrote it, before anything is touched.
func keepChanged(files []serviceFile, force bool, verb string) error {
	for _, file := range files {
		switch state, err := file.state(); {
		case err != nil:
			return fmt.Errorf("look at %s: %w", file.path, err)
		case state == fileChanged && !force:
			return file.changed(verb)
		}
	}
	return nil
}

// switching runs the commands that switch the service on or off, or says them.
func (a *app) switching(ctx context.Context, now bool, what string, commands [][]string) error {
	if !now {
		a.out.printf("To %s:\n", what)
		for _, c := range commands {
			a.out.printf("  %s\n", strings.Join(c, " "))
		}
		return nil
	}
	for _, c := range commands {
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		cmd.Stdout, cmd.Stderr = a.errors, a.errors
		if err := cmd.Run(); err != nil {
			return &exitError{exitFailed, fmt.Sprintf("`%s` failed (%v): run it by hand where your session's service manager runs", strings.Join(c, " "), err), err}
		}
	}
	return nil
}

func (a *app) serviceStatus(ctx context.Context) error {
	w, err := a.wishes()
	if err != nil {
		return err
	}
	t := &table{columns: []column{{head: "SERVICE"}, {head: "", min: 20}}}
	for _, file := range servicesOf[serviceKind()].files(w) {
		state, err := file.state()
		if err != nil {
			state = fileState(err.Error())
		}
		t.add(cell{filepath.Base(file.path), dim}, cell{a.out.line(string(state)) + ", " + a.out.line(file.path), plain})
	}
	var s status
	running := "not running"
	if a.look(ctx, &s) == nil {
		running = fmt.Sprintf("running, pid %d, on %s", s.PID, s.Socket)
	}
	t.add(cell{"askd", dim}, cell{a.out.line(running), plain})
	t.write(a.out)
	return nil
}
