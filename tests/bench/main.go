// Command bench measures what askd costs against what the machine itself costs: each figure is a ratio to a small program
// that does the unavoidable part alone, measured in the same run, round by round. It prints one table and judges nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"
)

// row is one line of the table.
type row struct {
	name  string
	floor string
	goal  string
	run   func(*bench) (string, error)
}

// rows stand in the order of the performance page.
var rows = []row{
	{"ask to accepted, 1 KiB, one connection", "socket, write, fdatasync, ack", "<= 2.5x", acceptRow(1 << 10)},
	{"ask to accepted, 64 KiB of context", "the same", "<= 5x", acceptRow(64 << 10)},
	{"asks a second, 64 connections, 4 KiB", "the same with group commit", ">= 0.33x", throughputRow},
	{"ask, accepted, answer, result", "socket, write, fdatasync, ack", "<= 5x", roundTripRow},
	{"refused ask of 4 KiB", "echo of the same bytes", "<= 3x", refusedRow},
	{"start to socket ready, empty", "a Go program that prints hello", "<= 8x", startRow},
	{"resident memory, headless, idle", "-", "<= 14 MB", memoryRow},
	{"context switches a second, idle", "-", "<= 0.1", idleRow},
	{"stripped binary", "-", "<= 12 MB", binaryRow},
}

func main() {
	rounds := flag.Int("rounds", 15, "rounds of each measurement")
	floor := flag.String("floor", "", "serve as a floor (internal)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *floor != "" {
		fmt.Fprintln(os.Stderr, "bench floor:", serveFloor(*floor, flag.Arg(0)))
		stop()
		os.Exit(1)
	}
	if err := measure(ctx, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func measure(ctx context.Context, rounds int) error {
	b, err := newBench(ctx, rounds)
	if err != nil {
		return err
	}
	defer b.close()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "cost\tfloor, same run\tmeasured\tgoal")
	for _, r := range rows {
		got, err := r.run(b)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.name, r.floor, got, r.goal)
	}
	return w.Flush()
}
