package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Patience is the longest that anything on a screen may take before a row is given up; hush is how long a terminal must be
// silent to count as done drawing.
const (
	patience = 20 * time.Second
	hush     = 60 * time.Millisecond
)

// terminal is a program in a terminal of its own, 120 columns and 40 rows.
type terminal struct {
	ctx     context.Context
	file    *os.File
	process *exec.Cmd
	chunks  chan []byte // what the program writes, as it writes it; closed at its end
	seen    []byte      // since the last clear
}

func (b *bench) openTerminal(dir string, env []string, name string, args ...string) (*terminal, error) {
	p := exec.CommandContext(b.ctx, name, args...)
	p.Dir = dir
	p.Env = append(env, "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
	f, err := pty.StartWithSize(p, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return nil, err
	}
	b.procs = append(b.procs, p)
	b.later(func() { _ = f.Close() })
	t := &terminal{ctx: b.ctx, file: f, process: p, chunks: make(chan []byte, 4096)}
	go t.read()
	return t, nil
}

func (t *terminal) read() {
	defer close(t.chunks)
	for {
		buf := make([]byte, 64<<10)
		n, err := t.file.Read(buf)
		if n > 0 {
			t.chunks <- buf[:n]
		}
		if err != nil {
			return
		}
	}
}

// next takes the next thing that is written, nil when nothing is for as long as that.
func (t *terminal) next(limit time.Duration) ([]byte, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case chunk, ok := <-t.chunks:
		if !ok {
			return nil, fmt.Errorf("%s has ended", filepath.Base(t.process.Path))
		}
		t.seen = append(t.seen, chunk...)
		return chunk, nil
	case <-timer.C:
		return nil, nil
	case <-t.ctx.Done():
		return nil, t.ctx.Err()
	}
}

// quiet waits until nothing is written any more and forgets what was.
func (t *terminal) quiet() error {
	for {
		chunk, err := t.next(hush)
		if err != nil {
			return err
		}
		if chunk == nil {
			t.seen = nil
			return nil
		}
	}
}

// forget drops what was written and not yet looked at.
func (t *terminal) forget() {
	t.seen = nil
	for len(t.chunks) > 0 {
		<-t.chunks
	}
}

func (t *terminal) keys(keys string) error {
	_, err := t.file.WriteString(keys)
	return err
}

// until waits until a text has been written since the last quiet.
func (t *terminal) until(text string) error {
	ok, err := t.within(text, patience)
	if err == nil && !ok {
		err = fmt.Errorf("%q did not appear; the last that came was %q", text, t.seen[max(0, len(t.seen)-300):])
	}
	return err
}

func (t *terminal) within(text string, limit time.Duration) (bool, error) {
	for deadline := time.Now().Add(limit); !bytes.Contains(t.seen, []byte(text)); {
		if time.Now().After(deadline) {
			return false, nil
		}
		if _, err := t.next(time.Until(deadline)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// press presses a key until what it does is to be seen: a form that has just appeared takes no answer.
func (t *terminal) press(key, shows string) error {
	for deadline := time.Now().Add(patience); ; {
		if err := t.keys(key); err != nil {
			return err
		}
		ok, err := t.within(shows, time.Second)
		if ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%q did not show %q", key, shows)
		}
	}
}

// frame presses a key and waits for what is drawn of it.
func (t *terminal) frame(key string) error {
	if err := t.keys(key); err != nil {
		return err
	}
	chunk, err := t.next(patience)
	if err == nil && chunk == nil {
		err = fmt.Errorf("nothing was drawn of %q", key)
	}
	return err
}

// leave ends a program as a person does who wants to go on with its data file: the next start of one that was killed looks
// through more of it.
func (t *terminal) leave() error {
	if err := t.process.Process.Signal(unix.SIGTERM); err != nil {
		return err
	}
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		if _, err := t.next(time.Until(limit)); err != nil {
			return t.ctx.Err()
		}
	}
	return fmt.Errorf("%s does not end", filepath.Base(t.process.Path))
}

// serveEcho is the floor of a key press: whatever comes in goes out again.
func serveEcho() error {
	old, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(int(os.Stdin.Fd()), old) }()
	fmt.Print("ready")
	buf := make([]byte, 4096)
	for {
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return err
		}
		if _, err := os.Stdout.Write(buf[:n]); err != nil {
			return err
		}
	}
}

// echo starts the floor in a terminal.
func (b *bench) echo() (*terminal, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t, err := b.openTerminal(b.dir, os.Environ(), self, "-floor", "keys")
	if err != nil {
		return nil, err
	}
	return t, t.until("ready")
}

// pane is an askd in a terminal.
type pane struct {
	*terminal
	daemon
}

// openPane starts askd in a terminal and waits for its first frame.
func (b *bench) openPane(data string, env ...string) (*pane, error) {
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	p := &pane{daemon: daemon{socket: filepath.Join(dir, "s"), data: data}}
	if data == "" {
		p.data = filepath.Join(dir, "d")
	}
	environment := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PI_CODING_AGENT_DIR=" + dir}, env...)
	p.terminal, err = b.openTerminal(dir, environment, b.askd, "--socket", p.socket, "--data", p.data, "--log", filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	p.daemon.process = p.terminal.process
	return p, p.until("nothing is waiting")
}
