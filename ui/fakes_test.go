package ui

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// call is one thing the pane asked of the desk.
type call struct {
	What     string
	Key      ask.Key
	Response ask.Response
	Draft    *ask.Draft
	Until    time.Time
	Basis    uint64
}

// recordingDesk is a desk in memory: what the pane asks of it ends entries and is written down.
type recordingDesk struct {
	mu      sync.Mutex
	snap    *broker.Snapshot
	changed chan struct{}
	calls   []call
	fail    error // what Submit and Cancel report
	refuse  error // what SaveDraft reports
	clock   *clock
	grace   time.Duration // for which a cancel is held
	undo    map[ask.Key]func(error)
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
	if d.grace > 0 {
		d.holdCancel(k, r, done)
		return
	}
	d.end("cancel", ask.Cancelled, k, r, done)
}

// holdCancel moves an entry to those whose cancel can be taken back, for good unless it is.
func (d *recordingDesk) holdCancel(k ask.Key, r ask.Response, done func(error)) {
	_ = d.note(call{What: "hold", Key: k, Response: r})
	d.set(func(s *broker.Snapshot) {
		i := slices.IndexFunc(s.Entries, func(e *broker.Entry) bool { return e.Key() == k })
		held := *s.Entries[i]
		held.CancelUntil = d.clock.Now().Add(d.grace)
		s.Entries = slices.Delete(s.Entries, i, i+1)
		s.Cancelling = append(slices.Clone(s.Cancelling), &held)
	})
	d.undo = map[ask.Key]func(error){k: done}
}

func (d *recordingDesk) UndoCancel(k ask.Key, done func(error)) {
	_ = d.note(call{What: "undo", Key: k})
	taken := d.undo[k]
	if taken == nil {
		done(broker.ErrNotPending)
		return
	}
	delete(d.undo, k)
	taken(broker.ErrTakenBack)
	done(nil)
	d.set(func(s *broker.Snapshot) {
		i := slices.IndexFunc(s.Cancelling, func(e *broker.Entry) bool { return e.Key() == k })
		back := *s.Cancelling[i]
		back.CancelUntil = time.Time{}
		s.Cancelling = slices.Delete(slices.Clone(s.Cancelling), i, i+1)
		s.Entries = append(s.Entries, &back)
	})
}

// deskID is the pane's own; drafts of other panes have another.
const deskID = 1

func (d *recordingDesk) ID() uint64 { return deskID }

func (d *recordingDesk) SaveDraft(k ask.Key, draft *ask.Draft, basis uint64, done func(error)) {
	_ = d.note(call{What: "draft", Key: k, Draft: draft, Basis: basis})
	done(d.refuse)
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

func (d *recordingDesk) SetQuiet(session string, until time.Time, done func(error)) {
	err := d.note(call{What: "quiet", Key: ask.Key{Session: session}, Until: until})
	if err == nil {
		d.set(func(s *broker.Snapshot) { quieten(s, session, until) })
	}
	done(err)
}

// quieten makes a snapshot say that the person is not to be disturbed.
func quieten(s *broker.Snapshot, session string, until time.Time) {
	if session == "" {
		s.Quiet = broker.Quiet{Until: until}
	} else {
		s.Quiet = broker.Quiet{Sessions: map[string]time.Time{session: until}}
	}
	for i, e := range s.Entries {
		if session == "" || e.Request.Session == session {
			copied := *e
			copied.QuietUntil = until
			s.Entries[i] = &copied
		}
	}
}

func (d *recordingDesk) PaneSize(columns, rows int) {
	_ = d.note(call{What: "size", Response: ask.Response{Choices: make([]ask.Choice, 0, columns*rows)}})
}

// memoryHistory is a history in memory, the newest last.
type memoryHistory struct {
	mu       sync.Mutex
	records  []ask.Record
	fail     error
	gate     chan struct{} // while set, pages wait for it or for their end
	pages    [][2]int      // offsets and limits asked for
	exported []string      // paths and the searches written there
}

func (m *memoryHistory) add(records ...ask.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, records...)
}

func (m *memoryHistory) Page(ctx context.Context, q ask.HistoryQuery, offset, limit int) (page ask.HistoryPage, err error) {
	m.mu.Lock()
	gate := m.gate
	m.pages = append(m.pages, [2]int{offset, limit})
	m.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return page, ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.records) - 1; i >= 0; i-- {
		for _, h := range m.records[i].History() {
			if !h.Matches(ask.SearchTerm(q.Text)) {
				continue
			}
			if page.Total >= offset && len(page.Records) < limit {
				row := h.Summary()
				row.Session, row.Tool = m.records[i].Request.Session, m.records[i].Request.Tool
				page.Records = append(page.Records, row)
			}
			page.Total++
		}
	}
	return page, m.fail
}

func (m *memoryHistory) Find(k ask.Key) (ask.Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.records {
		if r.Request.Key() == k {
			return r, true, m.fail
		}
	}
	return ask.Record{}, false, m.fail
}

func (m *memoryHistory) Export(ctx context.Context, path string, q ask.HistoryQuery) (int, error) {
	page, err := m.Page(ctx, q, 0, 1<<30)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, written := range m.exported {
		if strings.HasPrefix(written, path+" ") {
			return 0, fs.ErrExist
		}
	}
	m.exported = append(m.exported, path+" "+q.Text)
	return page.Total, err
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
