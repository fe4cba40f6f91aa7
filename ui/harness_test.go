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

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
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

// call is one thing the pane asked of the desk.
type call struct {
	What     string
	Key      ask.Key
	Response ask.Response
	Draft    *ask.Draft
}

// recordingDesk is a desk in memory: what the pane asks of it ends entries and is written down.
type recordingDesk struct {
	mu      sync.Mutex
	snap    *broker.Snapshot
	changed chan struct{}
	calls   []call
	fail    error // what Submit and Cancel report
	clock   *clock
}

func newDesk(c *clock) *recordingDesk {
	return &recordingDesk{snap: &broker.Snapshot{}, changed: make(chan struct{}, 1), clock: c}
}

func (d *recordingDesk) Snapshot() *broker.Snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.snap
}

func (d *recordingDesk) Changed() <-chan struct{} { return d.changed }

// set publishes a snapshot made from the last one.
func (d *recordingDesk) set(change func(s *broker.Snapshot)) {
	d.mu.Lock()
	s := *d.snap
	s.Entries = append([]*broker.Entry(nil), s.Entries...)
	s.Serial++
	change(&s)
	d.snap = &s
	d.mu.Unlock()
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func (d *recordingDesk) ask(entries ...*broker.Entry) {
	d.set(func(s *broker.Snapshot) { s.Entries = append(s.Entries, entries...) })
}

func (d *recordingDesk) drop(k ask.Key, settled *broker.Settled) {
	d.set(func(s *broker.Snapshot) {
		var kept []*broker.Entry
		for _, e := range s.Entries {
			if e.Key() != k {
				kept = append(kept, e)
			}
		}
		s.Entries = kept
		if settled != nil {
			s.Recent = append(s.Recent, *settled)
		}
	})
}

func (d *recordingDesk) note(c call) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, c)
	return d.fail
}

func (d *recordingDesk) made(what string) []call {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []call
	for _, c := range d.calls {
		if c.What == what {
			out = append(out, c)
		}
	}
	return out
}

func (d *recordingDesk) end(what string, kind ask.OutcomeKind, k ask.Key, r ask.Response, done func(error)) {
	if err := d.note(call{What: what, Key: k, Response: r}); err != nil {
		done(err)
		return
	}
	name := ""
	for _, e := range d.Snapshot().Entries {
		if e.Key() == k {
			name = e.SessionName
		}
	}
	d.drop(k, &broker.Settled{Key: k, SessionName: name, Kind: kind, At: d.clock.Now(), Delivered: true})
	done(nil)
}

func (d *recordingDesk) Submit(k ask.Key, r ask.Response, done func(error)) {
	d.end("submit", ask.Answered, k, r, done)
}

func (d *recordingDesk) Cancel(k ask.Key, r ask.Response, done func(error)) {
	d.end("cancel", ask.Cancelled, k, r, done)
}

func (d *recordingDesk) SaveDraft(k ask.Key, draft *ask.Draft, done func(error)) {
	_ = d.note(call{What: "draft", Key: k, Draft: draft})
	done(nil)
}

func (d *recordingDesk) Shown(k ask.Key) { _ = d.note(call{What: "shown", Key: k}) }

func (d *recordingDesk) Defer(session string) {
	_ = d.note(call{What: "defer", Key: ask.Key{Session: session}})
	d.restate(session, broker.Deferred)
}

func (d *recordingDesk) Reopen(session string) {
	_ = d.note(call{What: "reopen", Key: ask.Key{Session: session}})
	d.restate(session, broker.Waiting)
}

func (d *recordingDesk) restate(session string, status broker.Status) {
	d.set(func(s *broker.Snapshot) {
		for i, e := range s.Entries {
			if e.Request.Session == session && e.Request.Background {
				copied := *e
				copied.Status = status
				s.Entries[i] = &copied
			}
		}
	})
}

func (d *recordingDesk) PaneSize(columns, rows int) {
	_ = d.note(call{What: "size", Response: ask.Response{Choices: make([]ask.Choice, 0, columns*rows)}})
}

// memorySettings are settings in memory.
type memorySettings struct {
	mu      sync.Mutex
	loaded  config.Loaded
	changed chan struct{}
	fail    error
}

func newSettings() *memorySettings {
	return &memorySettings{changed: make(chan struct{}, 1), loaded: config.Loaded{
		Settings: config.Defaults(), Keymaps: config.DefaultKeymaps(),
		Path: "/home/user/.pi/agent/extensions/pi-agent-ask.json", Valid: true,
	}}
}

func (m *memorySettings) Current() config.Loaded {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loaded
}

func (m *memorySettings) Save(s config.Settings) (config.Loaded, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail == nil {
		m.loaded.Settings = s
	}
	return m.loaded, m.fail
}

func (m *memorySettings) Reset() (config.Loaded, error) { return m.Save(config.Defaults()) }

func (m *memorySettings) Changed() <-chan struct{} { return m.changed }

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
		t: t, desk: newDesk(c), settings: newSettings(), clock: c, done: make(chan error, 1),
		screen: &sized{SimulationScreen: tcell.NewSimulationScreen(charset), w: w, h: h},
	}
	s.pane = New(Options{
		Desk: s.desk, Settings: s.settings, Screen: s.screen, Now: c.Now, Socket: "/run/user/1000/askd/askd.sock", Version: "1.0.0",
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
	"backspace": tcell.KeyBackspace2, "f2": tcell.KeyF2,
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
	if name == "space" {
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
		<-s.done
		s.done <- nil
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
