package daemon

import "golang.org/x/sys/unix"

// credentialUID asks the kernel whose process is at the other end of a connected socket.
func credentialUID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
