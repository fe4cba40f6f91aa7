package wire

import (
	"bufio"
	"errors"
	"io"
)

var (
	errTooLong  = errors.New("line too long")
	errNoMemory = errors.New("no memory left for clients")
)

// lineReader reads lines of bounded length. What it gives is valid until the next call.
type lineReader struct {
	r     *bufio.Reader
	limit int
	buf   []byte
	held  *share // counts buf
}

func newLineReader(r io.Reader, limit int, memory *budget) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 16<<10), limit: limit, held: &share{of: memory}}
}

// next gives the next line without its LF. A last line without LF is not a message: it was cut off on its way. An error ends
// the reader.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.read()
	if err != nil {
		l.buf = nil
		l.held.end()
	}
	return line, err
}

func (l *lineReader) read() ([]byte, error) {
	if n := cap(l.buf); n > ownBytes {
		l.buf = nil
		l.held.add(-n)
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if err == nil && len(l.buf) == 0 {
			return l.checked(part[:len(part)-1])
		}
		before := cap(l.buf)
		l.buf = append(l.buf, part...)
		if !l.held.add(cap(l.buf) - before) {
			return nil, errNoMemory
		}
		if err == nil {
			return l.checked(l.buf[:len(l.buf)-1])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(l.buf) > l.limit {
			return nil, errTooLong
		}
	}
}

func (l *lineReader) checked(line []byte) ([]byte, error) {
	if len(line) > l.limit {
		return nil, errTooLong
	}
	return line, nil
}
