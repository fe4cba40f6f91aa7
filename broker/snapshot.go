package broker

import (
	"time"

	"askd/broker/ask"
)

// Status is where a pending request stands (PROTOCOL, RequestSummary).
type Status string

// The states of a pending request.
const (
	Waiting     Status = "waiting"
	Deferred    Status = "deferred"    // its session's background panel is hidden by the person
	Parked      Status = "parked"      // its branch is not open: kept, not shown, not answerable
	Interrupted Status = "interrupted" // its asker has gone: readable, answerable, dismissible
)

// Entry is one pending request in a Snapshot. Entries are immutable: a change makes a new one.
type Entry struct {
	Request     *ask.Request
	Status      Status
	SessionName string // as known now, else as it was when asked, else the folder's name
	Hue         int    // the session's colour, 1 to Hues, which it keeps; 0 for none. Never the only sign of anything
	AskerOnline bool
	GoneSince   time.Time // when the asker's last connection ended; zero while online
	ShownAt     time.Time // zero until the pane showed it
	// Orphan: the call that asked is over, for instance because its process was killed. The answer goes in as a message.
	Orphan bool
	// Awaited: the agent stands still in a wait for this background form.
	Awaited bool
	// Draft is the draft that was on disk when askd started or the form was last left. In the pane that kept it the form's own
	// newer state wins; every other one takes it over.
	Draft   *ask.Draft
	Drafted Drafted
	// QuietUntil is until when this form is not to disturb the person: it takes no screen by itself. Zero when it may.
	QuietUntil time.Time
	// CancelUntil is until when the person's cancel of this form can be taken back; zero when none is held.
	CancelUntil time.Time
	// Settling is set from submit or cancel until the outcome is on disk: the form takes no input meanwhile.
	Settling bool
}

// StandsStill reports whether an agent does nothing else until this has ended. The pane, askctl and queue.list all mark
// forms by it.
func (e *Entry) StandsStill() bool {
	return e.AskerOnline && (e.Awaited || !e.Request.Background && !e.Orphan)
}

// Key names the entry's request.
func (e *Entry) Key() ask.Key { return e.Request.Key() }

// SessionView is one connected session in a Snapshot.
type SessionView struct {
	ID         string
	Name       string // never empty
	Agent      string // "pi 1.6.0"
	Cwd        string
	Host       string // empty for this machine
	GitBranch  string
	Terminal   *Terminal // where it stands in a terminal multiplexer; nil when that is unknown
	Since      time.Time
	LastAsked  time.Time     // zero when it has not asked since askd started
	LastTook   time.Duration // from asked to answered, of the last answered one
	PendingNow int
}

// Settled says where a finished form's outcome went.
type Settled struct {
	Key         ask.Key
	SessionName string
	Kind        ask.OutcomeKind
	At          time.Time
	Delivered   bool // it reached its asker's connection; else it waits for the asker to return
}

// Snapshot is what the desk knows at one moment. It is immutable and shared: nobody may change anything in it.
type Snapshot struct {
	Entries []*Entry // queue order: foreground first, first come first served within each
	// Cancelling are the forms whose cancel can still be taken back, the newest cancel last. They are offered nowhere.
	Cancelling []*Entry
	Sessions   []SessionView
	Recent     []Settled // newest last, a few
	Quiet      Quiet     // until when the person is not to be disturbed, as far as it has not ended
	Notices    []string  // faults the person should see, e.g. a failing disk; newest last
	Serial     uint64    // grows with every snapshot
}
