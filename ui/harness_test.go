package ui

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden screens anew")

func TestMain(m *testing.M) {
	_ = os.Unsetenv("NO_COLOR")
	goleak.VerifyTestMain(m)
}

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 4, 15, 4, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// sized is a simulation screen that keeps the size it was made with.
type sized struct {
	tcell.SimulationScreen
	w, h int
}

func (s *sized) Init() error {
	if err := s.SimulationScreen.Init(); err != nil {
		return err
	}
	s.SetSize(s.w, s.h)
	return nil
}

// stage is a pane with its desk, settings, clock and screen.
type stage struct {
	t        *testing.T
	pane     *Pane
	desk     *recordingDesk
	settings *memorySettings
	past     *memoryHistory
	clip     *memoryClipboard
	clock    *clock
	screen   *sized
	done     chan error
}

func newStage(t *testing.T, w, h int) *stage {
	return newStageIn(t, w, h, "UTF-8")
}

func newStageIn(t *testing.T, w, h int, charset string) *stage {
	c := newClock()
	s := &stage{
		t: t, desk: newDesk(c), settings: newSettings(), past: &memoryHistory{}, clip: &memoryClipboard{}, clock: c, done: make(chan error, 1),
		screen: &sized{SimulationScreen: tcell.NewSimulationScreen(charset), w: w, h: h},
	}
	s.pane = New(Options{
		Desk: s.desk, Settings: s.settings, History: s.past, Screen: s.screen, Now: c.Now, ReadClipboard: s.clip.read, Socket: "/run/user/1000/askd/askd.sock", Version: "1.0.0",
	})
	return s
}

// frame draws one frame without an event loop and returns the screen's text.
func (s *stage) frame() string {
	s.t.Helper()
	p := s.pane
	if p.screen.Load() == nil {
		if err := p.open(); err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(p.RestoreTerminal)
		s.t.Cleanup(p.endCompletion)
		s.t.Cleanup(p.endReads)
		p.begin()
	}
	p.turn()
	f := p.screen.Load()
	f.Clear()
	p.draw(f)
	f.Show()
	return s.text()
}

// press gives keys to the pane without an event loop, each with a frame before it and time to be meant.
func (s *stage) keys(names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.frame()
		s.clock.pass(time.Second)
		for _, e := range keyEvents(name) {
			s.pane.key(e)
			s.clock.pass(100 * time.Millisecond)
		}
	}
	s.frame()
}

var eventOf = map[string]tcell.Key{
	"enter": tcell.KeyEnter, "esc": tcell.KeyEsc, "tab": tcell.KeyTab, "up": tcell.KeyUp, "down": tcell.KeyDown,
	"left": tcell.KeyLeft, "right": tcell.KeyRight, "pageUp": tcell.KeyPgUp, "pageDown": tcell.KeyPgDn,
	"backspace": tcell.KeyBackspace2, "f1": tcell.KeyF1, "f2": tcell.KeyF2, "f5": tcell.KeyF5,
	"home": tcell.KeyHome, "end": tcell.KeyEnd,
}

// keyEvents are the events of a key by its name, or of a text to type.
func keyEvents(name string) []*tcell.EventKey {
	mods := tcell.ModNone
	for _, m := range modifierNames {
		if rest, ok := strings.CutPrefix(name, m.name); ok && rest != "" {
			mods |= m.mask
			name = rest
		}
	}
	if k, ok := eventOf[name]; ok {
		return []*tcell.EventKey{tcell.NewEventKey(k, 0, mods)}
	}
	if name == "space" || name == " " {
		name = " "
	}
	var out []*tcell.EventKey
	for _, r := range name {
		out = append(out, tcell.NewEventKey(tcell.KeyRune, r, mods))
	}
	return out
}

// text is what the screen shows, without blanks at line ends.
func (s *stage) text() string {
	cells, w, h := s.screen.GetContents()
	var b strings.Builder
	for y := range h {
		var row strings.Builder
		for x := 0; x < w; x++ {
			c := cells[y*w+x]
			row.Write(c.Bytes)
			if n := width(string(c.Runes)); n > 1 {
				x += n - 1
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}

// golden compares a screen with its file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run the tests with -update if that is meant:\n%s", path, diff)
	}
}

// start runs the pane with its event loop.
func (s *stage) start() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.done <- s.pane.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-s.done; err != nil {
			s.t.Error(err)
		}
	})
	s.until("a first frame", func() bool { return strings.Contains(s.look(), "askd") })
}

// look is the screen's text while the event loop runs, read in the loop.
func (s *stage) look() string {
	var out string
	read := make(chan struct{})
	s.pane.post(func() { out = s.text(); close(read) })
	select {
	case <-read:
		return out
	case <-time.After(10 * time.Second):
		s.t.Error("the event loop does not answer")
		return ""
	}
}

// until waits for a condition, at most ten seconds.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			s.t.Fatalf("timed out waiting for %s; screen:\n%s", what, s.look())
		case <-tick.C:
		}
	}
}

// sees waits for a text on the screen.
func (s *stage) sees(text string) {
	s.t.Helper()
	s.until(text, func() bool { return strings.Contains(s.look(), text) })
}

// inject sends keys through the terminal.
func (s *stage) inject(names ...string) {
	for _, name := range names {
		for _, e := range keyEvents(name) {
			s.screen.InjectKey(e.Key(), e.Rune(), e.Modifiers())
		}
	}
}
