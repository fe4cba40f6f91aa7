package piextension

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

func TestVersionIsThatOfThePackage(t *testing.T) {
	data, err := fs.ReadFile(Files(), "package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct {
		Version      string
		Dependencies map[string]string
		Pi           struct{ Extensions []string }
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		t.Fatal(err)
	}
	if pkg.Version != Version {
		t.Errorf("package.json says version %q, the package says %q", pkg.Version, Version)
	}
	if len(pkg.Dependencies) > 0 {
		t.Errorf("the extension runs with Node's own modules only, package.json wants %v", pkg.Dependencies)
	}
	for _, entry := range pkg.Pi.Extensions {
		if _, err := fs.Stat(Files(), strings.TrimPrefix(entry, "./")); err != nil {
			t.Errorf("entry point %s: %v", entry, err)
		}
	}
}

// What is required must be a module of Node's or a file that is installed too.
func TestEveryRequiredFileIsEmbedded(t *testing.T) {
	require := regexp.MustCompile(`require\("([^"]+)"\)`)
	scripts, err := fs.Glob(Files(), "*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("scripts %v: %v", scripts, err)
	}
	for _, script := range scripts {
		text, err := fs.ReadFile(Files(), script)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range require.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "node:") {
				continue
			}
			if _, err := fs.Stat(Files(), strings.TrimPrefix(m[1], "./")); err != nil || !strings.HasPrefix(m[1], "./") {
				t.Errorf("%s requires %q: %v", script, m[1], err)
			}
		}
	}
}
