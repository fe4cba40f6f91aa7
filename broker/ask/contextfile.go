package ask

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"
)

// MaxContextFile is the most bytes that a context file may have.
const MaxContextFile = 1 << 20

// The reasons for which a context file is refused, besides what the system says.
var (
	errNoFile      = errors.New("no such file")
	errNotRegular  = errors.New("expected a regular text file")
	errBinary      = errors.New("expected UTF-8 text, not binary data")
	errEmpty       = errors.New("file is empty")
	errTooLarge    = errors.New("file is larger than 1 MiB")
	errNoAccess    = errors.New("permission denied")
	byteOrderMark  = []byte("\uFEFF")
	lineTerminator = "\n\r\u2028\u2029"
)

// LoadContexts replaces every context that names a file by the file's text and gives an issue for each file that cannot be
// shown. It blocks on the disk. Call it only on a payload that Validate passed: a refused form opens no file.
func (p *Payload) LoadContexts() []Issue { return p.fill(ownDisk) }

// KeepContexts takes every context as text, for saved forms, whose files were loaded when they were asked. A preview file
// that was never loaded stays as its path.
func (p *Payload) KeepContexts() {
	for i := range p.questions {
		p.questions[i].settle(p.questions[i].context, false)
	}
}

func (q *rawQuestion) loadContext(from shelf) (failed []error) {
	loaded := false
	parts := append([]part(nil), q.context...)
	for i := range parts {
		path, ok := parts[i].pathOn(from)
		if !ok {
			continue
		}
		text, err := from.read(path)
		if err != nil {
			failed = append(failed, fmt.Errorf(`Cannot load context file "%s": %w`, path, err))
			continue
		}
		parts[i].text, loaded = text, true
	}
	if failed == nil {
		q.settle(parts, loaded)
	}
	return failed
}

// settle makes parts the context for good and writes it back into the arguments when it is not what they hold.
func (q *rawQuestion) settle(parts []part, loaded bool) {
	q.context = parts
	if len(parts) == 0 || (q.contextGiven && !loaded) {
		return
	}
	text := joinContext(parts)
	q.context = []part{{text: text, literal: true}}
	q.fields.set("context", quote(text))
}

// contextBytes reads a regular text file. Anything else is never opened for reading: opening a FIFO waits for a writer,
// and reading some devices acts. What changes between the look and the opening is caught by looking again.
func contextBytes(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reasonOf(err)
	}
	if err := checkRegular(info); err != nil {
		return nil, err
	}
	return readRegular(path)
}

func checkRegular(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return errNotRegular
	case info.Size() > MaxContextFile:
		return errTooLarge
	}
	return nil
}

// readRegular uses the descriptor directly: the runtime's poller would wait for a file that is never ready.
func readRegular(path string) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, reasonOf(err)
	}
	defer syscall.Close(fd) //nolint:errcheck // nothing was written
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, reasonOf(err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, errNotRegular
	}
	return readDescriptor(fd, st.Size)
}

func readDescriptor(fd int, size int64) ([]byte, error) {
	data := make([]byte, 0, min(max(size, 511), MaxContextFile)+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := syscall.Read(fd, data[len(data):cap(data)])
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return nil, reasonOf(err)
		case n <= 0:
			return data, nil
		}
		if data = data[:len(data)+n]; len(data) > MaxContextFile {
			return nil, errTooLarge
		}
	}
}

func decodeContext(data []byte) (string, error) {
	if !utf8.Valid(data) {
		return "", errBinary
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	if bytes.IndexByte(data, 0) >= 0 {
		return "", errBinary
	}
	text := string(data)
	if Blank(text) {
		return "", errEmpty
	}
	return text, nil
}

// reasons maps what the system says on the reasons that the contract's issues give.
var reasons = map[syscall.Errno]error{
	syscall.ENOENT: errNoFile, syscall.ENOTDIR: errNoFile, syscall.ENAMETOOLONG: errNoFile, syscall.ELOOP: errNoFile, syscall.EINVAL: errNoFile,
	syscall.EACCES: errNoAccess, syscall.EPERM: errNoAccess,
	syscall.EISDIR: errNotRegular, syscall.ENXIO: errNotRegular, syscall.EAGAIN: errNotRegular, syscall.ENODEV: errNotRegular,
}

func reasonOf(err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	if reason, ok := reasons[errno]; ok {
		return reason
	}
	return errno
}
