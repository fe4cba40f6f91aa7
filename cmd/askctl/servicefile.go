package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// fileState is what is found where a file of the service belongs.
type fileState string

const (
	fileAbsent  fileState = "not installed"
	fileGood    fileState = "installed"
	fileOld     fileState = "written for another place or by another version"
	fileChanged fileState = "not as askctl wrote it"
)

// signedBy says who wrote a file. The sum of all the rest tells whether it has been changed since.
const signedBy = "Written by askctl service install; sha256 "

// whole is the file with the line that says who wrote it.
func (f serviceFile) whole() string {
	return f.head + f.comment[0] + signedBy + sum(f.head+f.text) + f.comment[1] + "\n" + f.text
}

func sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// untouched reports whether a text is as some askctl wrote it.
func (f serviceFile) untouched(text string) bool {
	before, rest, ok := strings.Cut(text, f.comment[0]+signedBy)
	line, after, ended := strings.Cut(rest, "\n")
	return ok && ended && line == sum(before+after)+f.comment[1]
}

// state looks at the file that is there.
func (f serviceFile) state() (fileState, error) {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileAbsent, nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular(): // a link that somebody made, for instance into their own collection of such files
		return fileChanged, nil
	}
	raw, err := os.ReadFile(f.path)
	switch text := string(raw); {
	case err != nil:
		return "", err
	case text == f.whole():
		return fileGood, nil
	case f.untouched(text):
		return fileOld, nil
	}
	return fileChanged, nil
}

// changed refuses to lose what a person wrote.
func (f serviceFile) changed(verb string) error {
	return fmt.Errorf("%s was changed by hand or is not askctl's: nothing was done; --force %s it, or move it away", f.path, verb)
}

func (f serviceFile) write() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(f.path, []byte(f.whole()), 0o644)
}
