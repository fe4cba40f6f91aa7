package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// sameOffer asks whether an answer that was just given goes to the other forms that ask the same. Only its own keys answer,
// and not in its first moment.
type sameOffer struct {
	first    ask.Key
	response ask.Response
}

// alike are the other forms in the inbox that ask the same as one that was there.
func (p *Pane) alike(k ask.Key) []*broker.Entry {
	var out []*broker.Entry
	for _, e := range p.listed() {
		if e.Key() != k && !e.Settling && p.asked.same(e.Key(), k) {
			out = append(out, e)
		}
	}
	return out
}

// offerSame keeps the question for when nothing stands over the pane.
func (p *Pane) offerSame(k ask.Key, r ask.Response) {
	if len(p.alike(k)) > 0 {
		p.offers = append(p.offers, &sameOffer{first: k, response: r})
		p.nextOffer()
	}
}

// nextOffer opens the question that is next, and closes one that has nobody left to ask for.
func (p *Pane) nextOffer() {
	if o, open := p.overlay.(*sameOffer); open && len(p.alike(o.first)) == 0 {
		p.overlay, p.said = nil, "The other forms that asked the same have ended meanwhile."
		p.guard.again(p.o.Now()) // a key may be on its way that was meant for the question
	}
	for p.overlay == nil && len(p.offers) > 0 {
		o := p.offers[0]
		p.offers = p.offers[1:]
		if len(p.alike(o.first)) > 0 {
			p.overlay = o
			p.roseItself()
		}
	}
}

func (o *sameOffer) key(p *Pane, s stroke) {
	if s.repeats != pressed {
		return
	}
	action, _ := p.conf.Keymaps.Action(config.Main, s.name)
	switch {
	case s.name == "esc" || action == "cancel":
		p.overlay, p.guard.spent = nil, true
	case strings.EqualFold(s.name, "y"): // not the key that has just submitted: pressed once more it would answer by habit
		p.overlay, p.guard.spent = nil, true
		p.answerSame(o)
	}
}

// given counts what became of one answer to several forms.
type given struct{ left, answered, ended int }

func (p *Pane) answerSame(o *sameOffer) {
	others := p.alike(o.first)
	g := &given{left: len(others)}
	for _, e := range others {
		k := e.Key()
		v := p.views[k]
		if v != nil {
			v.finished = true
		}
		p.o.Desk.Submit(k, o.response, func(err error) { p.post(func() { p.gaveSame(g, v, err) }) })
	}
}

// gaveSame says what came of it once the last has ended.
func (p *Pane) gaveSame(g *given, v *view, err error) {
	g.left--
	switch {
	case err == nil:
		g.answered++
	case errors.Is(err, broker.ErrNotPending):
		g.ended++
	default:
		p.fault = fmt.Sprintf("One of them could not be saved: %v. It waits as before.", err)
	}
	if err != nil && v != nil {
		v.finished = false
	}
	if g.left > 0 {
		return
	}
	p.said = "The same answer went to " + others(g.answered) + "."
	if g.ended > 0 {
		p.said += fmt.Sprintf(" %d had ended meanwhile.", g.ended)
	}
}

func others(n int) string {
	if n == 1 {
		return "1 other agent"
	}
	return fmt.Sprintf("%d other agents", n)
}

// mostNamed is how many sessions the question names.
const mostNamed = 3

func (o *sameOffer) text(p *Pane) string {
	entries := p.alike(o.first)
	var names []string
	for _, e := range entries {
		if name := cut(shownLine(e.SessionName), 20); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], "…")
	}
	them := "them"
	if len(entries) == 1 {
		them = "it"
	}
	return fmt.Sprintf("The same question waits from %s (%s): give %s the same answer?", others(len(entries)), strings.Join(names, ", "), them)
}

func (o *sameOffer) draw(p *Pane, c *canvas, r rect) {
	columns := smallColumns(r)
	parts := wrap(o.text(p), columns)
	if len(parts)+3 > r.h {
		parts = wrap("Same answer to "+others(len(p.alike(o.first)))+"?", columns)
	}
	var lines []line
	for _, part := range parts {
		lines = append(lines, text(part, rolePlain))
	}
	p.drawSmall(c, r, lines, 0, []line{text(cut(p.look.say("Y yes · Esc no"), columns), roleMuted)})
}

func (o *sameOffer) click(*Pane, target) {}

func (o *sameOffer) wheel(*Pane, int) {}

func (o *sameOffer) next(time.Time) time.Duration { return never }
