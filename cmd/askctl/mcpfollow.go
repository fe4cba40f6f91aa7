package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/client"
)

// follower waits for forms on behalf of all calls of an MCP client, over one connection: askd serves only so many, and each
// would get the whole queue at every change. Its methods may be called from any goroutine.
type follower struct {
	a    *app
	life context.Context // ends with the client
	come chan struct{}   // one slot: somebody waits for another form

	mu      sync.Mutex
	waiting map[*waiter]struct{}
	running bool
}

// waiter is a call that waits for a form.
type waiter struct {
	key  ask.Key
	done chan awaited // one slot
}

type awaited struct {
	form *form
	err  error
}

func newFollower(life context.Context, a *app) *follower {
	return &follower{a: a, life: life, come: make(chan struct{}, 1), waiting: map[*waiter]struct{}{}}
}

// await waits until a form has ended, also over a restart of askd.
func (f *follower) await(ctx context.Context, k ask.Key) (*form, error) {
	w := &waiter{k, make(chan awaited, 1)}
	f.add(w)
	defer f.remove(w)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-w.done:
		return got.form, got.err
	}
}

func (f *follower) add(w *waiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting[w] = struct{}{}
	if !f.running {
		f.running = true
		f.a.spawn("follow the queue", f.run)
		return
	}
	select {
	case f.come <- struct{}{}:
	default:
	}
}

func (f *follower) remove(w *waiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.waiting, w)
}

// run follows the queue while anybody waits.
func (f *follower) run() {
	for {
		err := f.follow()
		if err != nil && gone(err) {
			err = f.a.comeBack(f.life)
		}
		if f.rests(err) {
			return
		}
	}
}

// rests tells everyone of an error; it reports whether nobody waits any more.
func (f *follower) rests(err error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		for w := range f.waiting {
			w.done <- awaited{err: err}
		}
		clear(f.waiting)
	}
	f.running = len(f.waiting) > 0
	return !f.running
}

// follow looks for ended forms at every change of the queue until nobody waits.
func (f *follower) follow() error {
	l, err := f.a.connect(f.life)
	if err != nil {
		return err
	}
	defer l.close()
	var now json.RawMessage
	if err := l.ask(f.life, "queue.watch", struct{}{}, &now); err != nil {
		return err
	}
	for {
		queued, err := keysOf(now)
		if err != nil {
			return err
		}
		if left, err := f.look(l, queued); err != nil || left == 0 {
			return err
		}
		select {
		case <-f.life.Done():
			return f.life.Err()
		case <-l.Done():
			return hungUp(l.socket, client.ErrConnection)
		case now = <-l.news:
		case <-f.come:
		}
	}
}

// look gives those their forms who wait for one that has ended, and says how many are left.
func (f *follower) look(l *link, queued map[ask.Key]bool) (left int, err error) {
	f.mu.Lock()
	waiting := slices.Collect(maps.Keys(f.waiting))
	f.mu.Unlock()
	for _, w := range waiting {
		if queued[w.key] {
			left++
			continue
		}
		form, err := l.get(f.life, w.key.Request, w.key.Session, nil)
		switch {
		case err != nil && gone(err):
			return 0, err
		case err == nil && form.Outcome == nil: // off the queue, since its branch is not open
			left++
		default:
			f.remove(w)
			w.done <- awaited{form, err}
		}
	}
	return left, nil
}

// keysOf are the forms in a queue.
func keysOf(raw json.RawMessage) (map[ask.Key]bool, error) {
	var queue struct {
		Requests []broker.RequestSummary `json:"requests"`
	}
	if err := json.Unmarshal(raw, &queue); err != nil {
		return nil, fmt.Errorf("read the queue: %w", tooOld(err))
	}
	keys := make(map[ask.Key]bool, len(queue.Requests))
	for i := range queue.Requests {
		keys[ask.Key{Session: queue.Requests[i].Session, Request: queue.Requests[i].RequestID}] = true
	}
	return keys, nil
}
