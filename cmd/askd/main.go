// Command askd is the person's inbox for the questions of their coding agents: it owns the pane, the queue and the journal.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"askd/broker/ask"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	// A file that may grow no further, for instance under ulimit -f, is a full disk to us and not the end.
	signal.Ignore(syscall.SIGXFSZ)
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "askd:", ask.Clean(err.Error())) // it can hold what a file or a variable says
		stop()
		os.Exit(exitCode(err))
	}
}
