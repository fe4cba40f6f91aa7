package journal

import (
	"flag"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the data file under testdata anew")

// TestMain runs the tests, or plays the child that a test has started from its own binary.
func TestMain(m *testing.M) {
	if args := os.Getenv("JOURNAL_TEST_CHILD"); args != "" {
		part, rest, _ := strings.Cut(args, " ")
		children[part](rest)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.Remove(benchPath())
		os.Exit(code)
	}))
}

var children = map[string]func(args string){"hold": childHold, "work": childWork, "upkeep": childUpkeep}
