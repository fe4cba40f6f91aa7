package tests

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ran runs a program and gives what it printed.
func ran(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestRelease runs the recipe for the machine at hand: what it makes is static, knows its version, verifies, and unpacks as a
// Debian package that holds all that belongs to it.
func TestRelease(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dpkg-deb", "sha256sum"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("the recipe needs %s, of Debian: %v", name, err)
		}
	}
	out := filepath.Join(t.TempDir(), "dist")
	target := "linux/" + runtime.GOARCH
	ran(t, repositoryRoot, "cmd/packaging/release.sh", "v1.2.3-4-gabcdef0", out, target)

	sums := ran(t, out, "sha256sum", "--strict", "-c", "SHA256SUMS")
	deb := "askd_1.2.3+4+gabcdef0_" + runtime.GOARCH + ".deb"
	archive := "askd-v1.2.3-4-gabcdef0-linux-" + runtime.GOARCH + ".tar.gz"
	for _, name := range []string{deb, archive} {
		if !strings.Contains(sums, name+": OK") {
			t.Errorf("%s has no checksum that fits:\n%s", name, sums)
		}
	}
	if got := ran(t, out, "dpkg-deb", "-f", deb, "Package", "Version", "Architecture"); got != "Package: askd\nVersion: 1.2.3+4+gabcdef0\nArchitecture: "+runtime.GOARCH+"\n" {
		t.Error(got)
	}
	root := t.TempDir()
	ran(t, out, "dpkg-deb", "-x", deb, root)
	for _, name := range []string{
		"share/man/man1/askd.1.gz", "share/man/man1/askctl.1.gz", "share/man/man1/askctl-ask.1.gz", "share/bash-completion/completions/askctl",
		"share/zsh/vendor-completions/_askctl", "share/fish/vendor_completions.d/askctl.fish", "share/doc/askd/copyright", "share/doc/askd/changelog.gz",
		"share/doc/askd/README.md", "share/doc/askd/cmd/askctl/SCRIPTS.md",
	} {
		if info, err := os.Stat(filepath.Join(root, "usr", name)); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, program := range []string{"askd", "askctl"} {
		path := filepath.Join(root, "usr", "bin", program)
		if got := ran(t, root, path, "--version"); got != program+" 1.2.3-4-gabcdef0\n" {
			t.Errorf("%q", got)
		}
		isStatic(t, path)
	}
	agent := t.TempDir()
	cmd := exec.Command(filepath.Join(root, "usr", "bin", "askctl"), "pi", "install")
	cmd.Env = append(os.Environ(), "PI_CODING_AGENT_DIR="+agent, "HOME="+agent)
	if said, err := cmd.CombinedOutput(); err != nil || !exists(filepath.Join(agent, "extensions", "askd", "index.js")) {
		t.Errorf("the package does not install its extension: %v, %s", err, said)
	}
}

// isStatic fails for a program that asks for a dynamic loader.
func isStatic(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s is not static", path)
		}
	}
}
