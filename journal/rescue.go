package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Tally counts what a rescue could save of one kind and what it knows to be lost.
type Tally struct {
	Saved int `json:"saved"`
	Lost  int `json:"lost"`
}

// Rescued is what became of a damaged data file. What left no trace at all is not counted as lost.
type Rescued struct {
	Path     string `json:"path"` // the fresh data file
	Requests Tally  `json:"requests"`
	Outcomes Tally  `json:"outcomes"`
	Drafts   Tally  `json:"drafts"`
	Images   Tally  `json:"images"`
	// Remnants is a file of JSON lines with what could be read and has no place without its request; empty for none.
	Remnants string `json:"remnants,omitempty"`
	Pages    int    `json:"pages"`    // of the damaged file
	BadPages int    `json:"badPages"` // those that could not be read or are in the wrong place
	// LostRequests names requests of which only the name is left, as "session/request id", the first hundred.
	LostRequests []string `json:"lostRequests,omitempty"`
	// Problems are what a check of the fresh file finds: nothing, unless the disk goes on failing.
	Problems []string `json:"problems,omitempty"`
	Bytes    int64    `json:"bytes"` // size of the fresh file
}

// ErrNothingReadable: a rescue found no record at all in the file. No fresh file was made.
var ErrNothingReadable = errors.New("nothing in the file could be read")

// ErrNothingStored: a rescue found a file that is in order and holds no record. No fresh file was made.
var ErrNothingStored = errors.New("the file is in order and holds no questions: there is nothing to save")

// Rescue reads everything readable out of a data file, however damaged, and writes it to a fresh one that Open takes like
// any other. It reads the file page by page: what cannot be read is passed over, and pages to which no way leads any more are
// looked for by themselves. The damaged file is only ever read, and nothing is replaced: the fresh file is to, or to with a
// number behind it when that is taken. now is the time that the fresh file bears.
//
// What is saved is what is stored as far as that can be told. A question whose outcome is lost waits again when it had not
// been delivered, and else stands in the history as failed; an image that is lost is replaced by an empty one.
// It blocks, seconds for each gigabyte; any goroutine. Errors: ctx's, ErrLocked, ErrNoDataFile,
// ErrNothingReadable, ErrNothingStored, or what the disk says.
func Rescue(ctx context.Context, from, to string, now time.Time) (Rescued, error) {
	report, err := rescue(ctx, from, to, now)
	if err != nil {
		return Rescued{}, fmt.Errorf("rescue %s: %w", from, err)
	}
	return report, nil
}

func rescue(ctx context.Context, from, to string, now time.Time) (report Rescued, err error) {
	f, err := os.Open(from)
	if err != nil {
		return report, err
	}
	defer func() { _ = f.Close() }()
	// The lock that bbolt takes: while askd writes, half of what we read would be of another time.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return report, ErrLocked
	}
	info, err := f.Stat()
	if err != nil {
		return report, err
	}
	if info.Size() == 0 {
		return report, errEmpty
	}
	s := newSalvage(ctx, openPages(f, info.Size()))
	if s.p.newest() == nil && !s.p.ours() {
		return report, errNothingLike
	}
	if err := s.find(); err != nil {
		return report, err
	}
	partial := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".partial")
	_ = os.Remove(partial) // of a rescue that was cut off
	defer func() { _ = os.Remove(partial) }()
	if err := s.writeTo(partial, now); err != nil {
		return report, err
	}
	if s.report.Requests.Saved == 0 && s.report.BadPages == 0 && s.rooted() {
		return report, ErrNothingStored
	}
	if s.report.Requests.Saved == 0 {
		return report, fmt.Errorf("%w: %d of %d pages are damaged", ErrNothingReadable, s.report.BadPages, s.report.Pages)
	}
	report = s.report
	if report.Problems, err = checkFresh(ctx, partial); err != nil {
		return report, err
	}
	if report.Path, err = settleName(partial, to); err != nil {
		return report, err
	}
	report.Bytes = fileSize(report.Path)
	if len(s.remnants) > 0 {
		report.Remnants, err = s.writeRemnants(report.Path + ".remnants.jsonl")
	}
	return report, err
}

// checkFresh opens the fresh file as askd will.
func checkFresh(ctx context.Context, path string) ([]string, error) {
	j, err := Open(Options{Path: path})
	if err != nil {
		return nil, err
	}
	report, err := j.Check(ctx)
	return report.Problems, errors.Join(err, j.Close())
}

// nameTries bounds the search for a free name.
const nameTries = 1000

// settleName gives a whole file the first free name: path, path-2, path-3 and so on. A link fails when the name is taken.
func settleName(partial, path string) (string, error) {
	for n := range nameTries {
		name := path
		if n > 0 {
			name = fmt.Sprintf("%s-%d", path, n+1)
		}
		err := os.Link(partial, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		syncFolder(filepath.Dir(path))
		return name, err
	}
	return "", fmt.Errorf("%s: %w", path, fs.ErrExist)
}

// writeRemnants writes what has no place in the fresh file.
func (s *salvage) writeRemnants(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(append(bytes.Join(s.remnants, []byte("\n")), '\n')); err != nil {
		return "", err
	}
	return path, f.Sync()
}
