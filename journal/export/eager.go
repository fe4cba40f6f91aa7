package export

import "os"

// eagerBytes is how much is written before the disk begins with it: little against a file for which it matters.
const eagerBytes = 8 << 20

// eager is a file that goes to the disk while more of it is made. Else all of it would wait for the sync at the end.
type eager struct {
	f              *os.File
	written, begun int64
}

// Write implements io.Writer.
func (e *eager) Write(p []byte) (int, error) {
	n, err := e.f.Write(p)
	e.written += int64(n)
	if more := e.written - e.begun; more >= eagerBytes {
		beginSync(e.f, e.begun, more)
		e.begun = e.written
	}
	return n, err
}
