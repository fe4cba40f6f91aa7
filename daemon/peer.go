package daemon

import (
	"fmt"
	"net"
	"syscall"
)

// peerUID is the user id of the process at the other end, as the kernel recorded it.
func peerUID(nc net.Conn) (int, error) {
	uc, ok := nc.(syscall.Conn)
	if !ok {
		return 0, fmt.Errorf("not a Unix socket: %T", nc)
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return 0, err
	}
	var uid int
	var credErr error
	if err := raw.Control(func(fd uintptr) { uid, credErr = credentialUID(int(fd)) }); err != nil {
		return 0, err
	}
	return uid, credErr
}
