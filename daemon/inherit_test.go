package daemon

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestInheritedCount: a count of sockets that nobody can have passed is refused at once, and not looked at one by one.
func TestInheritedCount(t *testing.T) {
	t.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
	t.Setenv("LISTEN_FDS", "999999999")
	if l, err := inherited("/run/askd.sock"); l != nil || err == nil || !strings.Contains(err.Error(), "askd takes one") {
		t.Errorf("got %v, %v", l, err)
	}
}
