package daemon

import (
	"context"
	"path/filepath"

	"askd/broker/ask"
)

// attend waits for the end.
func (d *daemon) attend(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// openPane shows a view of the pane; false when there is none.
func (d *daemon) openPane(string, ask.Key) bool { return false }

func dir(path string) string { return filepath.Dir(path) }
