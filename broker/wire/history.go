package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// Upkeep looks after the data file. Its methods block on the disk.
type Upkeep interface {
	Check(ctx context.Context) (ask.Upkeep, error)
	Backup(ctx context.Context, path string) (ask.Upkeep, error)
	Compact(ctx context.Context) (ask.Upkeep, error)
	Prune(ctx context.Context, olderThan time.Time) (ask.Upkeep, error)
}

// withHistory makes a method of one that needs its parameters raw as well: the agent's tools read them by their own rules.
func withHistory(f func(*broker.Client, broker.HistoryParams, json.RawMessage, broker.Reply)) method {
	return func(c *Conn, raw json.RawMessage, reply broker.Reply) {
		var p broker.HistoryParams
		if err := decodeParams(raw, &p); err != nil {
			reply(nil, err)
			return
		}
		f(c.client, p, bytes.Clone(raw), reply)
	}
}

// upkeepParams are the parameters of journal.backup and journal.prune.
type upkeepParams struct {
	Path      string `json:"path"`
	OlderThan string `json:"olderThan"`
}

// upkeep makes a method of one thing that can be done to the data file, on a goroutine of its own.
func upkeep(do func(Upkeep, upkeepParams) (ask.Upkeep, error)) method {
	return func(c *Conn, raw json.RawMessage, reply broker.Reply) {
		var p upkeepParams
		if err := decodeParams(raw, &p); err != nil {
			reply(nil, err)
			return
		}
		u := c.server.o.Upkeep
		if u == nil {
			reply(nil, &broker.Error{Kind: broker.Unavailable, Message: "this daemon has no data file of its own"})
			return
		}
		c.server.o.Go("upkeep", func() {
			report, err := do(u, p)
			if err != nil {
				err = upkeepError(err)
			}
			reply(report, err)
		})
	}
}

func upkeepError(err error) error {
	if _, ok := err.(*broker.Error); ok { //nolint:errorlint // only this package's own, unwrapped
		return err
	}
	if met, next, ok := ask.Damaged(err); ok {
		return &broker.Error{Kind: broker.Storage, Message: met, Hint: next}
	}
	if errors.Is(err, fs.ErrExist) {
		return &broker.Error{Kind: broker.Storage, Message: err.Error(), Hint: "a copy never replaces a file: name another path, or move that one away"}
	}
	return &broker.Error{Kind: broker.Storage, Message: err.Error(), Hint: "the data file stays as it was"}
}

var (
	journalCheck   = upkeep(func(u Upkeep, _ upkeepParams) (ask.Upkeep, error) { return u.Check(context.Background()) })
	journalCompact = upkeep(func(u Upkeep, _ upkeepParams) (ask.Upkeep, error) { return u.Compact(context.Background()) })
	journalBackup  = upkeep(func(u Upkeep, p upkeepParams) (ask.Upkeep, error) {
		if !filepath.IsAbs(p.Path) {
			return ask.Upkeep{}, &broker.Error{Kind: broker.InvalidParams, Path: "path", Message: "path: an absolute path is needed", Hint: "the daemon does not know your folder"}
		}
		return u.Backup(context.Background(), filepath.Clean(p.Path))
	})
	journalPrune = upkeep(func(u Upkeep, p upkeepParams) (ask.Upkeep, error) {
		t, err := time.Parse(time.RFC3339, p.OlderThan)
		if err != nil {
			return ask.Upkeep{}, &broker.Error{Kind: broker.InvalidParams, Path: "olderThan", Message: "olderThan: \"" + p.OlderThan + "\" is no time", Hint: "write 2026-01-31T15:04:05Z"}
		}
		return u.Prune(context.Background(), t)
	})
)
