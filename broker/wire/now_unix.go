//go:build unix

package wire

import (
	"net"
	"syscall"
)

// mostNow is the longest line that is written past the queue: a socket whose client reads has room for it.
const mostNow = 16 << 10

// now writes a line at once, on the goroutine that has it, and never waits: the writer's turn would cost more than a short
// reply itself. False means that it is not written and has to be put, because something is before it, the socket has no room
// or the connection is none that can be written past its writer.
func (o *outbox) now(line []byte) bool {
	if o.raw == nil || len(line) > mostNow || o.ended.Load() {
		return false
	}
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	default:
		return false
	}
	if o.unsent.Load() > 0 || len(o.rest) > 0 {
		return false
	}
	sent := 0
	err := o.raw.Control(func(fd uintptr) { sent, _ = syscall.Write(int(fd), line) }) // the socket does not block
	if err != nil || sent <= 0 {
		return false
	}
	if sent < len(line) {
		o.rest = line[sent:]
		o.put([]byte{}) // the writer goes on with it
	}
	return true
}

// rawSocket is what now writes to: a socket and nothing around one.
func rawSocket(nc net.Conn) syscall.RawConn {
	c, ok := nc.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
