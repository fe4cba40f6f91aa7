package ui

import "askd/broker/ask"

// openers are what Open can show.
var openers = map[string]func(*Pane, ask.Key){
	"settings": func(p *Pane, _ ask.Key) { p.openSettings() },
	"queue": func(p *Pane, _ ask.Key) {
		p.overlay = nil
		if !p.inInbox { // not switchFocus, which may lead on to the agent that has just sent the person here
			p.enterInbox()
		}
	},
	"history": func(p *Pane, _ ask.Key) { p.openHistory() },
	"form": func(p *Pane, k ask.Key) {
		p.overlay = nil
		p.openEntry(k)
	},
}

// Open shows a view from outside (PROTOCOL, pane.open): "settings", "queue", "history" or, with its key, "form". False when there is no
// such view. Any goroutine; it does not wait, and what it shows is guarded like any form that has just taken the screen.
func (p *Pane) Open(view string, k ask.Key) bool {
	show, ok := openers[view]
	if ok {
		p.post(func() {
			show(p, k)
			p.roseItself()
		})
	}
	return ok
}
