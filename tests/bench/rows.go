package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// operations is how many operations make one round of a latency row.
const operations = 20

// asker is one raw connection that asks: what it costs itself is next to nothing, so that the figures are askd's.
type asker struct {
	nc   net.Conn
	r    *bufio.Reader
	next int
}

func dialAsker(socket, session string) (*asker, error) {
	nc, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	a := &asker{nc: nc, r: bufio.NewReaderSize(nc, 256<<10)}
	if err := a.call("initialize", `{"protocol":1,"client":{"name":"bench","version":"0"}}`); err != nil {
		return nil, err
	}
	return a, a.call("session.open", fmt.Sprintf(`{"id":%q,"ui":"cli","cwd":"/bench","branch":null}`, session))
}

// send writes a request and gives its id.
func (a *asker) send(method, params string) (int, error) {
	a.next++
	_, err := fmt.Fprintf(a.nc, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", a.next, method, params)
	return a.next, err
}

// until reads lines up to the one that has a mark.
func (a *asker) until(mark string) error {
	for {
		line, err := a.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if bytes.Contains(line, []byte(mark)) {
			if bytes.Contains(line, []byte(`"error":`)) && !bytes.Contains(line, []byte(`"result":`)) {
				return fmt.Errorf("askd answered %s", line)
			}
			return nil
		}
	}
}

// call sends a request and waits for its reply.
func (a *asker) call(method, params string) error {
	id, err := a.send(method, params)
	if err != nil {
		return err
	}
	return a.until(fmt.Sprintf(`"id":%d,`, id))
}

// arguments make a valid ask of about size bytes.
func arguments(size int) string {
	text := strings.Repeat("context of a question ", size/22)
	return fmt.Sprintf(`{"questions":[{"id":"q","prompt":"Which?","context":%q,"options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`, text)
}

// ask sends a tool call and gives the ids of the message and of the request.
func (a *asker) ask(args string) (int, string, error) {
	id := uuid.Must(uuid.NewV7()).String()
	n, err := a.send("tool.call", fmt.Sprintf(`{"tool":"ask_user","requestId":%q,"toolCallId":%q,"arguments":%s}`, id, id, args))
	return n, id, err
}

// accept asks and waits until it is accepted; the form stays pending.
func (a *asker) accept(args string) error {
	if _, _, err := a.ask(args); err != nil {
		return err
	}
	return a.until(`"method":"ask.accepted"`)
}

func acceptRow(size int) func(*bench) (string, error) {
	return func(b *bench) (string, error) {
		f, a, err := b.pair("sync")
		if err != nil {
			return "", err
		}
		args := arguments(size)
		line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
		return b.compare(operations, func() error { return f.send(line) }, func() error { return a.accept(args) })
	}
}

// pair starts a floor and an askd and connects to both.
func (b *bench) pair(kind string) (*floorClient, *asker, error) {
	floor, err := b.startFloor(kind)
	if err != nil {
		return nil, nil, err
	}
	f, err := dialFloor(floor)
	if err != nil {
		return nil, nil, err
	}
	socket, _, err := b.startAskd()
	if err != nil {
		return nil, nil, err
	}
	a, err := dialAsker(socket, "bench")
	return f, a, err
}

func roundTripRow(b *bench) (string, error) {
	f, a, err := b.pair("sync")
	if err != nil {
		return "", err
	}
	args := arguments(1 << 10)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	return b.compare(operations, func() error { return f.send(line) }, func() error {
		n, id, err := a.ask(args)
		if err != nil {
			return err
		}
		if err := a.until(`"method":"ask.accepted"`); err != nil {
			return err
		}
		if _, err := a.send("form.respond", fmt.Sprintf(`{"requestId":%q,"response":{"kind":"answer","answers":{"q":{"values":["a"]}}}}`, id)); err != nil {
			return err
		}
		return a.until(fmt.Sprintf(`"id":%d,`, n))
	})
}

func refusedRow(b *bench) (string, error) {
	f, a, err := b.pair("echo")
	if err != nil {
		return "", err
	}
	args := strings.Replace(arguments(4<<10), `"prompt":"Which?"`, `"prompt":""`, 1)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	return b.compare(10*operations, func() error { return f.send(line) }, func() error {
		n, _, err := a.ask(args)
		if err != nil {
			return err
		}
		return a.until(fmt.Sprintf(`"id":%d,`, n))
	})
}

// throughputRow compares how many durable asks a second 64 connections get through.
func throughputRow(b *bench) (string, error) {
	const connections, span = 64, 300 * time.Millisecond
	floor, err := b.startFloor("group")
	if err != nil {
		return "", err
	}
	var floors []func() error
	var asks []func() error
	args := arguments(4 << 10)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	socket, _, err := b.startAskd()
	if err != nil {
		return "", err
	}
	for i := range connections {
		f, err := dialFloor(floor)
		if err != nil {
			return "", err
		}
		a, err := dialAsker(socket, "bench-"+strconv.Itoa(i))
		if err != nil {
			return "", err
		}
		floors = append(floors, func() error { return f.send(line) })
		asks = append(asks, func() error { return a.accept(args) })
	}
	var ratios []float64
	for range b.rounds {
		f := rate(floors, span)
		ratios = append(ratios, rate(asks, span)/f)
	}
	return spread(ratios), nil
}

// rate is how many operations all the given ones get done in a second, side by side.
func rate(ops []func() error, span time.Duration) float64 {
	var n atomic.Int64
	var wg sync.WaitGroup
	end := time.Now().Add(span)
	begin := time.Now()
	for _, op := range ops {
		wg.Go(func() {
			for time.Now().Before(end) && op() == nil {
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(begin).Seconds()
}

func startRow(b *bench) (string, error) {
	return b.compare(3, func() error { return exec.CommandContext(b.ctx, b.hello).Run() }, func() error {
		_, p, err := b.startAskd()
		if err != nil {
			return err
		}
		_ = p.Process.Kill()
		_ = p.Wait()
		b.procs = b.procs[:len(b.procs)-1]
		return nil
	})
}

func memoryRow(b *bench) (string, error) {
	_, p, err := b.startAskd()
	if err != nil {
		return "", err
	}
	kib, err := statusField(p, "VmRSS")
	return fmt.Sprintf("%.1f MB", kib/1024), err
}

func idleRow(b *bench) (string, error) {
	const span = 10 * time.Second
	_, p, err := b.startAskd()
	if err != nil {
		return "", err
	}
	time.Sleep(time.Second) // start-up is not idling
	before, err := switches(p)
	if err != nil {
		return "", err
	}
	time.Sleep(span)
	after, err := switches(p)
	return fmt.Sprintf("%.2f", (after-before)/span.Seconds()), err
}

// switches adds up the context switches of all the process's threads.
func switches(p *exec.Cmd) (float64, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.Process.Pid))
	total := 0.0
	for _, t := range tasks {
		for _, name := range []string{"voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"} {
			n, err := field(t, name)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, err
}

func statusField(p *exec.Cmd, name string) (float64, error) {
	return field(fmt.Sprintf("/proc/%d/status", p.Process.Pid), name)
}

func field(path, name string) (float64, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	m := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+)`).FindSubmatch(raw)
	if m == nil {
		return 0, fmt.Errorf("%s has no %s", path, name)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

func binaryRow(b *bench) (string, error) {
	info, err := os.Stat(b.askd)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), nil
}
