package broker

import (
	"askd/broker/ask"
	"askd/config"
)

// The methods below are the pane's side of the desk (ui.Desk). done functions run on the broker's goroutine or on the
// store's; they must not block.

// Submit ends a request with the person's answer; done(nil) once it is on disk. ErrNotPending when it has ended already.
func (b *Broker) Submit(k ask.Key, r ask.Response, done func(error)) {
	b.end(k, ending{response: r, via: ask.ViaPane, done: done})
}

func (b *Broker) end(k ask.Key, e ending) {
	b.onItem(k, e.done, func(d *desk, it *item) { d.settle(it, e) })
}

// onItem runs f for a request on the desk; done gets ErrNotPending for one that is not there, ErrClosed for a broker that has
// stopped.
func (b *Broker) onItem(k ask.Key, done func(error), f func(*desk, *item)) {
	b.postOr(func(d *desk) {
		if it := d.items[k]; it != nil {
			f(d, it)
		} else {
			done(ErrNotPending)
		}
	}, func() { done(ErrClosed) })
}

// keepDraft stores a draft. One that the disk would not take is tried again by itself: the person may be done typing.
func (d *desk) keepDraft(it *item, draft *ask.Draft, done func(error)) {
	d.b.o.Store.SaveDraft(it.req.Key(), draft, func(err error) {
		done(err)
		d.b.post(func(d *desk) { d.draftKept(it, draft, err) })
	})
}

func (d *desk) draftKept(it *item, draft *ask.Draft, err error) {
	newest := func() bool { return (it.state == pending || it.state == settling) && it.draft == draft }
	if err == nil {
		d.worked()
		return
	}
	if !newest() {
		return
	}
	d.failed("what was typed could not be stored yet", it, err)
	d.b.o.After(config.DraftRetry, func() {
		d.b.post(func(d *desk) {
			if newest() {
				d.keepDraft(it, draft, func(error) {})
			}
		})
	})
}

// Shown tells that the form of k is on screen for the first time.
func (b *Broker) Shown(k ask.Key) {
	b.post(func(d *desk) {
		if it := d.items[k]; it != nil && it.shownAt.IsZero() {
			it.shownAt, it.entry = d.now(), nil
			d.dirty = true
			if it.req.Background {
				d.announce(it)
			}
		}
	})
}

// Defer hides all background forms of a session; they stay in the inbox with their drafts.
func (b *Broker) Defer(session string) { b.setDeferred(session, true) }

// Reopen brings a session's hidden forms back.
func (b *Broker) Reopen(session string) { b.setDeferred(session, false) }

func (b *Broker) setDeferred(session string, on bool) {
	b.post(func(d *desk) {
		if s := d.sessions[session]; s != nil {
			d.setDeferred(s, on, ask.DeferHidden)
		}
	})
}

// failUnserved ends what only an attached pane could serve: one-shot modes must not wait for one to come back.
func (d *desk) failUnserved() {
	for it := range d.queue.all() {
		if it.state == pending && !it.offered && it.owner != nil && !d.servable(it.owner) {
			d.settle(it, ending{kind: ask.Failed, via: ask.ViaAskd, err: "The pane of askd was closed before the question was answered."})
		}
	}
}

// PaneNow tells a client that connects whether a pane is attached.
func (c *Client) PaneNow(reply Reply) {
	c.send(reply, func(d *desk) { reply(d.pane, nil) })
}
