package broker

import (
	"askd/broker/ask"
)

// Seat is one pane's place at the desk (ui.Desk). Several panes may look at the same forms, each from a seat of its own;
// whatever one of them does, all see. A seat is made by Broker.Seat and left with PaneSize(0, 0). Its methods may be called
// from any goroutine and do not wait; done functions run on the broker's goroutine or on the store's and must not block.
type Seat struct {
	*Broker
	id      uint64
	changed chan struct{} // one slot
}

// Seat makes a place for a pane. It may be called before Run.
func (b *Broker) Seat() *Seat {
	s := &Seat{Broker: b, id: b.lastSeat.Add(1), changed: make(chan struct{}, 1)}
	b.post(func(d *desk) { d.sit(s, Pane{}) })
	return s
}

// ID tells the drafts of this pane from those of others (Entry.Drafted); it is never zero.
func (s *Seat) ID() uint64 { return s.id }

// Changed gets a value whenever a newer snapshot is there. It has one slot and one reader: the pane.
func (s *Seat) Changed() <-chan struct{} { return s.changed }

// wakes tells the pane that there is a newer snapshot.
func (s *Seat) wakes() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// PaneSize tells that this pane is attached and how large it is; zero columns mean that it has left. Clients hear when the
// first pane comes and when the last one goes.
func (s *Seat) PaneSize(columns, rows int) {
	s.post(func(d *desk) {
		if columns > 0 {
			d.sit(s, Pane{Attached: true, Columns: columns, Rows: rows})
		} else {
			delete(d.seats, s)
		}
		d.paneChanged()
	})
}

// sit notes a seat and how large its pane is.
func (d *desk) sit(s *Seat, p Pane) { d.seats[s] = p }

// paneNow is the panes as clients see them: the size is that of the longest attached.
func (d *desk) paneNow() Pane {
	var now Pane
	var first uint64
	for s, p := range d.seats {
		if !p.Attached {
			continue
		}
		now.Panes++
		if first == 0 || s.id < first {
			first, now.Columns, now.Rows = s.id, p.Columns, p.Rows
		}
	}
	now.Attached = now.Panes > 0
	return now
}

// paneChanged brings the desk's view of the panes up to date.
func (d *desk) paneChanged() {
	was := d.pane.Attached
	d.pane, d.dirty = d.paneNow(), true
	if was == d.pane.Attached {
		return
	}
	for _, s := range d.sessions {
		d.touched[s] = struct{}{}
	}
	for c := range d.clients {
		c.peer.Notify("pane.changed", struct {
			Attached bool `json:"attached"`
		}{d.pane.Attached})
	}
	if !d.pane.Attached {
		d.failUnserved()
	}
}

// Drafted says which pane kept an entry's draft last. The zero value is a draft from before this askd.
type Drafted struct {
	Serial uint64 // grows with every draft that any pane keeps
	By     uint64 // Seat.ID of the pane
}

// SaveDraft keeps the state of an open form; nil removes the draft. basis is the serial of the newest draft that the pane's
// form has taken over: where another pane has kept a newer one nothing is stored and the error is ErrDraftMoved, so that no
// pane silently overwrites what it has not shown. ErrNotPending when the request has ended.
func (s *Seat) SaveDraft(k ask.Key, draft *ask.Draft, basis uint64, done func(error)) {
	s.postOr(func(d *desk) {
		it := d.items[k]
		switch {
		case it == nil || it.state != pending:
			done(ErrNotPending)
			return
		case it.drafted.By != s.id && it.drafted.Serial > basis:
			done(ErrDraftMoved)
			return
		}
		if draft != nil {
			stamped := *draft
			stamped.SavedAt = d.now().UTC()
			draft = &stamped
		}
		d.drafts++
		it.draft, it.drafted, it.entry = draft, Drafted{Serial: d.drafts, By: s.id}, nil // the next snapshot has it
		d.stale = true
		d.moved = d.moved || d.pane.Panes > 1 // alone, a keystroke makes no snapshot by itself
		d.keepDraft(it, draft, done)
	}, func() { done(ErrClosed) })
}
