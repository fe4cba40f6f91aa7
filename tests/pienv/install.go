// Package pienv gives tests a real coding agent: it installs the versions that the lock files name, with npm, into the
// user's cache folder when they are not there yet, and makes throw-away homes for them to run in.
package pienv

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gofrs/flock"
)

// Packages is a folder of installed npm packages.
type Packages struct{ Dir string }

// Bin is the path of an installed program.
func (p Packages) Bin(name string) string { return filepath.Join(p.Dir, "node_modules", ".bin", name) }

// Modules is the node_modules folder.
func (p Packages) Modules() string { return filepath.Join(p.Dir, "node_modules") }

// Current installs the agent that the extension is made for, Node and the TypeScript compiler.
func Current(t testing.TB) Packages { return install(t, "") }

// Old installs the oldest agent that the extension still has to load and ask on, without a Node of its own.
func Old(t testing.TB) Packages { return install(t, "pi-0.73") }

func install(t testing.TB, lock string) Packages {
	t.Helper()
	dir, err := ensure(filepath.Join(source(), lock))
	if err != nil {
		t.Fatal(err)
	}
	return Packages{Dir: dir}
}

// source is the folder tests/ of the repository.
func source() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}

// ensure installs what the lock file in a folder names, unless that has been done before. The lock file's hash names the
// place, so that a changed one is installed afresh and an unchanged one never again.
func ensure(from string) (string, error) {
	manifest, err := os.ReadFile(filepath.Join(from, "package.json"))
	if err != nil {
		return "", err
	}
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a place for npm packages: %w; set HOME or XDG_CACHE_HOME", err)
	}
	sum := sha256.Sum256(append(manifest, lock...))
	dir := filepath.Join(cache, "askd-tests", hex.EncodeToString(sum[:8]))
	if installed(dir) {
		return dir, nil
	}
	return dir, installOnce(dir, map[string][]byte{"package.json": manifest, "package-lock.json": lock})
}

func installed(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "node_modules"))
	return err == nil
}

// installOnce holds a lock against other test processes, installs beside the place and moves the whole folder there.
func installOnce(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	lock := flock.New(dir + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	defer func() { _ = lock.Unlock() }()
	if installed(dir) {
		return nil
	}
	fresh := dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.RemoveAll(dir), os.MkdirAll(fresh, 0o755)); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(fresh, name), data, 0o644); err != nil {
			return err
		}
	}
	if err := npmCI(fresh); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}

func npmCI(dir string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return fmt.Errorf("these tests need npm once, to install the coding agent: install Node.js 20 or newer with npm (%w)", err)
	}
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--loglevel", "error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w; it needs the network the first time\n%s", dir, err, out)
	}
	return nil
}
