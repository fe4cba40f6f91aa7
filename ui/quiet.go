package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"askd/broker/ask"
	"askd/config"
)

// quietAction is the action, in the context main, that opens the choice of how long not to be disturbed. It acts wherever
// its key is no text: in the inbox, with nothing open, and on a form of ask_user.
const quietAction = "doNotDisturb"

// quietChoice is one time for which the person can ask not to be disturbed.
type quietChoice struct {
	label string
	until func(now time.Time) time.Time // zero ends it
}

var quietChoices = []quietChoice{
	{"for 15 minutes", func(now time.Time) time.Time { return now.Add(15 * time.Minute) }},
	{"for 1 hour", func(now time.Time) time.Time { return now.Add(time.Hour) }},
	{"until tomorrow 9:00", tomorrowMorning},
	{"off", func(time.Time) time.Time { return time.Time{} }},
}

func tomorrowMorning(now time.Time) time.Time {
	y, m, d := now.Date()
	return time.Date(y, m, d+1, 9, 0, 0, 0, now.Location())
}

// quietMenu is the choice of how long not to be disturbed, and by what.
type quietMenu struct {
	row     int
	session string // that of the form in question; empty for none
	name    string
	only    bool // the session alone
}

// wantsQuiet reports whether a key opens the choice, where it is no text.
func (p *Pane) wantsQuiet(key string) bool {
	action, _ := p.conf.Keymaps.Action(config.Main, key)
	return action == quietAction
}

func (p *Pane) openQuiet() {
	m := &quietMenu{}
	if e := p.quietEntry(); e != nil {
		m.session, m.name = e.Session, p.nameOf(e.Session)
	}
	if p.snap.Quiet.On() {
		m.row = len(quietChoices) - 1
		m.only = p.snap.Quiet.Until.IsZero() && m.session != "" && !p.snap.Quiet.Sessions[m.session].IsZero()
	}
	p.overlay = m
}

// quietEntry is the form that has the focus, whose session alone may be put off; nil for none.
func (p *Pane) quietEntry() *ask.Key {
	k := p.current
	if p.inInbox {
		k = p.inbox.focus
	}
	if k == (ask.Key{}) {
		return nil
	}
	return &k
}

// nameOf is what the pane calls a session.
func (p *Pane) nameOf(session string) string {
	for _, e := range p.snap.Entries {
		if e.Request.Session == session {
			return shownLine(e.SessionName)
		}
	}
	for _, s := range p.snap.Sessions {
		if s.ID == session {
			return shownLine(s.Name)
		}
	}
	return "session " + cut(shownLine(session), 8)
}

func (m *quietMenu) key(p *Pane, s stroke) {
	action, _ := p.conf.Keymaps.Action(config.Main, s.name)
	switch {
	case action == "nextOption":
		m.row = min(m.row+1, len(quietChoices)-1)
		return
	case action == "previousOption":
		m.row = max(m.row-1, 0)
		return
	case s.repeats != pressed:
		return // it may be the key that opened this, still held down
	}
	if n := digit(s.name); n > 0 && n <= len(quietChoices) {
		m.row = n - 1
		m.choose(p)
		return
	}
	switch {
	case s.name == "esc" || action == "cancel" || p.global(s.name) != "":
		m.close(p)
	case action == "nextTab" || action == "previousTab":
		m.only = !m.only && m.session != ""
	case action == "confirm" || action == quietAction:
		m.choose(p)
	}
}

func (m *quietMenu) close(p *Pane) {
	p.overlay, p.guard.spent = nil, true
}

func (m *quietMenu) choose(p *Pane) {
	m.close(p)
	session := ""
	if m.only {
		session = m.session
	}
	p.o.Desk.SetQuiet(session, quietChoices[m.row].until(p.o.Now()), func(err error) {
		if err != nil {
			p.post(func() { p.fault = fmt.Sprintf("This could not be kept: %v. Choose again.", err) })
		}
	})
}

func (m *quietMenu) click(p *Pane, t target) {
	if t.kind == hitSetting {
		m.row = t.index
		m.choose(p)
	}
}

func (m *quietMenu) wheel(*Pane, int) {}

func (m *quietMenu) next(time.Time) time.Duration { return time.Minute }

func (m *quietMenu) draw(p *Pane, c *canvas, r rect) {
	columns := smallColumns(r)
	var foot []line
	for _, part := range chunked(m.foot(p), p.look.say(" · "), columns) {
		foot = append(foot, text(cut(part, columns), roleMuted))
	}
	if len(foot) > 1 && len(quietChoices)+len(foot)+4 > r.h {
		foot = []line{text(cut(m.shortFoot(p), columns), roleMuted)}
	}
	if len(quietChoices)+len(foot)+4 > r.h {
		columns-- // for the marks of more
	}
	lines := []line{text(cut(m.title(), columns), roleTitle)}
	for i, choice := range quietChoices {
		lines = append(lines, m.choiceLine(p, i, choice, p.o.Now(), columns))
	}
	p.drawSmall(c, r, lines, m.row+1, foot)
}

func (m *quietMenu) title() string {
	if m.only {
		return "Do not disturb: only " + m.name
	}
	return "Do not disturb"
}

func (m *quietMenu) choiceLine(p *Pane, i int, choice quietChoice, now time.Time, columns int) line {
	pointer, r := p.look.pointing(i == m.row), rolePlain
	if i == m.row {
		r = roleFocused
	}
	label := fmt.Sprintf("%d. %s", i+1, choice.label)
	if until := choice.until(now); !until.IsZero() && i < 2 {
		label += ", until " + ask.UntilText(until, now)
	}
	l := line{{text: pointer, role: roleAccent}, {text: pad(cut(label+p.look.place(i == m.row, "choice", i+1, len(quietChoices)), columns-2), columns-2), role: r, caret: i == m.row}}
	return l.with(target{kind: hitSetting, index: i})
}

func (m *quietMenu) foot(p *Pane) []string {
	parts := []string{p.keyOf(config.Main, "confirm") + " choose"}
	if key := p.keyOf(config.Main, "nextTab"); m.session != "" && key != "" {
		other := "only " + m.name
		if m.only {
			other = "everything"
		}
		parts = append(parts, key+" "+other)
	}
	return append(parts, "Esc close")
}

// shortFoot are the keys without which nobody gets on.
func (m *quietMenu) shortFoot(p *Pane) string {
	return p.keyOf(config.Main, "confirm") + p.look.say(" choose · Esc close")
}

// quietText is the sign that the person is not to be disturbed, empty when nothing is held back.
func (p *Pane) quietText() string {
	q, now := p.snap.Quiet, p.o.Now()
	if !q.On() {
		return ""
	}
	says := "Do not disturb"
	if !q.Until.IsZero() {
		says += " until " + ask.UntilText(q.Until, now)
	}
	if own := p.quietSessions(now); len(own) > 0 {
		joint := ": "
		if !q.Until.IsZero() {
			joint = ", "
		}
		says += joint + strings.Join(own, ", ")
	}
	if key := p.quietKeys(); key != "" {
		says += p.look.say(" · ") + key + " to end"
	}
	return says
}

// The foot is the form's: it names so many sessions that are put off by themselves, in so many columns each.
const (
	quietNames = 2
	quietName  = 24
)

// quietSessions are the sessions that are put off by themselves, for the foot.
func (p *Pane) quietSessions(now time.Time) (own []string) {
	more := 0
	for _, id := range slices.Sorted(maps.Keys(p.snap.Quiet.Sessions)) {
		switch until := p.snap.Quiet.Sessions[id]; {
		case !until.After(p.snap.Quiet.Until):
		case len(own) == quietNames:
			more++
		default:
			own = append(own, cut(p.nameOf(id), quietName)+" until "+ask.UntilText(until, now))
		}
	}
	if more > 0 {
		own = append(own, fmt.Sprintf("%d more", more))
	}
	return own
}

// quietKeys are the keys that lead to the choice from here, empty when it has none.
func (p *Pane) quietKeys() string {
	key := p.keyOf(config.Main, quietAction)
	v := p.onScreen()
	switch {
	case key == "" || p.inInbox || v == nil || v.form != nil && v.area == nil && !v.closed():
		return key
	}
	if to := p.keyOf(config.Global, "switchFocus"); to != "" {
		return to + ", " + key
	}
	return ""
}
