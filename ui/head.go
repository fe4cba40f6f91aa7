package ui

import (
	"fmt"
	"strings"

	"askd/broker"
)

// counts says how many forms stand where.
func (p *Pane) counts() (waiting, gone, deferred int) {
	for _, e := range p.snap.Entries {
		switch e.Status {
		case broker.Waiting:
			waiting++
		case broker.Interrupted:
			gone++
		case broker.Deferred:
			deferred++
		}
	}
	return waiting, gone, deferred
}

// headCount is what waits, in a few words.
func (p *Pane) headCount() string {
	waiting, gone, deferred := p.counts()
	var parts []string
	if waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting", waiting))
	}
	if gone > 0 {
		parts = append(parts, fmt.Sprintf("%d interrupted", gone))
	}
	if deferred > 0 {
		parts = append(parts, fmt.Sprintf("%d deferred", deferred))
	}
	if parts == nil {
		return "nothing is waiting"
	}
	return strings.Join(parts, p.look.say(" · "))
}

// drawHead draws the head line: what waits, and whose form this is.
func (p *Pane) drawHead(l frameLayout) {
	left := line{{text: " " + p.called(), role: roleTitle}}
	e := p.shownEntry()
	switch {
	case e == nil || l.inbox.w > 0:
		left = append(left, span{text: "   " + p.headCount(), role: rolePlain})
	default:
		left = append(left, p.headEntry(e, l.head.w)...)
	}
	p.canvas.line(l.head, left)
	for _, right := range p.headRight(e, l) {
		if p.canvas.right(l.head, text(right+" ", roleMuted), left.width()+3) {
			return
		}
	}
}

// called is what the head line begins with: nobody is to take a demo for the own inbox.
func (p *Pane) called() string {
	if p.o.Throwaway {
		return "askd demo"
	}
	return "askd"
}

// shownEntry is the entry of the form on screen, nil for none.
func (p *Pane) shownEntry() *broker.Entry {
	if v := p.onScreen(); v != nil {
		return v.entry
	}
	return nil
}

// headEntry says which form of how many this is, and whose, where no inbox stands beside it.
func (p *Pane) headEntry(e *broker.Entry, columns int) line {
	gap := "  "
	if columns < 50 {
		gap = " "
	}
	room := max(14, columns/2-8)
	if host := p.machine(e.Request.Asker.Host); host != "" {
		room += min(width("@"+host), 10)
	}
	name := p.named(e, room)
	if p.look.plain {
		return p.spokenEntry(e, gap, name, columns)
	}
	out := line{
		{text: gap + p.place(e) + " ", role: rolePlain},
		{text: mark(e), role: markRole(e)},
		hue(e),
		{text: name, role: roleStrong},
	}
	if p.onScreen().closed() { // nobody waits for it any more
		out[1].text = ""
	}
	if columns >= 50 {
		out = append(out, span{text: p.look.say(" · ") + age(p.o.Now().Sub(e.Request.CreatedAt)), role: roleMuted})
	}
	if again := p.asked.again(e.Key()); again != "" {
		out = append(out, span{text: " " + p.look.say(again), role: roleWarning})
	}
	return out
}

// place is the form's place among those that are not hidden: 1/3.
func (p *Pane) place(e *broker.Entry) string {
	at, n := 0, 0
	for _, other := range p.listed() {
		if other.Status == broker.Deferred && other.Key() != e.Key() {
			continue
		}
		n++
		if other.Key() == e.Key() {
			at = n
		}
	}
	if at == 0 {
		return "closed"
	}
	return fmt.Sprintf("%d%s%d", at, p.look.of, n)
}

// headRight are the texts for the right end, the fullest first.
func (p *Pane) headRight(e *broker.Entry, l frameLayout) []string {
	switch {
	case e == nil:
		return []string{p.connection()}
	case l.inbox.w > 0:
		return p.whoAsked(e)
	default:
		return p.upNext(e)
	}
}

func (p *Pane) connection() string {
	n := len(p.snap.Sessions)
	if n == 1 {
		return p.look.say("socket ready · 1 session")
	}
	return fmt.Sprintf(p.look.say("socket ready · %d sessions"), n)
}

// whoAsked says who asked, from where and when.
func (p *Pane) whoAsked(e *broker.Entry) []string {
	name, when := shownLine(e.SessionName)+gone(e), "asked "+ago(p.o.Now().Sub(e.Request.CreatedAt))
	if n := p.asked.forms[e.Key()]; n > 1 {
		when += fmt.Sprintf(", %d times the same", n)
	}
	parts := []string{name}
	if host := p.machine(e.Request.Asker.Host); host != "" {
		parts = append(parts, host)
	}
	if branch := shownLine(e.Request.Asker.GitBranch); branch != "" {
		parts = append(parts, branch)
	}
	return []string{strings.Join(append(parts, when), p.look.say(" · ")), name + p.look.say(" · ") + when, when}
}

// mostNext is how many names of waiting sessions the head line tries for.
const mostNext = 8

// upNext says what else waits.
func (p *Pane) upNext(current *broker.Entry) []string {
	var next []string
	for _, e := range p.listed() {
		if len(next) == mostNext {
			break
		}
		if e.Key() != current.Key() && e.Status != broker.Deferred {
			next = append(next, fmt.Sprintf("%s %s %s", p.asker(e, 20), age(p.o.Now().Sub(e.Request.CreatedAt)), p.look.markIn(e)))
		}
	}
	tail := ""
	if _, _, deferred := p.counts(); deferred > 0 {
		tail = fmt.Sprintf(p.look.deferred, deferred)
	}
	var out []string
	for n := len(next); n > 0; n-- {
		s := "next: " + strings.Join(next[:n], p.look.say(" · "))
		if n < len(next) {
			s += p.look.say(" · ") + "…"
		}
		out = append(out, strings.TrimSuffix(s+"   "+tail, "   "))
	}
	return append(out, tail)
}
