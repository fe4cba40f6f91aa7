package broker

import (
	"time"

	"askd/broker/ask"
)

// alarm is the one timer of the desk, set to the next deadline. The zero value is set to none.
type alarm struct {
	at   time.Time
	stop func() bool
}

func (a *alarm) cancel() {
	if a.stop != nil {
		a.stop()
	}
	*a = alarm{}
}

// watch sees to it that an item ends at its deadline; one that has passed already ends it at once.
func (d *desk) watch(it *item) {
	if !it.req.Deadline.IsZero() {
		d.wakeAt(it.req.Deadline)
	}
}

func (d *desk) wakeAt(at time.Time) {
	if d.alarm.stop != nil && !at.Before(d.alarm.at) {
		return
	}
	d.alarm.cancel()
	d.alarm = alarm{at: at, stop: d.b.o.After(at.Sub(d.now()), func() { d.b.post((*desk).expire) })}
}

// expire ends what is overdue, stores the cancels that were held for long enough, and sets the alarm to what comes next.
func (d *desk) expire() {
	d.alarm.cancel()
	d.expireQuiet()
	now := d.now()
	for it := range d.queue.all() {
		switch {
		case it.overdue(now):
			d.timeOut(it)
		case it.held != nil && !now.Before(it.held.until):
			d.commitHeld(it)
		case it.held != nil:
			d.wakeAt(it.held.until)
			d.watch(it)
		case it.state == pending:
			d.watch(it)
		}
	}
}

// overdue reports whether an open item's deadline has passed. One that is parked waits for its branch.
func (it *item) overdue(now time.Time) bool {
	at := it.req.Deadline
	return !at.IsZero() && !now.Before(at) && it.state == pending && !it.parked
}

// timeOut ends an item without an answer.
func (d *desk) timeOut(it *item) {
	d.settle(it, ending{kind: ask.TimedOut, via: ask.ViaAskd})
}

// deadlineOf is a request's deadline as clients are told it, nil for none.
func deadlineOf(r *ask.Request) *time.Time { return timeOrNil(r.Deadline) }

func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// told reports whether other extensions hear of the item: the contract's events are those of ask_user.
func (it *item) told() bool { return it.req.Tool == ask.ToolAskUser }
