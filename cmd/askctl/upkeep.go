package main

import (
	"context"
	"strconv"
	"time"

	"askd/broker/ask"
)

// backupParams and pruneParams are the parameters of journal.backup and journal.prune (PROTOCOL).
type backupParams struct {
	Path string `json:"path"`
}

type pruneParams struct {
	OlderThan time.Time `json:"olderThan"`
}

// chore is one thing that can be done to the data file.
type chore struct {
	method string
	params any
	sofar  func() string                           // words how far it is; may be nil
	words  func(file string, u *ask.Upkeep) string // words what it gave, for the data file
}

// upkept is what a chore prints as JSON: what it gave, and of which file.
type upkept struct {
	DataFile string `json:"dataFile"`
	ask.Upkeep
}

// upkeep does a chore through askd or, when none runs, on the file directly, and prints what it gave.
func (a *app) upkeep(ctx context.Context, c chore) (*ask.Upkeep, error) {
	l, err := a.reach(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if c.method == "journal.backup" {
		if err := a.writesHere(l, "backup"); err != nil {
			return nil, err
		}
	}
	return a.upkeepOn(ctx, l, c)
}

func (a *app) upkeepOn(ctx context.Context, l *link, c chore) (*ask.Upkeep, error) {
	file, err := l.dataFile(ctx)
	if err != nil {
		return nil, err
	}
	report := upkept{DataFile: file}
	if err := a.long(ctx, l, c.method, c.params, &report.Upkeep, c.sofar); err != nil {
		return nil, err
	}
	if a.json {
		return &report.Upkeep, a.out.writeJSON(report)
	}
	a.out.printf("%s\n", a.out.text(c.words(ask.CleanLine(file), &report.Upkeep)))
	return &report.Upkeep, nil
}

// holding words what is stored.
func holding(u *ask.Upkeep) string {
	words := forms(u.Records)
	if u.Live > 0 {
		words += ", " + strconv.Itoa(u.Live) + " of them waiting or not yet delivered"
	}
	return words
}

// shrunk words how the file's size has changed.
func shrunk(file string, u *ask.Upkeep) string {
	return file + " has " + size(u.Bytes) + ", it had " + size(u.BytesBefore) + "; it holds " + holding(u) + "."
}
