package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"askd/broker/ask"
	"askd/broker/client"
)

// followed is an askd with a queue, to which any number of connections may be made.
type followed struct {
	mu    sync.Mutex
	ended map[string]bool
	conns []*followedConn
	dials atomic.Int64
}

type followedConn struct {
	f      *followed
	notify func(string, json.RawMessage)
	done   chan struct{}
	once   sync.Once
}

func (f *followed) dial(_ context.Context, _ string, notify func(string, json.RawMessage)) (caller, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &followedConn{f: f, notify: notify, done: make(chan struct{})}
	f.conns = append(f.conns, c)
	f.dials.Add(1)
	return c, nil
}

const followedForms = 300

func formID(n int) string { return fmt.Sprintf("form-%03d", n) }

func (f *followed) queue() string {
	var rows []string
	for n := range followedForms {
		if !f.ended[formID(n)] {
			rows = append(rows, fmt.Sprintf(`{"session":"s","requestId":%q}`, formID(n)))
		}
	}
	return `{"requests":[` + strings.Join(rows, ",") + `]}`
}

// end ends a form and tells everyone; with lost all connections break instead.
func (f *followed) end(id string, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended[id] = true
	for _, c := range f.conns {
		if lost {
			_ = c.Close()
		} else {
			c.notify("queue.changed", json.RawMessage(f.queue()))
		}
	}
	if lost {
		f.conns = nil
	}
}

func (c *followedConn) Call(_ context.Context, method string, params, result any) error {
	select {
	case <-c.done:
		return client.ErrConnection
	default:
	}
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	into, _ := result.(*json.RawMessage)
	if method == "queue.watch" {
		*into = json.RawMessage(c.f.queue())
		return nil
	}
	id := params.(map[string]string)["requestId"]
	outcome := ""
	if c.f.ended[id] {
		outcome = fmt.Sprintf(`,"outcome":{"id":"o","requestId":%q,"kind":"answered"}`, id)
	}
	*into = json.RawMessage(fmt.Sprintf(`{"request":{"id":%q,"session":"s"}%s}`, id, outcome))
	return nil
}

func (c *followedConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

func (c *followedConn) Done() <-chan struct{} { return c.done }

// TestManyWaitOverOneConnection: however many calls of a client wait, askd has one connection more, and each gets its own
// form, over a restart of askd too.
func TestManyWaitOverOneConnection(t *testing.T) {
	f := &followed{ended: map[string]bool{}}
	a := &app{
		dial: f.dial, errors: &output{w: io.Discard}, socket: "/run/askd.sock",
		spawn: func(_ string, run func()) { go run() }, getenv: func(string) string { return "" },
	}
	life, stop := context.WithCancel(t.Context())
	defer stop()
	follow := newFollower(life, a)
	got := make(chan string, followedForms)
	for n := range followedForms {
		go func() {
			form, err := follow.await(life, ask.Key{Session: "s", Request: formID(n)})
			if err != nil || form.Outcome == nil || form.Request.ID != formID(n) {
				got <- fmt.Sprint(form, err)
				return
			}
			got <- form.Request.ID
		}()
	}
	ended := map[string]bool{}
	for n := range followedForms {
		f.end(formID(n), n == followedForms/2)
		select {
		case id := <-got:
			ended[id] = true
		case <-time.After(20 * time.Second):
			t.Fatalf("nobody got %s", formID(n))
		}
	}
	if len(ended) != followedForms || !ended[formID(0)] {
		t.Errorf("%d forms, not each its own", len(ended))
	}
	if n := f.dials.Load(); n > 8 { // one at a time; one more for the look whether askd is back
		t.Errorf("%d connections", n)
	}
}
