package ui

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"askd/broker/ask"
	"askd/ui/form"
)

// root is the one primitive that tview knows.
type root struct {
	*tview.Box
	pane *Pane
}

// Draw draws the whole pane.
func (r *root) Draw(screen tcell.Screen) { r.pane.draw(screen) }

// PasteHandler takes a whole paste.
func (r *root) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		r.pane.acted.Store(true)
		r.pane.paste(text)
	}
}

// MouseHandler takes mouse actions; a drag in an editor keeps coming here.
func (r *root) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(a tview.MouseAction, e *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		r.pane.acted.Store(true)
		x, y := e.Position()
		r.pane.mouse(a, e, x, y)
		return a != tview.MouseMove || r.pane.press.editor, nil
	}
}

// press is where a button went down.
type press struct {
	target target
	form   ask.Key
	tab    int
	editor bool // in an editor: the moves that follow select text
}

func (p *Pane) mouse(a tview.MouseAction, e *tcell.EventMouse, x, y int) {
	defer p.follow()
	if p.tiny() {
		return
	}
	switch a {
	case tview.MouseLeftDown:
		p.pressed(e, x, y)
	case tview.MouseMove, tview.MouseLeftUp:
		p.dragged(a, e)
	case tview.MouseLeftClick, tview.MouseLeftDoubleClick:
		p.clicked(a, e, x, y)
	case tview.MouseScrollUp:
		p.wheel(x, y, -3)
	case tview.MouseScrollDown:
		p.wheel(x, y, +3)
	}
}

func (p *Pane) pressed(e *tcell.EventMouse, x, y int) {
	p.press = press{target: p.canvas.hit(x, y), form: p.current}
	if v := p.onScreen(); v != nil {
		p.press.tab = v.openTab()
	}
	if p.press.target.kind == hitEditor && !p.elsewhere() {
		p.press.editor = true
		p.toEditor(tview.MouseLeftDown, e)
	}
}

func (p *Pane) dragged(a tview.MouseAction, e *tcell.EventMouse) {
	if p.press.editor {
		p.toEditor(a, e)
	}
	if a == tview.MouseLeftUp {
		p.press.editor = false
	}
}

func (p *Pane) toEditor(a tview.MouseAction, e *tcell.EventMouse) {
	if v := p.onScreen(); v != nil && v.area != nil && p.overlay == nil && !v.closed() {
		v.area.MouseHandler()(a, e, nowhere)
	}
}

// elsewhere reports whether the form has not got the focus, so that the next click only gives it.
func (p *Pane) elsewhere() bool { return p.outside || p.inInbox }

// clicked acts on what lay under the button when it went down and still lies there. The screen may have changed between.
func (p *Pane) clicked(a tview.MouseAction, e *tcell.EventMouse, x, y int) {
	t := p.canvas.hit(x, y)
	same := t == p.press.target && p.press.form == p.current
	if p.outside {
		p.outside = false
		p.touched()
		return
	}
	switch {
	case (p.overlay != nil || p.inInbox) && p.rose.early(p.o.Now(), e.When()):
	case p.overlay != nil:
		if t == p.press.target {
			p.overlay.click(p, t)
		}
	case t.kind == hitEntry:
		p.clickEntry(t.key, same)
	case p.inInbox:
		p.inInbox = false
	case t.kind == hitEditor && a == tview.MouseLeftDoubleClick:
		p.toEditor(a, e)
	case t.kind == hitPath && same:
		p.complete.chooseAt(p, t.index)
	case same:
		p.clickForm(t, e)
	}
}

// clickEvents are the form events of what can be clicked.
var clickEvents = map[targetKind]func(i int) form.Event{
	hitRow:    func(i int) form.Event { return form.ClickRow{Index: i} },
	hitTab:    func(i int) form.Event { return form.ClickTab{Index: i} },
	hitAction: func(i int) form.Event { return form.ClickAction{Index: i} },
}

func (p *Pane) clickForm(t target, e *tcell.EventMouse) {
	v := p.onScreen()
	if v == nil || v.busy() || v.closed() || v.openTab() != p.press.tab {
		return
	}
	if t.kind != hitTab && p.guard.closed(p.o.Now(), e.When()) {
		return
	}
	v.free = false
	if v.pick != nil {
		p.clickPrompt(v, t)
		return
	}
	if event := clickEvents[t.kind]; event != nil {
		p.feed(v, event(t.index))
	}
}

// clickPrompt is a click on a row or a page of a prompt.
func (p *Pane) clickPrompt(v *view, t target) {
	switch t.kind {
	case hitRow:
		p.tell(v, form.PromptClickRow{Index: t.index})
	case hitTab:
		p.tell(v, form.PromptClickPage{Index: t.index})
	}
}

// wheel scrolls what lies under the pointer.
func (p *Pane) wheel(x, y, by int) {
	if p.overlay != nil {
		p.overlay.wheel(p, by)
		return
	}
	v := p.onScreen()
	switch t := p.canvas.area(x, y); {
	case t.kind == hitInbox:
		p.inbox.top += by
		p.inbox.free = true
	case v == nil:
		p.idleTop += by
	case t.kind == hitPath:
		p.complete.step(by)
	case t.kind == hitEditor:
		v.scrollEditor(by)
	case v.pick != nil && t.kind == hitRows:
		p.wheelRows(v, by)
	default:
		v.scroll(t.kind, by)
	}
}

// wheelRows moves the focus of a prompt's list: the list shows what is around it. It stops at both ends.
func (p *Pane) wheelRows(v *view, by int) {
	to := v.pick.FocusedRow() + 1
	c := form.PromptDown
	if by < 0 {
		to, c = to-2, form.PromptUp
	}
	if to >= 0 && to < len(v.pick.Rows()) && !v.closed() && !v.busy() {
		p.tell(v, form.PromptDo{Command: c})
	}
}

func (v *view) scroll(what targetKind, by int) {
	switch what {
	case hitPrompt:
		v.prompt += by
	case hitContext:
		v.context += by
		if v.pick != nil {
			v.pick.details += by
		}
	case hitReview:
		v.review += by
	case hitRows:
		v.rows += by
		v.free = true
	}
}

func (v *view) scrollEditor(by int) {
	if v.area == nil {
		return
	}
	top, _ := v.area.GetOffset()
	v.area.SetOffset(max(0, top+by), 0)
}
