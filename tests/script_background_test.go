package tests

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"askd/broker/client"
)

// bgProgram is a program that a script has started and not yet waited for.
type bgProgram struct {
	cmd            *exec.Cmd
	stdout, stderr *lockedBuffer
}

func scriptStart(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME PROGRAM [args] [<FILE]")
	}
	name, program, args := args[0], args[1], args[2:]
	stdin := ""
	if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "<") {
		stdin, args = ts.ReadFile(args[last][1:]), args[:last]
	}
	cmd := exec.Command(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], program), args...)
	cmd.Dir, cmd.Stdin = ts.MkAbs("."), strings.NewReader(stdin)
	for _, name := range passedOn {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	b := &bgProgram{cmd, &lockedBuffer{}, &lockedBuffer{}}
	cmd.Stdout, cmd.Stderr = b.stdout, b.stderr
	ts.Check(cmd.Start())
	ts.Defer(func() { ended(cmd, true) })
	stateOf(ts).started[name] = b
}

func startedBy(ts *testscript.TestScript, name string) *bgProgram {
	b, ok := stateOf(ts).started[name]
	if !ok {
		ts.Fatalf("nothing was started as %s", name)
	}
	return b
}

func scriptShows(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: shows NAME TEXT")
	}
	_, err := appears(startedBy(ts, args[0]).stdout, args[1], 0)
	ts.Check(err)
}

func scriptInterrupt(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(startedBy(ts, args[0]).cmd.Process.Signal(syscall.SIGINT))
}

func scriptEnds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ends CODE NAME")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	b := startedBy(ts, args[1])
	code := ended(b.cmd, false)
	fmt.Fprint(ts.Stdout(), b.stdout)
	fmt.Fprint(ts.Stderr(), b.stderr)
	if code != want {
		ts.Fatalf("%s exited with %d, want %d\n%s%s", args[1], code, want, b.stdout, b.stderr)
	}
}

// observe makes one call as somebody who only looks.
func observe(ts *testscript.TestScript, method string, params, result any) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	observer := client.Client{Socket: ts.Getenv("ASKD_SOCKET"), Name: "script"}
	c, err := observer.Connect(ctx)
	ts.Check(err)
	defer c.Close()
	ts.Check(c.Call(ctx, method, params, result))
}

// pendingForms asks askd what waits, in the order of the queue.
func pendingForms(ts *testscript.TestScript) []summary {
	var result struct{ Requests []summary }
	observe(ts, "queue.list", map[string]any{}, &result)
	return result.Requests
}

// until looks again and again until ok.
func until(ts *testscript.TestScript, what string, ok func() bool) {
	deadline, ticker := time.After(patience), time.NewTicker(tick)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			ts.Check(errors.New("never came: " + what))
		}
	}
}

func scriptWaiting(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	until(ts, args[0]+" waiting forms", func() bool { return len(pendingForms(ts)) == want })
}

// scriptSettled waits until no outcome is on its way: an acknowledgement is written down after it is answered.
func scriptSettled(ts *testscript.TestScript, _ bool, _ []string) {
	until(ts, "all outcomes delivered", func() bool {
		var status struct{ Counts struct{ Undelivered int } }
		observe(ts, "daemon.status", struct{}{}, &status)
		return status.Counts.Undelivered == 0
	})
}

// scriptLatest looks for the growing part of the ids: askctl's own grow with time.
func scriptLatest(ts *testscript.TestScript, _ bool, args []string) {
	newest := ""
	for _, r := range pendingForms(ts) {
		newest = max(newest, r.RequestID)
	}
	ts.Setenv(args[0], newest)
}
