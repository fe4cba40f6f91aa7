package tests

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesNameTests: a promise whose test was renamed or removed is no longer proven.
func TestPromisesNameTests(t *testing.T) {
	page, err := os.ReadFile("PROMISES.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	for line := range strings.Lines(string(page)) {
		promise, isRow := strings.CutPrefix(line, "| ")
		if !isRow || strings.HasPrefix(promise, "promise ") || strings.HasPrefix(promise, "---") {
			continue
		}
		names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`").FindAllStringSubmatch(line, -1)
		if len(names) == 0 {
			t.Errorf("no test proves: %s", line)
		}
		for _, name := range names {
			if !tests[name[1]] {
				t.Errorf("there is no %s, which is to prove: %s", name[1], line)
			}
		}
	}
}

// testNames are the names of all tests and fuzz targets in the tree.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
