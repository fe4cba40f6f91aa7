package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// Compact writes the data file anew without the room that is free in it, and puts the new file in its place. Writers wait
// meanwhile, seconds for each gigabyte; readers wait only for the moment of the exchange. Should anything fail, or the
// process die, the file is the old one or the new one, whole. It blocks until it is done; any goroutine but a done.
// Errors: ErrClosed, ctx's when the caller gave up waiting (the compaction goes on), or what the disk says.
func (j *Journal) Compact(ctx context.Context) (ask.Upkeep, error) { return j.Prune(ctx, time.Time{}) }

// Prune drops the settled requests that were asked before the cutoff and whose outcome was stored before it, and compacts:
// bbolt grows slow from deleting. Live requests stay, whatever their age, and so does all else. Otherwise as Compact.
func (j *Journal) Prune(ctx context.Context, cutoff time.Time) (ask.Upkeep, error) {
	done := make(chan ask.Upkeep, 1)
	err := j.alone(ctx, func() error {
		report, err := j.rewrite(cutoff)
		done <- report
		return err
	})
	if err != nil {
		return ask.Upkeep{}, fmt.Errorf("compact: %w", err)
	}
	return <-done, nil
}

func compactPath(path string) string { return path + ".compact" }

// rewrite is the committer's: while it runs nothing is written.
func (j *Journal) rewrite(cutoff time.Time) (report ask.Upkeep, err error) {
	if j.stuck {
		return report, errStuck
	}
	if err := j.inPlace(); err != nil {
		return report, err
	}
	path, err := filepath.EvalSymlinks(j.opts.Path)
	if err != nil {
		return report, err
	}
	if err := lookAgain(path); errors.Is(err, ErrDamaged) {
		return report, &ask.Damage{Path: j.opts.Path, Err: err}
	} else if err != nil {
		return report, err
	}
	report.BytesBefore = fileSize(path)
	drop, err := j.tooOld(cutoff)
	if err != nil {
		return report, err
	}
	next, file, err := j.writeAnew(path, drop)
	if err != nil {
		_ = os.Remove(compactPath(path))
		return report, err
	}
	if err := j.exchange(next, path); err != nil {
		return report, err
	}
	j.room = room{file: file}
	j.records.Add(-int64(drop.n))
	s := j.Stats()
	report.Removed, report.Records, report.Live, report.Bytes = drop.n, s.Records, s.Live, s.FileBytes
	j.opts.Failpoint(opSteps[opAlone])
	return report, nil
}

// writeAnew fills and syncs a new file beside the old one. The lock on it is ours from its first moment.
func (j *Journal) writeAnew(path string, drop dropped) (next *bbolt.DB, file *os.File, err error) {
	_ = os.Remove(compactPath(path))
	moved := func(_ string, flag int, mode os.FileMode) (_ *os.File, err error) {
		// bbolt opens its file by name once more for a backup, and by then it has the name of the old one.
		if flag&os.O_CREATE == 0 {
			return os.OpenFile(path, flag, mode)
		}
		file, err = os.OpenFile(compactPath(path), flag|os.O_EXCL, 0o600)
		return file, err
	}
	if next, err = openDB(Options{Path: compactPath(path), LockTimeout: j.opts.LockTimeout}, moved); err != nil {
		return nil, nil, err
	}
	next.NoSync = true // one sync at the end does
	err = j.view(context.Background(), func(tx *bbolt.Tx) error { return copyAll(next, tx, drop) })
	next.NoSync = false
	if err == nil {
		err = next.Sync()
	}
	if err != nil {
		_ = next.Close()
		return nil, nil, err
	}
	j.opts.Failpoint("before-" + opSteps[opAlone])
	return next, file, nil
}

// exchange puts the new file in the place of the old one, for the file system and for us.
func (j *Journal) exchange(next *bbolt.DB, path string) error {
	j.dbMu.Lock()
	defer j.dbMu.Unlock()
	file, err := os.Stat(compactPath(path))
	if err == nil {
		err = os.Rename(compactPath(path), path)
	}
	if err != nil {
		return errors.Join(err, next.Close(), os.Remove(compactPath(path)))
	}
	j.file = file
	syncFolder(filepath.Dir(path))
	old := j.db
	j.db = next
	if err := old.Close(); err != nil {
		return fmt.Errorf("close the file that was replaced: %w", err)
	}
	return nil
}
