package ui

import (
	"errors"

	"askd/broker"
)

// A form can be open in several panes. It has one state: what is entered in one pane is kept as its draft, and the others
// take that over at once. Two people, or one at two keyboards, never write over each other unseen: the desk refuses a draft
// of a form that has not taken over the newest one.

// What the person is told of it.
const (
	atItElsewhere = "Another pane is at this form; what is entered there shows here."
	notTaken      = "This form was changed in another pane at the same moment. It stands as it is there; enter your last key again."
)

// followDraft takes over what was entered in another pane. It moves what is on the screen, so that a key which was meant for
// what stood there before must not decide anything.
func (p *Pane) followDraft(v *view, e *broker.Entry) {
	if e.Drafted.Serial <= v.basis || e.Drafted.By == p.o.Desk.ID() || v.closed() || v.busy() {
		return
	}
	v.basis, v.followed = e.Drafted.Serial, true
	v.sheet().Restore(e.Draft)
	if p.second != nil && p.second.view == v {
		p.second = nil
	}
	if v.entry.Key() == p.current {
		p.guard.again(p.o.Now())
	}
	v.sync(p)
}

// saveDraft keeps what was entered here. The desk tries again when the disk fails, and says so until it has worked.
func (p *Pane) saveDraft(v *view) {
	d := v.sheet().Draft()
	if d != nil {
		d.SavedAt = p.o.Now()
	}
	v.followed = false
	p.o.Desk.SaveDraft(v.entry.Key(), d, v.basis, func(err error) {
		if errors.Is(err, broker.ErrDraftMoved) {
			p.post(func() { p.said = notTaken })
		}
	})
}

// attached reports whether the pane is a further one, on a terminal that a client carries: leaving it ends nothing else.
func (p *Pane) attached() bool { return p.o.Remote != nil }
