package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageHead   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinksOfPages: every link of a page to a file of this repository, or to a heading of one, leads there.
func TestLinksOfPages(t *testing.T) {
	t.Parallel()
	found := 0
	for _, page := range pages(t, "..") {
		for _, m := range pageLink.FindAllStringSubmatch(readPage(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			found++
			if fault := brokenLink(page, m[1]); fault != "" {
				t.Errorf("%s: the link %s: %s", page, m[1], fault)
			}
		}
	}
	if found == 0 {
		t.Error("no page has a link, or none was found")
	}
	for _, link := range []string{"cmd/askctl/NOWHERE.md", "#nowhere", "CONTRIBUTING.md#nowhere"} {
		if brokenLink(filepath.Join("..", "README.md"), link) == "" {
			t.Errorf("%s was found", link)
		}
	}
}

// pages are the pages below a folder, without what tests hold and what others wrote.
func pages(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "node_modules" || name == "dist" || strings.HasPrefix(name, ".") && path != root):
			return fs.SkipDir
		case strings.HasSuffix(name, ".md"):
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// brokenLink says what is wrong with a link on a page, or nothing.
func brokenLink(page, link string) string {
	path, anchor, _ := strings.Cut(link, "#")
	target := page
	if path != "" {
		target = filepath.Join(filepath.Dir(page), path)
	}
	data, err := os.ReadFile(target)
	switch {
	case err != nil:
		return err.Error()
	case anchor == "":
		return ""
	}
	for _, m := range pageHead.FindAllStringSubmatch(string(data), -1) {
		if strings.ReplaceAll(notAnchors.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor {
			return ""
		}
	}
	return "no such heading"
}
