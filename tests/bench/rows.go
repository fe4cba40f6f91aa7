package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

	"askd/broker"
	"askd/broker/client"
)

// operations is how many operations make one round of a latency row.
const operations = 20

// asker is one connection that asks. accepted gets a value for every ask.accepted.
type asker struct {
	conn     *client.Conn
	accepted chan struct{}
}

func dialAsker(ctx context.Context, socket, session string) (*asker, error) {
	a := &asker{accepted: make(chan struct{}, 64)}
	c := client.Client{Socket: socket, Name: "bench", OnNotify: func(method string, _ json.RawMessage) {
		if method == "ask.accepted" {
			a.accepted <- struct{}{}
		}
	}}
	var err error
	if a.conn, err = c.Connect(ctx); err != nil {
		return nil, err
	}
	return a, a.conn.Call(ctx, "session.open", broker.SessionInfo{ID: session, UI: "cli", Cwd: "/bench"}, nil)
}

// arguments make a valid ask of about size bytes.
func arguments(size int) json.RawMessage {
	text := strings.Repeat("context of a question ", size/22)
	return json.RawMessage(fmt.Sprintf(`{"questions":[{"id":"q","prompt":"Which?","context":%q,"options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`, text))
}

func call(args json.RawMessage) broker.CallParams {
	id := uuid.Must(uuid.NewV7()).String()
	return broker.CallParams{Tool: "ask_user", RequestID: id, ToolCallID: id, Arguments: args}
}

// accept asks and waits until it is accepted; the form stays pending.
func (a *asker) accept(ctx context.Context, args json.RawMessage) error {
	gone := make(chan error, 1)
	go func() { gone <- a.conn.Call(ctx, "tool.call", call(args), nil) }()
	select {
	case <-a.accepted:
		return nil
	case err := <-gone:
		return fmt.Errorf("ended before it was accepted: %w", err)
	}
}

func acceptRow(size int) func(*bench) (string, error) {
	return func(b *bench) (string, error) {
		f, a, err := b.pair("sync")
		if err != nil {
			return "", err
		}
		args := arguments(size)
		line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
		return b.compare(operations, func() error { return f.send(line) }, func() error { return a.accept(b.ctx, args) })
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
	a, err := dialAsker(b.ctx, socket, "bench")
	return f, a, err
}

func roundTripRow(b *bench) (string, error) {
	f, a, err := b.pair("sync")
	if err != nil {
		return "", err
	}
	args := arguments(1 << 10)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	answer := json.RawMessage(`{"kind":"answer","answers":{"q":{"values":["a"]}}}`)
	return b.compare(operations, func() error { return f.send(line) }, func() error {
		p := call(args)
		result := make(chan error, 1)
		go func() { result <- a.conn.Call(b.ctx, "tool.call", p, nil) }()
		<-a.accepted
		if err := a.conn.Call(b.ctx, "form.respond", broker.RespondParams{RequestID: p.RequestID, Response: answer}, nil); err != nil {
			return err
		}
		return <-result
	})
}

func refusedRow(b *bench) (string, error) {
	f, a, err := b.pair("echo")
	if err != nil {
		return "", err
	}
	args := bytes.Replace(arguments(4<<10), []byte(`"prompt":"Which?"`), []byte(`"prompt":""`), 1)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	return b.compare(10*operations, func() error { return f.send(line) }, func() error { return a.conn.Call(b.ctx, "tool.call", call(args), nil) })
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
		a, err := dialAsker(b.ctx, socket, "bench-"+strconv.Itoa(i))
		if err != nil {
			return "", err
		}
		floors = append(floors, func() error { return f.send(line) })
		asks = append(asks, func() error { return a.accept(b.ctx, args) })
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
