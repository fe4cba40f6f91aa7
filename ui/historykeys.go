package ui

import (
	"time"

	"askd/config"
)

// historyMoves are the keys that move the focus of the list, also while a search is typed.
var historyMoves = map[string]func(*history) int{
	"up": func(*history) int { return -1 }, "down": func(*history) int { return +1 },
	"pageUp":   func(o *history) int { return -max(1, o.page-1) },
	"pageDown": func(o *history) int { return max(1, o.page-1) },
}

// historyKeys are the other keys of the list. Those of the context main that mean the same do the same.
var historyKeys = map[string]func(*history, *Pane){
	"home":  func(o *history, _ *Pane) { o.focus, o.free = 0, false },
	"end":   func(o *history, _ *Pane) { o.focus, o.free = max(0, o.total-1), false },
	"enter": (*history).openFocused,
	"/":     func(o *history, p *Pane) { o.askSearch(p) },
	"e":     func(o *history, p *Pane) { o.askPath(p) },
	"esc":   (*history).goBack,
	"q":     func(_ *history, p *Pane) { p.leaveHistory() },
}

// historyActions are the keys by which the person has bound the same things.
var historyActions = map[string]string{"nextOption": "down", "previousOption": "up", "confirm": "enter", "cancel": "esc"}

func (o *history) key(p *Pane, s stroke) {
	o.reads.opening++
	if o.prompt != nil {
		o.promptKey(p, s)
		return
	}
	name := s.name
	if action, ok := p.conf.Keymaps.Action(config.Main, name); ok && historyActions[action] != "" {
		name = historyActions[action]
	} else if p.global(name) == "dismiss" {
		name = "q"
	}
	if by := historyMoves[name]; by != nil {
		o.move(by(o))
		return
	}
	if act := historyKeys[name]; act != nil && s.repeats == pressed {
		o.said = ""
		act(o, p)
	}
}

func (o *history) move(by int) {
	o.free = false
	o.focus = max(0, min(o.focus+by, o.total-1))
}

func (o *history) openFocused(p *Pane) {
	if q := o.at(o.focus); q != nil {
		o.open(p, q)
	}
}

// goBack takes back the search, else it closes the list.
func (o *history) goBack(p *Pane) {
	if o.query.Text != "" {
		o.search(p, "")
		return
	}
	p.leaveHistory()
}

// click focuses a question; a click on the one that has the focus opens it.
func (o *history) click(p *Pane, t target) {
	if t.kind != hitPast || o.prompt != nil && o.prompt.export {
		return
	}
	again := t.index == o.focus
	o.focus, o.free = t.index, false
	if again {
		o.openFocused(p)
	}
}

func (o *history) wheel(_ *Pane, by int) {
	o.top, o.free = max(0, o.top+by), true
}

func (o *history) next(time.Time) time.Duration {
	return never
}
