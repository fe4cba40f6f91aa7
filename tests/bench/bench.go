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

// bench is one run: a folder, the built askd and whatever it started.
type bench struct {
	ctx    context.Context
	rounds int
	dir    string
	askd   string
	hello  string
	procs  []*exec.Cmd
}

func newBench(ctx context.Context, rounds int) (*bench, error) {
	dir, err := os.MkdirTemp("", "askd-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{ctx: ctx, rounds: rounds, dir: dir, askd: filepath.Join(dir, "askd"), hello: filepath.Join(dir, "hello")}
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o600); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"build", "-trimpath", "-ldflags=-s -w", "-o", b.askd, "./cmd/askd"}, {"build", "-o", b.hello, source},
	} {
		if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go %v: %w\n%s", args, err, out)
		}
	}
	return b, nil
}

func (b *bench) close() {
	for _, p := range b.procs {
		_ = p.Process.Kill()
		_ = p.Wait()
	}
	_ = os.RemoveAll(b.dir)
}

// folder makes a fresh private folder for one process.
func (b *bench) folder() (string, error) { return os.MkdirTemp(b.dir, "") }

// start runs a program until the end of the run and waits for its socket.
func (b *bench) start(socket string, name string, args ...string) (*exec.Cmd, error) {
	p := exec.CommandContext(b.ctx, name, args...)
	p.Env = append(os.Environ(), "PI_CODING_AGENT_DIR="+filepath.Dir(socket))
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

func (b *bench) startAskd() (string, *exec.Cmd, error) {
	dir, err := b.folder()
	if err != nil {
		return "", nil, err
	}
	socket := filepath.Join(dir, "s")
	p, err := b.start(socket, b.askd, "--headless", "--socket", socket, "--data", filepath.Join(dir, "d"))
	return socket, p, err
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
	var ratios []float64
	for range b.rounds {
		f, err := timed(n, floor)
		if err != nil {
			return "", fmt.Errorf("floor: %w", err)
		}
		s, err := timed(n, subject)
		if err != nil {
			return "", err
		}
		ratios = append(ratios, float64(s)/float64(f))
	}
	return spread(ratios), nil
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

func spread(ratios []float64) string {
	slices.Sort(ratios)
	n := len(ratios)
	return fmt.Sprintf("%.2fx (%.2f to %.2f)", ratios[n/2], ratios[n/4], ratios[3*n/4])
}
