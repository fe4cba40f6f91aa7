// Command askctl looks at what askd has waiting, connects agents to it and tells how it fares. It speaks to a running
// askd over its socket.
//
// Exit codes: 0 done, 1 it failed, 2 the command line was wrong, 3 no askd answers on the socket.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	home, _ := os.UserHomeDir() // a verb that needs it and has none says so itself
	a := &app{
		out:    newOutput(os.Stdout, os.Getenv),
		errors: newOutput(os.Stderr, os.Getenv),
		getenv: os.Getenv,
		home:   home,
		now:    time.Now,
		dial:   dialAskd,
	}
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
