package journal

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// Backup writes the data file as it is at this moment, consistent in itself, to a new file with mode 0600, which Open takes
// like any other. Nothing is replaced and no symlink followed. The file has its name only when it is whole and on the disk:
// whatever fails, a file of that name is a good backup. A process that is killed leaves ".<name>.*.partial" beside it,
// which may be removed. It blocks on the disk and keeps no writer waiting; any goroutine.
// Errors: ctx's, ErrClosed, fs.ErrExist, or what the disk says.
func (j *Journal) Backup(ctx context.Context, path string) (ask.Upkeep, error) {
	report, err := j.backup(ctx, path)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // bbolt keeps only the words of what its writer said
	}
	if err != nil {
		return ask.Upkeep{}, fmt.Errorf("back up to %s: %w", path, err)
	}
	return report, nil
}

func (j *Journal) backup(ctx context.Context, path string) (report ask.Upkeep, err error) {
	if _, err := os.Lstat(path); err == nil {
		return report, fs.ErrExist // looked at again below; this spares the writing
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial") // makes it with mode 0600
	if err != nil {
		return report, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	defer f.Close()
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		if report, err = countRecords(tx); err != nil {
			return err
		}
		report.Bytes, err = tx.WriteTo(stopping{ctx, f})
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return report, err
	}
	// A link and not a rename: it fails when the name is taken.
	if err := os.Link(f.Name(), path); err != nil {
		return report, err
	}
	syncFolder(filepath.Dir(path))
	return report, nil
}

// stopping is a writer that fails once its context has ended.
type stopping struct {
	ctx context.Context
	w   io.Writer
}

func (s stopping) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.w.Write(p)
}

// countRecords counts as the file counts.
func countRecords(tx *bbolt.Tx) (r ask.Upkeep, err error) {
	err = eachValue(tx.Bucket(bucketLive), func(_ uint64, k kind, _ []byte) error {
		if k == kindRequest {
			r.Live++
		}
		return nil
	})
	r.Records = r.Live + int(tx.Bucket(bucketHistory).Sequence())
	return r, err
}
