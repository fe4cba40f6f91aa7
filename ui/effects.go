package ui

import (
	"errors"
	"fmt"

	"askd/broker"
	"askd/broker/ask"
	"askd/ui/form"
)

// What follows from an event of a form or a prompt.

func (p *Pane) effect(v *view, e form.Effect) {
	if v.closed() {
		return
	}
	k := v.entry.Key()
	switch e := e.(type) {
	case form.SaveDraft:
		p.saveDraft(v)
	case form.Submit:
		v.finished = true
		p.o.Desk.Submit(k, e.Response, p.submittedBy(v, e.Response))
	case form.Dismissed:
		v.finished = true
		p.o.Desk.Cancel(k, e.Response, p.settledBy(v, "The cancellation"))
	case form.Later:
		v.status, v.later = broker.Waiting, true // whatever it was: it leaves the screen now
		p.o.Desk.Defer(k.Session)
		p.nudge()
	}
}

// submittedBy is what happens when an answer was stored or could not be.
func (p *Pane) submittedBy(v *view, r ask.Response) func(error) {
	failed := p.settledBy(v, "The answer")
	return func(err error) {
		failed(err)
		if err == nil {
			p.post(func() { p.offerSame(v.entry.Key(), r) })
		}
	}
}

// settledBy is what happens when an end was stored or could not be: then the form opens again as it was.
func (p *Pane) settledBy(v *view, what string) func(error) {
	return func(err error) {
		if err == nil {
			return
		}
		p.post(func() {
			if errors.Is(err, broker.ErrTakenBack) {
				p.takenBack(v)
				return
			}
			v.sheet().Reopen()
			v.finished = false
			if p.ended != nil && p.ended.key == v.entry.Key() {
				p.ended.here = false
			}
			v.fault = fmt.Sprintf("%s could not be saved: %v. Nothing is lost; do the same again to retry.", what, err)
			v.sync(p)
		})
	}
}
