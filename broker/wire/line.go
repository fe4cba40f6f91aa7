package wire

import (
	"bufio"
	"errors"
	"io"
)

var errTooLong = errors.New("line too long")

// lineReader reads lines of bounded length. What it gives is valid until the next call.
type lineReader struct {
	r     *bufio.Reader
	limit int
	buf   []byte
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// keptBuffer is the largest buffer kept between lines, so that one huge message does not hold memory for days.
const keptBuffer = 256 << 10

// next gives the next line without its LF. A last line without LF is not a message: it was cut off on its way.
func (l *lineReader) next() ([]byte, error) {
	if cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if err == nil && len(l.buf) == 0 {
			return l.checked(part[:len(part)-1])
		}
		l.buf = append(l.buf, part...)
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
