package tests

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"askd/tests/tmuxtest"
)

// limit sets a limit of a running process, and gives back what undoes it.
func limit(t *testing.T, pid, what int, most uint64) (heal func()) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Prlimit(pid, what, nil, &old); err != nil {
		t.Fatal(err)
	}
	set := func(cur uint64) {
		if err := unix.Prlimit(pid, what, &unix.Rlimit{Cur: cur, Max: old.Max}, nil); err != nil {
			t.Fatal(err)
		}
	}
	set(most)
	return func() { set(old.Cur) }
}

// TestFaultDisk lets every write of a running askd fail, while a form is open. The agent is told that its question was not
// stored, the person sees it in every width, what is typed stays, and all goes on by itself when the disk works again.
func TestFaultDisk(t *testing.T) {
	p := newPlace(t)
	s := tmuxtest.Start(t).Run(tmuxtest.Program{Dir: p.dir, Env: p.env(), Argv: []string{program(t, "askd")}})
	s.WaitFor("nothing is waiting")
	c, other := connect(t, p, "s1"), connect(t, p, "s2")
	open := c.begin(1, dbQuestion)
	s.WaitFor("Which database?")

	heal := limit(t, s.PID(), unix.RLIMIT_FSIZE, 0)
	m := other.call("tool.call", askParams(2, dbQuestion))
	if m.Error == nil || m.Error.Data.Kind != "storage" || m.Error.Data.Hint == "" || !strings.Contains(m.Error.Message, "file too large") {
		t.Errorf("an agent was told %v", m)
	}
	s.PressUntil("3", "Type answer...")
	s.Type("DuckDB")
	s.WaitFor("DuckDB")
	for _, columns := range []int{40, 80, 120} {
		s.Resize(columns, 24)
		s.Wait(fmt.Sprintf("the fault and the text in %d columns", columns), func(screen string) bool {
			return strings.Contains(screen, "could not be") && strings.Contains(screen, "DuckDB") && strings.Contains(screen, "Which database?")
		})
	}
	s.PressUntil("Enter", "1. Submit")
	s.Keys("Enter")
	s.Wait("the form to be open again", func(screen string) bool {
		return strings.Contains(screen, "open again") && strings.Contains(screen, "1. Submit")
	})
	if got := other.queue(`{"all":true}`); len(got) != 1 || got[0].RequestID != requestID(1) {
		t.Errorf("the queue: %+v", got)
	}

	heal()
	within(t, "the draft to reach the disk by itself", func() bool {
		data, err := os.ReadFile(p.data)
		return err == nil && bytes.Contains(data, []byte("DuckDB"))
	})
	s.WaitGone("stored yet")
	s.PressUntil("Enter", "nothing is waiting")
	s.WaitGone("could not be")
	if o := c.ended(open); !strings.Contains(o.text(), "DuckDB") {
		t.Errorf("answer %q", o.text())
	}
	other.begin(3, dbQuestion)
	if out, errs, code := runCtl(t, p, "check"); code != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
}

// TestFaultDescriptors lets askd run out of file descriptors: who is connected goes on, who comes waits and is served once
// there are some again.
func TestFaultDescriptors(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	c := connect(t, p, "s1")
	open := c.begin(1, dbQuestion)
	heal := limit(t, askd.pid(), unix.RLIMIT_NOFILE, 3)
	late := dialRaw(t, p.socket)
	id := late.start("initialize", `{"protocol":1,"client":{"name":"probe","version":"0"}}`)
	background := c.begin(2, background(dbQuestion))
	c.ended(background)
	if r := c.respond(1, choosePostgres); !r.OK {
		t.Errorf("answer: %+v", r)
	}
	c.ended(open)
	heal()
	decode(t, late.reply(id), nil)
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d\n%s", code, askd.stderr)
	}
}
