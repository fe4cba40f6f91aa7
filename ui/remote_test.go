package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"askd/config"
)

// lineTerminal is a terminal at the other end of a line, in memory.
type lineTerminal struct {
	input   chan []byte
	drained chan struct{}
	drain   sync.Once

	mu      sync.Mutex
	written bytes.Buffer
	size    [2]int
	changed func()
	retake  func()
}

func (l *lineTerminal) Read(p []byte) (int, error) {
	select {
	case data := <-l.input:
		return copy(p, data), nil
	case <-l.drained:
		return 0, io.EOF
	}
}

func (l *lineTerminal) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.Write(p)
}

func (l *lineTerminal) Drain() { l.drain.Do(func() { close(l.drained) }) }

func (l *lineTerminal) Size() (int, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size[0], l.size[1]
}

func (l *lineTerminal) OnResize(changed func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed = changed
}

func (l *lineTerminal) OnRetake(retake func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retake = retake
}

func (l *lineTerminal) resize(columns, rows int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size = [2]int{columns, rows}
	l.changed()
}

func (l *lineTerminal) output() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.String()
}

// onLine runs a pane on a terminal at the other end of a line.
func onLine(t *testing.T, r *Remote) (*stage, *lineTerminal) {
	t.Helper()
	l := &lineTerminal{input: make(chan []byte), drained: make(chan struct{}), size: [2]int{100, 30}}
	r.Terminal = l
	s := newStage(t, 100, 30)
	s.pane.o.Screen, s.pane.o.Remote = nil, r
	return s, l
}

func (s *stage) runs() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.done <- s.pane.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-s.done; err != nil {
			s.t.Error(err)
		}
	})
	s.until("a first frame", func() bool { return len(s.desk.made("size")) > 0 })
}

// until waits for something to be written, at most ten seconds.
func (l *lineTerminal) until(t *testing.T, what string, ok func(output string) bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok(l.output()) {
		select {
		case <-deadline.C:
			t.Fatalf("timed out waiting for %s; written: %q", what, l.output())
		case <-tick.C:
		}
	}
}

// TestRemoteTerminal: a pane on such a terminal draws at its size, follows it, obeys what its owner said of it, and the quit
// key leaves at once, although an agent waits.
func TestRemoteTerminal(t *testing.T) {
	s, l := onLine(t, &Remote{Term: "xterm-256color", NoColour: true, ASCII: true})
	l.size[0] = 160
	queue(s)
	ended := make(chan error, 1)
	go func() { ended <- s.pane.Run(context.Background()) }()
	l.until(t, "the form", func(out string) bool { return strings.Contains(out, "Ctrl+Q detach") })
	l.resize(60, 20)
	s.until("the new size", func() bool { return s.inLoop(func() bool { return s.pane.size == [2]int{60, 20} }) })
	l.input <- []byte{0x11}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	out := l.output()
	if c := colours.FindString(out); c != "" {
		t.Errorf("colour %q although NO_COLOR is set there", c)
	}
	if i := strings.IndexFunc(out, func(r rune) bool { return r > 0x7e }); i >= 0 {
		t.Errorf("%q is no ASCII", out[i:min(len(out), i+12)])
	}
	if strings.LastIndex(out, "\x1b[?1049l") < strings.LastIndex(out, "\x1b[?1049h") {
		t.Error("the terminal was not given back")
	}
	if s.pane.Used().IsZero() {
		t.Error("nobody was at the pane")
	}
}

func TestRemoteKinds(t *testing.T) {
	for _, term := range []string{"", "dumb", "-V", "../../x", "no-such-terminal", strings.Repeat("x", 65), "x y"} {
		s, _ := onLine(t, &Remote{Term: term})
		if err := s.pane.Run(context.Background()); !errors.Is(err, ErrNoTerminal) || !strings.Contains(err.Error(), "set TERM") {
			t.Errorf("TERM=%q: %v", term, err)
		}
		if sizes := s.desk.made("size"); len(sizes) != 1 || cap(sizes[0].Response.Choices) != 0 {
			t.Errorf("TERM=%q: the seat at the desk was not left: %v", term, sizes)
		}
	}
}

// TestRemoteRetake: what something else has done to the terminal is undone, its modes included, and nothing stays as it was.
func TestRemoteRetake(t *testing.T) {
	s, l := onLine(t, &Remote{Term: "xterm-256color"})
	queue(s)
	s.runs()
	l.until(t, "the form", func(out string) bool { return strings.Contains(out, "Storage layout") })
	before := len(l.output())
	l.retake()
	l.until(t, "the form again", func(out string) bool { return strings.Contains(out[before:], "Storage layout") })
	for what, mode := range map[string]string{"other screen": "\x1b[?1049h", "pastes": "\x1b[?2004h", "mouse": "\x1b[?1006h", "focus": "\x1b[?1004h"} {
		if !strings.Contains(l.output()[before:], mode) {
			t.Errorf("the mode for the %s is not entered again", what)
		}
	}
}

// TestEmitLeavesRoom: bells for a terminal that takes nothing do not crowd out what a person's answers have become.
func TestEmitLeavesRoom(t *testing.T) {
	s, _ := onLine(t, &Remote{Term: "xterm-256color"})
	if err := s.pane.open(); err != nil {
		t.Fatal(err)
	}
	defer s.pane.RestoreTerminal()
	refused := false
	for range 2 * postRoom { // nobody takes them
		refused = !s.pane.Emit("\a") || refused
	}
	if n := len(s.pane.posts); !refused || n > postRoom/2+1 {
		t.Errorf("%d of %d places are taken by bells", n, postRoom)
	}
}

// TestRemoteGarbage: whatever comes from the other end, the pane stays.
func TestRemoteGarbage(t *testing.T) {
	s, l := onLine(t, &Remote{Term: "xterm-256color"})
	queue(s)
	s.runs()
	random := rand.New(rand.NewSource(1))
	pieces := []string{"\x1b", "[", "\x1b[", "\x1bO", "<", ";", "M", "m", "~", "u", "\x1b[200~", "\x1b[201~", "\x1b]52;c;", "\x07", "\x00", "\xff", "é", "界", "\x1b[I", "\x1b[O", "9999999999", "-", "?", "\x1bP", "\x1b\\", "_", "\x1b[8;9999;9999t"}
	for range 300 {
		var piece []byte
		for range 1 + random.Intn(12) {
			if random.Intn(3) > 0 {
				piece = append(piece, pieces[random.Intn(len(pieces))]...)
			} else {
				piece = append(piece, byte(random.Intn(256)))
			}
		}
		select {
		case l.input <- bytes.ReplaceAll(piece, []byte{0x11}, nil): // the quit key would end it, and should
		case err := <-s.done:
			t.Fatalf("the pane ended: %v", err)
		}
	}
	if !s.inLoop(func() bool { return true }) {
		t.Error("the event loop does not answer")
	}
}

// TestAbsurdSizes: of a terminal that says it has millions of cells only so many are drawn as a pane may have.
func TestAbsurdSizes(t *testing.T) {
	tty := &quietTTY{Tty: remoteTTY{&lineTerminal{size: [2]int{65535, 65535}}}}
	if size, err := tty.WindowSize(); err != nil || size.Width != config.PaneColumns || size.Height != config.PaneRows {
		t.Errorf("%+v, %v", size, err)
	}
}

// TestOnlyUTF8IsRead: what is no character is left out, and one that comes in parts is put together.
func TestOnlyUTF8IsRead(t *testing.T) {
	l := &lineTerminal{input: make(chan []byte, 8), drained: make(chan struct{})}
	tty := &quietTTY{Tty: remoteTTY{l}}
	for _, part := range []string{"a\xffb", "\xe7\x95", "\x8c", "\xe7", "c", "\x80\xe9z"} {
		l.input <- []byte(part)
	}
	var got []byte
	p := make([]byte, 128)
	for range 6 {
		n, err := tty.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p[:n]...)
	}
	if string(got) != "ab界cz" {
		t.Errorf("read %q", got)
	}
}
