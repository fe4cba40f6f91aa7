package files

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-pkgs/gitignore"
)

// Bounds of one scan: a huge tree gives its first paths, broadest first, and no more.
const (
	maxPaths = 20_000
	maxDepth = 24
	maxTime  = 3 * time.Second
)

// scan lists what lies under root, folders with a slash at the end, level by level so that near files come first. add
// gets the paths of one folder at a time. It stops at the bounds or when ctx ends.
func scan(ctx context.Context, root string, add func([]string)) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	m := gitignore.New(root)
	level, total := []string{""}, 0
	for depth := 0; len(level) > 0 && depth < maxDepth; depth++ {
		var next []string
		for _, dir := range level {
			if ctx.Err() != nil || total >= maxPaths {
				return
			}
			found, folders := list(m, root, dir)
			found = found[:min(len(found), maxPaths-total)]
			total += len(found)
			next = append(next, folders...)
			add(found)
		}
		level = next
	}
}

// list gives the entries of one folder and, among them, the folders to look into. What cannot be read is left out.
func list(m *gitignore.Matcher, root, dir string) (found, folders []string) {
	abs := filepath.Join(root, filepath.FromSlash(dir))
	if dir != "" {
		addIgnores(m, abs, dir)
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		switch {
		case e.Name() == ".git" || strings.ContainsFunc(e.Name(), unprintable) || m.MatchPath(p, e.IsDir()):
		case e.IsDir():
			found, folders = append(found, p+"/"), append(folders, p)
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0:
			found = append(found, p)
		}
	}
	return found, folders
}

// addIgnores takes in a folder's own ignore file; anything but a regular file is none.
func addIgnores(m *gitignore.Matcher, abs, dir string) {
	file := filepath.Join(abs, ".gitignore")
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
		m.AddFromFile(file, dir)
	}
}

// unprintable names would not survive being typed into an answer.
func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }
