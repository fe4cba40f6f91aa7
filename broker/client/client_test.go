package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"askd/broker"
	"askd/broker/client"
	"askd/broker/wire"
)

const patience = 20 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon is the other end as a script: serve gets each message and writes what it likes.
type daemon struct {
	tb   testing.TB
	conn net.Conn
	in   *bufio.Reader
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// request reads the next request.
func (d *daemon) request() wire.Incoming {
	var m wire.Incoming
	line, err := d.in.ReadBytes('\n')
	if err != nil {
		d.tb.Errorf("the daemon read %v", err)
		return m
	}
	if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
		d.tb.Errorf("the daemon got %s", line)
	}
	return m
}

func (d *daemon) say(format string, args ...any) {
	if _, err := fmt.Fprintf(d.conn, format+"\n", args...); err != nil {
		d.tb.Errorf("the daemon wrote: %v", err)
	}
}

// connect gives a client whose daemon follows script after the hello.
func connect(t *testing.T, c client.Client, script func(*daemon)) *client.Conn {
	t.Helper()
	near, far := net.Pipe()
	c.Dial = func(context.Context) (net.Conn, error) { return near, nil }
	done := make(chan struct{})
	go func() {
		defer close(done)
		d := &daemon{tb: t, conn: far, in: bufio.NewReader(far)}
		defer far.Close()
		m := d.request()
		if m.Method != "initialize" {
			t.Errorf("the first request is %s", m.Method)
		}
		d.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocol":1,"server":{"name":"askd","version":"9","pid":42}}}`, m.ID)
		script(d)
	}()
	conn, err := c.Connect(t.Context())
	must(t, err)
	t.Cleanup(func() {
		conn.Close()
		<-done
		<-conn.Done()
	})
	return conn
}

func TestReplies(t *testing.T) {
	conn := connect(t, client.Client{}, func(d *daemon) {
		one, two := d.request(), d.request()
		if string(one.Params) == `"second"` {
			one, two = two, one
		}
		d.say(`{"jsonrpc":"2.0","id":%s,"result":"two"}`, two.ID)
		d.say(`{"jsonrpc":"2.0","id":4711,"result":"nobody's"}`)
		d.say(`{"jsonrpc":"2.0","id":"text","result":"nobody's"}`)
		d.say(`{"jsonrpc":"2.0","id":%s,"result":"one"}`, one.ID)
	})
	if s := conn.Server(); s.PID != 42 || conn.Hello().Protocol != 1 {
		t.Errorf("hello %+v", conn.Hello())
	}
	var wg sync.WaitGroup
	for param, want := range map[string]string{"first": "one", "second": "two"} {
		wg.Go(func() {
			var got string
			if err := conn.Call(t.Context(), "echo", param, &got); err != nil || got != want {
				t.Errorf("%s gave %q, %v", param, got, err)
			}
		})
	}
	wg.Wait()
}

func TestErrors(t *testing.T) {
	conn := connect(t, client.Client{}, func(d *daemon) {
		d.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"no such form","data":{"kind":"not_found","hint":"look again","path":"requestId"}}}`, d.request().ID)
		d.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, d.request().ID)
		d.say(`{"jsonrpc":"2.0","id":%s,"result":[]}`, d.request().ID)
		d.say(`{"jsonrpc":"2.0","id":%s,"result":[]}`, d.request().ID)
	})
	err := conn.Call(t.Context(), "request.get", nil, nil)
	var we *wire.Error
	if !errors.As(err, &we) || we.Kind() != broker.NotFound || we.Data.Path != "requestId" || err.Error() != "no such form: look again" {
		t.Errorf("%v", err)
	}
	if err := conn.Call(t.Context(), "x", nil, nil); !errors.As(err, &we) || we.Kind() != "" || err.Error() != "unknown method" {
		t.Errorf("%v", err)
	}
	var object struct{ A int }
	if err := conn.Call(t.Context(), "x", nil, &object); err == nil {
		t.Error("an array was taken for an object")
	}
	if err := conn.Call(t.Context(), "x", nil, nil); err != nil {
		t.Error(err)
	}
	if err := conn.Call(t.Context(), "x", func() {}, nil); err == nil || errors.Is(err, client.ErrConnection) {
		t.Errorf("params that are no JSON: %v", err)
	}
}

// TestNotificationsInOrder: each comes before the reply that was sent after it.
func TestNotificationsInOrder(t *testing.T) {
	const many = 500
	var mu sync.Mutex
	var got []string
	c := client.Client{OnNotify: func(method string, params json.RawMessage) {
		mu.Lock()
		got = append(got, method+string(params))
		mu.Unlock()
	}}
	conn := connect(t, c, func(d *daemon) {
		id := d.request().ID
		for i := range many {
			d.say(`{"jsonrpc":"2.0","method":"n","params":%d}`, i)
		}
		d.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	})
	must(t, conn.Call(t.Context(), "x", nil, nil))
	var want []string
	for i := range many {
		want = append(want, fmt.Sprint("n", i))
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(got, want) {
		t.Errorf("got %d notifications, the first are %v", len(got), got[:min(5, len(got))])
	}
}

// TestNotify: what is not answered arrives in its place among the calls.
func TestNotify(t *testing.T) {
	got := make(chan string, 3)
	conn := connect(t, client.Client{}, func(d *daemon) {
		for range 3 {
			m := d.request()
			got <- m.Method + string(m.ID)
			if len(m.ID) > 0 {
				d.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
			}
		}
	})
	must(t, conn.Notify("a", struct{}{}))
	must(t, conn.Call(t.Context(), "b", nil, nil))
	must(t, conn.Notify("c", 1))
	for _, want := range []string{"a", "b2", "c"} {
		if m := <-got; m != want {
			t.Errorf("got %s, want %s", m, want)
		}
	}
	if err := conn.Notify("d", func() {}); err == nil {
		t.Error("params that are no JSON were sent")
	}
	conn.Close()
	<-conn.Done()
	if err := conn.Notify("e", nil); !errors.Is(err, client.ErrConnection) {
		t.Errorf("after the end: %v", err)
	}
}

// TestConnectionLost: every open call fails, and so does every later one, with the reason when there is one.
func TestConnectionLost(t *testing.T) {
	for name, tt := range map[string]struct {
		script func(*daemon)
		want   string
	}{
		"hang-up": {func(d *daemon) { d.request() }, "the connection to askd ended"},
		"no JSON": {func(d *daemon) { d.request(); d.say("oops") }, "the connection to askd ended"},
		"half":    {func(d *daemon) { d.request(); fmt.Fprint(d.conn, `{"jsonrpc":`) }, "the connection to askd ended"},
		"last words": {func(d *daemon) {
			d.request()
			d.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"message too large"}}`)
		}, "the connection to askd ended: message too large"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, client.Client{}, tt.script)
			for range 2 {
				if err := conn.Call(t.Context(), "x", nil, nil); !errors.Is(err, client.ErrConnection) || err.Error() != tt.want {
					t.Errorf("got %v", err)
				}
			}
			select {
			case <-conn.Done():
			case <-time.After(patience):
				t.Error("not done")
			}
		})
	}
}

// TestCancelledCall: a call that is not waited for any more leaves the connection as it was, also when it could not be
// sent.
func TestCancelledCall(t *testing.T) {
	read := make(chan struct{})
	conn := connect(t, client.Client{}, func(d *daemon) {
		<-read
		m := d.request()
		for m.Method == "x" { // what was on its way when it was given up
			d.say(`{"jsonrpc":"2.0","id":%s,"result":"late"}`, m.ID)
			m = d.request()
		}
		d.say(`{"jsonrpc":"2.0","id":%s,"result":"good"}`, m.ID)
	})
	ctx, cancel := context.WithCancel(t.Context())
	calls := make(chan error, 2)
	for range 2 { // nobody reads: one is stuck in the pipe, the other behind it
		go func() { calls <- conn.Call(ctx, "x", strings.Repeat("x", 1<<20), nil) }()
	}
	cancel()
	for range 2 {
		if err := <-calls; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	close(read)
	var got string
	if err := conn.Call(t.Context(), "y", nil, &got); err != nil || got != "good" {
		t.Errorf("the next call gave %q, %v", got, err)
	}
}

// TestRepliesWhileSending: replies are taken while a request is stuck, or both ends would wait for each other.
func TestRepliesWhileSending(t *testing.T) {
	conn := connect(t, client.Client{}, func(d *daemon) {
		first := d.request()
		d.say(`{"jsonrpc":"2.0","id":%s,"result":"first"}`, first.ID) // before the second is read
		d.say(`{"jsonrpc":"2.0","method":"n"}`)
		second := d.request()
		d.say(`{"jsonrpc":"2.0","id":%s,"result":"second"}`, second.ID)
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := conn.Call(t.Context(), "x", strings.Repeat("x", 1<<20), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestNotRunning(t *testing.T) {
	dir, err := os.MkdirTemp("", "client")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	stale := filepath.Join(dir, "stale")
	l, err := net.Listen("unix", stale)
	must(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	for _, path := range []string{filepath.Join(dir, "nothing"), stale} {
		c := client.Client{Socket: path}
		_, err := c.Connect(t.Context())
		if !errors.Is(err, client.ErrNotRunning) {
			t.Fatalf("got %v", err)
		}
		for _, part := range []string{"askd is not running", "start it", path} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := c.WaitConnect(ctx); !errors.Is(err, client.ErrNotRunning) {
			t.Errorf("waiting gave %v", err)
		}
		cancel()
	}
	c := client.Client{Socket: filepath.Join(dir, strings.Repeat("x", 200))}
	if _, err := c.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "107") {
		t.Errorf("a path that is too long: %v", err)
	}
}

// TestNoAnswer: a daemon that accepts and says nothing is named.
func TestNoAnswer(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := client.Client{Dial: func(context.Context) (net.Conn, error) { return near, nil }}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := c.Connect(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(err.Error(), "start it again") {
		t.Errorf("got %v", err)
	}
}

// TestRefused: whoever is not let in learns why.
func TestRefused(t *testing.T) {
	near, far := net.Pipe()
	c := client.Client{Dial: func(context.Context) (net.Conn, error) { return near, nil }}
	go func() {
		fmt.Fprintln(far, `{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"connection refused: 512 are open already","data":{"kind":"unavailable"}}}`)
		far.Close()
	}()
	_, err := c.Connect(t.Context())
	var we *wire.Error
	if !errors.As(err, &we) || we.Kind() != broker.Unavailable || !strings.Contains(err.Error(), "512 are open") {
		t.Errorf("got %v", err)
	}
}

// TestWaitConnect finds a daemon that comes later.
func TestWaitConnect(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	tries := 0
	c := client.Client{Dial: func(context.Context) (net.Conn, error) {
		if tries++; tries < 3 {
			return nil, client.ErrNotRunning
		}
		return near, nil
	}}
	go func() {
		d := &daemon{tb: t, conn: far, in: bufio.NewReader(far)}
		d.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocol":1}}`, d.request().ID)
	}()
	conn, err := c.WaitConnect(t.Context())
	must(t, err)
	conn.Close()
	<-conn.Done()
	broken := errors.New("no route")
	c.Dial = func(context.Context) (net.Conn, error) { return nil, broken }
	if _, err := c.WaitConnect(t.Context()); !errors.Is(err, broken) {
		t.Errorf("another fault was waited out: %v", err)
	}
}
