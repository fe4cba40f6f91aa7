package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"askd/broker/client"
	"askd/config"
)

// forward is one link to a host, over as many ssh connections as it takes.
type forward struct {
	a       *app
	host    string   // as ssh is told
	name    string   // as the person sees it beside the questions
	remote  string   // the path wished for there; empty is where agents there look
	ssh     []string // further arguments of ssh
	check   bool
	program string // ssh
	dir     string // for what stands between ssh and askctl
	control string // the socket by which ssh takes orders
	near    string // the socket that ssh forwards to
	id      string // of this run
	ties    int    // connections so far
}

const (
	// firstPause and longestPause are how long a lost link rests before the next try: a network that comes back is there
	// within seconds, one that does not is not to be pestered.
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

func (a *app) forwardVerb() *cobra.Command {
	f := &forward{a: a}
	var options []string
	cmd := &cobra.Command{
		Use:   "forward HOST [-- SSH-ARGUMENT...]",
		Short: "Let agents on another machine ask this askd, through ssh",
		Long: `Forward askd's socket to HOST with ssh, to the path where Pi, askctl and others look for
it there, check that it answers, and keep the link up until Ctrl+C, which takes the socket
away again. HOST and everything else is what your own ssh makes of it: names of
~/.ssh/config, keys, an agent, jump hosts. What ssh asks, it asks here.

On HOST nothing runs but sh; it needs no askd. Its questions show HOST beside the name
of their session. Whoever is you on HOST, or root, can ask, read and answer in askd.

--check sets the link up, checks it and ends. The path there is $ASKD_SOCKET, else
$XDG_RUNTIME_DIR/askd/askd.sock, else /tmp/askd-<uid>/askd.sock, or --remote-socket.

Exit codes: 0 ended by Ctrl+C, or the check was good; 1 it failed; 2 the command line
was wrong; 3 no askd answers here (with --check).`,
		Example: "askctl forward devbox\naskctl forward me@192.0.2.7 -- -p 2222 -J gateway\naskctl forward --check devbox",
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				f.ssh, args = args[at:], args[:at]
			}
			return f.take(cmd, args, options)
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&f.remote, "remote-socket", "", "the `PATH` of the socket on HOST (default where agents there look)")
	cmd.Flags().StringArrayVarP(&options, "ssh-option", "o", nil, "an `OPTION` as ssh -o takes it, for instance Port=2222; again for several")
	cmd.Flags().BoolVar(&f.check, "check", false, "set the link up, check it and end")
	return cmd
}

// plainPath is what a remote path may be made of: it passes through two shells and ssh's own expansions.
var plainPath = regexp.MustCompile(`^/[A-Za-z0-9/._+@,=-]+$`)

// take checks the command line.
func (f *forward) take(cmd *cobra.Command, args, options []string) error {
	switch {
	case len(args) != 1:
		return usagef(cmd, "name one host; arguments for ssh go behind --")
	case args[0] == "" || strings.HasPrefix(args[0], "-") || strings.ContainsFunc(args[0], func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return usagef(cmd, "%q is no host: it begins with -, or has spaces or control characters in it, or is empty", args[0])
	case f.remote != "" && (!plainPath.MatchString(f.remote) || strings.HasSuffix(f.remote, "/")):
		return usagef(cmd, "--remote-socket %q: an absolute path of letters, digits and /._+@,=- is needed", f.remote)
	case len(f.remote) > config.SocketPathMaxDarwin:
		return usagef(cmd, "--remote-socket: the path has %d bytes, more than the %d that a socket may have everywhere", len(f.remote), config.SocketPathMaxDarwin)
	}
	f.host, f.name = args[0], hostName(args[0])
	for _, o := range options {
		f.ssh = append(f.ssh, "-o", o)
	}
	return nil
}

// hostName is the machine in what ssh takes as a destination: user@host, or ssh://user@host:port.
func hostName(destination string) string {
	name, isURL := strings.CutPrefix(destination, "ssh://")
	name = name[strings.LastIndexByte(name, '@')+1:]
	if isURL {
		name, _, _ = strings.Cut(name, "/")
		if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, ']') {
			name = name[:i]
		}
	}
	if name == "" {
		return destination
	}
	return name
}

// plainName is a name without what a shell would act on.
func plainName(s string) string {
	return "'" + regexp.MustCompile(`[^A-Za-z0-9._-]`).ReplaceAllString(s, "_") + "'"
}

// token names the present connection; what stands before its last dot names this run.
func (f *forward) token() string { return fmt.Sprintf("%s.%d", f.id, f.ties) }

// run keeps the link until ctx ends.
func (f *forward) run(ctx context.Context) error {
	var err error
	if f.program, err = exec.LookPath("ssh"); err != nil {
		return &exitError{exitFailed, "there is no ssh in the PATH: install OpenSSH's client", err}
	}
	socket, err := f.askdHere(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "askctl-")
	if err != nil {
		return fmt.Errorf("make a folder for ssh: %w; set TMPDIR to one that can be written", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	f.id, f.dir, f.near = f.a.newID(), dir, filepath.Join(dir, "s")
	r, err := newRelay(f.near, socket, f.name, f.a)
	if err != nil {
		return err
	}
	defer r.Close()
	return f.keep(ctx)
}

// askdHere finds askd here. Without --check it may come later.
func (f *forward) askdHere(ctx context.Context) (string, error) {
	socket, err := f.a.socketPath()
	if err != nil {
		return "", err
	}
	var s status
	err = f.a.look(ctx, &s)
	switch {
	case err == nil && s.Host == "" && thisHost() != "":
		return "", &exitError{code: exitFailed, text: fmt.Sprintf("askd %s is older than askctl %s and would take %s for this machine: restart it with the release of askctl", s.Version, config.Version, f.host)}
	case errors.Is(err, client.ErrNotRunning) && !f.check:
		f.a.errors.printf("askctl: askd is not running here yet: start `askd`; until then nothing on %s gets an answer\n", f.a.errors.line(f.name))
		err = nil
	}
	return socket, err
}

// keep links again and again. The first failure is the last: what is wrong then is not the network.
func (f *forward) keep(ctx context.Context) error {
	pause := firstPause
	for up := false; ; {
		err := f.once(ctx, up, func() { up, pause = true, firstPause })
		switch {
		case ctx.Err() != nil && !up:
			return ctx.Err()
		case ctx.Err() != nil:
			f.tell("the link has ended and the socket there is gone")
			return nil
		case f.check && err == nil:
			return nil
		case !up || !errors.Is(err, errLink):
			return f.failed(err)
		}
		f.tell(fmt.Sprintf("the link is lost (%s); next try in %s", strings.TrimPrefix(err.Error(), errLink.Error()+" to "+f.host+": "), pause))
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// failed words a link that did not come about.
func (f *forward) failed(err error) error {
	if !errors.Is(err, errLink) {
		return err
	}
	return &exitError{exitFailed, err.Error() + fmt.Sprintf(": see whether `ssh %s true` works", f.host), err}
}

func (f *forward) tell(text string) {
	f.a.out.printf("%s: %s.\n", f.a.out.line(f.name), f.a.out.line(text))
}

// once links, checks, and stays until the connection ends.
func (f *forward) once(ctx context.Context, again bool, up func()) error {
	f.ties++
	f.control = filepath.Join(f.dir, fmt.Sprint(f.ties))
	t, err := f.tie(ctx)
	if err != nil {
		return err
	}
	defer t.cut()
	ready, err := t.ask(ctx, f.host, "prepare", "ready")
	if err != nil {
		return err
	}
	path := strings.Join(ready, " ")
	if err := f.open(ctx, path); err != nil {
		if again {
			err = fmt.Errorf("%w to %s: %w", errLink, f.host, err) // it was good before
		}
		return err
	}
	found, err := t.ask(ctx, f.host, "check", "checked")
	if err != nil {
		return err
	}
	if err := f.report(found, path, again); err != nil {
		return err
	}
	if f.check {
		return nil
	}
	up()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.ended:
		return t.lost(f.host)
	}
}

// open has the running ssh forward the socket; it answers once the host has agreed.
func (f *forward) open(ctx context.Context, path string) error {
	if !plainPath.MatchString(path) || len(path) > config.SocketPathMaxLinux {
		return &exitError{code: exitFailed, text: fmt.Sprintf("%s looks for the socket at %q, which ssh cannot forward to: choose a plain, shorter path with --remote-socket, and set ASKD_SOCKET to it there", f.host, path)}
	}
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	out, err := exec.CommandContext(within, f.program, "-F", "none", "-o", "ControlPath="+f.control, "-O", "forward", "-R", path+":"+f.near, "--", f.host).CombinedOutput()
	if err == nil {
		return nil
	}
	words := strings.TrimSpace(f.a.errors.line(string(out)))
	if words == "" {
		words = err.Error()
	}
	return &exitError{exitFailed, fmt.Sprintf("the ssh server of %s does not forward to %s (%s): it needs AllowStreamLocalForwarding and AllowTcpForwarding, which sshd has on by itself", f.host, path, words), err}
}
