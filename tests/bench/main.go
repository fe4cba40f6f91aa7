// Command bench measures what askd costs against what the machine itself costs: each figure is a ratio to a small program
// that does the unavoidable part alone, measured in the same run, round by round, or an exact count. It prints one table
// and judges nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// row is one line of the table. Rows of one number are parts of one cost.
type row struct {
	number int
	name   string
	floor  string // "-" for counts
	goal   string
	run    func(*bench) (string, error)
}

const theSame = "the same"

// rows are the costs that matter, in the order of PERFORMANCE.md beside this file. "%s" in a name stands for -records.
var rows = []row{
	{1, "ask to accepted, 1 KiB, one connection", "socket, write, fdatasync, ack", "<= 2.5x", acceptRow(1 << 10)},
	{2, "ask to accepted, 64 KiB of context", theSame, "<= 5x", acceptRow(64 << 10)},
	{3, "asks a second, 64 connections, 4 KiB", "the same with group commit", ">= 0.33x", throughputRow},
	{4, "ask, accepted, answer, result", "as 1", "<= 5x", roundTripRow},
	{5, "ask to accepted with %s records", "1 with 10,000 records", "<= 1.2x", sizeRow},
	{6, "fdatasyncs an accepted ask, alone", "-", "2", loneSyncsRow},
	{6, "fdatasyncs an accepted ask, 64 waiting", "-", "<= 0.125", crowdSyncsRow},
	{6, "KiB written an ask of 2 KiB", "-", "<= 30", writtenRow},
	{7, "refused ask of 4 KiB", "echo of the same bytes", "<= 3x", refusedRow},
	{8, "newest page of 50, %s records", "memcpy of 50 records", "<= 2x", newestRow},
	{9, "search for what is nowhere, %s records", "bytes.Index over all text", "<= 1/400x", searchRow(absentTerm)},
	{9, "search for what is in one record", theSame, "<= 1/400x", searchRow(rareTerm)},
	{9, "search index, bytes a record", "-", "<= 300", indexBytesRow},
	{9, "search index, us a record", "-", "<= 10", indexTimeRow},
	{10, "Markdown export of 100,000 records", "writing the same bytes", "<= 6x", exportRow},
	{10, "memory that it takes, beyond a tenth of it", "-", "flat", exportMemoryRow},
	{11, "start to first frame, empty", "a Go program that prints hello", "<= 8x", startRow(false)},
	{11, "start to first frame, %s records", theSame, "<= 8x", startRow(true)},
	{11, "opening the data file, %s records", "-", "<= 1 ms", openRow},
	{12, "bytes to move the cursor a row, 120x40", "-", "<= 400", bytesRow(patience, "\x1b[B", "\x1b[A")},
	{12, "bytes when nothing has changed", "-", "<= 32", bytesRow(hush, "\x1b[20~", "\x1b[20~")},
	{13, "key press to frame at the terminal", "raw echo on such a terminal", "<= 15x", frameRow},
	{14, "the same while 64 clients ask without pause", "13 idle", "<= 3x", crowdedFrameRow},
	{14, "frames for 100 updates in a burst", "-", "<= 3", burstRow},
	{15, "context switches a second, idle", "-", "<= 0.1", idleRow},
	{15, "resident memory, empty", "-", "<= 14 MB", memoryRow(false)},
	{15, "resident memory, %s records", "-", "<= 46 MB", memoryRow(true)},
	{15, "stripped binary", "-", "<= 12 MB", binaryRow},
	{16, "commits a second, typing 20 keys a second", "-", "<= 2", draftCommitsRow},
	{16, "key press to frame while drafts are kept", "typing where nothing is kept", "no key waits", draftFrameRow},
	{17, "tool call in Pi to the form in askd", "a form inside the same Pi", "<= 1.0x", piShownRow},
	{17, "last key to the model's next request", theSame, "<= 1.0x", piAnsweredRow},
}

func main() {
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 15, "rounds of each measurement")
	flag.IntVar(&o.records, "records", 100_000, "records in the large data file; the goals speak of 1,000,000")
	flag.StringVar(&o.data, "data", "", "folder in which the data files are kept from run to run; default is a temporary one")
	only := flag.String("rows", "", "numbers of the rows to measure, comma separated; default is all")
	floor := flag.String("floor", "", "serve as a floor (internal)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *floor != "" {
		fmt.Fprintln(os.Stderr, "bench floor:", serveFloor(*floor, flag.Arg(0)))
		stop()
		os.Exit(1)
	}
	if err := measure(ctx, o, chosen(*only)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// chosen are the rows with one of the numbers in a list; an empty list is all.
func chosen(list string) []row {
	if list == "" {
		return rows
	}
	wanted := strings.Split(list, ",")
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !slices.Contains(wanted, strconv.Itoa(r.number)) })
}

// measure prints the table. Why a row could not be measured is told beside it.
func measure(ctx context.Context, o options, rows []row) error {
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.close()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "#\tcost\tfloor, same run\tmeasured\tgoal")
	for _, r := range rows {
		name := strings.Replace(r.name, "%s", thousands(o.records), 1)
		fmt.Fprintf(os.Stderr, "%2d %s\n", r.number, name)
		got, err := r.run(b)
		if err != nil {
			got = "not measured"
			fmt.Fprintln(os.Stderr, "   not measured:", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", r.number, name, r.floor, got, r.goal)
		b.settle()
	}
	return w.Flush()
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
