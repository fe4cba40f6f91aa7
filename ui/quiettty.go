package ui

import (
	"bytes"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"askd/config"
)

// quietTTY is a terminal that can be told to take no more input. tcell's reader hands what it has read to another
// goroutine and never gives up on that; closing a screen while keys keep coming would leave it waiting for ever. It also
// leaves out what is not UTF-8: tcell would look at the same byte without end; and all over which tcell would lose keys.
type quietTTY struct {
	tcell.Tty
	enter   string // takes the terminal again after something else has used it
	leave   string // leaves every mode of the pane, for where tcell cannot
	part    []byte // of a character whose rest has not been read; the reader's alone
	typed   typed  // what tcell makes of the rest; the reader's alone
	ready   []byte // of typed, for the next reads; the reader's alone
	quiet   atomic.Bool
	reading atomic.Bool // the reader is here, so it holds nothing that tcell still has to take
}

// Read gives what was typed; once quiet, it drops it and returns only when the terminal is drained or gone.
func (t *quietTTY) Read(p []byte) (int, error) {
	t.reading.Store(true)
	for {
		if len(t.ready) > 0 && !t.quiet.Load() {
			return t.hand(p), nil
		}
		held := copy(p, t.part)
		n, err := t.Tty.Read(p[held:])
		if err == nil && t.quiet.Load() {
			continue
		}
		n, t.part = validUTF8(p[:held+n])
		if n > 0 {
			t.ready = t.typed.take(p[:n], time.Now())
		}
		if err != nil || len(t.ready) == 0 {
			return 0, err
		}
	}
}

// hand gives tcell what is ready for it.
func (t *quietTTY) hand(p []byte) int {
	t.reading.Store(false)
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n
}

// WindowSize is the terminal's size, or the most that is drawn of it: each of its cells takes memory.
func (t *quietTTY) WindowSize() (tcell.WindowSize, error) {
	size, err := t.Tty.WindowSize()
	size.Width, size.Height = min(size.Width, config.PaneColumns), min(size.Height, config.PaneRows)
	return size, err
}

// calm takes no more input and reports whether the reader has nothing left to hand over. A nil terminal always is.
func (t *quietTTY) calm() bool {
	if t == nil {
		return true
	}
	t.quiet.Store(true)
	return t.reading.Load()
}

// validUTF8 moves the whole characters of p to its front and says how many bytes they have. What p ends with of another
// character is given back; every other byte is dropped.
func validUTF8(p []byte) (n int, part []byte) {
	for i := 0; i < len(p); {
		if !utf8.FullRune(p[i:]) {
			return n, bytes.Clone(p[i:])
		}
		r, size := utf8.DecodeRune(p[i:])
		if r != utf8.RuneError || size > 1 {
			n += copy(p[n:], p[i:i+size])
		}
		i += size
	}
	return n, nil
}
