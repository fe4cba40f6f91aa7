package pienv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingNpmSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if _, err := ensure(source()); err == nil || !strings.Contains(err.Error(), "install Node.js") {
		t.Errorf("error %v", err)
	}
}

// What is installed is used as it is: neither npm nor the network is needed again.
func TestInstalledPackagesAreReused(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("PATH", t.TempDir())
	dir, err := ensure(source())
	if err == nil {
		t.Fatal("installed without npm")
	}
	if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	again, err := ensure(source())
	if err != nil || again != dir || !strings.HasPrefix(dir, cache) {
		t.Errorf("%s, then %s: %v", dir, again, err)
	}
}

func TestHomeIsComplete(t *testing.T) {
	h := NewHome(t, "http://127.0.0.1:1/v1")
	models, err := os.ReadFile(filepath.Join(h.AgentDir, "models.json"))
	if err != nil || !strings.Contains(string(models), "http://127.0.0.1:1/v1") {
		t.Errorf("models.json %s: %v", models, err)
	}
	for _, dir := range []string{h.Project, h.Extensions()} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	env := strings.Join(h.Env("EXTRA=1"), "\n")
	for _, want := range []string{"HOME=" + h.Dir, "PI_CODING_AGENT_DIR=" + h.AgentDir, "PI_OFFLINE=1", "EXTRA=1"} {
		if !strings.Contains(env, want) {
			t.Errorf("the environment lacks %s", want)
		}
	}
}
