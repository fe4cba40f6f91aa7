// Command askctl looks at what askd has waiting, answers it, asks from scripts, reads and exports what was asked before,
// looks after the data file, connects agents to askd and tells how it fares. It speaks to a running askd over its socket;
// without one, the verbs that change nothing of what waits use the data file directly.
//
// Exit codes: 0 done, 1 it failed, 2 the command line was wrong, 3 no askd answers on the socket, 4 the form was
// cancelled, 5 the form was sent without an answer, 6 its time ran out. For ask --confirm 1 is no, and 7 it failed.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/uuid"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	home, _ := os.UserHomeDir() // a verb that needs it and has none says so itself
	a := &app{
		in:     newInput(os.Stdin),
		out:    newOutput(os.Stdout, os.Getenv),
		errors: newOutput(os.Stderr, os.Getenv),
		getenv: os.Getenv,
		getwd:  os.Getwd,
		home:   home,
		now:    time.Now,
		newID:  func() string { return uuid.Must(uuid.NewV7()).String() },
		spawn:  func(_ string, f func()) { go f() },
		dial:   dialAskd,

		askdHost: thisHost(),
	}
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
