package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"askd/broker/ask"
	"askd/journal"
)

// rescued is what a rescue prints as JSON.
type rescued struct {
	journal.Rescued
	// Replaced is where the damaged file is now; empty when it stays where it was.
	Replaced string `json:"replaced,omitempty"`
}

// rescue writes what is readable of a damaged data file to a fresh one, and with replace puts that in its place.
func (a *app) rescue(ctx context.Context, path string, replace bool) error {
	path, err := a.absolute(path)
	if err != nil {
		return err
	}
	var out rescued
	out.Rescued, err = journal.Rescue(ctx, path, path+".rescued", a.now())
	switch {
	case errors.Is(err, journal.ErrLocked):
		return &exitError{exitFailed, fmt.Sprintf("%s is in use: stop the askd that uses it (`askctl status` shows its process), then repeat the command", path), err}
	case errors.Is(err, journal.ErrNothingReadable):
		return &exitError{exitFailed, err.Error() + "; keep the file, and put a backup in its place if there is one", err}
	case errors.Is(err, journal.ErrNoDataFile):
		return &exitError{exitFailed, err.Error() + "; name the one that is damaged: `askctl status` and `askctl doctor` say which one askd uses", err}
	case errors.Is(err, fs.ErrNotExist):
		return &exitError{exitFailed, fmt.Sprintf("there is no file %s: name the damaged data file, `askctl doctor` shows where askd's is", path), err}
	case err != nil:
		return err
	}
	if replace {
		if out.Replaced, err = a.exchange(path, out.Path); err != nil {
			return err
		}
		out.Path = path
	}
	if a.json {
		return a.out.writeJSON(out)
	}
	a.out.printf("%s\n", a.out.text(rescueText(path, out)))
	return nil
}

// exchange puts the fresh file in the place of the damaged one, which keeps its content under another name.
func (a *app) exchange(path, fresh string) (aside string, err error) {
	aside = path + ".damaged-" + a.now().Format("20060102-150405")
	// A link and not a rename: it fails when the name is taken.
	if err := os.Link(path, aside); err != nil {
		return "", fmt.Errorf("keep the damaged file: %w; the fresh one is %s", err, fresh)
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", fmt.Errorf("put the fresh file in place: %w; it is %s", err, fresh)
	}
	return aside, nil
}

// rescueText says what was saved, what is lost and what to do next.
func rescueText(path string, r rescued) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Saved from %s:\n", path)
	lost := 0
	for _, t := range []struct {
		name string
		journal.Tally
	}{{"requests", r.Requests}, {"outcomes", r.Outcomes}, {"drafts", r.Drafts}, {"images", r.Images}} {
		fmt.Fprintf(&b, "  %-9s %d saved, %d lost\n", t.name, t.Saved, t.Lost)
		lost += t.Lost
	}
	fmt.Fprintf(&b, "%d of its %d pages could not be read or are in the wrong place.", r.BadPages, r.Pages)
	if r.BadPages > 0 {
		b.WriteString(" What left no trace is not counted.")
	}
	for _, name := range r.LostRequests {
		b.WriteString("\n  lost: " + ask.CleanLine(name))
	}
	if r.Remnants != "" {
		b.WriteString("\nAnswers and drafts whose questions are lost: " + r.Remnants)
	}
	for _, p := range r.Problems {
		b.WriteString("\nThe fresh file has a fault, the disk may go on failing: " + ask.CleanLine(p))
	}
	b.WriteString("\n" + rescueNext(path, r))
	return b.String()
}

func rescueNext(path string, r rescued) string {
	if r.Replaced != "" {
		return fmt.Sprintf("The fresh file, %s, is in its place; the damaged one is kept as %s. Start askd.", size(r.Bytes), r.Replaced)
	}
	return fmt.Sprintf("The fresh file is %s, %s; the damaged one was not touched. To use it:\n  mv %s %s\n  mv %s %s",
		r.Path, size(r.Bytes), quoted(path), quoted(path+".damaged"), quoted(r.Path), quoted(path))
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%", r)
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
