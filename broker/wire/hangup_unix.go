//go:build unix

package wire

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hangupPoll is how often a half-closed connection is looked at; it bounds how late a vanished client is noticed.
const hangupPoll = 500 * time.Millisecond

// waitHangup waits while the peer has closed its sending half only. It returns when done says that nothing more is owed,
// when the peer is gone altogether, or when stop is closed.
func waitHangup(nc net.Conn, done func() bool, stop <-chan struct{}) {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return
	}
	tick := time.NewTicker(hangupPoll)
	defer tick.Stop()
	for !done() && !hungUp(raw) {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}

// hungUp reports whether the peer can no longer read either.
func hungUp(raw syscall.RawConn) bool {
	gone := true
	err := raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return err != nil || gone
}
