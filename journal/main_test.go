package journal

import (
	"flag"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the data file under testdata anew")

// modelRuns is how many random histories a test run has.
const modelRuns = "30"

// TestMain runs the tests, or plays the child that a test has started from its own binary.
func TestMain(m *testing.M) {
	if args := os.Getenv("JOURNAL_TEST_CHILD"); args != "" {
		part, rest, _ := strings.Cut(args, " ")
		children[part](rest)
		os.Exit(0)
	}
	// The collector took a third of the time under the race detector, and the tests need little memory.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	// Before the flags are parsed, so that the command line has its say.
	if err := flag.Set("rapid.checks", modelRuns); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.Remove(benchPath())
		os.Exit(code)
	}))
}

var children = map[string]func(args string){"hold": childHold, "work": childWork, "upkeep": childUpkeep}
