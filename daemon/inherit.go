package daemon

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/coreos/go-systemd/v22/activation"
	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// inherited takes the listening socket that a service manager passes to its services (sd_listen_fds(3)), nil when there is
// none. It must be for path. The variables that name it are taken away, whatever comes of it: no child is to believe them.
func inherited(path string) (net.Listener, error) {
	if n, _ := strconv.Atoi(os.Getenv("LISTEN_FDS")); n > 1 && os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid()) {
		return nil, fmt.Errorf("the service manager passes %d sockets, askd takes one: leave one ListenStream= in its .socket unit", n)
	}
	files := activation.Files(true)
	if len(files) == 0 {
		return nil, nil
	}
	defer func() {
		for _, f := range files {
			_ = f.Close() // net.FileListener has its own
		}
	}()
	const wayOut = "set ListenStream= of the .socket unit to askd's own path, which --socket and ASKD_SOCKET change"
	l, err := net.FileListener(files[0])
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
