package tmuxtest

import (
	"os"
	"strings"
	"testing"
)

func TestPane(t *testing.T) {
	s := Start(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "PS1=ready> ", "MARK=seen"}
	p := s.Run(Program{Dir: t.TempDir(), Env: env, Argv: []string{"sh", "-i"}})
	p.WaitFor("ready>")
	p.Type(`echo "$MARK:$HOME:"`)
	p.Keys("Enter")
	p.WaitFor("seen::") // nothing of the test's own environment
	p.Paste("echo pasted-$((1+1))")
	p.Keys("Enter")
	p.WaitFor("pasted-2")
	p.Resize(60, 10)
	p.PressUntil("Enter", "ready>\nready>")
	p.Type("clear; stty size")
	p.Keys("Enter")
	p.WaitFor("10 60")
	if p.PID() <= 1 || p.Dead() {
		t.Errorf("pid %d, dead %v", p.PID(), p.Dead())
	}
	p.Type("exit")
	p.Keys("Enter")
	p.WaitDead()
}

func TestFramed(t *testing.T) {
	if got := framed("a\n\n  │  \nb"); got != "| a\n| b" {
		t.Errorf("framed %q", strings.ReplaceAll(got, "\n", "\\n"))
	}
}
