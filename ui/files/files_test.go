package files

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// tree makes files with their folders and gives the root.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, n := range names {
		name, content, _ := strings.Cut(n, "=")
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// search asks until want is given back or the cap is reached.
func search(t *testing.T, x *Index, text string, want func([]string) bool) []string {
	t.Helper()
	got := make(chan []string, 64)
	x.Search(text, 8, func(paths []string) {
		select {
		case got <- paths:
		default:
		}
	})
	deadline := time.After(10 * time.Second)
	var last []string
	for {
		select {
		case last = <-got:
			if want(last) {
				return last
			}
		case <-deadline:
			t.Fatalf("search %q gave %q", text, last)
		}
	}
}

func TestSearch(t *testing.T) {
	defer goleak.VerifyNone(t)
	root := tree(t, ".gitignore=build/\n*.log\n", "main.go", "trace.log", "build/out.bin", "docs/guide one.md", "docs/.gitignore=private.md\n",
		"docs/private.md", ".git/HEAD", ".config/app.toml", "broker/desk.go", "broker/desk_test.go")
	x := Start(root, nil)
	defer x.Stop()
	t.Run("everything git keeps", func(t *testing.T) {
		want := []string{".config/", ".gitignore", "broker/", "docs/", "main.go", ".config/app.toml", "broker/desk.go", "broker/desk_test.go"}
		search(t, x, "", func(got []string) bool { return cmp.Equal(got, want) })
	})
	t.Run("loosely", func(t *testing.T) {
		search(t, x, "brdesk", func(got []string) bool { return len(got) == 2 && got[0] == "broker/desk.go" })
	})
	t.Run("a folder typed whole gives way to its files", func(t *testing.T) {
		search(t, x, "broker/", func(got []string) bool { return cmp.Equal(got, []string{"broker/desk.go", "broker/desk_test.go"}) })
	})
	t.Run("nothing", func(t *testing.T) {
		search(t, x, "zzz", func(got []string) bool { return len(got) == 0 })
	})
	t.Run("ignored files never appear", func(t *testing.T) {
		for _, text := range []string{"trace", "private", "out.bin", "HEAD"} {
			got := search(t, x, text, func([]string) bool { return true })
			if slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, text) }) {
				t.Errorf("%q found %q", text, got)
			}
		}
	})
}

func TestHugeTreeIsBounded(t *testing.T) {
	defer goleak.VerifyNone(t)
	root := t.TempDir()
	for i := range 210 {
		dir := filepath.Join(root, fmt.Sprintf("d%03d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d", j)), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	n := 0
	scan(t.Context(), root, func(p []string) { n += len(p) })
	if n != maxPaths {
		t.Errorf("a scan of 21,210 paths gave %d, want %d", n, maxPaths)
	}
}

func TestMissingFolderAndStop(t *testing.T) {
	defer goleak.VerifyNone(t)
	x := Start(filepath.Join(t.TempDir(), "gone"), nil)
	search(t, x, "a", func(got []string) bool { return len(got) == 0 })
	x.Stop()
	x.Search("a", 1, func([]string) {})
	x.Search("b", 1, func([]string) {})
}

func TestToken(t *testing.T) {
	for _, tt := range []struct {
		before string
		at     int
		query  string
		ok     bool
	}{
		{"", 0, "", false},
		{"@", 0, "", true},
		{"see @src/ma", 4, "src/ma", true},
		{"see @src/ma and", 0, "", false},
		{"mail me@example.org", 0, "", false},
		{"(@a", 1, "a", true},
		{"one\n@b", 4, "b", true},
		{`@"docs/guide o`, 0, "docs/guide o", true},
		{`@"docs/guide one.md" `, 0, "", false},
		{"日本 @本", 7, "本", true},
	} {
		at, query, ok := Token(tt.before)
		if ok != tt.ok || ok && (at != tt.at || query != tt.query) {
			t.Errorf("Token(%q) = %d, %q, %v; want %d, %q, %v", tt.before, at, query, ok, tt.at, tt.query, tt.ok)
		}
	}
}

func TestReference(t *testing.T) {
	for p, want := range map[string]string{
		"main.go": "@main.go ", "docs/": "@docs/", "docs/guide one.md": `@"docs/guide one.md" `, "my docs/": `@"my docs/`,
	} {
		if got := Reference(p); got != want {
			t.Errorf("Reference(%q) = %q, want %q", p, got, want)
		}
	}
}
