package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"askd/broker"
	"askd/broker/client"
	"askd/broker/wire"
	"askd/config"
)

func (a *app) attachVerb() *cobra.Command {
	var plain bool
	cmd := &cobra.Command{
		Use:   "attach",
		Short: "Show askd's pane in this terminal too",
		Long: `Show the pane of a running askd in this terminal: the same inbox and the same forms.
askd may show its own pane elsewhere, or run headless. What you enter in one pane
shows in the others, and the first answer counts.

The quit key (Ctrl+Q) detaches: this pane goes, askd and its other panes stay. Images
are pasted from the clipboard of the machine on which askd runs. With --plain this pane
has words in one column instead of lines and marks, for screen readers.`,
		Example: `askctl attach
askctl attach --plain`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.attach(cmd.Context(), plain || config.Plain(a.getenv))
		},
	}
	cmd.Flags().BoolVar(&plain, "plain", false, "this pane in words and one column, for screen readers (ASKD_PLAIN=1)")
	return cmd
}

// attachment is a terminal that shows a pane of askd.
type attachment struct {
	a       *app
	plain   bool // words in one column, for a screen reader
	link    *link
	notify  func(method string, params any) error // sends what askd does not answer
	restore []byte                                // gives the terminal back, from askd; nil until a pane has been opened
	lost    error                                 // why the terminal could not be written to; read it after the connection's end
}

// attach shows a pane until the person leaves it, askd ends or ctx does, and gives the terminal back in every case.
func (a *app) attach(ctx context.Context, plain bool) error {
	in, ok := a.in.r.(*os.File)
	if !ok || !a.in.terminal || a.out.size == nil {
		return &exitError{code: exitFailed, text: "attach needs a terminal that can show forms: call it in one, with TERM set to its kind; `askctl queue` and `askctl answer` work without"}
	}
	at := &attachment{a: a, plain: plain}
	l, err := a.dialledBy(ctx, at.hear)
	if err != nil {
		return err
	}
	defer l.close()
	if err := errors.Join(a.rightFile(ctx, l), a.person(ctx, l, "attach")); err != nil {
		return err
	}
	conn, ok := l.caller.(interface{ Notify(string, any) error })
	if !ok {
		return errors.New("attach needs a connection to askd")
	}
	at.link, at.notify = l, conn.Notify
	return at.run(ctx, in)
}

// run has the terminal to itself.
func (at *attachment) run(ctx context.Context, in *os.File) error {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return fmt.Errorf("take the terminal: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	at.a.spawn("attach input", func() { at.read(ctx, in) })
	followed, changes := make(chan struct{}), newChanges() // before the size is read, so that no change of it is missed
	at.a.spawn("attach size", func() { defer close(followed); at.follow(ctx, fd, changes) })
	var end wire.AttachEnd
	err = at.link.Call(ctx, "pane.attach", at.params(), &end)
	at.link.close() // nothing is drawn from here on
	<-at.link.Done()
	cancel()
	<-followed // nor is the terminal taken again
	if err != nil && at.restore != nil {
		_, _ = at.a.out.w.Write(at.restore)
	}
	if rerr := term.Restore(fd, before); rerr != nil && err == nil {
		err = fmt.Errorf("give the terminal back: %w", rerr)
	}
	return at.ended(end, err)
}

// params say what this terminal is.
func (at *attachment) params() wire.AttachParams {
	a := at.a
	p := wire.AttachParams{Term: a.getenv("TERM"), NoColour: a.getenv("NO_COLOR") != "", ASCII: !config.UTF8(config.Charset(a.getenv)), Plain: at.plain}
	p.Columns, p.Rows = a.out.size()
	p.Host, _ = os.Hostname() // unknown, the terminal counts as one of askd's machine
	if m, id := openerHere(a.getenv); m != nil {
		p.Terminal = &broker.Terminal{Kind: strings.ToLower(m.name), ID: id}
	}
	return p
}

// hear takes what askd sends unasked, on the connection's reader: what it draws goes out before anything else is read, so a
// terminal that takes no more holds up this connection alone.
func (at *attachment) hear(method string, params json.RawMessage) {
	switch method {
	case "pane.opened":
		var p struct{ Restore []byte }
		if json.Unmarshal(params, &p) == nil {
			at.restore = p.Restore
		}
		at.tellSize() // a change since pane.attach was sent found no pane
	case "pane.output":
		var p struct{ Data []byte }
		if json.Unmarshal(params, &p) != nil || at.lost != nil {
			return
		}
		if _, at.lost = at.a.out.w.Write(p.Data); at.lost == nil {
			_ = at.notify("pane.taken", struct{}{}) // a lost connection ends the call of pane.attach
		} else {
			at.link.close()
		}
	}
}

// read sends what is typed. Each piece waits until the pane has taken the one before; what comes meanwhile stays in the
// terminal.
func (at *attachment) read(ctx context.Context, in io.Reader) {
	buf := make([]byte, config.PaneInput)
	for {
		n, err := in.Read(buf)
		if err != nil {
			return // the terminal has gone, and a signal says so
		}
		if at.link.Call(ctx, "pane.input", map[string]any{"data": buf[:n]}, nil) != nil {
			return
		}
	}
}

// changes are what happens to the terminal from outside.
type changes struct{ resized, continued chan os.Signal }

func newChanges() changes {
	c := changes{resized: make(chan os.Signal, 1), continued: make(chan os.Signal, 1)}
	signal.Notify(c.resized, syscall.SIGWINCH)
	signal.Notify(c.continued, syscall.SIGCONT)
	return c
}

func (c changes) stop() {
	signal.Stop(c.resized)
	signal.Stop(c.continued)
}

// follow tells askd of every change of the terminal's size, and takes the terminal again when this process goes on after a
// stop: the shell has used it meanwhile.
func (at *attachment) follow(ctx context.Context, fd int, c changes) {
	defer c.stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.resized:
			at.tellSize()
		case <-c.continued:
			_, _ = term.MakeRaw(fd) // in the background it stops the process; a terminal that has gone says so elsewhere
			_ = at.notify("pane.retake", struct{}{})
		}
	}
}

func (at *attachment) tellSize() {
	columns, rows := at.a.out.size()
	_ = at.notify("pane.resize", map[string]int{"columns": columns, "rows": rows})
}

// ended words what became of the pane, once the terminal is the person's own again.
func (at *attachment) ended(end wire.AttachEnd, err error) error {
	switch {
	case err == nil && end.Reason == wire.AttachClosing, isKind(err, broker.ShuttingDown):
		return &exitError{exitNoDaemon, "askd was stopped. Everything is kept: start it again, then `askctl attach`", err}
	case err == nil:
		at.a.out.printf("Detached; askd goes on.\n")
		return nil
	case at.lost != nil:
		return fmt.Errorf("write to the terminal: %w", at.lost)
	case errors.Is(err, client.ErrConnection):
		return &exitError{exitNoDaemon, "the connection to askd was lost. What you have entered is kept: see whether it runs (`askctl status`), start it again if not, then `askctl attach`", err}
	}
	return err
}
