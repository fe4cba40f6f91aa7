// Command askd is the person's inbox for the questions of their coding agents: it owns the pane, the queue and the journal.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "askd:", err)
		stop()
		os.Exit(exitCode(err))
	}
}
