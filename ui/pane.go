package ui

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// Errors of this package that a caller may branch on.
var (
	// ErrNoTerminal: there is no terminal that the pane can draw on. The daemon can go on without one.
	ErrNoTerminal = errors.New("no usable terminal")
	// ErrTerminalGone: the terminal went away while the pane ran.
	ErrTerminalGone = errors.New("the terminal has gone")
)

// Settings is what the pane needs of the settings file. Current returns at once; Save and Reset may touch the disk, so the
// pane calls them from a goroutine of their own.
type Settings interface {
	Current() config.Loaded
	Save(config.Settings) (config.Loaded, error)
	Reset() (config.Loaded, error)
	// Changed gets a value when Current says something new; one slot, several changes are one.
	Changed() <-chan struct{}
}

// Options are what a pane is made of. Desk and Settings are needed, the rest has defaults.
type Options struct {
	Desk        Desk
	Settings    Settings
	History     History     // nil: the pane shows no past questions
	Multiplexer Multiplexer // nil: the pane is in none
	// ReadClipboard reads the image in the clipboard, with an id of its own. It may take long, so the pane calls it from a
	// goroutine and drops what comes back for an editor that has closed; the end of the context means that nobody waits any
	// more. An error's text is shown to the person. Nil: there is no clipboard.
	ReadClipboard func(context.Context) (ask.Image, error)
	Screen        tcell.Screen         // nil: Remote's terminal, else the process's own
	Remote        *Remote              // the terminal that a further pane is shown on; nil: the process's own
	Now           func() time.Time     // nil: time.Now
	Go            func(string, func()) // starts a goroutine under a name; nil: a plain one
	Socket        string               // path shown while nothing is asked; may be empty
	Quit          func()               // the person asked to leave; must not wait for Run; nil: the pane stops
	Drawn         func()               // told once, when the first frame is out; must not block; nil: nobody
	Version       string
	Plain         bool         // the person wants words in one column, for a screen reader, whatever the settings say
	Throwaway     bool         // what is asked here is not kept after the pane has ended; leaving says so
	Log           *slog.Logger // nil: nothing is logged
}

// Pane is the terminal part of askd: inbox, form, editors, review and settings (contract, "Supported UX"). Use New.
type Pane struct {
	o      Options
	app    *tview.Application
	screen atomic.Pointer[frameScreen]
	stop   once
	ending chan struct{} // closed by Stop
	posts  chan func()   // for the event loop, through the pump
	wake   chan struct{} // the pump should look at the clock
	gone   chan error    // the terminal has gone
	restop once
	acted  atomic.Bool // the person has, since the pump looked last
	tty    *quietTTY   // the terminal, when it is the process's own
	host   string      // this machine's name
	used   atomic.Pointer[time.Time]
	tail   time.Duration // pasteTail

	state // belongs to the event loop while Run runs
}

// postRoom is how many callbacks may wait for the pump. An open form has at most a few on their way.
const postRoom = 1024

// New makes a pane that does nothing before Run.
func New(o Options) *Pane {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Go == nil {
		o.Go = func(_ string, f func()) { go f() }
	}
	if o.Drawn == nil {
		o.Drawn = func() {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	host, _ := os.Hostname() // unknown, only what names no machine is on this one
	return &Pane{
		o: o, host: host, app: tview.NewApplication(), stop: newOnce(), restop: newOnce(), ending: make(chan struct{}),
		posts: make(chan func(), postRoom), wake: make(chan struct{}, 1), gone: make(chan error, 1), state: newState(), tail: pasteTail,
	}
}

// Run shows the pane until ctx ends, Stop is called or the terminal goes away (ErrTerminalGone), and puts the terminal back
// in every case. A terminal that cannot be used is ErrNoTerminal, at once. It runs once; a second Run is an error.
func (p *Pane) Run(ctx context.Context) error {
	if !p.restop.first() {
		return errors.New("run the pane: it has run already; make a new one")
	}
	defer p.o.Desk.PaneSize(0, 0) // also where the terminal is of no use: the desk has a seat for this pane already
	if err := p.open(); err != nil {
		return err
	}
	defer p.RestoreTerminal()
	p.begin()
	ended := make(chan error, 1)
	pumpStop, pumped := make(chan struct{}), make(chan struct{})
	p.o.Go("pane", func() { p.loop(ended) })
	p.o.Go("pane pump", func() { defer close(pumped); p.pump(pumpStop) })
	noMore := p.goesOn()
	err := p.await(ctx, ended)
	noMore() // what follows gives the terminal back
	close(pumpStop)
	return errors.Join(err, p.finish(pumped, ended))
}

// loop is tview's event loop. A panic in it says nothing to Run: whoever started the goroutine deals with that.
func (p *Pane) loop(ended chan<- error) {
	err := p.app.Run()
	p.endCompletion()
	p.endReads()
	p.closeHistory()
	ended <- err
}

// await returns when the pane should end, and why when that is an error.
func (p *Pane) await(ctx context.Context, ended chan error) error {
	select {
	case <-ctx.Done():
	case <-p.ending:
	case err := <-p.gone:
		return fmt.Errorf("%w: %w", ErrTerminalGone, err)
	case err := <-ended:
		ended <- nil
		return err
	}
	return nil
}

// finish ends the event loop once the pump no longer waits for it. A terminal that takes no more output can hold the loop
// for ever; then the pane gives up on it.
func (p *Pane) finish(pumped <-chan struct{}, ended <-chan error) error {
	patience := time.NewTimer(2 * finiPatience)
	defer patience.Stop()
	select {
	case <-pumped:
	case <-patience.C:
		return nil
	}
	p.o.Go("pane stop", p.app.Stop)
	select {
	case err := <-ended:
		return err
	case <-patience.C:
		return nil
	}
}

// Stop ends Run. Any goroutine, any number of times; it does not wait.
func (p *Pane) Stop() {
	if p.stop.first() {
		close(p.ending)
	}
}

// RestoreTerminal puts the terminal back to how it was before Run, for a crash guard. Any goroutine; only the first call
// does anything, and none takes longer than a second.
func (p *Pane) RestoreTerminal() {
	if s := p.screen.Load(); s != nil {
		s.Fini()
	}
}

// open takes the terminal.
func (p *Pane) open() error {
	takeUTF8(config.Charset(os.Getenv))
	inner, err := p.screenFor()
	if err != nil {
		return err
	}
	s := newFrameScreen(inner, p.o.Go, p.terminalGone)
	s.tty, s.tail = p.tty, p.tail
	s.plain = os.Getenv("NO_COLOR") != "" || p.attached() && p.o.Remote.NoColour
	s.ascii = p.attached() && p.o.Remote.ASCII
	if err := s.Init(); err != nil {
		return fmt.Errorf("%w: TERM=%q: %w; run askd in a terminal, or askd --headless", ErrNoTerminal, os.Getenv("TERM"), err)
	}
	p.screen.Store(s)
	return nil
}

// takeUTF8 has tcell take what is typed for UTF-8 whatever the locale says: what comes here is nothing else, and what a frame
// holds in another locale is ASCII.
func takeUTF8(charset string) {
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII)
	if charset != "" {
		tcell.RegisterEncoding(charset, tcell.GetEncoding("UTF-8"))
	}
}

// screenFor is the screen that the pane was given, or one on the terminal that it is to be shown on.
func (p *Pane) screenFor() (s tcell.Screen, err error) {
	switch {
	case p.o.Screen != nil:
		return p.o.Screen, nil
	case p.attached():
		if s, p.tty, err = remoteScreen(p.o.Remote); err == nil {
			p.o.Remote.Terminal.OnRetake(p.Retake)
		}
	default:
		forgetSize()
		s, p.tty, err = terminal(os.Getenv("TERM"))
	}
	return s, err
}

// forgetSize takes away what a shell may have exported of its size long ago: the terminal itself knows, and tcell would
// believe the variables instead, whatever they say.
func forgetSize() {
	for _, name := range []string{"LINES", "COLUMNS"} {
		_ = os.Unsetenv(name) // fails only for names that no variable can have
	}
}

// terminal is the process's own terminal. One that cannot place its cursor can show no form.
func terminal(term string) (tcell.Screen, *quietTTY, error) {
	const wayOut = "set TERM to your terminal's kind, for example TERM=xterm-256color, or run askd --headless"
	if term == "" || term == "dumb" {
		return nil, nil, fmt.Errorf("%w: TERM=%q cannot show forms; %s", ErrNoTerminal, term, wayOut)
	}
	ti, err := described(term)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: TERM=%q: %w; %s", ErrNoTerminal, term, err, wayOut)
	}
	dev, err := tcell.NewDevTty()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: TERM=%q: %w; run askd in a terminal, or askd --headless", ErrNoTerminal, term, err)
	}
	tty := &quietTTY{Tty: dev, enter: entering(ti), leave: RestoreSequence(term)}
	s, err := tcell.NewTerminfoScreenFromTtyTerminfo(tty, ti)
	if err != nil {
		_ = dev.Close()
		return nil, nil, fmt.Errorf("%w: TERM=%q: %w; %s", ErrNoTerminal, term, err, wayOut)
	}
	return s, tty, nil
}

func (p *Pane) terminalGone(err error) {
	select {
	case p.gone <- err:
	default:
	}
}

// begin readies the event loop's state, so that the first frame is right.
func (p *Pane) begin() {
	p.conf = p.o.Settings.Current()
	p.dress()
	p.apply(p.o.Desk.Snapshot())
	s := p.screen.Load()
	p.app.SetScreen(s).EnableMouse(true).EnablePaste(true)
	p.app.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey {
		p.acted.Store(true)
		p.key(e)
		return nil
	})
	p.app.SetRoot(&root{Box: tview.NewBox(), pane: p}, true)
	p.showTitle()
}

// showTitle sets the terminal's title; it holds no supplied text.
func (p *Pane) showTitle() {
	title := "askd"
	if n := p.waiting(); n > 0 {
		title = fmt.Sprintf("askd (%d)", n)
	}
	if title == p.title {
		return
	}
	p.title = title
	p.screen.Load().SetTitle(title)
}

func (p *Pane) waiting() int {
	n := 0
	for _, e := range p.snap.Entries {
		if e.Status == broker.Waiting {
			n++
		}
	}
	return n
}
