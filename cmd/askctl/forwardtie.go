package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"askd/config"
)

//go:embed forward.sh
var farSide string

// tie is one ssh connection: a plain sh on the host that follows orders, and the forwarded socket.
type tie struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	said   chan []string // what the far side says, word by word; closed when it ends
	stderr *tail
	ended  chan struct{} // closed when ssh has ended
}

// mandatory are the settings without which the link is none, whatever stands in the person's own configuration: one
// connection that carries the forwarding and nothing of theirs.
func (f *forward) mandatory() []string {
	return []string{"-T", "-o", "ControlMaster=yes", "-o", "ControlPath=" + f.control, "-o", "ControlPersist=no", "-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes"}
}

// lively makes ssh notice within a minute that nothing comes any more; the person's own options go before.
var lively = []string{"-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"}

// tie starts ssh and waits until the far side follows. That takes as long as the person takes to log in.
func (f *forward) tie(ctx context.Context) (*tie, error) {
	args := append(append(append(f.mandatory(), f.ssh...), lively...), "--", f.host, "exec sh")
	t := &tie{cmd: exec.CommandContext(ctx, f.program, args...), said: make(chan []string, 16), stderr: &tail{a: f.a}, ended: make(chan struct{})}
	t.cmd.Cancel = func() error { return t.orders.Close() } // the far side clears up and ends
	t.cmd.WaitDelay = farewell
	t.cmd.Stderr = t.stderr
	var err error
	if t.orders, err = t.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start ssh: %w", err)
	}
	out, err := t.cmd.StdoutPipe()
	if err == nil {
		err = t.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start ssh: %w", err)
	}
	f.a.spawn("ssh", func() {
		t.listen(out)
		_ = t.cmd.Wait()
		close(t.ended)
	})
	script := fmt.Sprintf("token=%s\norigin=%s\nwish='%s'\n", f.token(), plainName(thisHost()), f.remote) + farSide
	if _, err := io.WriteString(t.orders, script); err != nil {
		return nil, t.lost(f.host)
	}
	if _, err := t.hear(ctx, f.host, "begin"); err != nil {
		t.cut()
		return nil, err
	}
	return t, nil
}

// listen takes what the far side says; a login shell may print anything before.
func (t *tie) listen(out io.Reader) {
	defer close(t.said)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == "askctl-forward" {
			select {
			case t.said <- words[1:]:
			default: // nobody asked for that much
			}
		}
	}
	_, _ = io.Copy(io.Discard, out)
}

// hear waits for a word of the far side and gives what stands behind it.
func (t *tie) hear(ctx context.Context, host, word string) ([]string, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case words, ok := <-t.said:
			switch {
			case !ok:
				<-t.ended
				return nil, t.lost(host)
			case words[0] == word:
				return words[1:], nil
			case words[0] == "refused" && len(words) > 2:
				return nil, refusal(host, words[1], strings.Join(words[2:], " "))
			}
		}
	}
}

// ask gives an order and waits for the answer to it.
func (t *tie) ask(ctx context.Context, host, order, word string) ([]string, error) {
	if _, err := io.WriteString(t.orders, order+"\n"); err != nil {
		<-t.ended
		return nil, t.lost(host)
	}
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	words, err := t.hear(within, host, word)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w to %s: it does not answer within %s", errLink, host, answerWithin)
	}
	return words, err
}

// cut ends the connection; the far side clears up first where it still can.
func (t *tie) cut() {
	_ = t.orders.Close()
	select {
	case <-t.ended:
	case <-time.After(farewell):
		_ = t.cmd.Process.Kill()
		<-t.ended
	}
}

// errLink is a connection that did not come about or has ended.
var errLink = errors.New("no link")

// lost words why ssh has ended, by its own last words.
func (t *tie) lost(host string) error {
	if last := t.stderr.last(); last != "" {
		return fmt.Errorf("%w to %s: %s", errLink, host, last)
	}
	return fmt.Errorf("%w to %s: ssh ended (%s)", errLink, host, t.cmd.ProcessState)
}

// tail passes on what ssh says line by line, and keeps the last line.
type tail struct {
	a    *app
	mu   sync.Mutex
	rest []byte
	line string
}

// Write implements io.Writer.
func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		if line := strings.TrimPrefix(w.a.errors.line(strings.TrimSpace(string(w.rest[:i]))), "ssh: "); line != "" {
			w.line = line
			w.a.errors.printf("ssh: %s\n", line)
		}
		w.rest = w.rest[i+1:]
	}
}

func (w *tail) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.line
}

// refusals say why the far side has no room for the socket, and what to do.
var refusals = map[string]string{
	"nosocket": "%[2]s on %[1]s is there and is no socket: move it away, or choose another path with --remote-socket",
	"foreign":  "%[2]s on %[1]s belongs to another user: choose another path with --remote-socket, and set ASKD_SOCKET to it there",
	"busy":     "an askd of its own listens on %[2]s on %[1]s: stop it there, or choose another path with --remote-socket and set ASKD_SOCKET to it for the agents there",
	"linked":   "another `askctl forward` to %[1]s has %[2]s: end that one first. If it has gone without a trace, `ssh %[1]s rm %[2]s` makes room",
	"unknown":  "%[1]s has nothing to tell whether a program listens on %[2]s: if none does, `ssh %[1]s rm %[2]s` makes room",
	"relative": "%[2]s on %[1]s is no absolute path: correct ASKD_SOCKET there, or name one with --remote-socket",
	"folder":   "%[2]s on %[1]s is no folder of your own and cannot be made one: choose a path with --remote-socket, and set ASKD_SOCKET to it there",
	"open":     "the folder %[2]s on %[1]s is open to other users: `ssh %[1]s chmod 700 %[2]s` if it is for askd alone, or choose another path with --remote-socket",
}

// refusal is final: trying again would not help.
func refusal(host, word, path string) error {
	text, ok := refusals[word]
	if !ok {
		text = "%[1]s refuses %[2]s"
	}
	return &exitError{code: exitFailed, text: fmt.Sprintf(text, host, path)}
}

const (
	// answerWithin is how long the far side may take for one order: it starts a few programs there.
	answerWithin = 6 * config.DialTimeout
	// farewell is how long the far side has to take its socket away.
	farewell = config.DialTimeout
)
