package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOtherUserReadsNothing: whatever the umask, no other user gets at what askd makes, even where they may enter the
// folders above. Only root can become somebody else; without, the modes themselves are looked at.
func TestOtherUserReadsNothing(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	p := newPlace(t)
	if err := os.Chmod(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	serve(t, p)
	connect(t, p, "s").begin(1, dbQuestion)
	export := filepath.Join(p.dir, "out.md")
	copied := filepath.Join(p.dir, "copy.db")
	for _, args := range [][]string{{"export", export}, {"backup", copied}} {
		if out, err := askctl(t, p, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	state := filepath.Dir(p.data)
	for _, path := range []string{p.data, p.data + ".lock", filepath.Join(state, "askd.log"), p.socket, p.socket + ".lock", export, copied} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		if os.Getuid() != 0 {
			continue
		}
		cmd := exec.Command("cat", path)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "ermission denied") {
			t.Errorf("another user reads %s: %s", path, out)
		}
	}
}

// TestLinkedFiles: askd and askctl write through no link that somebody may have planted where they make a file.
func TestLinkedFiles(t *testing.T) {
	p := newPlace(t)
	victim := filepath.Join(p.dir, "victim")
	link := filepath.Join(p.dir, "link")
	if err := errorsOf(os.WriteFile(victim, []byte("mine"), 0o600), os.Symlink(victim, link), os.MkdirAll(filepath.Dir(p.data), 0o700), os.Symlink(victim, p.data)); err != nil {
		t.Fatal(err)
	}
	if code := launch(t, p).wait(t); code == 0 {
		t.Error("askd took a link to another file for its data")
	}
	p.data = filepath.Join(p.dir, "askd.db")
	serve(t, p)
	connect(t, p, "s").begin(1, dbQuestion)
	for _, verb := range []string{"export", "backup"} {
		if out, err := askctl(t, p, verb, link).CombinedOutput(); err == nil {
			t.Errorf("askctl %s wrote through a link: %s", verb, out)
		}
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("the linked file holds %q, %v", text, err)
	}
}
