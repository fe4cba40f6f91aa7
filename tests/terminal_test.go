package tests

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// tty is a program on a terminal of its own, whose bytes are kept as they came.
type tty struct {
	t       testing.TB
	cmd     *exec.Cmd
	typed   func(keys string)
	written *lockedBuffer
	ended   chan struct{}
}

// onTerminal starts a program on a terminal that nothing interprets.
func onTerminal(t testing.TB, columns, rows uint16, cmd *exec.Cmd) *tty {
	t.Helper()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	p := &tty{t: t, cmd: cmd, written: &lockedBuffer{}, ended: make(chan struct{})}
	p.typed = func(keys string) {
		t.Helper()
		if _, err := f.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		defer close(p.ended)
		copyTo(p.written, f)
		_ = cmd.Wait() // its exit code is asked for where it matters
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		<-p.ended
		f.Close()
	})
	return p
}

// paneOn starts askd with its pane on such a terminal.
func paneOn(t testing.TB, p place, columns, rows uint16) *tty {
	t.Helper()
	cmd := exec.Command(program(t, "askd"))
	cmd.Env = p.env("TERM=xterm-256color")
	pane := onTerminal(t, columns, rows, cmd)
	within(t, "askd's socket", func() bool { return answers(p.socket) })
	return pane
}

// quit ends the program with a signal and waits for it.
func (p *tty) quit(sig syscall.Signal) {
	p.t.Helper()
	_ = p.cmd.Process.Signal(sig)
	within(p.t, "the program on the terminal to end", func() bool {
		select {
		case <-p.ended:
			return true
		default:
			return false
		}
	})
}
