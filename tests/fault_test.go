package tests

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestFaultFolder: a data folder that cannot be written to is named when askd starts; one that turns so while askd runs takes
// nothing from it, since the file is open.
func TestFaultFolder(t *testing.T) {
	p := newPlace(t)
	if err := os.MkdirAll(p.dir+"/state", 0o700); err != nil {
		t.Fatal(err)
	}
	askd := serve(t, p)
	if err := os.Chmod(p.dir+"/state", 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(p.dir+"/state", 0o700) }()
	c := connect(t, p, "s1")
	c.ended(c.begin(1, background(dbQuestion)))
	askd.stop(t, syscall.SIGTERM)
	if os.Getuid() == 0 { // nothing is closed to root
		return
	}
	refused := launch(t, p)
	if code := refused.wait(t); code == 0 || !strings.Contains(refused.stderr.String(), p.dir+"/state") {
		t.Errorf("code %d: %s", code, refused.stderr)
	}
}
