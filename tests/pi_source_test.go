package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/pienv"
)

// extensionSource is the folder that the extension is developed in.
var extensionSource = filepath.Join("..", "cmd", "pi-extension")

// The types are Pi's own, of the version that the extension is made for.
func TestExtensionTypes(t *testing.T) {
	pi := pienv.Current(t)
	dir := t.TempDir()
	copyExtension(t, dir)
	if err := os.Symlink(pi.Modules(), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	runNode(t, pi, dir, pi.Bin("tsc"), "-p", "tsconfig.json")
}

func TestExtensionUnits(t *testing.T) {
	pi := pienv.Current(t)
	files, err := filepath.Glob(filepath.Join(extensionSource, "unit", "*.test.js"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no unit tests in %s: %v", extensionSource, err)
	}
	runNode(t, pi, ".", append([]string{"--test", "--test-reporter=spec"}, files...)...)
}

// runNode runs Node and fails the test with what it printed unless it ends well.
func runNode(t *testing.T, pi pienv.Packages, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), pi.Bin("node"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PI_MODULES="+pi.Modules(), "NODE_DISABLE_COMPILE_CACHE=1") // nothing of it stays
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
