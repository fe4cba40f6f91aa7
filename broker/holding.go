package broker

import (
	"time"

	"askd/broker/ask"
)

// Cancels of the person in the pane wait a moment before they are stored and told, so that one that was a slip can be taken
// back. Meanwhile the form is pending: nothing of it is on disk, and whatever ends it otherwise does so at once.

// held is a cancel that waits.
type held struct {
	ending
	until time.Time
}

// Cancel ends a request as cancelled; r is what had been answered, which cancelled results keep. It is stored, and done
// called, after Behaviour.UndoCancel, unless UndoCancel takes it back before: then done gets ErrTakenBack. A second Cancel, from
// another pane at the same moment, shares the fate of the first. ErrNotPending when it has ended already, or was answered meanwhile.
func (b *Broker) Cancel(k ask.Key, r ask.Response, done func(error)) {
	b.onItem(k, done, func(d *desk, it *item) {
		d.cancel(it, ending{kind: ask.Cancelled, response: r, via: ask.ViaPane, done: done})
	})
}

// UndoCancel takes back a cancel that is held; done(nil) once the form waits again, also where another pane has taken it back
// before. ErrNotPending when the form has ended.
func (b *Broker) UndoCancel(k ask.Key, done func(error)) {
	b.onItem(k, done, func(d *desk, it *item) {
		if it.state != pending || it.parked {
			done(ErrNotPending)
			return
		}
		d.release(it, ErrTakenBack)
		done(nil)
	})
}

func (d *desk) cancel(it *item, e ending) {
	now := d.now()
	grace := d.b.o.Settings().UndoCancel
	if grace <= 0 || it.state != pending || it.parked || it.overdue(now) {
		d.settle(it, e)
		return
	}
	if it.held != nil {
		one := it.held.done
		it.held.done = func(err error) {
			one(err)
			e.done(err)
		}
		return
	}
	it.held, it.entry = &held{e, now.Add(grace)}, nil
	d.dirty = true
	d.wakeAt(it.held.until)
}

// commitHeld stores a cancel that was held.
func (d *desk) commitHeld(it *item) {
	e := it.held.ending
	it.held, it.entry = nil, nil
	d.settle(it, e)
}

// commitAllHeld stores every cancel that is held: the person did cancel.
func (d *desk) commitAllHeld() {
	for _, it := range d.items {
		if it.held != nil {
			d.commitHeld(it)
		}
	}
}

// release drops a cancel that is held and says why.
func (d *desk) release(it *item, why error) {
	if it.held == nil {
		return
	}
	done := it.held.done
	it.held, it.entry = nil, nil
	d.dirty = true
	done(why)
}

// overHeld makes another ending take the place of a cancel that is held. Who had cancelled hears what became of it.
func (it *item) overHeld(e ending) ending {
	h := it.held
	if h == nil {
		return e
	}
	it.held = nil
	done := e.done
	e.done = func(err error) {
		if done != nil {
			done(err)
		}
		if err == nil && e.kind != ask.Cancelled {
			err = ErrNotPending
		}
		h.done(err)
	}
	return e
}
