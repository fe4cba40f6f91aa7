package broker

import (
	"slices"
	"time"

	"askd/broker/ask"
)

// recentKept is how many settled forms a snapshot remembers: the pane says for a moment where each answer went.
const recentKept = 8

// desk is the broker's state. Only the broker's goroutine touches it.
type desk struct {
	b        *Broker
	sessions map[string]*session
	items    map[ask.Key]*item
	queue    queue
	hues     [Hues + 1]int         // sessions in the queue by colour
	touched  map[*session]struct{} // whose session.state may have changed since the last snapshot
	clients  map[*Client]struct{}
	watchers map[*Client]WatchParams
	dialogs  map[string]*dialogue // by id
	opening  map[*Reply]struct{}  // replies of session.open that wait for the disk
	seats    map[*Seat]Pane       // the panes that follow the desk; not attached before they have drawn
	pane     Pane                 // of all of them
	alarm    alarm                // the next deadline
	hush     hush                 // until when the person is not to be disturbed
	recent   []Settled
	// How long questions took to be kept, and answers to reach their askers.
	accepted, delivered stopwatch
	told                []byte   // room to write a session.state
	changes             uint64   // snapshots with others than new items at the end of the queue
	fault               string   // the store's newest failure; empty once it works again
	serial              uint64   // of the newest snapshot
	asked               uint64   // serial of the newest item
	drafts              uint64   // serial of the newest draft
	dirty               bool     // anything of the snapshot may have changed
	moved               bool     // a draft has changed that several panes may show; nobody else hears of it
	stale               bool     // a draft has changed, which is worth no snapshot by itself
	grown               []*item  // else: what has come to the end of the queue since the last one
	shown               []*Entry // of the last snapshot, which shares it: only ever appended to
	cancelling          []*Entry // of the last snapshot as well
}

func newDesk(b *Broker) *desk {
	return &desk{
		b:        b,
		sessions: map[string]*session{},
		items:    map[ask.Key]*item{},
		touched:  map[*session]struct{}{},
		clients:  map[*Client]struct{}{},
		watchers: map[*Client]WatchParams{},
		dialogs:  map[string]*dialogue{},
		opening:  map[*Reply]struct{}{},
		seats:    map[*Seat]Pane{},
	}
}

func (d *desk) now() time.Time { return d.b.o.Now() }

// load takes in what the store kept. Every asker counts as gone until it opens its session again.
func (d *desk) load(live []ask.Record) {
	for _, r := range live {
		it := itemOf(r, d.now())
		it.old = true
		d.put(it)
		if it.state == pending {
			d.enqueue(it)
			s := d.session(it.req.Session)
			s.quiet = d.hush.now.set(s.id) // what ended while no askd ran ends now
			it.hushed = !s.quiet.IsZero()
		}
	}
	d.dirty = true
}

// session finds a session's state, making it when it is new.
func (d *desk) session(id string) *session {
	s, ok := d.sessions[id]
	if !ok {
		s = &session{id: id, quiet: d.hushed(id)}
		d.sessions[id] = s
	}
	return s
}

// forget drops a session that nobody is connected to and that has nothing on the desk.
func (d *desk) forget(s *session) {
	if s.primary != nil || len(s.secondary) > 0 || len(s.own) > 0 {
		return
	}
	delete(d.sessions, s.id)
	delete(d.touched, s)
}

// put takes a new item on the desk.
func (d *desk) put(it *item) {
	d.asked++
	it.serial = d.asked
	d.items[it.req.Key()] = it
	s := d.session(it.req.Session)
	s.own = append(s.own, it)
}

// remove takes an item off the desk.
func (d *desk) remove(it *item) {
	delete(d.items, it.req.Key())
	s := d.session(it.req.Session)
	s.own = slices.DeleteFunc(s.own, func(o *item) bool { return o == it })
	d.forget(s)
}

func (d *desk) enqueue(it *item) {
	if d.queue.add(it) {
		d.grown = append(d.grown, it)
	} else {
		d.dirty = true
	}
	d.watch(it)
	s := d.session(it.req.Session)
	if s.count(it, 1); s.pending == 1 {
		d.hue(s)
	}
	d.touched[s] = struct{}{}
}

func (d *desk) dequeue(it *item) {
	s := d.session(it.req.Session)
	if d.queue.remove(it) {
		if s.count(it, -1); s.pending == 0 {
			d.hues[s.hue]--
		}
	}
	d.touched[s] = struct{}{}
	d.dirty = true
}

// close ends the desk: whoever still waits is told that askd is stopping. What is on disk stays pending.
func (d *desk) close() {
	d.alarm.cancel()
	d.closeQuiet()
	d.commitAllHeld()
	for _, it := range d.items {
		it.resolve(nil, errClosing)
		for _, reply := range it.aborts {
			reply(nil, errClosing)
		}
		it.aborts = nil
		it.tellAcks(errClosing)
	}
	for _, s := range d.sessions {
		if s.wait != nil {
			s.wait.reply(nil, errClosing)
			s.wait = nil
		}
	}
	for reply := range d.opening {
		(*reply)(nil, errClosing)
	}
	for c := range d.clients {
		c.dropTurns()
		c.peer.Notify("daemon.closing", struct{}{})
	}
}
