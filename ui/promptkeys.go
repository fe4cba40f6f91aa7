package ui

import (
	"unicode"

	"github.com/gdamore/tcell/v2"

	"askd/config"
	"askd/ui/form"
)

// settingsKey opens the settings from a prompt, whose lists and editors take every printable key for text.
const (
	settingsKey   = "f1"
	settingsLabel = "F1"
)

// tell lets an event happen to a prompt and does what follows from it.
func (p *Pane) tell(v *view, e form.PromptEvent) {
	v.fault = ""
	for _, effect := range v.pick.Apply(e) {
		p.effect(v, effect)
	}
	v.sync(p)
}

// tellKey gives the event of a key that confirms or discards. What may be the same key still held down counts only once it
// stands alone: each of these keys can bring up something on which it means another thing.
func (p *Pane) tellKey(v *view, s stroke, e form.PromptEvent) {
	p.guard.spent = true
	if s.repeats == pressed {
		p.tell(v, e)
		return
	}
	p.second = &second{view: v, fire: func() { p.tell(v, e) }, key: s.name, at: p.o.Now()}
	p.nudge()
}

// promptModeKeys are the keys of each mode that are not the same in all; true when the key was taken.
var promptModeKeys map[form.PromptMode]func(*Pane, *view, stroke) bool

func init() { // the table and its functions need each other
	promptModeKeys = map[form.PromptMode]func(*Pane, *view, stroke) bool{
		form.PromptList: (*Pane).listKey, form.PromptEditor: (*Pane).freeEditorKey, form.PromptReview: (*Pane).promptReviewKey,
	}
}

// promptKey takes a key to an open prompt, in the published order.
func (p *Pane) promptKey(v *view, s stroke) {
	switch {
	case v.closed():
		p.closedPromptKey(v, s)
	case v.busy():
	case s.name == settingsKey && !p.bound(settingsKey):
		p.openSettings()
	case s.name == readKey:
		p.overlay = newPromptReader(v)
	default:
		promptModeKeys[v.pick.Mode()](p, v, s)
	}
}

// pageKeys turn pages; with one question the form moves the focus.
var pageKeys = map[string]form.PromptCommand{"tab": form.PromptTab, "shift+tab": form.PromptBackTab}

// listMoves are the fixed keys that move the focus, besides the host's own.
var listMoves = map[string]form.PromptCommand{
	"ctrl+k": form.PromptUp, "ctrl+j": form.PromptDown, "tab": form.PromptTab, "shift+tab": form.PromptBackTab,
}

// moveOf is the command of a key that moves the focus or turns a page, empty for other keys.
func (p *Pane) moveOf(name string) form.PromptCommand {
	switch {
	case p.conf.Pi.Matches(config.PiSelectUp, name):
		return form.PromptUp
	case p.conf.Pi.Matches(config.PiSelectDown, name):
		return form.PromptDown
	}
	return listMoves[name]
}

// endOf is the command of a key that confirms or discards, empty for other keys. The esc key means its own thing.
func (p *Pane) endOf(name string) form.PromptCommand {
	switch {
	case name == "esc":
		return form.PromptEscape
	case p.conf.Pi.Matches(config.PiCancel, name):
		return form.PromptCancel
	case p.conf.Pi.Matches(config.PiConfirm, name):
		return form.PromptConfirm
	}
	return ""
}

func (p *Pane) listKey(v *view, s stroke) bool {
	if c := p.moveOf(s.name); c != "" {
		p.tell(v, form.PromptDo{Command: c})
		return true
	}
	if c := p.endOf(s.name); c != "" {
		if !p.guarded(s) {
			p.tellKey(v, s, form.PromptDo{Command: c})
		}
		return true
	}
	if p.scrollPrompt(v, s.name) {
		return true
	}
	if v.pick.Multi() {
		return p.multiKey(v, s)
	}
	return p.filterKey(v, s)
}

// printable reports whether a key types a character.
func printable(e *tcell.EventKey) bool {
	return e.Key() == tcell.KeyRune && e.Modifiers()&^tcell.ModShift == 0 && unicode.IsGraphic(e.Rune())
}

// multiKey takes the keys of a multi-select list besides those that move and end.
func (p *Pane) multiKey(v *view, s stroke) bool {
	switch n := number(s.name); {
	case n >= 0:
		if !p.guarded(s) {
			p.tell(v, form.PromptDigit{N: n})
		}
	case s.name == "space":
		if !p.guarded(s) {
			p.tell(v, form.PromptDo{Command: form.PromptSpace})
		}
	case p.global(s.name) == "settings":
		p.openSettings()
	default:
		return false
	}
	return true
}

// number is the number of a digit key, else -1.
func number(name string) int {
	if len(name) == 1 && name[0] >= '0' && name[0] <= '9' {
		return int(name[0] - '0')
	}
	return -1
}

// filterKey takes what is typed into a single-select list. A prompt that has just taken the screen takes none of it: it was
// meant for something else and would choose which options can be seen.
func (p *Pane) filterKey(v *view, s stroke) bool {
	event := p.filterEvent(s)
	if event == nil {
		if p.global(s.name) == "settings" {
			p.openSettings()
		}
		return false
	}
	if !p.guard.closed(p.o.Now(), s.event.When()) {
		p.tell(v, event)
	}
	return true
}

func (p *Pane) filterEvent(s stroke) form.PromptEvent {
	n := number(s.name)
	switch {
	case p.conf.Pi.Matches(config.PiBackspace, s.name):
		return form.PromptDo{Command: form.PromptErase}
	case n >= 0:
		return form.PromptDigit{N: n}
	case s.name == "space":
		return form.PromptDo{Command: form.PromptSpace}
	case printable(s.event):
		return form.PromptType{Text: string(s.event.Rune())}
	}
	return nil
}

// pasteFilter takes a paste into the filter of a single-select list.
func (p *Pane) pasteFilter(v *view, text string) {
	if v.pick == nil || v.pick.Mode() != form.PromptList || p.guard.fresh(p.o.Now()) {
		return
	}
	p.tell(v, form.PromptType{Text: text})
}

// scrollPrompt scrolls a question that does not fit; false when there is nothing to scroll.
func (p *Pane) scrollPrompt(v *view, name string) bool {
	move := promptScrolls[name]
	if move == nil || !v.pick.scrolls {
		return false
	}
	page := v.sizes.prompt[0]
	v.prompt = clampTop(move(v.prompt, page), v.sizes.prompt[1], page)
	return true
}

// promptScrolls are where the keys that scroll a question of page rows lead from its line top.
var promptScrolls = map[string]func(top, page int) int{
	"pageUp":   func(top, page int) int { return top - max(1, page-1) },
	"pageDown": func(top, page int) int { return top + max(1, page-1) },
	"home":     func(int, int) int { return 0 },
	"end":      func(int, int) int { return 1 << 30 },
	"ctrl+u":   func(top, page int) int { return top - max(1, page/2) },
	"ctrl+d":   func(top, page int) int { return top + max(1, page/2) },
}

// freeEditorKey takes the keys of the editor: all but those that end it or turn the page belong to the text.
func (p *Pane) freeEditorKey(v *view, s stroke) bool {
	pi := p.conf.Pi
	switch {
	case p.guard.closed(p.o.Now(), s.event.When()):
	case s.name == "esc":
		p.endEditor(v, s, form.PromptEscape)
	case pi.Matches(config.PiCancel, s.name):
		p.endEditor(v, s, form.PromptCancel)
	case v.pick.Batch() && pageKeys[s.name] != "":
		p.tell(v, form.PromptDo{Command: pageKeys[s.name]})
	case pi.Matches(config.PiNewLine, s.name) || s.name == "alt+enter":
		v.typeKey(tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone))
	case pi.Matches(config.PiSubmit, s.name):
		if !v.continueLine() {
			p.endEditor(v, s, form.PromptConfirm)
		}
	case s.name == "enter" || s.name == "shift+tab" || s.name == "ctrl+j":
	default:
		v.typeKey(s.event)
	}
	return true
}

func (p *Pane) endEditor(v *view, s stroke, c form.PromptCommand) {
	if !p.guarded(s) {
		p.tellKey(v, s, form.PromptDo{Command: c})
	}
}

// reviewScrolls are the fixed keys that scroll the review page, besides the host's own.
var reviewScrolls = map[form.PromptCommand]int{form.PromptUp: -1, form.PromptDown: +1}

func (p *Pane) promptReviewKey(v *view, s stroke) bool {
	move := p.moveOf(s.name)
	end := p.endOf(s.name)
	switch n := number(s.name); {
	case pageKeys[s.name] != "":
		p.tell(v, form.PromptDo{Command: pageKeys[s.name]})
	case end != "":
		if !p.guarded(s) {
			p.tellKey(v, s, form.PromptDo{Command: end})
		}
	case n >= 0:
		if !p.guarded(s) {
			p.tell(v, form.PromptDigit{N: n})
		}
	case move != "":
		v.review += reviewScrolls[move]
	case p.global(s.name) == "settings":
		p.openSettings()
	default:
		return p.pageReview(v, s.name)
	}
	return true
}

func (p *Pane) pageReview(v *view, name string) bool {
	by := map[string]int{"pageUp": -1, "pageDown": +1}[name]
	v.review += by * max(1, v.sizes.review[0]-1)
	return by != 0
}

// closedPromptKey takes the keys of a prompt that can only be read: whatever would end or confirm it leaves it.
func (p *Pane) closedPromptKey(v *view, s stroke) {
	switch {
	case p.endOf(s.name) != "":
		if !p.guarded(s) {
			p.leave(v)
		}
	case s.name == readKey:
		p.overlay = newPromptReader(v)
	case pageKeys[s.name] != "" && v.pick.Batch():
		p.tell(v, form.PromptDo{Command: pageKeys[s.name]})
	case p.moveOf(s.name) != "" && v.pick.Mode() == form.PromptReview:
		v.review += reviewScrolls[p.moveOf(s.name)]
	case p.moveOf(s.name) != "" && v.pick.Mode() == form.PromptList:
		p.tell(v, form.PromptDo{Command: p.moveOf(s.name)})
	case s.name == settingsKey || p.global(s.name) == "settings":
		p.openSettings()
	default:
		p.scrollPrompt(v, s.name)
	}
}

// toggleKey hides a window prompt and brings it back, whatever else has the keys. False when the key is none of its.
func (p *Pane) toggleKey(s stroke) bool {
	v := p.onScreen()
	if v == nil || !v.window() || !sameKey(v.pick.settings().ToggleKey, s.name) || printable(s.event) && p.typing(v, s.name) {
		return false
	}
	switch s.repeats {
	case pressed:
		p.toggle(v)
	case perhaps: // pressed again at once to come back, or still held down: the next event tells
		p.second = &second{view: v, fire: func() { p.toggle(v) }, key: s.name, at: p.o.Now()}
		p.nudge()
	}
	return true
}

// typing reports whether a printable key is text where the keys go now: in the prompt or in an overlay, of which the history
// has a search.
func (p *Pane) typing(v *view, name string) bool {
	return p.overlay != nil || !p.inInbox && takes(v, name)
}

// takes reports whether an open prompt takes a printable key for itself: all where text is typed, digits and the blank
// where options are ticked.
func takes(v *view, name string) bool {
	switch v.pick.Mode() {
	case form.PromptEditor:
		return true
	case form.PromptList:
		return !v.pick.Multi() || name == "space" || number(name) >= 0
	case form.PromptReview:
		return number(name) >= 0
	}
	return false
}

// toggleOffer is the key that hides a window prompt, as its settings write it; empty where there is none, where it cannot
// be pressed, and where it types.
func toggleOffer(v *view) string {
	spec := v.pick.settings().ToggleKey
	name, err := config.NormaliseKey(spec)
	plain := len(name) == 1 || name == "space"
	if !v.window() || err != nil || plain && takes(v, name) {
		return ""
	}
	return shownLine(spec)
}

func (p *Pane) toggle(v *view) {
	p.leaving, p.said = false, ""
	if p.overlay != nil || p.inInbox {
		p.overlay, p.inInbox = nil, false
		return
	}
	p.hide(v)
}

// hide moves the focus to the inbox, from over which the window goes. The first time says how to come back.
func (p *Pane) hide(v *view) {
	if p.inInbox = len(p.listed()) > 0; !p.inInbox {
		return
	}
	p.inbox.enter(p.current, p.listed())
	if !v.pick.hinted {
		v.pick.hinted = true
		p.said = p.look.say("ask_user_question hidden — press ") + shownLine(v.pick.settings().ToggleKey) + " to reopen"
	}
}

// sameKey reports whether a key spec of the settings names a key.
func sameKey(spec, name string) bool {
	if spec == "" || name == "" {
		return false
	}
	want, err := config.NormaliseKey(spec)
	if err != nil {
		want = spec
	}
	have, err := config.NormaliseKey(name)
	return spec == name || err == nil && have == want
}
