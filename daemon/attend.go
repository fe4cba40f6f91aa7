package daemon

import (
	"context"
	"errors"
	"path/filepath"

	"askd/broker"
	"askd/broker/ask"
	"askd/ui"
)

// attend waits for the end, with a pane in front of the person unless askd runs headless.
func (d *daemon) attend(ctx context.Context) error {
	if d.o.Headless {
		d.isUp()
		<-ctx.Done()
		return nil
	}
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	var desk ui.Desk = d.broker
	if d.o.Steps != nil {
		desk = stepDesk{d.broker, d.o.Steps}
	}
	pane := ui.New(ui.Options{
		Desk: desk, Settings: d.settings, History: past{d.journal}, Multiplexer: d.mux, ReadClipboard: readClipboard, Go: d.guard.Go, Socket: d.o.Socket, Quit: quit, Drawn: d.isUp, Version: d.o.Version, Throwaway: d.o.Throwaway, Log: d.log,
	})
	d.guard.OnCrash(pane.RestoreTerminal)
	defer d.guard.OnCrash(nil)
	d.pane.Store(pane)
	defer d.pane.Store(nil)
	err := pane.Run(ctx)
	if errors.Is(err, ui.ErrTerminalGone) {
		// The person closed the terminal: an ordinary end, and nobody is left to read an error.
		d.log.Info("the terminal has gone", "err", err)
		return nil
	}
	return err
}

// writeTerminal writes a sequence to the pane's terminal; false when there is none.
func (d *daemon) writeTerminal(sequence string) bool {
	pane := d.pane.Load()
	return pane != nil && pane.Emit(sequence)
}

// openPane shows a view of the pane; false when there is none.
func (d *daemon) openPane(view string, form ask.Key) bool {
	pane := d.pane.Load()
	return pane != nil && pane.Open(view, form)
}

// focusPane moves the terminal multiplexer's focus to the pane; false when there is no pane or no way.
func (d *daemon) focusPane(from *broker.Terminal) bool {
	if d.pane.Load() == nil {
		return false
	}
	if from == nil {
		from = new(broker.Terminal)
	}
	return d.mux.comeHere(*from)
}

func dir(path string) string { return filepath.Dir(path) }
