package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdmit asks the kernel on a real socket; whose daemon it is, is made up.
func TestAdmit(t *testing.T) {
	dir, err := os.MkdirTemp("", "admit")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	me := os.Getuid()
	for _, tt := range []struct {
		self    int
		allowed []int
		ok      bool
	}{
		{me, nil, true},
		{me + 1, nil, false},
		{me + 1, []int{me + 2, me}, true},
		{me + 1, []int{me + 2}, false},
	} {
		err := admit(tt.self, tt.allowed)(far)
		if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "--allow-uid") {
			t.Errorf("daemon of %d, allowed %v: %v", tt.self, tt.allowed, err)
		}
	}
	pipe, other := net.Pipe()
	defer pipe.Close()
	defer other.Close()
	if err := admit(me, nil)(pipe); err == nil {
		t.Error("a connection without a known user was let in")
	}
}

// TestHolder words what a lock file says, and claims nothing that it does not.
func TestHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askd.db")
	for text, want := range map[string]string{"4711\n": "pid 4711", "": "pid not known yet", "root\n": "pid not known yet"} {
		if err := os.WriteFile(path+".lock", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := holder(path); got != want {
			t.Errorf("%q reads as %q, want %q", text, got, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	mine := filepath.Join(filepath.Dir(path), "mine")
	must(os.WriteFile(mine, []byte("text"), 0o600))
	must(os.Remove(path + ".lock"))
	must(os.Symlink(mine, path+".lock"))
	if _, err := acquire(path, "data file", "--data"); err == nil || !strings.Contains(err.Error(), path+".lock is not a regular file") {
		t.Errorf("a link for a lock: %v", err)
	}
	if raw, err := os.ReadFile(mine); err != nil || string(raw) != "text" {
		t.Errorf("the linked file: %q, %v", raw, err)
	}
	must(os.Remove(path + ".lock"))
	l, err := acquire(path, "data file", "--data")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := acquire(path, "data file", "--data"); err == nil {
		t.Error("two hold one lock")
	}
	l.release()
	if l, err = acquire(path, "data file", "--data"); err != nil {
		t.Fatal(err)
	}
	l.release()
}
