package ui

import (
	"fmt"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// undoAction is the action, in the context global, that takes the newest cancel back while that can be done.
const undoAction = "undoCancel"

// undoCancel takes the newest cancel back. Its form comes up as it was left, over whatever is on screen.
func (p *Pane) undoCancel() {
	n := len(p.snap.Cancelling)
	if n == 0 {
		return
	}
	e := p.snap.Cancelling[n-1]
	k := e.Key()
	p.o.Desk.UndoCancel(k, func(err error) {
		p.post(func() {
			if err != nil {
				p.said = "Too late: " + p.cancelled(e, 40) + " has ended meanwhile."
				return
			}
			p.back = k
		})
	})
}

// cancelHeld reports whether a form's cancel can still be taken back.
func (p *Pane) cancelHeld(k ask.Key) bool {
	for _, e := range p.snap.Cancelling {
		if e.Key() == k {
			return true
		}
	}
	return false
}

// bringBack shows the form whose cancel was taken back, once the desk offers it again.
func (p *Pane) bringBack(here map[ask.Key]*broker.Entry) bool {
	e := here[p.back]
	if e == nil {
		return false
	}
	p.back, p.inInbox, p.overlay = ask.Key{}, false, nil
	p.show(e)
	return true
}

// takenBack puts a form back as it was before its cancel.
func (p *Pane) takenBack(v *view) {
	v.sheet().TakeBack()
	v.finished = false
	v.sync(p)
}

// cancelled is what a cancelled form is called.
func (p *Pane) cancelled(e *broker.Entry, columns int) string {
	return cut(shownLine(e.Request.SubjectWith(p.look.say(" · "))), columns)
}

// leastTitle is how much of a title stays where the line has little room.
const leastTitle = 8

// cancelText says which cancel can be taken back, how and for how long; empty for none.
func (p *Pane) cancelText(columns int, short bool) string {
	n := len(p.snap.Cancelling)
	key := p.keyOf(config.Global, undoAction)
	if n == 0 {
		return ""
	}
	e := p.snap.Cancelling[n-1]
	if short && key != "" {
		return key + " takes it back."
	}
	tail := ""
	if n > 1 {
		tail = fmt.Sprintf(" and %d more", n-1)
	}
	if key != "" {
		tail += p.look.say(" · ") + key + " takes it back"
		if !p.look.plain { // they would be read out one by one
			tail += fmt.Sprintf(" (%d s)", p.secondsLeft(e))
		}
	}
	const head = "Cancelled: "
	return head + p.cancelled(e, max(leastTitle, columns-2-width(head)-width(tail))) + tail
}

func (p *Pane) secondsLeft(e *broker.Entry) int {
	left := e.CancelUntil.Sub(p.o.Now())
	return max(0, int((left+time.Second-1)/time.Second))
}

// untilSecond is when the seconds that are left change next.
func (p *Pane) untilSecond(now time.Time) time.Duration {
	n := len(p.snap.Cancelling)
	if n == 0 || p.look.plain {
		return never
	}
	left := p.snap.Cancelling[n-1].CancelUntil.Sub(now)
	if left <= 0 {
		return time.Second
	}
	return (left-1)%time.Second + time.Millisecond
}
