package broker

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"askd/broker/ask"
	"askd/broker/tool"
	"askd/config"
)

// mailboxSize is how many events may wait. A full mailbox holds back whoever posts, never the broker.
const mailboxSize = 1024

// drainLimit is how many events are taken before a snapshot is published, so that a flood of asks cannot starve the pane.
const drainLimit = 256

// Behaviour is what the broker needs to know of the settings, read anew at every call.
type Behaviour struct {
	PresentSingleAsMulti bool
	BackgroundOnly       bool
	ServeNonTui          bool
	HistoryTools         bool
	AskUserQuestion      bool          // tool.list names it; a call of it is always served
	UndoCancel           time.Duration // for which a cancel in the pane can be taken back; zero for not at all
}

// Options is what a Broker is made of. Store is required; the zero value of every other field is usable.
type Options struct {
	Store Store
	// Host is this machine's name. Empty means unknown: then a client is on this machine that names none.
	Host string
	// Archive serves the history; nil means that this broker has none.
	Archive  Archive
	Settings func() Behaviour // any goroutine; nil means all off
	Public   func() any       // the settings as clients are told them; nil means an empty object
	// Question gives the settings of ask_user_question for an asker with this Pi folder (empty: unknown) and these variables.
	// It reads the disk; any goroutine may call it. nil means that there is no file.
	Question func(agentDir string, env map[string]string) config.QuestionLoaded
	// OnWaiting hears of a form that waits for input: a foreground one once it is accepted, a background one once it is shown.
	// It is called on the broker\'s goroutine and must not block; nil hears nothing.
	OnWaiting func(*ask.Request)
	// Notes keeps until when the person is not to be disturbed; nil means that no restart survives it.
	Notes Notes
	// OnQuietOver hears how many forms wait for the person now that they may disturb again, as OnWaiting does; not of none.
	OnQuietOver func(waiting int)
	// WaitRoom is how many bytes the outcomes that a wait carries may take; zero means what fits into config.MaxLineOut.
	WaitRoom int
	Now      func() time.Time // nil means time.Now
	// After runs f on a goroutine of its own once d has passed, unless stop comes first. nil means time.AfterFunc.
	After func(d time.Duration, f func()) (stop func() bool)
	NewID func() string               // nil means UUID version 7
	Go    func(name string, f func()) // nil means a plain goroutine
	Log   *slog.Logger                // nil means none
}

// Broker is the desk. New reads what is pending; Run owns the state until its context ends. Every other method may be
// called from any goroutine and does not wait for the disk, a client or the screen.
type Broker struct {
	o        Options
	events   chan posted
	done     chan struct{}
	lastSeat atomic.Uint64
	snap     atomic.Pointer[Snapshot]
	desk     *desk // touched by New before Run, then by Run alone
}

// event is one thing that happens to the desk; it runs on the broker's goroutine.
type event func(*desk)

// posted is an event in the mailbox. When the broker ends before it runs, lost is called in its stead.
type posted struct {
	run  event
	lost func()
}

// New makes a broker over a store and takes in what is live there.
func New(o Options) (*Broker, error) {
	o = withDefaults(o)
	b := &Broker{o: o, events: make(chan posted, mailboxSize), done: make(chan struct{})}
	b.desk = newDesk(b)
	live, err := o.Store.Live()
	if err != nil {
		return nil, fmt.Errorf("read pending requests: %w", err)
	}
	b.desk.loadQuiet()
	b.desk.load(live)
	b.publish()
	return b, nil
}

func withDefaults(o Options) Options {
	if o.Settings == nil {
		o.Settings = func() Behaviour { return Behaviour{} }
	}
	if o.OnWaiting == nil {
		o.OnWaiting = func(*ask.Request) {}
	}
	if o.OnQuietOver == nil {
		o.OnQuietOver = func(int) {}
	}
	if o.Public == nil {
		o.Public = func() any { return struct{}{} }
	}
	if o.Question == nil {
		o.Question = questionWithoutFile
	}
	if o.WaitRoom == 0 {
		o.WaitRoom = config.MaxLineOut - lineRoom
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if o.NewID == nil {
		// Version 7 grows with time, which keeps the store's keys in order.
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if o.Go == nil {
		o.Go = func(_ string, f func()) { go f() }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Run serves until ctx ends. It must be called once. What was posted before the end still happens: a person may quit in
// the moment after an answer.
func (b *Broker) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			b.drain(len(b.events)) // no more: clients go on sending
			b.desk.close()
			close(b.done)
			b.sweep()
			return
		case e := <-b.events:
			e.run(b.desk)
			b.drain(drainLimit)
			b.publish()
		}
	}
}

// drain runs the events that wait, up to a limit.
func (b *Broker) drain(limit int) {
	for range limit {
		select {
		case e := <-b.events:
			e.run(b.desk)
		default:
			return
		}
	}
}

// sweep tells the events that nobody will run. Any goroutine may call it once done is closed.
func (b *Broker) sweep() {
	for {
		select {
		case e := <-b.events:
			e.lost()
		default:
			return
		}
	}
}

// post hands an event to the broker's goroutine. It is dropped when the broker has stopped.
func (b *Broker) post(e event) { b.postOr(e, func() {}) }

// postOr hands an event to the broker's goroutine. When the broker has stopped lost is called instead, on any goroutine:
// exactly one of the two happens.
func (b *Broker) postOr(e event, lost func()) {
	if b.stopped() {
		lost()
		return
	}
	select {
	case <-b.done:
		lost()
		return
	case b.events <- posted{e, lost}:
	}
	if b.stopped() {
		b.sweep() // it may have come too late for Run's own
	}
}

// stopped reports whether no event is run any more. Any goroutine may call it.
func (b *Broker) stopped() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// publish makes the desk's state visible and tells those who follow it.
func (b *Broker) publish() {
	if !b.desk.dirty && !b.desk.moved && len(b.desk.grown) == 0 && b.snap.Load() != nil {
		return
	}
	b.snap.Store(b.desk.snapshot())
	if b.desk.dirty || len(b.desk.grown) > 0 {
		b.desk.tellFollowers()
	}
	b.desk.dirty, b.desk.moved, b.desk.stale = false, false, false
	clear(b.desk.grown)
	b.desk.grown = b.desk.grown[:0]
	for s := range b.desk.seats {
		s.wakes()
	}
}

// Snapshot is the newest state of the desk, never nil.
func (b *Broker) Snapshot() *Snapshot { return b.snap.Load() }

// Tools gives the definitions of the tools that agents get now (PROTOCOL, tool.list).
func (b *Broker) Tools() []tool.Definition {
	s := b.o.Settings()
	return tool.Definitions(tool.Interface{Background: true, BackgroundOnly: s.BackgroundOnly, HistoryTools: s.HistoryTools, AskUserQuestion: s.AskUserQuestion})
}

// Broadcast sends a notification to every client.
func (b *Broker) Broadcast(method string, params any) {
	b.post(func(d *desk) {
		for c := range d.clients {
			c.peer.Notify(method, params)
		}
	})
}

// Find looks a request up wherever it is stored. It may read the disk.
func (b *Broker) Find(k ask.Key) (ask.Record, bool, error) { return b.o.Store.Find(k) }
