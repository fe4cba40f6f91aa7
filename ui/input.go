package ui

import (
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"askd/broker"
	"askd/config"
	"askd/ui/form"
)

// stroke is one key event.
type stroke struct {
	name    string // in the words of keymaps
	repeats repeats
	event   *tcell.EventKey
}

// key takes one key event to whatever has the keys.
func (p *Pane) key(e *tcell.EventKey) {
	defer p.follow()
	switch e.Key() {
	case keyFocusOut:
		p.outside = true
		return
	case keyFocusIn:
		return
	}
	p.outside = false
	p.touched()
	s := stroke{name: keyName(e), event: e}
	s.repeats = p.guard.repeat(s.name, p.o.Now())
	if p.tiny() {
		p.tinyKey(s)
		return
	}
	if p.settleSecond(s.name) || p.toggleKey(s) || p.globalKey(s) {
		return
	}
	if p.leaving && s.name == "esc" {
		p.leaving = false // it answers the question whether to leave, and nothing else
		return
	}
	p.leaving, p.fault, p.said = false, "", ""
	over := p.overlay != nil
	p.give(s)
	if over && p.overlay == nil {
		p.guard.mash = s.name
	}
}

// give takes a key to what has the keys.
func (p *Pane) give(s stroke) {
	switch v := p.onScreen(); {
	case (p.overlay != nil || p.inInbox) && p.rose.early(p.o.Now(), s.event.When()):
	case p.overlay != nil:
		p.overlay.key(p, s)
	case p.inInbox:
		p.inboxKey(s)
	case v != nil && v.pick != nil:
		p.promptKey(v, s)
	case v != nil:
		p.formKey(v, s)
	default:
		p.idleKey(s)
	}
}

// global looks a key up in the global context.
func (p *Pane) global(key string) string {
	action, _ := p.conf.Keymaps.Action(config.Global, key)
	return action
}

// globalKey handles the keys that act everywhere.
func (p *Pane) globalKey(s stroke) bool {
	switch p.global(s.name) {
	case "quit":
		if s.repeats == pressed {
			p.quit()
		}
	case "switchFocus":
		p.leaving = false
		p.switchFocus()
	case "history":
		if s.repeats == pressed {
			p.toggleHistory()
		}
	case undoAction:
		if s.repeats == pressed {
			p.undoCancel()
		}
	default:
		if s.name != mouseKey || p.bound(s.name) || p.pastesImage(s.name) {
			return false
		}
		p.toggleMouse()
	}
	return true
}

// quit leaves, but asks first while an agent stands still for an answer. A pane that is attached to a running askd goes
// alone, and its questions stay where they are.
func (p *Pane) quit() {
	if n := p.standing(); n > 0 && !p.leaving && !p.attached() {
		p.leaving, p.overlay = true, nil
		return
	}
	if p.o.Quit == nil {
		p.Stop()
		return
	}
	p.o.Quit()
}

// standing is the number of forms for which an agent waits and does nothing else.
func (p *Pane) standing() int {
	n := 0
	for _, e := range p.snap.Entries {
		if e.Status == broker.Waiting && e.StandsStill() {
			n++
		}
	}
	return n
}

// leaveText is what stands above the foot once leaving was asked for.
func (p *Pane) leaveText(short bool) string {
	key := config.KeyLabel(first(p.conf.Keymaps.Keys(config.Global, "quit")))
	if short {
		return key + " leaves, Esc stays."
	}
	n, forms := p.standing(), "agents wait"
	if n == 1 {
		forms = "agent waits"
	}
	kept := "every question is kept"
	if p.o.Throwaway {
		kept = "nothing of this demo is kept"
	}
	return fmt.Sprintf("%d %s for an answer. %s again leaves, Esc stays; %s.", n, forms, key, kept)
}

func first(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return keys[0]
}

func (p *Pane) switchFocus() {
	if p.overlay != nil {
		p.overlay = nil
		return
	}
	if t := p.beyond(); t != nil {
		p.visit(*t)
		return
	}
	if p.inInbox {
		p.inInbox = false
		return
	}
	p.enterInbox()
}

// enterInbox gives the inbox the keys; an empty one takes none.
func (p *Pane) enterInbox() {
	p.inInbox = len(p.listed()) > 0
	if p.inInbox {
		p.inbox.enter(p.current, p.listed())
	}
}

func (p *Pane) idleKey(s stroke) {
	if p.global(s.name) == "settings" {
		p.openSettings()
		return
	}
	if p.wantsHistory(s) {
		p.openHistory()
		return
	}
	if p.wantsQuiet(s.name) {
		p.openQuiet()
		return
	}
	p.idleTop += idleMoves[s.name]
}

// idleMoves scroll a long list of sessions.
var idleMoves = map[string]int{"up": -1, "down": +1, "pageUp": -8, "pageDown": +8}

// mouseKey gives the mouse to the terminal, to select text with, and takes it back.
const (
	mouseKey   = "f2"
	mouseLabel = "F2"
)

// bound reports whether the person has given a key to something.
func (p *Pane) bound(key string) bool {
	return slices.ContainsFunc(config.Contexts(), func(c config.Context) bool {
		_, ok := p.conf.Keymaps.Action(c, key)
		return ok
	})
}

func (p *Pane) toggleMouse() {
	p.quiet = !p.quiet
	if p.quiet {
		p.screen.Load().DisableMouse()
		return
	}
	p.screen.Load().EnableMouse()
}

// committing are the commands that can answer, cancel, skip or change what was chosen. A held key gives them once, and a
// form that has just taken the screen not at all.
var committing = map[form.Command]bool{
	form.Confirm: true, form.Cancel: true, form.Dismiss: true, form.Toggle: true, form.ChangeType: true, form.Skip: true,
	form.EditorSubmit: true, form.EditorSave: true, form.EditorClose: true,
	form.OptionNote: true, form.QuestionNote: true, form.EditCustom: true,
}

// guarded reports whether a committing stroke is to be ignored.
func (p *Pane) guarded(s stroke) bool {
	return s.repeats == heldDown || s.name == p.guard.mash || p.guard.closed(p.o.Now(), s.event.When())
}

func (p *Pane) formKey(v *view, s stroke) {
	switch {
	case v.closed():
		p.closedKey(v, s)
		return
	case v.busy():
		return
	}
	v.free = false
	editing := v.area != nil
	switch p.global(s.name) {
	case "dismiss":
		p.do(v, s, form.Dismiss)
		return
	case "settings":
		if !editing || v.area.GetTextLength() == 0 {
			p.openSettings()
			return
		}
	}
	if editing {
		p.editorKey(v, s)
		return
	}
	p.mainKey(v, s)
}

// turning are the commands that a form which can only be read still takes: Review shows all that was entered.
var turning = map[form.Command]bool{form.NextTab: true, form.PreviousTab: true}

// closedKey takes the keys of a form that can only be read: whatever would end or confirm it leaves it.
func (p *Pane) closedKey(v *view, s stroke) {
	action, _ := p.conf.Keymaps.Action(config.Main, s.name)
	switch c := form.Command(action); {
	case p.global(s.name) == "settings":
		p.openSettings()
	case c == form.Cancel || c == form.Confirm || p.global(s.name) == "dismiss":
		if !p.guarded(s) {
			p.leave(v)
		}
	case turning[c]:
		p.feed(v, form.Do{Command: c})
	default:
		p.scrollKey(v, s.name)
	}
}

func (p *Pane) mainKey(v *view, s stroke) {
	if n := digit(s.name); n > 0 {
		if !p.guarded(s) {
			p.feedKey(v, s, form.Digit{N: n})
		}
		return
	}
	if p.wantsQuiet(s.name) {
		p.openQuiet()
		return
	}
	if action, ok := p.conf.Keymaps.Action(config.Main, s.name); ok {
		p.do(v, s, form.Command(action))
		return
	}
	p.scrollKey(v, s.name)
}

// digit is the number of a number key, else 0.
func digit(name string) int {
	if len(name) == 1 && name[0] >= '1' && name[0] <= '9' {
		return int(name[0] - '0')
	}
	return 0
}

// do gives a command to the form unless it is guarded.
func (p *Pane) do(v *view, s stroke, c form.Command) {
	if committing[c] && p.guarded(s) {
		return
	}
	if !committing[c] {
		p.feed(v, form.Do{Command: c})
		return
	}
	p.feedKey(v, s, form.Do{Command: c})
}

// scrolling are the pane's own keys: what they move is no part of the form's state.
var scrolling = map[string]func(p *Pane, v *view){
	"pageUp":         func(p *Pane, v *view) { p.page(v, -1) },
	"pageDown":       func(p *Pane, v *view) { p.page(v, +1) },
	"home":           func(p *Pane, v *view) { p.focusOption(v, 0) },
	"end":            func(p *Pane, v *view) { p.focusOption(v, 1<<30) },
	"ctrl+up":        func(_ *Pane, v *view) { v.context-- },
	"ctrl+down":      func(_ *Pane, v *view) { v.context++ },
	"shift+up":       func(_ *Pane, v *view) { v.context-- },
	"shift+down":     func(_ *Pane, v *view) { v.context++ },
	"shift+pageUp":   func(_ *Pane, v *view) { v.context -= max(1, v.sizes.context[0]-1) },
	"shift+pageDown": func(_ *Pane, v *view) { v.context += max(1, v.sizes.context[0]-1) },
	"ctrl+pageUp":    func(_ *Pane, v *view) { v.context -= max(1, v.sizes.context[0]-1) },
	"ctrl+pageDown":  func(_ *Pane, v *view) { v.context += max(1, v.sizes.context[0]-1) },
}

// readKey opens the whole question with its context on the full screen.
const readKey = "ctrl+o"

func (p *Pane) scrollKey(v *view, name string) bool {
	if name == readKey {
		p.overlay = newReader(v)
		return true
	}
	move, ok := scrolling[name]
	if ok {
		move(p, v)
	}
	return ok
}

// rowsPage is by how many options the page keys move where there is no long question to scroll.
const rowsPage = 8

// page scrolls the long text of the open tab: the prompt, or the answers on Review. Without one it moves among the options.
func (p *Pane) page(v *view, by int) {
	switch {
	case v.form.Mode() == form.ModeReview:
		v.review += by * max(1, v.sizes.review[0]-1)
	case v.sizes.prompt[0] < v.sizes.prompt[1]:
		v.prompt += by * max(1, v.sizes.prompt[0]-1)
	default:
		p.focusOption(v, v.form.FocusRow()+by*rowsPage)
	}
}

func (p *Pane) focusOption(v *view, i int) {
	if !v.closed() {
		p.feed(v, form.FocusOption{Index: i})
	}
}

// feed lets an event happen to a form and does what follows from it.
func (p *Pane) feed(v *view, e form.Event) {
	v.fault = ""
	for _, effect := range v.form.Apply(e) {
		p.effect(v, effect)
	}
	v.sync(p)
}
