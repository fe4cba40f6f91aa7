package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"askd/broker/client"
	"askd/journal"
)

const (
	// openWithin is how long askctl waits for another process to let go of the data file: for one that is just closing.
	openWithin = time.Second
	// wirePage is the most that one history.list gives over the socket, filePage from the data file itself: there each
	// page may cost a whole search again.
	wirePage = 200
	filePage = 20_000
)

// reach connects to askd or, when none runs, opens its data file itself and says so. Only verbs that change nothing of
// what waits may use it.
func (a *app) reach(ctx context.Context) (*link, error) {
	l, err := a.connect(ctx)
	if !errors.Is(err, client.ErrNotRunning) {
		return l, err
	}
	path := a.dataPath()
	if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; there is no data file %s to read either", err, path)
	}
	j, fault := journal.Open(journal.Options{Path: path, Go: a.spawn, Now: a.now, LockTimeout: openWithin, Suspect: !a.checking, Existing: true, ReadOnly: a.checking, WholeUpTo: a.wholeUpTo()})
	switch {
	case errors.Is(fault, journal.ErrLocked):
		return nil, a.heldElsewhere(path, fault)
	case fault != nil:
		return nil, fault
	}
	a.errors.printf("askctl: askd is not running, its data file %s is used directly\n", a.errors.line(path))
	return &link{caller: &offline{j: j, ended: make(chan struct{})}, direct: true, data: a.named(path)}, nil
}

// wholeUpTo is how much of a file is looked at before it is opened: a check does that itself and lists what it finds.
func (a *app) wholeUpTo() int64 {
	if a.checking {
		return -1
	}
	return 0
}

// heldElsewhere says who has the data file and what to do.
func (a *app) heldElsewhere(path string, err error) error {
	socket, _ := a.socketPath() // it was dialled, so it is good
	pid := lockHolder(path)
	if pid == 0 {
		return &exitError{exitNoDaemon, fmt.Sprintf("the data file %s is in use by another program, perhaps another askctl: try again when it has ended", path), err}
	}
	return &exitError{exitNoDaemon, fmt.Sprintf(
		"the data file %s is in use by pid %d, which does not listen on %s: name its socket with --socket or ASKD_SOCKET, or stop it with `kill %d` and repeat the command", path, pid, socket, pid,
	), err}
}

// lockHolder is the process that the lock file beside a data file names, 0 when it names none that lives.
func lockHolder(path string) int {
	raw, err := os.ReadFile(path + ".lock")
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return 0
	}
	return pid
}

// page is the most that one history.list gives on this link.
func (l *link) page() int {
	if l.direct {
		return filePage
	}
	return wirePage
}

// tellEvery is how often a person at a terminal is told how far a long call is.
const tellEvery = 500 * time.Millisecond

// long calls a method that takes as long as it takes. sofar words its progress and may be nil.
func (a *app) long(ctx context.Context, l *link, method string, params, result any, sofar func() string) error {
	done := make(chan error, 1)
	a.spawn("call", func() { done <- l.Call(ctx, method, params, result) })
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	told := false
	for {
		select {
		case err := <-done:
			if told {
				a.errors.printf("\r\x1b[K")
			}
			return l.longFault(ctx, method, err)
		case <-tick.C:
			if sofar != nil && a.errors.size != nil {
				told = true
				a.errors.printf("\r%s\x1b[K", sofar())
			}
		}
	}
}

func (l *link) longFault(ctx context.Context, method string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !l.direct:
		return &exitError{exitFailed, "stopped waiting: askd goes on with it by itself", err}
	case ctx.Err() != nil:
		return &exitError{exitFailed, "interrupted", err}
	}
	return silent(l.socket, err)
}

// grown words how large a file has become.
func grown(path string) func() string {
	return func() string {
		info, err := os.Lstat(path)
		if err != nil {
			return "working …"
		}
		return size(info.Size()) + " written …"
	}
}
