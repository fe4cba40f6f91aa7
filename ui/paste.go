package ui

import (
	"time"

	"github.com/gdamore/tcell/v2"
)

// Keys that no keyboard has: what tview would drop travels as one of them, in its place in the stream.
const (
	keyFocusOut tcell.Key = 0x7f00 + iota
	keyFocusIn
)

// pasteTail is how soon after the end of a paste no person has pressed a key yet.
const pasteTail = 40 * time.Millisecond

// pasteFilter makes of a paste what tview takes: text alone, with line ends that are alike. Terminals send a line end as CR,
// LF or both, and tview knows CR only. A text that holds the end of a paste itself would go on with keys, so that whatever
// follows the end without a pause is of the paste too. The zero value is ready.
type pasteFilter struct {
	on     bool
	lastCR bool
	end    tcell.Event // of a paste after which nothing may follow any more
}

// event gives what becomes of one event; nil means that it is swallowed.
func (f *pasteFilter) event(e tcell.Event) tcell.Event {
	switch e := e.(type) {
	case *tcell.EventPaste:
		return f.edge(e)
	case *tcell.EventKey:
		if f.on {
			return f.key(e)
		}
	case *tcell.EventMouse:
		if f.on {
			return nil
		}
	}
	return e
}

// edge takes the beginning or the end of a paste.
func (f *pasteFilter) edge(e *tcell.EventPaste) tcell.Event {
	switch {
	case e.Start() && !f.on:
		f.on, f.lastCR = true, false
		return e
	case e.End() && f.on && f.end == nil:
		f.end = e
	}
	return nil
}

// over gives the end of a paste once nothing more of it follows.
func (f *pasteFilter) over(follows func() bool) tcell.Event {
	if f.end == nil || follows() {
		return nil
	}
	end := f.end
	*f = pasteFilter{}
	return end
}

func (f *pasteFilter) key(e *tcell.EventKey) tcell.Event {
	afterCR := f.lastCR
	f.lastCR = e.Key() == tcell.KeyEnter
	switch e.Key() {
	case tcell.KeyLF, tcell.KeyCtrlJ:
		if afterCR {
			return nil
		}
		return tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone)
	case tcell.KeyCtrlI:
		return tcell.NewEventKey(tcell.KeyTab, 0, tcell.ModNone)
	case tcell.KeyEnter, tcell.KeyTab:
		return e
	case tcell.KeyRune:
		if e.Modifiers()&^tcell.ModShift == 0 {
			return e
		}
	}
	return nil
}

// PollEvent waits for the next event that the pane should see; nil once the terminal has been given back. A terminal that
// has gone is told to the pane, not to tview: tview would leave its loop while the pump still waits for it.
func (s *frameScreen) PollEvent() tcell.Event {
	for {
		if end := s.paste.over(s.follows); end != nil {
			return end
		}
		event := s.Screen.PollEvent()
		switch e := event.(type) {
		case nil:
			return nil
		case *tcell.EventError:
			s.fail(e)
			continue
		case *tcell.EventFocus:
			return focusKey(e.Focused)
		}
		if event = s.paste.event(event); event != nil {
			return event
		}
	}
}

// follows reports whether something else comes from the terminal before a person can have sent it.
func (s *frameScreen) follows() bool {
	for end := time.Now().Add(s.tail); !s.HasPendingEvent(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func focusKey(focused bool) tcell.Event {
	key := keyFocusOut
	if focused {
		key = keyFocusIn
	}
	return tcell.NewEventKey(key, 0, tcell.ModNone)
}
