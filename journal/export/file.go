package export

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"syscall"

	"askd/broker/ask"
)

// Format is the form of an export.
type Format string

// The formats (PROTOCOL, history.export).
const (
	FormatMarkdown  Format = "markdown" // the zero value stands for it too
	FormatJSONLines Format = "jsonl"
)

// ErrFormat: there is no such format.
var ErrFormat = errors.New("unknown export format; use markdown or jsonl")

// Write makes the file and writes the questions of the records into it, in their order, as they come. The file must not
// exist: nothing is replaced and no symlink followed. It has mode 0600. When anything fails, an error among the records
// included, no file stays behind. It blocks on the disk and on records. Errors of the file read as the contract has them,
// such as "EEXIST: file already exists, open '/x/out.md'", and keep their errno for errors.Is; else ErrFormat or what
// records gave.
func Write(path string, records iter.Seq2[ask.Record, error], format Format) error {
	switch format {
	case FormatMarkdown, "":
		return create(path, func(w *bufio.Writer) error { return Markdown(w, Questions(records)) })
	case FormatJSONLines:
		return create(path, func(w *bufio.Writer) error { return JSONLines(w, records) })
	}
	return fmt.Errorf("%w: %q", ErrFormat, format)
}

// WriteQuestions makes a Markdown file of chosen questions, otherwise as Write does.
func WriteQuestions(path string, records []ask.HistoryRecord) error {
	return create(path, func(w *bufio.Writer) error {
		return Markdown(w, func(yield func(*ask.HistoryRecord, error) bool) {
			for i := range records {
				if !yield(&records[i], nil) {
					return
				}
			}
		})
	})
}

// Questions takes records apart into their questions. What it yields is good until the next step.
func Questions(records iter.Seq2[ask.Record, error]) iter.Seq2[*ask.HistoryRecord, error] {
	return func(yield func(*ask.HistoryRecord, error) bool) {
		var questions []ask.HistoryRecord
		for rec, err := range records {
			if err != nil {
				yield(nil, err)
				return
			}
			questions = rec.AppendHistory(questions[:0])
			for i := range questions {
				if !yield(&questions[i], nil) {
					return
				}
			}
		}
	}
}

const bufferBytes = 64 << 10

func create(path string, write func(*bufio.Writer) error) (err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return describe(err)
	}
	defer func() {
		if err != nil {
			discard(f, path)
		}
	}()
	w := bufio.NewWriterSize(&eager{f: f}, bufferBytes)
	for _, step := range []func() error{func() error { return write(w) }, w.Flush, f.Sync, f.Close} {
		if err := step(); err != nil {
			return describe(err)
		}
	}
	return nil
}

// discard removes what was begun, unless something else has taken its name meanwhile.
func discard(f *os.File, path string) {
	ours, err := f.Stat()
	if err != nil { // closed: the close itself failed
		_ = os.Remove(path)
		return
	}
	_ = f.Close()
	if now, err := os.Lstat(path); err == nil && os.SameFile(ours, now) {
		_ = os.Remove(path)
	}
}

// FileError is a failure of the file in the words that agents know from their own platform.
type FileError struct {
	text string
	err  error
}

// Error is like "ENOENT: no such file or directory, open '/x/out.md'".
func (e *FileError) Error() string { return e.text }

// Unwrap gives what the system said.
func (e *FileError) Unwrap() error { return e.err }

// errnos are the failures that an export is likely to meet.
var errnos = map[syscall.Errno]string{
	syscall.EACCES:       "EACCES: permission denied",
	syscall.EDQUOT:       "EDQUOT: disk quota exceeded",
	syscall.EEXIST:       "EEXIST: file already exists",
	syscall.EFBIG:        "EFBIG: file too large",
	syscall.EINVAL:       "EINVAL: invalid argument",
	syscall.EIO:          "EIO: i/o error",
	syscall.EISDIR:       "EISDIR: illegal operation on a directory",
	syscall.ELOOP:        "ELOOP: too many symbolic links encountered",
	syscall.EMFILE:       "EMFILE: too many open files",
	syscall.ENAMETOOLONG: "ENAMETOOLONG: name too long",
	syscall.ENOENT:       "ENOENT: no such file or directory",
	syscall.ENOSPC:       "ENOSPC: no space left on device",
	syscall.ENOTDIR:      "ENOTDIR: not a directory",
	syscall.EPERM:        "EPERM: operation not permitted",
	syscall.EROFS:        "EROFS: read-only file system",
}

func describe(err error) error {
	var at *os.PathError
	var errno syscall.Errno
	if !errors.As(err, &at) || !errors.As(err, &errno) {
		return err
	}
	text, known := errnos[errno]
	if !known {
		return err
	}
	text += ", " + at.Op
	if at.Op == "open" {
		text += " '" + at.Path + "'"
	}
	return &FileError{text: text, err: err}
}
