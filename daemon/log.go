package daemon

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"askd/broker/ask"
)

// openLog opens the log file for appending. Logs never go to the pane; text of agents in them is cleaned as on the screen.
func openLog(path string) (*slog.Logger, io.Closer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fmt.Errorf("make folder of the log: %w; choose another with --log or ASKD_LOG", err)
	}
	// A pipe would hold up the start until somebody reads it, and later every line that is logged.
	if info, err := os.Stat(path); err == nil && info.Mode().Type() == os.ModeNamedPipe {
		return nil, nil, fmt.Errorf("open log: %s is a pipe; choose another with --log or ASKD_LOG", path)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open log: %w; choose another with --log or ASKD_LOG", err)
	}
	return slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{ReplaceAttr: cleaned})), f, nil
}

// cleaned makes the text of a log line harmless to whoever reads it in a terminal; the handler quotes it besides.
func cleaned(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(ask.Clean(v))
	case error:
		a.Value = slog.StringValue(ask.Clean(v.Error()))
	}
	return a
}
