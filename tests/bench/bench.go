package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// options are what the command line says.
type options struct {
	rounds  int
	records int    // in the large data file
	data    string // where data files are kept; empty is nowhere
}

// bench is one run: a folder, the built askd and whatever it started.
type bench struct {
	options
	ctx      context.Context
	dir      string
	askd     string
	hello    string
	procs    []*exec.Cmd
	after    []func() // of the row that is measured, newest last
	files    map[int]string
	answered []float64 // what the first half of 17 has measured for the second
}

func newBench(ctx context.Context, o options) (*bench, error) {
	dir, err := os.MkdirTemp("", "askd-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, ctx: ctx, dir: dir, askd: filepath.Join(dir, "askd"), hello: filepath.Join(dir, "hello"), files: map[int]string{}}
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o600); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"build", "-trimpath", "-ldflags=-s -w", "-o", b.askd, "./cmd/askd"}, {"build", "-o", b.hello, source},
	} {
		build := exec.CommandContext(ctx, "go", args...)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go %v: %w\n%s", args, err, out)
		}
	}
	return b, nil
}

func (b *bench) close() {
	b.settle()
	_ = os.RemoveAll(b.dir)
}

// settle ends what a row has started, so that the next one has the machine for itself.
func (b *bench) settle() {
	for len(b.after) > 0 {
		last := b.after[len(b.after)-1]
		b.after = b.after[:len(b.after)-1]
		last()
	}
	for _, p := range b.procs {
		_ = p.Process.Kill()
		_ = p.Wait()
	}
	b.procs = nil
}

// later has something done when the row is over.
func (b *bench) later(f func()) { b.after = append(b.after, f) }

// folder makes a fresh private folder for one process.
func (b *bench) folder() (string, error) { return os.MkdirTemp(b.dir, "") }

// start runs a program until the end of the run and waits for its socket.
func (b *bench) start(socket string, name string, args ...string) (*exec.Cmd, error) {
	p := exec.CommandContext(b.ctx, name, args...)
	// A folder of its own, as in a home: askd watches it, and would be woken by what it writes to a data file in the same one.
	agent := filepath.Join(filepath.Dir(socket), "agent")
	if err := os.MkdirAll(agent, 0o700); err != nil {
		return nil, err
	}
	p.Env = append(os.Environ(), "PI_CODING_AGENT_DIR="+agent)
	p.Stderr = os.Stderr
	if err := p.Start(); err != nil {
		return nil, err
	}
	b.procs = append(b.procs, p)
	return p, b.await(socket)
}

// await polls for a socket that accepts.
func (b *bench) await(socket string) error {
	deadline := time.Now().Add(10 * time.Second)
	for {
		nc, err := net.Dial("unix", socket)
		if err == nil {
			return nc.Close()
		}
		if time.Now().After(deadline) || b.ctx.Err() != nil {
			return errors.Join(err, b.ctx.Err())
		}
		time.Sleep(200 * time.Microsecond)
	}
}

func (b *bench) startFloor(kind string) (string, error) {
	dir, err := b.folder()
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	socket := filepath.Join(dir, "s")
	_, err = b.start(socket, self, "-floor", kind, socket)
	return socket, err
}

// daemon is an askd without a pane.
type daemon struct {
	socket, data string
	process      *exec.Cmd
}

// startAskd starts an askd without a pane on a data file of its own, or on the given one.
func (b *bench) startAskd(data string) (d daemon, err error) {
	dir, err := b.folder()
	if err != nil {
		return d, err
	}
	d = daemon{socket: filepath.Join(dir, "s"), data: data}
	if data == "" {
		d.data = filepath.Join(dir, "d")
	}
	d.process, err = b.start(d.socket, b.askd, "--headless", "--socket", d.socket, "--data", d.data, "--log", filepath.Join(dir, "log"))
	return d, err
}

func dialFloor(socket string) (*floorClient, error) {
	nc, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return &floorClient{nc, bufio.NewReaderSize(nc, 256<<10)}, nil
}

// compare runs both sides in turn and gives the median ratio of their medians with its quartiles. n is the number of
// operations in a round.
func (b *bench) compare(n int, floor, subject func() error) (string, error) {
	ratios, err := b.ratios(n, floor, subject)
	if err != nil {
		return "", err
	}
	return spread(ratios), nil
}

func (b *bench) ratios(n int, floor, subject func() error) (ratios []float64, err error) {
	for range b.rounds {
		f, err := timed(n, floor)
		if err != nil {
			return nil, fmt.Errorf("floor: %w", err)
		}
		s, err := timed(n, subject)
		if err != nil {
			return nil, err
		}
		ratios = append(ratios, float64(s)/float64(f))
	}
	return ratios, nil
}

// timed is the median duration of n operations.
func timed(n int, f func() error) (time.Duration, error) {
	all := make([]time.Duration, n)
	for i := range all {
		begin := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		all[i] = time.Since(begin)
	}
	slices.Sort(all)
	return all[n/2], nil
}

func spread(ratios []float64) string { return spreadOf("%.2fx", ratios) }

// spreadOf gives the median of values with their quartiles.
func spreadOf(format string, values []float64) string {
	slices.Sort(values)
	n := len(values)
	return fmt.Sprintf(format+" (%.2f to %.2f)", values[n/2], values[n/4], values[3*n/4])
}
