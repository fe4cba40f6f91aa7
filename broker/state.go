package broker

import (
	"bytes"
	"slices"
)

// tally is what a session.state counts of a session's items. The zero value has counted nothing.
type tally struct {
	changes    uint64   // of the desk when it was made: others than new items at the end of the queue make it worthless
	foreground int      // asks open
	background []string // ids of forms
}

// count takes one item in.
func (t *tally) count(it *item) {
	switch {
	case it.parked || it.state != pending && it.state != settling:
	case it.req.Background:
		t.background = append(t.background, it.req.ID)
	case it.state == pending && (it.owner != nil || it.resumed):
		t.foreground++
	}
}

// tellFollowers sends the new state to queue watchers and to sessions whose own state changed.
func (d *desk) tellFollowers() {
	d.tellWatchers()
	d.recount()
	for s := range d.touched {
		if s.primary != nil {
			d.tellState(s)
		}
	}
	clear(d.touched)
}

// tellWatchers sends the queue to those that follow it; each kind of list is made once.
func (d *desk) tellWatchers() {
	made := map[WatchParams]listed{}
	for c, p := range d.watchers {
		l, ok := made[p]
		if !ok {
			l = d.list(ListParams{All: p.All})
			made[p] = l
		}
		c.peer.Notify("queue.changed", l)
	}
}

// recount brings the tallies of sessions up to date: as long as there are but new items they are all that is counted.
func (d *desk) recount() {
	if d.dirty {
		d.changes++
	} else {
		for _, it := range d.grown {
			if s := d.session(it.req.Session); s.tally.changes == d.changes {
				s.tally.count(it)
			}
		}
	}
	for s := range d.touched {
		if s.tally.changes == d.changes {
			continue
		}
		s.tally = tally{changes: d.changes}
		for _, it := range s.own {
			s.tally.count(it)
		}
	}
}

func (d *desk) tellState(s *session) {
	st := d.state(s)
	d.told, _ = st.AppendJSON(d.told[:0]) // a time that is no time of JSON is missing in both
	if bytes.Equal(d.told, s.told) {
		return
	}
	s.told = append(s.told[:0], d.told...)
	s.primary.peer.Notify("session.state", st)
}

func (d *desk) state(s *session) SessionState {
	st := SessionState{
		Session: s.id, Epoch: s.info.Epoch, Pending: len(s.tally.background), PendingRequestIDs: slices.Clip(s.tally.background),
		Hidden: s.deferred, Foreground: s.tally.foreground, QuietUntil: timeOrNil(d.hushed(s.id)),
	}
	if st.PendingRequestIDs == nil {
		st.PendingRequestIDs = []string{}
	}
	if s.wait != nil {
		st.Waiting = 1
	}
	st.PanelVisible = st.Pending > 0 && !s.deferred && d.pane.Attached
	return st
}
