package ui

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// Terminal is a terminal at the other end of a connection, already in raw mode there.
type Terminal interface {
	// Read gives what was typed. It blocks; an error means that the terminal has gone, or that Drain was called.
	Read(p []byte) (int, error)
	// Write draws. It may block while the terminal takes no more; an error means that the terminal has gone.
	Write(p []byte) (int, error)
	// Drain ends a Read that waits, and all later ones. It does not block.
	Drain()
	// Size is in columns and rows, both at least 1. It does not block.
	Size() (columns, rows int)
	// OnResize has changed called on any goroutine after every change of the size; nil ends that. changed does not block.
	OnResize(changed func())
	// OnRetake has retake called on any goroutine whenever something else has used the terminal; nil ends that. retake does not
	// block.
	OnRetake(retake func())
}

// Remote is a terminal that is not the process's own, and what its owner's environment says of it.
type Remote struct {
	Terminal Terminal
	Term     string // the kind of terminal, as in TERM
	NoColour bool   // NO_COLOR is set there; askd's own takes the colours away as well
	ASCII    bool   // its locale is not UTF-8
}

// RestoreSequence leaves every mode that a pane may have put a terminal of this kind into, for whoever holds the terminal and
// has lost the pane. It is to be written once, in its stead.
func RestoreSequence(term string) string {
	if !termName.MatchString(term) {
		return plainTerminal
	}
	ti, err := described(term)
	if err != nil || !likeXterm(ti) {
		return plainTerminal
	}
	return plainXterm + plainTerminal + strings.Join(titleStack.FindAllString(ti.ExitCA, -1), "")
}

// plainXterm leaves what tcell enters only in terminals like xterm: held-back frames, its keyboard modes, a title of its own. It
// goes out first: the terminal's other screen has a stack of keyboard modes of its own.
const plainXterm = "\x1b[?2026l\x1b[?9001l\x1b[<u\x1b[>4;0m\x1b[23;2t"

// termName is what a kind of terminal is called. Unknown ones are looked up by a program of the system: nothing else gets
// there.
var termName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$`)

// lookups lets one pane at a time look into tcell's table of terminals, which is the process's own and grows as it is read.
var lookups = make(chan struct{}, 1)

// described is the description of a kind of terminal. tcell changes what it is given, so each screen has its own.
func described(term string) (*terminfo.Terminfo, error) {
	lookups <- struct{}{}
	defer func() { <-lookups }()
	ti, err := tcell.LookupTerminfo(term)
	if err != nil {
		return nil, err
	}
	own := *ti
	return &own, nil
}

// remoteScreen is the screen of a terminal that a client carries.
func remoteScreen(r *Remote) (tcell.Screen, *quietTTY, error) {
	const wayOut = "set TERM to your terminal's kind, for example TERM=xterm-256color"
	if !termName.MatchString(r.Term) || r.Term == "dumb" {
		return nil, nil, fmt.Errorf("%w: TERM=%q cannot show forms; %s", ErrNoTerminal, r.Term, wayOut)
	}
	ti, err := described(r.Term)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: TERM=%q: %w; %s", ErrNoTerminal, r.Term, err, wayOut)
	}
	tty := &quietTTY{Tty: remoteTTY{r.Terminal}, enter: entering(ti), leave: RestoreSequence(r.Term)}
	s, err := tcell.NewTerminfoScreenFromTtyTerminfo(tty, ti)
	return s, tty, err
}

// remoteTTY is a Terminal as tcell drives it. Its modes belong to whoever holds the real one.
type remoteTTY struct{ t Terminal }

// Start implements tcell.Tty.
func (remoteTTY) Start() error { return nil }

// Stop implements tcell.Tty.
func (remoteTTY) Stop() error { return nil }

// Close implements tcell.Tty.
func (remoteTTY) Close() error { return nil }

// Drain implements tcell.Tty.
func (r remoteTTY) Drain() error {
	r.t.Drain()
	return nil
}

// Read implements tcell.Tty.
func (r remoteTTY) Read(p []byte) (int, error) {
	n, err := r.t.Read(p)
	if err == nil && n == 0 {
		err = io.ErrNoProgress
	}
	return n, err
}

// Write implements tcell.Tty.
func (r remoteTTY) Write(p []byte) (int, error) { return r.t.Write(p) }

// NotifyResize implements tcell.Tty.
func (r remoteTTY) NotifyResize(changed func()) { r.t.OnResize(changed) }

// WindowSize implements tcell.Tty.
func (r remoteTTY) WindowSize() (tcell.WindowSize, error) {
	columns, rows := r.t.Size()
	return tcell.WindowSize{Width: columns, Height: rows}, nil
}

// Used is when a person last did something in the pane, zero when nobody has. Any goroutine.
func (p *Pane) Used() time.Time {
	if at := p.used.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// touched notes that a person is at the pane.
func (p *Pane) touched() {
	now := p.o.Now()
	p.used.Store(&now)
}
