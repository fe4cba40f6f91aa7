package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// ErrRunning: another askd holds the socket or the data file. The message names it and what to do.
var ErrRunning = errors.New("askd is already running")

// lock is the right to one path. The lock file beside it stays when it is released: removing it would let two daemons
// hold different files of one name.
type lock struct {
	f         *flock.Flock
	path      string
	abandoned bool // whoever held it last never released it
}

// acquire takes the lock of path, whose folder must exist. what names the path for people.
func acquire(path, what, wayOut string) (*lock, error) {
	if err := plainFile(path + ".lock"); err != nil {
		return nil, fmt.Errorf("lock %s %s: %w", what, path, err)
	}
	l := flock.New(path+".lock", flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s %s: %w; check the folder's permissions or choose another with %s", what, path, err, wayOut)
	}
	if !ok {
		return nil, fmt.Errorf("%w (%s) on %s %s; `askctl attach` shows its pane here; or stop it, or choose another with %s", ErrRunning, holder(path), what, path, wayOut)
	}
	before, _ := os.ReadFile(path + ".lock")
	if err := os.WriteFile(path+".lock", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		_ = l.Unlock()
		return nil, fmt.Errorf("write lock of %s %s: %w", what, path, err)
	}
	return &lock{f: l, path: path + ".lock", abandoned: len(before) > 0}, nil
}

// plainFile refuses a lock file that is something else: a pipe would hold up the start, and through a link the pid would
// be written over another file.
func plainFile(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: refused; move it away", path)
	}
	return nil
}

// holder words who holds a lock, as far as the lock file says.
func holder(path string) string {
	raw, err := os.ReadFile(path + ".lock")
	pid := strings.TrimSpace(string(raw))
	if _, bad := strconv.Atoi(pid); err != nil || bad != nil {
		return "pid not known yet"
	}
	return "pid " + pid
}

// release lets go of the path. The pid goes first: nobody is to read it while the next holder has not written its own.
func (l *lock) release() {
	_ = os.Truncate(l.path, 0)
	_ = l.f.Unlock()
}

// leave lets go of the path as a process does that dies: the next holder finds it abandoned.
func (l *lock) leave() { _ = l.f.Unlock() }

// giveUp lets go of a path that has not been used after all: of one that was abandoned it is still to be seen.
func (l *lock) giveUp() {
	if l.abandoned {
		l.leave()
		return
	}
	l.release()
}

// ownFolder makes sure that a folder is there, is a real folder of this user and is closed to everyone else.
func ownFolder(dir, wayOut string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder %s: %w; choose another with %s", dir, err, wayOut)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at folder %s: %w", dir, err)
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("folder %s is a symbolic link: refused, because somebody else may own its target; choose another with %s", dir, wayOut)
	case !ownedByUs(info):
		return fmt.Errorf("folder %s belongs to another user: refused; choose another with %s", dir, wayOut)
	case info.Mode()&os.ModeSticky != 0:
		return fmt.Errorf("folder %s is shared with other users: refused; choose a path in a folder of your own with %s", dir, wayOut)
	case info.Mode().Perm()&0o077 != 0 && !filepath.IsAbs(dir): // somebody works in it: no folder to be closed for a socket
		return fmt.Errorf("folder %s is open to other users (mode %04o): choose a path in a folder of its own with %s", filepath.Clean(dir), info.Mode().Perm(), wayOut)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("folder %s is open to other users (mode %04o): run chmod 700 %s, or choose another with %s", dir, info.Mode().Perm(), filepath.Clean(dir), wayOut)
	}
	return nil
}
