package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"askd/broker"
	"askd/broker/wire"
	"askd/ui"
)

// attach shows a pane on a terminal that a client carries (PROTOCOL, pane.attach) until the person leaves it, the client goes
// or askd stops. It is the same pane as the daemon's own, with a guard, a selected form and a size of its own.
func (d *daemon) attach(t *wire.Terminal) (wire.AttachEnd, error) {
	end := wire.AttachEnd{Reason: wire.AttachDetached}
	if err := d.panes.enter(); err != nil {
		return end, err
	}
	defer d.panes.leave()
	ctx, cancel := context.WithCancel(d.panes.ctx)
	defer cancel()
	// A client that takes nothing any more does not hold up the end.
	impatient := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(paneClose / 2):
			t.HangUp()
		case <-t.Gone():
		}
	})
	defer impatient()
	p := t.Params()
	t.Opened(ui.RestoreSequence(p.Term))
	d.log.Info("pane attached", "term", p.Term, "host", p.Host)
	err := d.show(ctx, ui.Options{Remote: &ui.Remote{Terminal: t, Term: p.Term, NoColour: p.NoColour, ASCII: p.ASCII}, Plain: p.Plain}, d.muxOf(p))
	d.log.Info("pane detached", "err", err)
	switch {
	case errors.Is(err, ui.ErrNoTerminal):
		return end, &broker.Error{Kind: broker.InvalidParams, Path: "term", Message: err.Error()}
	case d.panes.ctx.Err() != nil:
		end.Reason = wire.AttachClosing
	case errors.Is(err, ui.ErrTerminalGone):
		err = nil // nobody is left to read an error
	}
	return end, err
}

// muxOf is the multiplexer in which a client's terminal is, nil for none that can be reached from here.
func (d *daemon) muxOf(p wire.AttachParams) *mux {
	host, _ := os.Hostname() // unknown, only what names no machine is on this one
	if p.Terminal == nil || p.Host != "" && p.Host != host {
		return nil
	}
	m := &mux{own: *p.Terminal, log: d.log}
	if m.own.Kind == "tmux" {
		m.wrap = "tmux"
	}
	return m
}
