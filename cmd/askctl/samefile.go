package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// dataNamed reports whether the person has said which data file is meant.
func (a *app) dataNamed() bool { return a.data != "" || a.getenv("ASKD_DATA") != "" }

// rightFile refuses an askd that holds another data file than the one that the person named: nothing may be read from a
// file, or happen to it, that was not meant. Where none is named, askd's own is meant.
func (a *app) rightFile(ctx context.Context, l *link) error {
	if !a.dataNamed() {
		return nil
	}
	s, err := l.status(ctx)
	if err != nil || samePath(a.dataPath(), s.DataFile) {
		return err
	}
	way := "leave --data away"
	if a.data == "" {
		way = "unset ASKD_DATA"
	}
	return &exitError{code: exitUsage, text: fmt.Sprintf(
		"askd on %s holds the data file %s, not %s, so nothing was done: %s to use askd's, or for the other one name its askd with --socket, or stop this one with `kill %d` and repeat the command",
		l.socket, s.DataFile, a.dataPath(), way, s.PID)}
}

// status asks askd what it is.
func (l *link) status(ctx context.Context) (s status, err error) {
	err = l.ask(ctx, "daemon.status", struct{}{}, &s)
	return s, err
}

// dataFile is the file behind the link: askd's, or the one that is used directly.
func (l *link) dataFile(ctx context.Context) (string, error) {
	if l.data != "" {
		return l.data, nil
	}
	s, err := l.status(ctx)
	l.data = s.DataFile
	return l.data, err
}

// named is a path as a person finds it from any folder.
func (a *app) named(path string) string {
	if whole, err := a.absolute(path); err == nil {
		return whole
	}
	return path
}

// samePath reports whether two paths lead to one file, through links too.
func samePath(a, b string) bool { return resolved(a) == resolved(b) }

// resolved is a path without links. Of a file that is not there its folder counts, of a folder that is not there the name.
func resolved(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
