package daemon

import (
	"context"
	"path/filepath"
)

// attend waits for the end.
func (d *daemon) attend(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func dir(path string) string { return filepath.Dir(path) }
