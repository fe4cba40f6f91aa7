package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// listed is what `go list -deps -json` tells of one package.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	GoFiles    []string
	Imports    []string
}

// importRule is one row of the design's directions. Packages that match In may import a package that matches About only
// if it matches Only as well. A pattern is an import path, or one that ends in /... and stands for itself and all below.
type importRule struct {
	name  string
	in    []string
	notIn []string
	about []string
	only  []string
}

var (
	own      = []string{"askd/..."}
	external = []string{"external"} // any module but the standard library and askd itself
)

var importRules = []importRule{
	{"only ui imports tview and tcell", own, []string{"askd/ui", "askd/ui/..."}, []string{"github.com/rivo/tview/...", "github.com/gdamore/tcell/..."}, nil},
	{"the pure form imports neither tview nor tcell", []string{"askd/ui/form/..."}, nil, []string{"github.com/rivo/tview/...", "github.com/gdamore/tcell/..."}, nil},
	{"only journal imports bbolt", own, []string{"askd/journal/..."}, []string{"go.etcd.io/bbolt/..."}, nil},
	{"only cmd imports cobra", own, []string{"askd/cmd/..."}, []string{"github.com/spf13/..."}, nil},
	{"broker/ask imports the standard library alone", []string{"askd/broker/ask/..."}, nil, []string{"external", "askd/..."}, []string{"askd/broker/ask/..."}},
	{"ui/form imports broker/ask alone", []string{"askd/ui/form/..."}, nil, []string{"external", "askd/..."}, []string{"askd/broker/ask/...", "askd/ui/form/..."}},
	{"journal imports broker/ask alone of askd", []string{"askd/journal/..."}, nil, own, []string{"askd/broker/ask/...", "askd/journal/..."}},
	{"config imports no other package of askd", []string{"askd/config/..."}, nil, own, []string{"askd/config/..."}},
	{"broker/tool imports broker/ask alone of askd", []string{"askd/broker/tool/..."}, nil, own, []string{"askd/broker/ask/...", "askd/broker/tool/..."}},
	{"broker knows neither its store, its wire nor its pane", []string{"askd/broker"}, nil, own, []string{"askd/broker/ask/...", "askd/broker/tool/...", "askd/config"}},
	{"broker/wire stands on broker", []string{"askd/broker/wire/..."}, nil, own, []string{"askd/broker", "askd/broker/ask/...", "askd/broker/tool/...", "askd/broker/wire/...", "askd/config"}},
	{"broker/client stands on broker/wire", []string{"askd/broker/client/..."}, nil, own, []string{"askd/broker/ask/...", "askd/broker/wire/...", "askd/broker/client/...", "askd/config"}},
	{"ui stands on broker", []string{"askd/ui/..."}, nil, own, []string{"askd/broker", "askd/broker/ask/...", "askd/ui/...", "askd/config"}},
	{"daemon imports no command", []string{"askd/daemon/..."}, nil, []string{"askd/cmd/...", "askd/broker/client/...", "askd/tests/..."}, nil},
	{"nothing but cmd imports cmd", own, []string{"askd/cmd/...", "askd/tests/..."}, []string{"askd/cmd/..."}, nil},
	{"nothing but tests imports tests", own, []string{"askd/tests/..."}, []string{"askd/tests/..."}, nil},
	{"nothing imports daemon but cmd/askd", own, []string{"askd/cmd/askd/...", "askd/daemon/..."}, []string{"askd/daemon/..."}, nil},
	{"askctl goes through the socket", []string{"askd/cmd/askctl/..."}, nil, []string{"askd/daemon/...", "askd/ui/..."}, nil},
}

func TestImportRules(t *testing.T) {
	packages := listPackages(t)
	for _, rule := range importRules {
		t.Run(rule.name, func(t *testing.T) {
			for _, p := range packages {
				for _, path := range rule.broken(p, packages) {
					t.Errorf("%s imports %s", p.ImportPath, path)
				}
			}
		})
	}
}

// TestImportRulesBite plants an import that each rule forbids, so that a rule which matches nothing is found out.
func TestImportRulesBite(t *testing.T) {
	packages := map[string]listed{"fmt": {ImportPath: "fmt", Standard: true}}
	planted := map[string]string{"external": "example.org/module"}
	for _, rule := range importRules {
		forbidden := pick(rule.about[0], planted)
		importer := pick(rule.in[0], nil)
		p := listed{ImportPath: importer, Imports: []string{"fmt", forbidden}}
		if got := rule.broken(p, packages); !slices.Equal(got, []string{forbidden}) {
			t.Errorf("%s: %s importing %s gave %v", rule.name, importer, forbidden, got)
		}
	}
}

// pick makes an import path that a pattern matches and that no exception of a rule names.
func pick(pattern string, special map[string]string) string {
	if path, ok := special[pattern]; ok {
		return path
	}
	if below, ok := strings.CutSuffix(pattern, "/..."); ok && pattern == "askd/..." {
		return below + "/planted"
	} else if ok {
		return below
	}
	return pattern
}

// broken gives the imports of p that the rule forbids.
func (r importRule) broken(p listed, packages map[string]listed) []string {
	if !matches(r.in, p) || matches(r.notIn, p) {
		return nil
	}
	var bad []string
	for _, path := range p.Imports {
		q, ok := packages[path]
		if !ok {
			q = listed{ImportPath: path}
		}
		if matches(r.about, q) && !matches(r.only, q) {
			bad = append(bad, path)
		}
	}
	return bad
}

func matches(patterns []string, p listed) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern == external[0] {
			return !p.Standard && p.ImportPath != "askd" && !strings.HasPrefix(p.ImportPath, "askd/")
		}
		if below, ok := strings.CutSuffix(pattern, "/..."); ok {
			return p.ImportPath == below || strings.HasPrefix(p.ImportPath, below+"/")
		}
		return p.ImportPath == pattern
	})
}

// TestCommands: `go install ./cmd/...` puts askd and askctl into a person's PATH, and nothing else.
func TestCommands(t *testing.T) {
	var programs []string
	for _, p := range goList(t, "./cmd/...") {
		if p.Name == "main" {
			programs = append(programs, p.ImportPath)
		}
	}
	if want := []string{"askd/cmd/askctl", "askd/cmd/askd"}; !slices.Equal(programs, want) {
		t.Errorf("go install ./cmd/... installs %v, want %v", programs, want)
	}
}

// TestStandardLibraryAlone looks at everything broker/ask and ui/form need, not only at what they name themselves.
func TestStandardLibraryAlone(t *testing.T) {
	for _, path := range []string{"askd/broker/ask", "askd/ui/form"} {
		for _, p := range goList(t, "-deps", path) {
			if matches(external, p) {
				t.Errorf("%s needs %s", path, p.ImportPath)
			}
		}
	}
}

// listPackages gives every package of the module and all it needs, by import path.
func listPackages(t *testing.T) map[string]listed {
	t.Helper()
	packages := map[string]listed{}
	for _, p := range goList(t, "-deps", "./...") {
		packages[p.ImportPath] = p
	}
	if _, ok := packages["askd/broker/ask"]; !ok {
		t.Fatal("go list did not name askd/broker/ask")
	}
	return packages
}

func goList(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Name,Dir,Standard,GoFiles,Imports"}, args...)...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	packages, err := decodeListed(out)
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func decodeListed(out []byte) ([]listed, error) {
	var packages []listed
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode go list: %w", err)
		}
		packages = append(packages, p)
	}
}
