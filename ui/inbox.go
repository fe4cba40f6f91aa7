package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// inbox is the focus and the window of the list of waiting forms.
type inbox struct {
	focus ask.Key
	row   int // where the focus was, for when its entry goes
	top   int
	page  int  // how many entries can be seen at once
	free  bool // the wheel has moved the window away from the focus
}

// listed are the entries of the inbox in the order shown: what waits, what lost its asker, what the person has hidden.
func (p *Pane) listed() []*broker.Entry { return p.list }

func inboxOrder(entries []*broker.Entry) []*broker.Entry {
	var out []*broker.Entry
	for _, status := range []broker.Status{broker.Waiting, broker.Interrupted, broker.Deferred} {
		for _, e := range entries {
			if e.Status == status {
				out = append(out, e)
			}
		}
	}
	return out
}

func (b *inbox) enter(current ask.Key, list []*broker.Entry) {
	b.focus, b.free = current, false
	b.follow(list)
}

// follow keeps the focus on an entry that exists: the one that took the place of one that has gone.
func (b *inbox) follow(list []*broker.Entry) {
	for i, e := range list {
		if e.Key() == b.focus {
			b.row = i
			return
		}
	}
	b.row = max(0, min(b.row, len(list)-1))
	if len(list) == 0 {
		b.focus = ask.Key{}
		return
	}
	b.focus = list[b.row].Key()
}

func (b *inbox) move(by int, list []*broker.Entry) {
	b.free = false
	if len(list) == 0 {
		return
	}
	b.row = min(max(b.row+by, 0), len(list)-1)
	b.focus = list[b.row].Key()
}

// inboxKeys are what the keys of the context main mean in the inbox; nothing there answers or cancels.
var inboxKeys = map[string]func(*Pane){
	"nextOption":     func(p *Pane) { p.inbox.move(+1, p.listed()) },
	"previousOption": func(p *Pane) { p.inbox.move(-1, p.listed()) },
	"confirm":        func(p *Pane) { p.openEntry(p.inbox.focus) },
	"cancel":         func(p *Pane) { p.inInbox = false },
	quietAction:      (*Pane).openQuiet,
}

// inboxJumps are the keys that move further than one entry.
var inboxJumps = map[string]func(b *inbox) int{
	"pageUp":   func(b *inbox) int { return -max(1, b.page) },
	"pageDown": func(b *inbox) int { return +max(1, b.page) },
	"home":     func(b *inbox) int { return -b.row },
	"end":      func(*inbox) int { return 1 << 30 },
}

func (p *Pane) inboxKey(s stroke) {
	switch p.global(s.name) {
	case "settings":
		p.openSettings()
		return
	case "dismiss":
		return
	}
	if p.wantsHistory(s) {
		p.openHistory()
		return
	}
	action, taken := p.conf.Keymaps.Action(config.Main, s.name)
	if by := inboxJumps[s.name]; by != nil && !taken {
		p.inbox.move(by(&p.inbox), p.listed())
		return
	}
	if act := inboxKeys[action]; act != nil && (s.repeats == pressed || action != "confirm") {
		act(p)
	}
}

// openEntry puts a form of the inbox on the screen; one that was hidden comes back with its session's others.
func (p *Pane) openEntry(k ask.Key) {
	for _, e := range p.listed() {
		if e.Key() != k {
			continue
		}
		if e.Status == broker.Deferred {
			p.o.Desk.Reopen(k.Session)
		}
		p.inInbox = false
		p.show(e)
		return
	}
}

// clickEntry is a click in the inbox: the first only brings the focus there, a second on the same entry opens it.
func (p *Pane) clickEntry(k ask.Key, same bool) {
	if !same {
		return
	}
	if p.inInbox && p.inbox.focus == k {
		p.openEntry(k)
		return
	}
	p.inInbox = true
	p.inbox.focus, p.inbox.free = k, false
	p.inbox.follow(p.listed())
}

// drawInbox draws the list into r. Only what can be seen is laid out: there may be thousands.
func (p *Pane) drawInbox(c *canvas, r rect) {
	list := p.listed()
	p.inbox.page = r.h / 2
	hidden := slices.IndexFunc(list, func(e *broker.Entry) bool { return e.Status == broker.Deferred })
	lines := make([]line, 2*len(list))
	if hidden >= 0 {
		lines = append(lines, nil)
	}
	if !p.inbox.free {
		from := entryTop(p.inbox.row, hidden)
		p.inbox.top = reveal(p.inbox.top, from, from+2, r.h)
		if secondLine(p.inbox.top, hidden) && p.inbox.top < from {
			p.inbox.top++ // half an entry at the top says nothing
		}
	}
	p.inbox.top = clampTop(p.inbox.top, len(lines), r.h)
	for i := max(0, (p.inbox.top-1)/2-1); i < len(list) && entryTop(i, hidden) < p.inbox.top+r.h; i++ {
		at := entryTop(i, hidden)
		if i == hidden {
			lines[at-1] = p.look.deferredRule(r.w - 1)
		}
		copy(lines[at:], p.entryLines(list[i], r.w-1))
	}
	c.areas = append(c.areas, region{r, target{kind: hitInbox}})
	c.viewport(r, lines, p.inbox.top)
}

// entryTop is the first line of an entry; the hidden ones, from index hidden on, come after a rule.
func entryTop(i, hidden int) int {
	if hidden >= 0 && i >= hidden {
		return 2*i + 1
	}
	return 2 * i
}

// secondLine reports whether a line is the second of an entry.
func secondLine(at, hidden int) bool {
	if hidden >= 0 && at >= 2*hidden {
		return at > 2*hidden && at%2 == 0
	}
	return at%2 == 1
}

func (k *look) deferredRule(columns int) line {
	const label = "─ deferred "
	return text(cut(k.say(label+strings.Repeat("─", max(0, columns-width(label)))), columns), roleMuted)
}

// entryLines are the two lines of one entry, padded so that all of both can be clicked.
func (p *Pane) entryLines(e *broker.Entry, columns int) []line {
	if p.look.plain {
		return p.spokenInbox(e, columns)
	}
	t := target{kind: hitEntry, key: e.Key()}
	focused := p.inInbox && e.Key() == p.inbox.focus
	pointer, name := " ", roleStrong
	if e.Key() == p.current {
		pointer, name = "❯", roleTitle
	}
	if p.inInbox {
		pointer = " "
	}
	if focused {
		pointer, name = "❯", roleOpenTab
	}
	tail := fmt.Sprintf("%4s  %s", age(p.o.Now().Sub(e.Request.CreatedAt)), mark(e))
	title := p.named(e, max(1, columns-width(tail)-width(pointer)-3))
	first := line{
		{text: " " + pointer, role: roleAccent},
		hue(e),
		{text: title, role: name},
		{text: strings.Repeat(" ", max(0, columns-2-width(pointer)-width(title)-width(tail))), role: rolePlain},
		{text: tail, role: markRole(e)},
	}
	second := text(pad(p.about(e, columns), columns), roleMuted)
	return []line{first.with(t), second.with(t)}
}

// about is what a form is about and how often it has been asked; the subject gives way.
func (p *Pane) about(e *broker.Entry, columns int) string {
	tail := ""
	if again := p.asked.again(e.Key()); again != "" {
		tail = p.look.say(" · " + again)
	}
	if twins := p.asked.twins(e.Key()); twins != "" {
		tail += p.look.say(" · ") + twins
	}
	return cut("   "+cut(shownLine(e.Request.SubjectWith(p.look.say(" · "))), max(4, columns-3-width(tail)))+tail, columns)
}

// gone says that nobody would hear of an answer at once.
func gone(e *broker.Entry) string {
	if e.AskerOnline {
		return ""
	}
	return " (asker gone)"
}

// leastName is how much of a session's name stays before the words behind it get shorter.
const leastName = 6

// named is the session's name, its machine when that is another one, and whether its asker is gone, in so many columns: the
// name is cut before the words are.
func (p *Pane) named(e *broker.Entry, columns int) string {
	name, tail := shownLine(e.SessionName), gone(e)
	if tail != "" && columns-width(tail) < min(leastName, width(name)) {
		tail = " (gone)"
	}
	return cut(p.asker(e, max(1, columns-width(tail)))+tail, columns)
}

// leastHost is how much of a machine's name stays, its @ counted, before the session's name gets shorter.
const leastHost = 7

// asker is the session's name and its machine when that is another one: checkout-api@devbox.
func (p *Pane) asker(e *broker.Entry, columns int) string {
	name, host := shownLine(e.SessionName), p.machine(e.Request.Asker.Host)
	if host == "" {
		return cut(name, columns)
	}
	host = "@" + host
	host = cut(host, max(columns-width(name), min(width(host), leastHost)))
	return cut(cut(name, max(1, columns-width(host)))+host, columns)
}

// machine is a machine's name as it is shown: this one has none.
func (p *Pane) machine(host string) string {
	if host == p.host {
		return ""
	}
	return shownLine(host)
}

// mark says what waiting means for the agent.
func mark(e *broker.Entry) string {
	switch {
	case e.Status == broker.Deferred:
		return "⏸"
	case e.StandsStill():
		return "●"
	default:
		return "○"
	}
}

func markRole(e *broker.Entry) role {
	if mark(e) == "●" {
		return roleAccent
	}
	return roleMuted
}

// meaning says in words what the mark of an entry says.
func meaning(e *broker.Entry, now time.Time) string {
	switch {
	case !e.AskerOnline:
		return goneText(e, now)
	case e.Orphan:
		return "○ The agent was stopped while it asked. The answer reaches it as a message."
	case e.Status == broker.Deferred:
		return "⏸ Deferred by you. Opening it brings back this session's deferred forms."
	case e.Request.Background && !e.Awaited:
		return "○ The agent goes on working meanwhile."
	default:
		return "● The agent stands still until this is answered."
	}
}

// goneText says since when an asker has gone, and who gets an answer nevertheless.
func goneText(e *broker.Entry, now time.Time) string {
	who, then, since := "The asker has gone", "An answer is kept and delivered when it returns.", ""
	if ofScript(e) {
		who, then = "The script that asked has ended", "An answer is kept until askctl wait collects it."
	}
	if !e.GoneSince.IsZero() {
		since = " (" + ago(now.Sub(e.GoneSince)) + ")"
	}
	return who + since + ". " + then
}

// ofScript reports whether a form was asked from a command line, whose session never comes back once it has ended.
func ofScript(e *broker.Entry) bool { return e.Request.Asker.UI == "cli" }

// reveal moves a window of height rows as little as it takes to show from up to to, the beginning first.
func reveal(top, from, to, height int) int {
	if to > top+height {
		top = to - height
	}
	return min(top, from)
}
