package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"askd/broker/ask"
	"askd/config"
)

// The least screen that can show a form, and the height from which there is room for rules and blank lines.
const (
	leastColumns = 20
	leastRows    = 5
	ruledRows    = 8
	roomyRows    = 16
)

// frameLayout is where the parts of a frame lie. Parts without room have no rows.
type frameLayout struct {
	head, topRule, inbox, body, rule, notices, foot rect
}

// layout divides a screen. The inbox stands left only while the form keeps config.ContextBeside columns.
func layout(w, h, notices int, list bool) frameLayout {
	var l frameLayout
	all := rect{0, 0, w, h}
	l.head = all.rows(0, 1)
	top := 1
	if h >= roomyRows {
		l.topRule = all.rows(1, 1)
		top = 2
	}
	l.foot = all.rows(h-1, 1)
	bottom := h - 1
	notices = min(notices, max(1, (h-4)/2), max(0, h-3))
	bottom -= notices
	l.notices = all.rows(bottom, notices)
	if h >= ruledRows {
		bottom--
		l.rule = all.rows(bottom, 1)
	}
	l.body = all.rows(top, bottom-top)
	if side := min(w-1-config.ContextBeside, config.InboxMax); list && side >= config.InboxMin {
		l.inbox = rect{0, l.body.y, side, l.body.h}
		l.body = rect{side + 1, l.body.y, w - side - 1, l.body.h}
	}
	return l
}

// framed makes room for a body that has a frame of its own: it needs no rules. Beside an inbox they stay, with a blank
// column between the two borders.
func (l frameLayout) framed() frameLayout {
	if l.inbox.w > 0 {
		l.body = rect{l.body.x + 1, l.body.y, l.body.w - 1, l.body.h}
		return l
	}
	l.body = rect{l.body.x, l.body.y - l.topRule.h, l.body.w, l.body.h + l.topRule.h + l.rule.h}
	l.topRule, l.rule = rect{}, rect{}
	return l
}

// draw draws the whole pane from its state.
func (p *Pane) draw(screen tcell.Screen) {
	if s := p.screen.Load(); s != nil {
		s.theme = themes[p.conf.Settings.Pane.Theme]
	}
	w, h := screen.Size()
	screen.HideCursor()
	p.dress()
	p.canvas = &canvas{screen: screen, look: p.look}
	defer p.placeCursor()
	unseen := p.tiny()
	if p.size != [2]int{w, h} {
		p.size = [2]int{w, h}
		p.o.Desk.PaneSize(w, h)
	}
	if p.tiny() {
		p.drawTiny(w, h)
		return
	}
	if unseen {
		p.guard.again(p.o.Now())
	}
	beside := len(p.listed()) > 0 && !p.look.plain
	notices := p.notices(w, false)
	l := layout(w, h, len(notices), beside)
	if l.notices.h < len(notices) {
		notices = p.notices(w, true)
		l = layout(w, h, len(notices), beside)
	}
	if v := p.onScreen(); v != nil && v.pick != nil && !v.window() && !p.inInbox {
		l = l.framed()
	}
	p.drawHead(l)
	p.drawRules(l)
	if l.inbox.w > 0 {
		p.drawInbox(p.canvas, l.inbox)
	}
	p.drawBody(l)
	p.drawWindow(l)
	p.canvas.viewport(l.notices, notices, 0)
	p.drawFoot(l)
	p.drawCompletion(l)
	if p.overlay != nil {
		screen.HideCursor()
		p.canvas.caret = nil
		p.overlay.draw(p, p.canvas, rect{0, 0, w, h})
	}
	p.tookScreen()
}

// tookScreen tells the guard, and the desk the first time, which form can be seen and has the keys.
func (p *Pane) tookScreen() {
	v := p.onScreen()
	if p.overlay != nil {
		if p.past != nil && p.past.shown(p.overlay) { // what lies below takes the screen anew when it is closed
			p.guard.took(ask.Key{}, p.o.Now())
		}
		return
	}
	if v == nil || p.inInbox {
		p.guard.took(ask.Key{}, p.o.Now())
		return
	}
	p.guard.took(p.current, p.o.Now())
	if !v.shown {
		v.shown = true
		p.o.Desk.Shown(p.current)
	}
}

// drawTiny says what there is where nothing else fits.
func (p *Pane) drawTiny(w, h int) {
	var lines []line
	for _, s := range []string{p.headCount(), "pane too small"} {
		for _, part := range wrap(s, w) {
			lines = append(lines, text(part, rolePlain))
		}
	}
	p.canvas.lines(rect{0, 0, w, h}, lines)
}

func (p *Pane) drawRules(l frameLayout) {
	p.canvas.rule(l.topRule, roleMuted)
	p.canvas.rule(l.rule, roleMuted)
	p.canvas.bottom = l.rule
	if l.inbox.w == 0 {
		return
	}
	x := l.inbox.w
	for y := l.inbox.y; y < l.inbox.y+l.inbox.h; y++ {
		p.canvas.stroke(x, y, "│", roleMuted)
	}
	if l.topRule.h > 0 {
		p.canvas.stroke(x, l.topRule.y, "┬", roleMuted)
	}
	if l.rule.h > 0 {
		p.canvas.stroke(x, l.rule.y, "┴", roleMuted)
	}
}

// drawBody draws what has the form's place.
func (p *Pane) drawBody(l frameLayout) {
	v := p.onScreen()
	switch {
	case p.inInbox && l.inbox.w == 0:
		p.drawInbox(p.canvas, l.body)
	case v != nil && v.busy() && !v.closed():
		p.drawMessage(l.body, "saving…", roleMuted)
	case v != nil && v.window():
		p.drawBehind(l)
	case v != nil && v.pick != nil:
		p.drawPrompt(v, l.body)
	case v != nil:
		p.drawForm(v, l.body)
	case p.ended != nil:
		p.drawMessage(l.body, p.endedText(), p.endedRole())
	default:
		p.drawIdle(l.body)
	}
}

// drawMessage draws one sentence in the form's place.
func (p *Pane) drawMessage(r rect, s string, role role) {
	top := min(2, r.h/3)
	var lines []line
	for _, part := range wrap(s, max(1, r.w-4)) {
		lines = append(lines, text(part, role))
	}
	p.canvas.rest(r.x+2, r.y+top)
	p.canvas.lines(rect{r.x + 2, r.y, r.w - 2, r.h}.rows(top, r.h-top), lines)
}

// tells says whether an asker has heard, or will when it is back, that its form was cancelled.
var tells = map[bool]string{true: " is told", false: " is not connected, told when it returns"}

// endedText says where the answer of the form that was on screen went.
func (p *Pane) endedText() string {
	name := shownLine(p.ended.name)
	s, ok := p.settled(p.ended.key)
	switch {
	case p.ended.hidden:
		return p.look.say("⏸ The forms of ") + name + " were deferred by its session. They wait in the inbox, with what you entered."
	case !ok && p.ended.here:
		return p.look.say("✓ saved for ") + name
	case !ok && p.parked(p.ended.key):
		return "The question of " + name + " has left the inbox: its branch is not open now."
	case !ok:
		return "The question of " + name + " has left the inbox: it was ended elsewhere, or its branch is not open now." + p.historyTells()
	}
	return p.endedAs(name, s.Kind, s.Delivered)
}

// endedAs says how a form that is over ended, and whether its agent has heard.
func (p *Pane) endedAs(name string, kind ask.OutcomeKind, delivered bool) string {
	switch {
	case kind == ask.Cancelled && p.ended.here:
		return p.look.say("✓ cancelled · ") + name + tells[delivered]
	case kind == ask.Cancelled:
		return "The question of " + name + " was cancelled elsewhere."
	case kind == ask.TimedOut:
		return "The question of " + name + " timed out; it was not answered."
	case !kind.Submitted():
		return "The question of " + name + " was taken back."
	case !p.ended.here:
		return p.look.say("✓ answered elsewhere · saved for ") + name
	case delivered:
		return p.look.say("✓ saved · delivered to ") + name
	case p.ended.script:
		return p.look.say("✓ saved · ") + name + " has ended, kept until askctl wait collects it"
	default:
		return p.look.say("✓ saved · ") + name + " is not connected, delivered when it returns"
	}
}

func (p *Pane) endedRole() role {
	for _, done := range []string{"✓ saved", "✓ cancelled", "✓ answered"} {
		if strings.HasPrefix(p.endedText(), p.look.say(done)) {
			return roleSuccess
		}
	}
	return roleWarning
}
