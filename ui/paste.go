package ui

import "github.com/gdamore/tcell/v2"

// Keys that no keyboard has: what tview would drop travels as one of them, in its place in the stream.
const (
	keyFocusOut tcell.Key = 0x7f00 + iota
	keyFocusIn
)

// pasteFilter makes the line ends of a paste alike. Terminals send a line end as CR, LF or both, and tview knows CR only.
// The zero value is ready.
type pasteFilter struct {
	on     bool
	lastCR bool
}

// event gives what becomes of one event; nil means that it is swallowed.
func (f *pasteFilter) event(e tcell.Event) tcell.Event {
	if p, ok := e.(*tcell.EventPaste); ok {
		f.on, f.lastCR = p.Start(), false
		return e
	}
	key, ok := e.(*tcell.EventKey)
	if !ok || !f.on {
		return e
	}
	return f.key(key)
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
	default:
		return e
	}
}

// PollEvent waits for the next event that the pane should see; nil once the terminal has been given back. A terminal that
// has gone is told to the pane, not to tview: tview would leave its loop while the pump still waits for it.
func (s *frameScreen) PollEvent() tcell.Event {
	for {
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

func focusKey(focused bool) tcell.Event {
	key := keyFocusOut
	if focused {
		key = keyFocusIn
	}
	return tcell.NewEventKey(key, 0, tcell.ModNone)
}
