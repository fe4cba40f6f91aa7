// Package ui is the pane: inbox, form, editors, review, settings. It draws what the desk's snapshots and the open form's
// state say and turns keys, clicks and pastes into form events. Everything in it runs on tview's event loop, except the
// pump that follows the desk.
package ui

import (
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// Desk is what the pane needs of the broker, from a place of its own: other panes may look at the same forms. All methods return at once; done functions may be called from any goroutine
// (the pane posts them back to its own).
type Desk interface {
	// Snapshot is the newest state of the desk, never nil.
	Snapshot() *broker.Snapshot
	// Changed gets a value whenever a newer snapshot is there; one slot, several changes are one.
	Changed() <-chan struct{}
	// Submit ends a request with the person's answer; done(nil) once it is on disk.
	Submit(k ask.Key, r ask.Response, done func(error))
	// Cancel ends a request as cancelled; r is what had been answered, which cancelled results keep. While it can be taken back
	// the form stands in Snapshot.Cancelling, and done waits; broker.ErrTakenBack when it was.
	Cancel(k ask.Key, r ask.Response, done func(error))
	// UndoCancel takes such a cancel back; done(nil) once the form waits again.
	UndoCancel(k ask.Key, done func(error))
	// ID tells the drafts of this pane from those of others (broker.Entry.Drafted); it is never zero.
	ID() uint64
	// SaveDraft keeps the state of an open form; nil removes the draft. basis is the serial of the newest draft of an entry
	// that the form has taken over; broker.ErrDraftMoved when another pane has kept a newer one.
	SaveDraft(k ask.Key, d *ask.Draft, basis uint64, done func(error))
	// Shown tells that the form of k is on screen for the first time.
	Shown(k ask.Key)
	// Defer hides all background forms of a session; Reopen brings them back.
	Defer(session string)
	Reopen(session string)
	// SetQuiet sets until when the person is not to be disturbed, by everything or by one session; the zero time ends it.
	SetQuiet(session string, until time.Time, done func(error))
	// PaneSize tells that this pane is attached and how large it is; zero columns detach.
	PaneSize(columns, rows int)
}
