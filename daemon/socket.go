package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// probeTimeout is how long a listening socket may take to accept before it counts as somebody's.
const probeTimeout = time.Second

// socket is the daemon's listening socket and the lock that makes it the only one.
type socket struct {
	net.Listener
	path string
	lock *lock
	lent bool // by a service manager, which keeps the path
}

// listen takes the socket's path for this process. It must be called before the daemon starts goroutines that create
// files, because it sets the process's umask for a moment.
func listen(path string) (*socket, error) {
	const wayOut = "--socket or ASKD_SOCKET"
	lent, err := inherited(path)
	if err != nil {
		return nil, err
	}
	s, err := take(path, lent, wayOut)
	if err != nil && lent != nil {
		_ = lent.Close()
	}
	return s, err
}

// take makes sure that a path is this process's alone and listens there, on a socket that was lent to it if there is one.
func take(path string, lent net.Listener, wayOut string) (*socket, error) {
	if err := ownFolder(filepath.Dir(path), wayOut); err != nil {
		return nil, err
	}
	if err := safeAbove(filepath.Dir(path), wayOut); err != nil {
		return nil, err
	}
	l, err := acquire(path, "socket", wayOut)
	if err != nil {
		return nil, err
	}
	if lent != nil {
		if err := os.Chmod(path, 0o600); err != nil { // whatever its unit says: nobody else is to reach it
			l.release()
			return nil, fmt.Errorf("close %s to other users: %w", path, err)
		}
		return &socket{Listener: lent, path: path, lock: l, lent: true}, nil
	}
	if err := clearStale(path); err != nil {
		l.release()
		return nil, err
	}
	ln, err := bind(path)
	if err != nil {
		l.release()
		return nil, fmt.Errorf("listen on %s: %w; choose another path with %s", path, err, wayOut)
	}
	return &socket{Listener: ln, path: path, lock: l}, nil
}

// safeAbove refuses a folder that any user could move away to put another in its place, for clients to find.
func safeAbove(dir, wayOut string) error {
	above := filepath.Dir(dir)
	info, err := os.Stat(above)
	if err != nil {
		return fmt.Errorf("look at folder %s: %w", above, err)
	}
	if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
		return fmt.Errorf("folder %s lets other users replace what is in it (mode %04o): run chmod o-w %s, or choose another with %s", above, info.Mode().Perm(), above, wayOut)
	}
	return nil
}

// bind creates the socket closed to everyone else from its first moment.
func bind(path string) (net.Listener, error) {
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	// Closing must not remove the path: by then it may be another daemon's.
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	return ln, nil
}

// clearStale removes what a killed daemon left at path, and nothing else: the lock is ours, so only a socket that
// refuses connections is a left-over.
func clearStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if info.Mode().Type() != os.ModeSocket {
		return fmt.Errorf("%s is there and is not a socket: refused; move it away or choose another path with --socket", path)
	}
	if !refuses(path) {
		return fmt.Errorf("%w on socket %s, without a lock: stop it or choose another path with --socket", ErrRunning, path)
	}
	return os.Remove(path)
}

// refuses reports whether nobody listens at path any more. Any doubt counts as somebody.
func refuses(path string) bool {
	nc, err := net.DialTimeout("unix", path, probeTimeout)
	if err == nil {
		_ = nc.Close()
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// close stops listening and removes the path when it is still ours.
func (s *socket) close() {
	_ = s.Listener.Close()
	if s.lent {
		s.lock.release()
		return
	}
	// A file that is no socket refuses connections too.
	if info, err := os.Lstat(s.path); err == nil && info.Mode().Type() == os.ModeSocket && refuses(s.path) {
		_ = os.Remove(s.path)
	}
	s.lock.release()
}

// admit lets only this user, self, and those explicitly allowed talk to the daemon; the kernel says who calls.
func admit(self int, allowed []int) func(net.Conn) error {
	return func(nc net.Conn) error {
		uid, err := peerUID(nc)
		if err != nil {
			return fmt.Errorf("ask the kernel who calls: %w", err)
		}
		if uid == self || slices.Contains(allowed, uid) {
			return nil
		}
		return fmt.Errorf("user id %d is not allowed; --allow-uid %d would allow it", uid, uid)
	}
}

// other words whose process is at the other end where it is not one of this user, self.
func other(self int) func(net.Conn) string {
	return func(nc net.Conn) string {
		uid, err := peerUID(nc)
		if err != nil || uid == self {
			return "" // what cannot be asked was not admitted
		}
		return fmt.Sprintf("uid %d", uid)
	}
}
