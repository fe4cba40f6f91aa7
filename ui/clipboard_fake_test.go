package ui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"askd/broker/ask"
)

// memoryClipboard is a clipboard in memory. Each read gives an image of its own.
type memoryClipboard struct {
	mu    sync.Mutex
	err   error
	size  int           // of the base64 text; zero is a small one
	gate  chan struct{} // while set, reads wait for it or for their end
	reads int
	ended int // reads whose context ended before they had an answer
}

func (c *memoryClipboard) read(ctx context.Context) (ask.Image, error) {
	c.mu.Lock()
	c.reads++
	n, gate := c.reads, c.gate
	c.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			c.mu.Lock()
			c.ended++
			c.mu.Unlock()
			return ask.Image{}, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return ask.Image{}, c.err
	}
	return ask.Image{ID: fmt.Sprint("image-", n), MimeType: "image/png", Data: strings.Repeat("A", max(8, c.size))}, nil
}

// hold makes reads wait until release.
func (c *memoryClipboard) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate = make(chan struct{})
}

// release lets the reads that wait go on.
func (c *memoryClipboard) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.gate)
	c.gate = nil
}

// counts are how many reads there were, and how many of them were ended before they had an answer.
func (c *memoryClipboard) counts() (reads, ended int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads, c.ended
}

// pasted presses keys that read the clipboard, and lets each read come back before the next.
func (s *stage) pasted(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		s.keys(key)
		s.arrived()
	}
}

// arrived waits for the read that is under way, without an event loop.
func (s *stage) arrived() {
	s.t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	for s.frame(); s.pane.onScreen().images.read != nil; s.frame() {
		select {
		case f := <-s.pane.posts:
			f()
		case <-deadline.C:
			s.t.Fatal("nothing came back from the clipboard")
		}
	}
}
