package clipboard

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"askd/config"
)

// patience is how long a command that was told to end may keep its output open.
const patience = 500 * time.Millisecond

// run gives what a command prints. It runs in a process group of its own, so that the pane's keys do not reach it and all
// that it has started ends with it. Its words on stderr tell an empty clipboard from one that is out of reach, so they
// come back too, with an error that is ErrUnavailable, ErrSlow or ErrTooLarge.
func run(ctx context.Context, name string, args ...string) (out []byte, said string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, config.ClipboardTime, ErrSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	stdout, stderr := bounded{room: config.ClipboardOutput}, bounded{room: 4 << 10, drop: true}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Dir = "/" // Windows programs do not start in a folder that Windows cannot name
	cmd.WaitDelay = patience
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err = cmd.Run()
	switch {
	case stdout.full:
		return nil, "", ErrTooLarge
	case err == nil:
		return stdout.held.Bytes(), "", nil
	case errors.Is(context.Cause(ctx), ErrSlow):
		return nil, "", ErrSlow
	}
	return nil, stderr.held.String(), ErrUnavailable
}

// bounded is a buffer that takes no more than its room: it drops what is over, or refuses it, which ends the program that
// writes.
type bounded struct {
	held bytes.Buffer
	room int
	drop bool
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	fits := min(len(p), b.room-b.held.Len())
	_, _ = b.held.Write(p[:fits]) // never fails
	if fits < len(p) && !b.drop {
		b.full = true
		return fits, errors.New("no more room")
	}
	return len(p), nil
}
