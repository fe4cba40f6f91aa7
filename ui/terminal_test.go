package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	_ "github.com/gdamore/tcell/v2/terminfo/base"

	"askd/broker"
)

// countingTTY is a terminal of a fixed size that counts what is written to it.
type countingTTY struct {
	mu      sync.Mutex
	written bytes.Buffer
	input   chan []byte
	drained chan struct{}
	once    sync.Once
	gone    error
}

func newTTY() *countingTTY {
	return &countingTTY{input: make(chan []byte), drained: make(chan struct{})}
}

func (c *countingTTY) Start() error { return nil }
func (c *countingTTY) Stop() error  { return nil }
func (c *countingTTY) Drain() error {
	c.once.Do(func() { close(c.drained) })
	return nil
}
func (c *countingTTY) NotifyResize(func()) {}
func (c *countingTTY) WindowSize() (tcell.WindowSize, error) {
	return tcell.WindowSize{Width: 120, Height: 40}, nil
}
func (c *countingTTY) Close() error { return nil }

func (c *countingTTY) Read(p []byte) (int, error) {
	select {
	case data, ok := <-c.input:
		if !ok {
			return 0, c.gone
		}
		return copy(p, data), nil
	case <-c.drained:
		return 0, io.EOF
	}
}

func (c *countingTTY) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written.Write(p)
}

// take is what was written since the last take.
func (c *countingTTY) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.written.String()
	c.written.Reset()
	return out
}

// onTTY is a pane on a real terminal screen over a counting terminal.
func onTTY(t *testing.T) (*stage, *countingTTY) {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("LC_ALL", "C.UTF-8")
	tty := newTTY()
	quiet := &quietTTY{Tty: tty}
	screen, err := tcell.NewTerminfoScreenFromTty(quiet)
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, 120, 40)
	s.pane.o.Screen, s.pane.tty = screen, quiet
	return s, tty
}

// redraw draws a frame on a real terminal screen.
func (s *stage) redraw() {
	s.t.Helper()
	p := s.pane
	if p.screen.Load() == nil {
		if err := p.open(); err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(p.RestoreTerminal)
		s.t.Cleanup(p.endCompletion)
		p.begin()
	}
	p.turn()
	f := p.screen.Load()
	f.Clear()
	p.draw(f)
	f.Show()
}

func TestBytesToTheTerminal(t *testing.T) {
	s, tty := onTTY(t)
	queue(s)
	s.redraw()
	tty.take()
	s.redraw()
	if got := tty.take(); len(got) > 32 {
		t.Errorf("nothing changed, %d bytes: %q", len(got), got)
	}
	s.clock.pass(time.Second)
	s.raw("down")
	s.redraw()
	got := tty.take()
	t.Logf("moving the cursor one row: %d bytes", len(got))
	if len(got) > 400 || len(got) == 0 {
		t.Errorf("moving the cursor one row, %d bytes: %q", len(got), got)
	}
}

// colours are the colour codes among the attribute sequences of a terminal.
var colours = regexp.MustCompile(`\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7]|38|48|9[0-7])[;\d]*m`)

func TestNoColor(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	s, tty := onTTY(t)
	queue(s)
	s.redraw()
	if got := colours.FindString(tty.take()); got != "" {
		t.Errorf("colour %q although NO_COLOR is set", got)
	}
}

func TestColoursAreThePalettesOwn(t *testing.T) {
	s, tty := onTTY(t)
	queue(s)
	s.redraw()
	out := tty.take()
	if !colours.MatchString(out) {
		t.Error("no colour at all")
	}
	if strings.Contains(out, "38;2;") || strings.Contains(out, "48;") || regexp.MustCompile(`\x1b\[4[0-7]m`).MatchString(out) {
		t.Error("a colour of its own or a background was sent")
	}
}

func TestHostileTextNeverReachesTheTerminal(t *testing.T) {
	s, tty := onTTY(t)
	s.desk.ask(hostile(s.clock))
	s.redraw()
	out := tty.take()
	for _, bad := range []string{"]52;", "\x1b[2J\x9b", "\x07", "\u202e", "\u009b", "\x00"} {
		at := strings.Index(out, bad)
		if bad == "]52;" {
			if strings.Contains(out, "\x1b]52;") {
				t.Errorf("a clipboard sequence reached the terminal")
			}
			continue
		}
		if at >= 0 && bad != "\x07" {
			t.Errorf("%q reached the terminal: %q", bad, out[max(0, at-20):at+10])
		}
	}
}

func TestTerminalIsPutBackWhateverEndsThePane(t *testing.T) {
	ends := map[string]func(s *stage, tty *countingTTY, cancel func()){
		"context": func(_ *stage, _ *countingTTY, cancel func()) { cancel() },
		"stop":    func(s *stage, _ *countingTTY, _ func()) { s.pane.Stop(); s.pane.Stop() },
		"terminal": func(_ *stage, tty *countingTTY, _ func()) {
			tty.gone = errors.New("input/output error")
			close(tty.input)
		},
		"guard":    func(s *stage, _ *countingTTY, _ func()) { s.pane.RestoreTerminal(); s.pane.Stop() },
		"quit key": func(_ *stage, tty *countingTTY, _ func()) { tty.input <- []byte{0x11} },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s, tty := onTTY(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() { s.done <- s.pane.Run(ctx) }()
			s.until("a first frame", func() bool { return len(s.desk.made("size")) > 0 })
			end(s, tty, cancel)
			err := <-s.done
			if gone := name == "terminal"; errors.Is(err, ErrTerminalGone) != gone {
				t.Errorf("Run returned %v", err)
			}
			out := tty.take()
			for _, mode := range []string{"\x1b[?1049l", "\x1b[?2004l", "\x1b[?1004l", "\x1b[?1000l"} {
				if strings.LastIndex(out, mode) < strings.LastIndex(out, strings.Replace(mode, "l", "h", 1)) || !strings.Contains(out, mode) {
					t.Errorf("mode %q was not left", mode)
				}
			}
		})
	}
}

// TestDrawn: whoever waits for the first frame hears of it once, when it has been written.
func TestDrawn(t *testing.T) {
	s, tty := onTTY(t)
	heard := make(chan string, 2)
	s.pane.o.Drawn = func() { heard <- tty.take() }
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.done <- s.pane.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	}()
	if out := <-heard; !strings.Contains(out, "nothing is waiting") {
		t.Errorf("told when the terminal had %q", out)
	}
	s.desk.ask(storage(s.clock))
	s.until("another frame", func() bool { return len(s.desk.made("shown")) > 0 })
	if n := len(heard); n != 0 {
		t.Error("told a second time")
	}
}

func TestPanePastes(t *testing.T) {
	var lines []string
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf("line %d\tof a paste", i))
	}
	want := strings.Join(lines, "\n")
	for name, end := range map[string]string{"CR": "\r", "LF": "\n", "CRLF": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			s, tty := onTTY(t)
			s.desk.ask(storage(s.clock))
			ctx, cancel := context.WithCancel(context.Background())
			go func() { s.done <- s.pane.Run(ctx) }()
			defer func() {
				cancel()
				if err := <-s.done; err != nil {
					t.Error(err)
				}
			}()
			s.until("the form", func() bool { return len(s.desk.made("shown")) > 0 })
			s.clock.pass(time.Second)
			tty.send("4")
			s.until("the editor", func() bool { return s.editing() })
			tty.send("\x1b[200~" + strings.Join(lines, end) + "\x1b[201~")
			s.until("the paste", func() bool { return s.typed() == want })
			if n := len(s.desk.made("submit")); n != 0 {
				t.Error("a paste submitted")
			}
		})
	}
}

// send types bytes into the terminal, in the pieces in which terminals deliver them.
func (c *countingTTY) send(s string) {
	for len(s) > 0 {
		n := min(len(s), 100)
		c.input <- []byte(s[:n])
		s = s[n:]
	}
}

func (s *stage) editing() bool { return s.inLoop(func() bool { return s.pane.onScreen().area != nil }) }

func (s *stage) typed() string {
	var out string
	s.inLoop(func() bool {
		if e := s.pane.onScreen().form.Editor(); e != nil {
			out = e.Text
		}
		return true
	})
	return out
}

// inLoop asks something of the pane's state in its event loop.
func (s *stage) inLoop(ask func() bool) bool {
	answer := make(chan bool, 1)
	s.pane.post(func() { answer <- ask() })
	select {
	case ok := <-answer:
		return ok
	case <-time.After(10 * time.Second):
		s.t.Fatal("the event loop does not answer")
		return false
	}
}

func TestStoppingDuringABurst(t *testing.T) {
	s, tty := onTTY(t)
	go func() { s.done <- s.pane.Run(context.Background()) }()
	s.until("a first frame", func() bool { return len(s.desk.made("size")) > 0 })
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					s.desk.set(func(snap *broker.Snapshot) {
						snap.Entries = []*broker.Entry{small(s.clock, "burst", fmt.Sprint(i, n), "Tone", time.Minute, true)}
					})
				}
			}
		})
	}
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case tty.input <- bytes.Repeat([]byte("x"), 100):
			}
		}
	})
	s.until("some news", func() bool { return s.inLoop(func() bool { return s.pane.snap.Serial > 500 }) })
	s.pane.Stop()
	select {
	case err := <-s.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("Run did not return")
	}
	close(stop)
	wg.Wait()
}

func TestBurstsCoalesce(t *testing.T) {
	s := newStage(t, 120, 40)
	s.start()
	frames := 0
	s.inLoop(func() bool {
		s.pane.app.SetAfterDrawFunc(func(tcell.Screen) { frames++ })
		return true
	})
	s.look()
	var before int
	s.inLoop(func() bool { before = frames; return true })
	for i := range 100 {
		s.desk.ask(small(s.clock, "burst", fmt.Sprint(i), "Tone", time.Minute, true))
	}
	s.sees("100 waiting")
	var after int
	s.inLoop(func() bool { after = frames; return true })
	// Looking costs frames of its own: one for each of the two questions asked of the loop, and one for each look.
	if after-before > 3+4 {
		t.Errorf("%d frames for 100 updates", after-before)
	}
}

func TestASCIILocale(t *testing.T) {
	s := newStageIn(t, 80, 24, "US-ASCII")
	queue(s)
	got := s.frame()
	for _, r := range got {
		if r > 0x7e {
			t.Fatalf("%q is no ASCII:\n%s", r, got)
		}
	}
	if strings.Contains(got, "?  1.") || !strings.Contains(got, "> 1. Postgres") {
		t.Errorf("marks were lost:\n%s", got)
	}
	golden(t, "ascii-80x24", got)
}
