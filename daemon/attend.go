package daemon

import (
	"context"
	"errors"
	"path/filepath"

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
	err := d.show(ctx, ui.Options{Quit: quit, Drawn: d.isUp}, d.mux)
	if errors.Is(err, ui.ErrTerminalGone) {
		// The person closed the terminal: an ordinary end, and nobody is left to read an error.
		d.log.Info("the terminal has gone", "err", err)
		return nil
	}
	return err
}

func dir(path string) string { return filepath.Dir(path) }
