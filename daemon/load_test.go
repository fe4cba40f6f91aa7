package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"askd/broker"
	"askd/broker/client"
	"askd/broker/wire"
)

// TestStopUnderLoad: readers and askers at full speed do not hold the end up; each call gets a result, shutting_down or a
// lost connection, and whatever was accepted is there in the next life.
func TestStopUnderLoad(t *testing.T) {
	o := place(t)
	r := start(t, o)
	accepted := newSet()
	var all sync.WaitGroup
	busy := make(chan struct{}, 1024)
	for i := range 8 {
		asker := r.connect(func(method string, params json.RawMessage) {
			var a broker.Accepted
			if method == "ask.accepted" && json.Unmarshal(params, &a) == nil {
				accepted.add(a.Session + " " + a.RequestID)
			}
		})
		call(t, asker, "session.open", fmt.Sprintf(`{"id":"s%d","branch":null}`, i), nil)
		reader := r.connect(nil)
		all.Go(func() { flood(t, asker, busy) })
		all.Go(func() { look(t, reader) })
	}
	for range 50 { // all of them are at it
		<-busy
	}
	r.halt()
	all.Wait()

	r = start(t, o)
	c := r.connect(nil)
	defer c.Close()
	var listed struct{ Requests []broker.RequestSummary }
	call(t, c, "queue.list", `{"all":true}`, &listed)
	kept := newSet()
	for _, q := range listed.Requests {
		kept.add(q.Session + " " + q.RequestID)
	}
	for name := range accepted.all() {
		if !kept.has(name) {
			t.Errorf("accepted and lost: %s", name)
		}
	}
	if len(accepted.all()) == 0 {
		t.Error("nothing was accepted")
	}
}

// ended reports whether a call met the end of the daemon; any other error is a fault.
func ended(t *testing.T, err error) bool {
	var we *wire.Error
	switch {
	case err == nil:
		return false
	case errors.Is(err, client.ErrConnection), errors.As(err, &we) && we.Kind() == broker.ShuttingDown:
		return true
	}
	t.Errorf("a call ended with %v", err)
	return true
}

// flood asks without waiting for answers.
func flood(t *testing.T, c *client.Conn, busy chan<- struct{}) {
	defer c.Close()
	form := json.RawMessage(`{"tool":"ask_user","arguments":{"background":true,` + strings.TrimSpace(callForm[strings.Index(callForm, `"questions"`):]))
	for {
		if err := c.Call(context.Background(), "tool.call", form, nil); ended(t, err) {
			return
		}
		select {
		case busy <- struct{}{}:
		default:
		}
	}
}

// look reads without end.
func look(t *testing.T, c *client.Conn) {
	defer c.Close()
	for {
		for _, method := range []string{"daemon.status", "queue.list", "tool.list"} {
			if ended(t, c.Call(context.Background(), method, struct{}{}, nil)) {
				return
			}
		}
	}
}

// set is names, for many goroutines.
type set struct {
	mu    sync.Mutex
	names map[string]bool
}

func newSet() *set { return &set{names: map[string]bool{}} }

func (s *set) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = true
}

func (s *set) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}

func (s *set) all() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names
}
