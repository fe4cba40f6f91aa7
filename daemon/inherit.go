package daemon

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// passedSocket is the first file descriptor that a service manager passes (SD_LISTEN_FDS_START).
const passedSocket = 3

// passed is the one socket that a service manager passes to this process, nil when there is none. The variables that name it
// are taken away, whatever comes of it: no child is to believe them. go-systemd does this too, and brings all of TLS with it.
func passed() (*os.File, error) {
	pid, count := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		_ = os.Unsetenv(name)
	}
	n, err := strconv.Atoi(count)
	if err != nil || n <= 0 || pid != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	if n > 1 {
		return nil, fmt.Errorf("the service manager passes %d sockets, askd takes one: leave one ListenStream= in its .socket unit", n)
	}
	syscall.CloseOnExec(passedSocket)
	return os.NewFile(passedSocket, "socket of the service manager"), nil
}

// inherited takes the listening socket that a service manager passes to its services (sd_listen_fds(3)), nil when there is
// none. It must be for path.
func inherited(path string) (net.Listener, error) {
	file, err := passed()
	if file == nil || err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // net.FileListener has its own
	const wayOut = "set ListenStream= of the .socket unit to askd's own path, which --socket and ASKD_SOCKET change"
	l, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("take the socket of the service manager: %w; %s", err, wayOut)
	}
	ul, ok := l.(*net.UnixListener)
	if !ok || l.Addr().Network() != "unix" {
		_ = l.Close()
		return nil, fmt.Errorf("the service manager passes a socket of another kind (%s %s): %s", l.Addr().Network(), l.Addr(), wayOut)
	}
	if !sameSocket(l.Addr().String(), path) {
		_ = l.Close()
		return nil, fmt.Errorf("the service manager listens on %s, askd is to listen on %s: %s", l.Addr(), path, wayOut)
	}
	// The path is the service manager's, which goes on listening there.
	ul.SetUnlinkOnClose(false)
	return ul, nil
}

// sameSocket reports whether two paths are those of one socket.
func sameSocket(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	other, err := os.Lstat(b)
	return err == nil && os.SameFile(one, other)
}

// tell says to the service manager how far askd is, where there is one that wants to know (sd_notify(3)).
func (d *daemon) tell(state string) {
	if _, err := systemd.SdNotify(state == systemd.SdNotifyStopping, state); err != nil {
		d.log.Warn("tell the service manager", "state", state, "err", err)
	}
}
