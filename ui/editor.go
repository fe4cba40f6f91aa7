package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"askd/config"
	"askd/ui/form"
)

// The published placeholders.
const (
	answerPlaceholder = "Type answer..."
	notePlaceholder   = "Add a note..."
)

// sync makes the text area agree with the form's open editor, and begins the scroll positions anew on another tab.
func (v *view) sync(p *Pane) {
	if tab := v.openTab(); tab != v.tab {
		v.tab, v.prompt, v.context, v.rows, v.review = tab, 0, 0, 0, 0
	}
	if v.pick != nil {
		v.syncPrompt(p)
		return
	}
	e := v.form.Editor()
	if e == nil || v.form.Mode() == form.ModeDone {
		v.area, v.editor = nil, rect{}
		v.images.end()
		return
	}
	if v.area != nil && v.serial == e.Serial {
		return
	}
	v.images.end()
	v.serial = e.Serial
	v.area = newArea(e.Text, func(text string) { p.feed(v, form.EditText{Text: text}) })
}

// syncPrompt does the same for a prompt.
func (v *view) syncPrompt(p *Pane) {
	if v.pick.Mode() != form.PromptEditor {
		v.area, v.editor = nil, rect{}
		return
	}
	if v.area == nil || v.serial != v.pick.Serial() {
		v.serial = v.pick.Serial()
		v.area = newArea(v.pick.Text(), func(text string) { p.tell(v, form.PromptEdit{Text: text}) })
	}
}

// newArea is an editor that tells of every change.
func newArea(text string, changed func(string)) *tview.TextArea {
	area := tview.NewTextArea().
		SetTextStyle(tcell.StyleDefault).
		SetSelectedStyle(tcell.StyleDefault.Reverse(true)).
		SetText(text, true)
	area.SetBackgroundColor(tcell.ColorDefault)
	area.SetChangedFunc(func() { changed(area.GetText()) })
	area.Focus(func(tview.Primitive) {})
	return area
}

func nowhere(tview.Primitive) {}

// editorContext is the keymap context of an open editor.
func editorContext(m form.Mode) config.Context {
	if m == form.ModeNoteEditor {
		return config.NoteEditor
	}
	return config.Editor
}

// newlineKeys put a line end into the text whatever Enter does. Ctrl+J is what plain terminals send for a line feed.
var newlineKeys = map[string]bool{"shift+enter": true, "alt+enter": true, "ctrl+j": true, "ctrl+enter": true}

func (p *Pane) editorKey(v *view, s stroke) {
	if p.guard.closed(p.o.Now(), s.event.When()) && !p.guard.known {
		return
	}
	if p.completionKey(s) {
		return
	}
	action, ok := p.conf.Keymaps.Action(editorContext(v.form.Mode()), s.name)
	switch {
	case ok && p.editorAction(v, s, form.Command(action)):
	case !ok && p.imageKey(v, s):
	case newlineKeys[s.name]:
		v.typeKey(tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone))
	case s.name == readKey:
		p.overlay = newReader(v)
	case s.event.Key() == tcell.KeyEsc || s.event.Key() == tcell.KeyBacktab:
	default:
		v.typeKey(s.event)
	}
}

// whenEmpty are the commands that a text in the editor turns back into cursor keys.
var whenEmpty = map[form.Command]bool{
	form.NextOptionEmpty: true, form.PrevOptionEmpty: true, form.NextTabEmpty: true, form.PrevTabEmpty: true,
}

// editorAction gives a command to the form; false means that the key belongs to the text.
func (p *Pane) editorAction(v *view, s stroke, c form.Command) bool {
	if whenEmpty[c] && v.area.GetTextLength() > 0 {
		return false
	}
	if c != form.EditorClose && s.event.Key() == tcell.KeyEnter && v.continueLine() {
		return true
	}
	p.do(v, s, c)
	return true
}

// continueLine turns a backslash before the cursor and Enter into a line end.
func (v *view) continueLine() bool {
	_, start, _ := v.area.GetSelection()
	text := v.area.GetText()
	if start > len(text) || !strings.HasSuffix(text[:start], `\`) {
		return false
	}
	v.typeKey(tcell.NewEventKey(tcell.KeyBackspace2, 0, tcell.ModNone))
	v.typeKey(tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone))
	return true
}

func (v *view) typeKey(e *tcell.EventKey) { v.area.InputHandler()(e, nowhere) }

// paste inserts text into the open editor or filter; anywhere else a paste does nothing, so it can never choose or submit.
func (p *Pane) paste(text string) {
	if o, ok := p.overlay.(*history); ok {
		o.paste(text)
		return
	}
	v := p.onScreen()
	if v == nil || p.overlay != nil || p.inInbox || v.closed() || v.busy() {
		return
	}
	switch {
	case v.area == nil:
		p.pasteFilter(v, text)
		return
	case p.guard.fresh(p.o.Now()) && !p.guard.known:
		return // like what is typed
	}
	v.area.PasteHandler()(text, nowhere)
	p.follow()
}

// drawEditor draws the open editor into r and keeps its window on the text where that is shorter than r.
func (v *view) drawEditor(c *canvas, r rect) {
	v.editor = r
	if r.w <= 0 || r.h <= 0 {
		return
	}
	c.hits = append(c.hits, region{r, target{kind: hitEditor}})
	area := rect{r.x, r.y, r.w - 1, r.h}
	total := v.editorLines(area.w)
	top, _ := v.area.GetOffset()
	if t := clampTop(top, total, r.h); t != top {
		v.area.SetOffset(t, 0)
		top = t
	}
	if _, _, row, column := v.area.GetCursor(); row == top+r.h && column == 0 {
		v.area.SetOffset(top+1, 0) // a full last line has pushed the cursor below the window
	}
	v.area.SetRect(area.x, area.y, area.w, area.h)
	v.area.Draw(c.screen)
	if v.area.GetTextLength() == 0 {
		c.line(area, text(v.placeholder(), roleMuted))
	}
	top, _ = v.area.GetOffset()
	if top > 0 {
		c.mark(r, 0, "▴")
	}
	if top+r.h < total {
		c.mark(r, r.h-1, "▾")
	}
}

func (v *view) placeholder() string {
	switch {
	case v.pick != nil:
		return freePlaceholder
	case v.form.Mode() == form.ModeNoteEditor:
		return notePlaceholder
	}
	if q := v.form.Question(); q != nil && q.Placeholder != "" {
		return shownLine(q.Placeholder)
	}
	return answerPlaceholder
}

const maxBroken = 16 << 10

// editorLines is how many lines the open editor takes. Its own breaking counts blanks at line ends, so that the cursor can
// be further down than the text alone would say.
func (v *view) editorLines(columns int) int {
	_, _, row, _ := v.area.GetCursor()
	return max(editorLines(v.area.GetText(), columns), row+1)
}

// editorLines is how many lines a text takes in an editor, with the one that the cursor needs after a full line.
// Of a very long text only the lines that the person made are counted: it is not worth breaking anew for every key.
func editorLines(text string, columns int) int {
	if len(text) > maxBroken {
		return strings.Count(text, "\n") + 1
	}
	lines := wrap(strings.ReplaceAll(text, "\t", "    "), columns)
	n := len(lines)
	if width(lines[n-1]) >= columns {
		n++
	}
	return n
}
