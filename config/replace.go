package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// maxLinks bounds a chain of symbolic links, as the kernel does.
const maxLinks = 40

// replace writes a file in one step: a reader sees the old text or the new one. A symbolic link stays and the file it
// names is replaced; the mode stays, a new file gets 0600. A file without the owner's write bit is left alone: whoever
// took the bit away, or manages the file, meant it, and a rename would pass it by.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	chain := linkChain(path)
	target := chain[len(chain)-1]
	if err := checkWritable(target); err != nil {
		return err
	}
	return renameio.WriteFile(target, data, 0o600,
		renameio.WithTempDir(filepath.Dir(target)), renameio.WithExistingPermissions())
}

func checkWritable(target string) error {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", target)
	case info.Mode().Perm()&0o200 == 0:
		return &fs.PathError{Op: "open", Path: target, Err: fs.ErrPermission}
	}
	return nil
}

// linkChain is the path and what it points to, link by link; the last one is no link, or not there.
func linkChain(path string) []string {
	chain := []string{path}
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = filepath.Clean(to)
		chain = append(chain, path)
	}
	return chain
}
