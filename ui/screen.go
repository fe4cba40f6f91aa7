package ui

import (
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"askd/broker/ask"
	"askd/config"
)

// finiPatience is how long closing the terminal may take before it is put back by hand: tcell waits for its reader, which
// can itself be waiting for room.
const finiPatience = 700 * time.Millisecond

// cell is one position of a frame. text is empty for the second half of a wide character.
type cell struct {
	text  string
	style tcell.Style
}

var blank = cell{text: " "}

// frameScreen is a tcell.Screen that keeps the frame last shown and passes on only the cells that differ: tview clears
// the screen before every draw, which would send all of it again. A frame without a change writes nothing at all. All
// methods but Fini and PollEvent belong to the event loop.
type frameScreen struct {
	tcell.Screen
	spawn func(string, func())
	tty   *quietTTY   // nil for a screen that is not ours
	fail  func(error) // told when the terminal has gone

	w, h        int
	next, shown []cell
	cursor      [2]int
	shownCursor [2]int
	fresh       bool // nothing of next has been shown at this size
	inited      bool
	ascii       bool
	plain       bool // no colour at all
	theme       theme
	finished    once
	drawing     chan struct{} // holds one value while the terminal's cells may be touched by nobody else
	paste       pasteFilter
	tail        time.Duration // how soon after the end of a paste no person has pressed a key yet
}

func newFrameScreen(inner tcell.Screen, spawn func(string, func()), fail func(error)) *frameScreen {
	return &frameScreen{Screen: inner, spawn: spawn, fail: fail, fresh: true, finished: newOnce(), drawing: make(chan struct{}, 1), cursor: [2]int{-1, -1}}
}

// Init opens the terminal the first time only, so that a failure can be seen before tview takes over.
func (s *frameScreen) Init() error {
	if s.inited {
		return nil
	}
	if err := s.Screen.Init(); err != nil {
		return err
	}
	s.inited = true
	s.ascii = s.ascii || !config.UTF8(s.CharacterSet())
	s.Screen.EnableFocus()
	return nil
}

// EnableMouse asks for clicks and drags only: motion without a button is noise over a slow line.
func (s *frameScreen) EnableMouse(...tcell.MouseFlags) {
	s.Screen.EnableMouse(tcell.MouseButtonEvents | tcell.MouseDragEvents)
}

// Size is the terminal's size; a change of it begins a fresh frame.
func (s *frameScreen) Size() (int, int) {
	w, h := s.Screen.Size()
	if w != s.w || h != s.h {
		s.w, s.h = w, h
		s.next, s.shown = make([]cell, w*h), make([]cell, w*h)
		s.fresh = true
		s.wipe(s.next)
	}
	return s.w, s.h
}

func (s *frameScreen) wipe(cells []cell) {
	for i := range cells {
		cells[i] = blank
	}
}

// Clear begins a new frame; nothing reaches the terminal before Show.
func (s *frameScreen) Clear() {
	s.Size()
	s.wipe(s.next)
}

// Fill fills the new frame with one character.
func (s *frameScreen) Fill(r rune, style tcell.Style) {
	s.Size()
	for i := range s.next {
		s.next[i] = cell{text: string(r), style: style}
	}
}

// SetContent writes one character into the new frame.
func (s *frameScreen) SetContent(x, y int, primary rune, combining []rune, style tcell.Style) {
	text := string(primary)
	if len(combining) > 0 {
		text += string(combining)
	}
	s.put(x, y, text, style)
}

// SetCell is the older name of SetContent.
func (s *frameScreen) SetCell(x, y int, style tcell.Style, ch ...rune) {
	s.put(x, y, string(ch), style)
}

// Put writes the first grapheme of str and returns the rest.
func (s *frameScreen) Put(x, y int, str string, style tcell.Style) (string, int) {
	first, rest, columns := cluster(str)
	s.put(x, y, first, style)
	return rest, columns
}

// PutStrStyled writes a whole string.
func (s *frameScreen) PutStrStyled(x, y int, str string, style tcell.Style) {
	for str != "" {
		var width int
		str, width = s.Put(x, y, str, style)
		x += width
	}
}

// PutStr writes a whole string in the default style.
func (s *frameScreen) PutStr(x, y int, str string) { s.PutStrStyled(x, y, str, tcell.StyleDefault) }

// put is the one place where a character enters a frame, hence the last one that can keep a control character out.
func (s *frameScreen) put(x, y int, text string, style tcell.Style) {
	if x < 0 || y < 0 || x >= s.w || y >= s.h {
		return
	}
	text = s.drawable(text)
	columns := width(text)
	if x+columns > s.w {
		text, columns = " ", 1
	}
	style = s.theme.apply(style)
	if s.plain {
		style = colourless(style)
	}
	if text == hueMark && (s.plain || s.theme.mono) {
		text = " "
	}
	i := y*s.w + x
	s.mend(i, x)
	s.next[i] = cell{text: text, style: style}
	if columns > 1 {
		s.mend(i+1, x+1)
		s.next[i+1] = cell{style: style}
	}
}

// mend blanks the other half of a wide character that is about to be overwritten.
func (s *frameScreen) mend(i, x int) {
	if s.next[i].text == "" && x > 0 {
		s.next[i-1].text = " "
	}
	if x+1 < s.w && s.next[i+1].text == "" {
		s.next[i+1].text = " "
	}
}

// drawable replaces what must not reach a terminal and, where its locale is not UTF-8, whatever is not ASCII.
func (s *frameScreen) drawable(text string) string {
	if len(text) == 1 && text[0] >= ' ' && text[0] < 0x7f {
		return text
	}
	if text == "\t" {
		return " " // its other columns are blank
	}
	for _, r := range text {
		if unsafe(r) {
			text = "·"
			break
		}
	}
	text = oneCell(text)
	switch plain, ok := asciiMarks[text]; {
	case width(text) == 0:
		return " "
	case !s.ascii:
		return text
	case ok:
		return plain
	default:
		return "?"
	}
}

// oneCell keeps what is joined to a character within its cell: no flood of marks, and no joiner that has nothing to join
// (yet, while it is typed), which tmux would carry to the cell before.
func oneCell(text string) string {
	if r, first := utf8.DecodeRuneInString(text); first == len(text) && !melts(r) {
		return text
	}
	if clean := ask.Clean(text); width(clean) == width(text) {
		return clean
	}
	return text
}

// melts reports the inner letters of Hangul, for which terminals take no cell.
func melts(r rune) bool { return r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff }

// unsafe reports control and bidi characters.
func unsafe(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x061c || r == 0x200e || r == 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Get returns what the new frame holds.
func (s *frameScreen) Get(x, y int) (string, tcell.Style, int) {
	if x < 0 || y < 0 || x >= s.w || y >= s.h {
		return "", tcell.StyleDefault, 0
	}
	c := s.next[y*s.w+x]
	return c.text, c.style, width(c.text)
}

// GetContent is the older name of Get.
func (s *frameScreen) GetContent(x, y int) (rune, []rune, tcell.Style, int) {
	text, style, _ := s.Get(x, y)
	runes := []rune(text)
	if len(runes) == 0 {
		return ' ', nil, style, 1
	}
	return runes[0], runes[1:], style, max(1, width(text))
}

// ShowCursor notes where the cursor of this frame stands.
func (s *frameScreen) ShowCursor(x, y int) { s.cursor = [2]int{x, y} }

// HideCursor notes that this frame has no cursor.
func (s *frameScreen) HideCursor() { s.ShowCursor(-1, -1) }

// Show sends the difference to the frame before; nothing once the terminal is being given back.
func (s *frameScreen) Show() {
	select {
	case s.drawing <- struct{}{}:
	default:
		return
	}
	defer func() { <-s.drawing }()
	s.show()
}

func (s *frameScreen) show() {
	changed := s.fresh || s.cursor != s.shownCursor
	for i := range s.next {
		if !s.fresh && s.next[i] == s.shown[i] {
			continue
		}
		changed = true
		s.shown[i] = s.next[i]
		if s.next[i].text != "" {
			s.Screen.Put(i%s.w, i/s.w, s.next[i].text, s.next[i].style)
		}
	}
	if !changed {
		return
	}
	s.fresh = false
	s.shownCursor = s.cursor
	s.Screen.ShowCursor(s.cursor[0], s.cursor[1])
	s.Screen.Show()
}

// Sync sends every cell again with the next difference.
func (s *frameScreen) Sync() {
	s.fresh = true
	s.Show()
}

// Fini puts the terminal back. Any goroutine; only the first call does anything, later ones return at once.
func (s *frameScreen) Fini() {
	if !s.finished.first() {
		return
	}
	patience := time.NewTimer(finiPatience)
	defer patience.Stop()
	done := make(chan struct{})
	started := false
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if !started && s.tty.calm() {
			started = true
			s.spawn("terminal restore", func() { s.giveBack(done) })
		}
		select {
		case <-done:
			return
		case <-patience.C:
			s.restoreByHand()
			return
		case <-tick.C:
			s.drain()
		}
	}
}

func (s *frameScreen) giveBack(done chan<- struct{}) {
	defer close(done)
	select {
	case s.drawing <- struct{}{}: // for good
	case <-time.After(finiPatience / 2): // a frame does not get through to the terminal
	}
	s.Screen.Fini()
}

// drain takes events off the terminal's queue: whoever fills it may be waiting for room.
func (s *frameScreen) drain() {
	for s.HasPendingEvent() {
		s.Screen.PollEvent()
	}
}

// plainTerminal leaves every mode that a tcell screen may have entered in any terminal.
const plainTerminal = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[0m\x1b[?7h\x1b[?1l\x1b>\x1b[?25h\x1b[?1049l"

func (s *frameScreen) restoreByHand() {
	tty, ok := s.Screen.Tty()
	if !ok {
		return
	}
	leave := plainTerminal
	if s.tty != nil && s.tty.leave != "" {
		leave = s.tty.leave
	}
	s.spawn("terminal restore by hand", func() {
		_, _ = tty.Write([]byte(leave))
		_ = tty.Stop()
	})
}
