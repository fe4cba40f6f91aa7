package ui

import (
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
)

// quietTTY is a terminal that can be told to take no more input. tcell's reader hands what it has read to another
// goroutine and never gives up on that; closing a screen while keys keep coming would leave it waiting for ever.
type quietTTY struct {
	tcell.Tty
	quiet   atomic.Bool
	reading atomic.Bool // the reader is here, so it holds nothing that tcell still has to take
}

// Read gives what was typed; once quiet, it drops it and returns only when the terminal is drained or gone.
func (t *quietTTY) Read(p []byte) (int, error) {
	t.reading.Store(true)
	for {
		n, err := t.Tty.Read(p)
		if err == nil && t.quiet.Load() {
			continue
		}
		t.reading.Store(err != nil || n == 0)
		return n, err
	}
}

// calm takes no more input and reports whether the reader has nothing left to hand over. A nil terminal always is.
func (t *quietTTY) calm() bool {
	if t == nil {
		return true
	}
	t.quiet.Store(true)
	return t.reading.Load()
}
