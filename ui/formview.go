package ui

import (
	"fmt"
	"strings"

	"askd/broker/ask"
	"askd/config"
	"askd/ui/form"
)

// drawForm draws the form on screen into r: title and tabs, then the open tab.
func (p *Pane) drawForm(v *view, r rect) {
	v.clipped, v.hidden, v.editor = false, false, rect{}
	r = rect{r.x + 1, r.y, r.w - 2, r.h}
	if v.form.Mode() == form.ModeReview {
		p.drawReview(v, r)
		return
	}
	p.drawQuestion(v, r)
}

// frameParts are the wanted heights of what every tab begins with.
func frameParts(r *ask.Request) heights {
	var h heights
	if r.Title != "" {
		h[partTitle], h[partTitleGap] = 1, 1
	}
	h[partTabs], h[partTabsGap] = 1, 1
	return h
}

// drawFrame draws title and tabs.
func (p *Pane) drawFrame(v *view, r rect, h heights) {
	title := shownLine(v.form.Request().Title)
	top := r.rows(h.top(partTitle), h[partTitle])
	p.canvas.line(top, text(title, roleTitle))
	tabs := v.form.Tabs()
	if _, used := tabSpans(tabs, r.w); !p.look.plain && used > r.w+1-stripFrame && v.form.ActiveTab() < len(tabs)-1 && top.h > 0 {
		where := fmt.Sprintf("question %d of %d", v.form.ActiveTab()+1, len(tabs)-1)
		p.canvas.right(top, text(where, roleMuted), width(title)+2)
	}
	strip := rect{r.x - 1, r.y, r.w + 2, r.h} // the strip's own first blank is the form's indent
	p.canvas.line(strip.rows(h.top(partTabs), h[partTabs]), p.look.tabs(tabs, r.w+1))
}

// question is the open question, laid out for one size.
type question struct {
	prompt  []line
	note    []line
	noteH   int    // height of the question note's editor, 0 for none
	marker  string // of the images in that editor
	rows    block
	context []string
	beside  bool
	left    int // columns of the rows
	indent  int // of what stands under a row's label
	h       heights
}

func (p *Pane) drawQuestion(v *view, r rect) {
	q := p.layoutQuestion(v, r)
	p.drawFrame(v, r, q.h)
	v.prompt = p.drawText(r.rows(q.h.top(partPrompt), q.h[partPrompt]), q.prompt, v.prompt, hitPrompt)
	v.sizes.prompt = [2]int{q.h[partPrompt], len(q.prompt)}
	v.clipped = q.h[partPrompt] < len(q.prompt)
	p.drawNote(v, r, q)
	p.drawRows(v, r, q)
	p.drawPlace(v, r, q)
	p.drawContext(v, r, q)
}

// drawText draws a window of lines that the wheel scrolls.
func (p *Pane) drawText(r rect, lines []line, top int, what targetKind) int {
	p.canvas.areas = append(p.canvas.areas, region{r, target{kind: what}})
	return p.canvas.viewport(r, lines, top)
}

func (p *Pane) layoutQuestion(v *view, r rect) question {
	f := v.form
	q := question{prompt: p.textLines(f.Question().Prompt, r.w-1, rolePlain), left: r.w}
	rows := f.Rows()
	multi := f.QuestionType(f.ActiveTab()) == ask.Multi
	p.layoutContext(&q, f, rows, multi, r)
	style := newRowStyle(rows, multi, q.left-1, 0, p.look, &p.wraps) // the last column is for marks of more
	style.away = p.inInbox
	q.indent = style.indent
	editorH := p.editorHeight(v, &q, r)
	style.editorH = editorH
	q.rows = style.rowBlock(rows)
	p.layoutNote(&q, v, editorH, r)
	q.h = fit(q.wanted(f.Request()), r.h)
	return q
}

// editorHeight grows with the text, up to a third of the form.
func (p *Pane) editorHeight(v *view, q *question, r rect) int {
	e := v.form.Editor()
	if e == nil || v.area == nil {
		return 0
	}
	columns := q.left - q.indent - 1
	if e.Option < 0 {
		columns = r.w - 1
	}
	return min(v.editorLines(columns), max(1, r.h/3))
}

func (p *Pane) textLines(s string, columns int, role role) []line {
	parts := p.wraps.wrap(s, columns)
	out := make([]line, len(parts))
	for i, part := range parts {
		out[i] = text(part, role)
	}
	return out
}

// layoutContext decides whether the context stands beside the rows or below them, where it makes way for the free-form
// answer.
func (p *Pane) layoutContext(q *question, f *form.Form, rows []form.Row, multi bool, r rect) {
	context := f.Question().Context
	if context == "" {
		return
	}
	if q.beside = r.w+2 >= config.ContextBeside && !p.look.plain; q.beside {
		widest := newRowStyle(rows, multi, r.w, 0, p.look, &p.wraps).widest(rows)
		most := max(config.LeftMin, min(config.LeftMax, int(config.LeftRatio*float64(r.w))))
		q.left = min(max(widest+4, config.LeftMin), most)
		q.context = p.wraps.wrap(context, r.w-q.left-config.ColumnGap-4)
		return
	}
	if i := f.FocusRow(); i < len(rows) && rows[i].Custom {
		return
	}
	q.context = p.wraps.wrap(context, r.w-4)
}

func (p *Pane) layoutNote(q *question, v *view, editorH int, r rect) {
	if e := v.form.Editor(); e != nil && e.Option < 0 {
		q.noteH, q.marker = editorH, withImages("", e.Images)
		return
	}
	if note, images := v.form.QuestionNote(); note != "" || images > 0 {
		q.note = p.textLines("Note: "+withImages(note, images), r.w-1, roleTyped)
	}
}

// wanted are the heights that would show everything.
func (q *question) wanted(r *ask.Request) heights {
	h := frameParts(r)
	h[partPrompt] = len(q.prompt)
	h[partNote] = max(len(q.note), q.noteH)
	if q.marker != "" {
		h[partNote]++
	}
	h[partPromptGap] = 1
	h[partRows] = len(q.rows.lines)
	switch {
	case q.context == nil:
	case q.beside:
		h[partRows] = max(h[partRows], len(q.context)+2)
	default:
		h[partContextGap], h[partContext] = 1, len(q.context)+2
	}
	return h
}

func (p *Pane) drawNote(v *view, r rect, q question) {
	area := r.rows(q.h.top(partNote), q.h[partNote])
	if q.noteH > 0 {
		area = p.drawMarker(area, q.marker)
		v.drawEditor(p.canvas, area)
		p.canvas.areas = append(p.canvas.areas, region{area, target{kind: hitEditor}})
		return
	}
	p.canvas.viewport(area, q.note, 0)
	v.clipped = v.clipped || area.h < len(q.note)
}

// drawMarker draws the marker of the question note's images below its editor, or beside it where there is one row, and
// gives what is left for the editor.
func (p *Pane) drawMarker(r rect, marker string) rect {
	w := width(marker)
	switch {
	case marker == "" || r.h < 1:
	case r.h > 1:
		p.canvas.line(r.rows(r.h-1, 1), text(marker, roleTyped))
		r.h--
	case r.w > 2*w:
		p.canvas.line(rect{r.x + r.w - w, r.y, w, 1}, text(marker, roleTyped))
		r.w -= w + 1
	}
	return r
}

// drawPlace says which of how many rows has the focus, where not all can be seen: in the rule above the foot, which has
// room for it at every width, and without a rule at the end of the strip.
func (p *Pane) drawPlace(v *view, r rect, q question) {
	if q.h[partRows] >= len(q.rows.lines) {
		return
	}
	place := fmt.Sprintf(" row %d%s%d ", v.form.FocusRow()+1, p.look.of, len(v.form.Rows()))
	if rule := p.canvas.bottom; rule.h > 0 {
		p.canvas.right(rect{rule.x, rule.y, rule.w - 1, 1}, text(place, roleMuted), 0)
		return
	}
	strip := r.rows(q.h.top(partTabs), q.h[partTabs])
	p.canvas.right(strip, text(place, roleMuted), p.look.tabs(v.form.Tabs(), r.w+1).width())
}

func (p *Pane) drawRows(v *view, r rect, q question) {
	area := rect{r.x, r.y, q.left, r.h}.rows(q.h.top(partRows), q.h[partRows])
	if !v.free {
		v.rows = reveal(v.rows, q.rows.from, q.rows.to, area.h)
		if q.rows.editor >= 0 { // the line being written matters more than the label above it
			v.rows = max(v.rows, q.rows.editor+q.rows.editorH-area.h)
		}
	}
	v.rows = p.drawText(area, q.rows.lines, v.rows, hitRows)
	v.clipped = v.clipped || q.rows.to-q.rows.from > area.h
	if q.rows.editor < 0 {
		return
	}
	top := q.rows.editor - v.rows
	if top < 0 || top >= area.h {
		return
	}
	editor := rect{area.x + q.indent, area.y + top, area.w - q.indent, min(q.rows.editorH, area.h-top)}
	v.drawEditor(p.canvas, editor)
	p.canvas.areas = append(p.canvas.areas, region{editor, target{kind: hitEditor}})
}

// drawContext draws the box with the question's context, or, where it has no room, a sign of it.
func (p *Pane) drawContext(v *view, r rect, q question) {
	v.sizes.context = [2]int{}
	if q.context == nil {
		return
	}
	box := r.rows(q.h.top(partContext), q.h[partContext])
	if q.beside {
		x := q.left + config.ColumnGap
		box = rect{r.x + x, r.y, r.w - x, r.h}.rows(q.h.top(partRows), min(q.h[partRows], len(q.context)+2))
	}
	if box.h < 3 || box.w < config.BoxMin {
		v.hidden = true
		p.canvas.line(box, text(p.look.say("▾ context: Ctrl+O"), roleAccent))
		return
	}
	inner := rect{box.x + 2, box.y + 1, box.w - 3, box.h - 2}
	p.drawBox(box)
	lines := make([]line, len(q.context))
	for i, s := range q.context {
		lines[i] = text(s, rolePlain)
	}
	v.context = p.drawText(inner, lines, v.context, hitContext)
	p.canvas.areas[len(p.canvas.areas)-1].rect = box
	v.sizes.context = [2]int{inner.h, len(lines)}
	v.clipped = v.clipped || inner.h < len(lines)
}

// drawBox draws a border.
func (p *Pane) drawBox(r rect) {
	inner := strings.Repeat("─", max(0, r.w-2))
	p.canvas.line(r, p.look.boxTop("┌"+inner+"┐"))
	for y := 1; y < r.h-1; y++ {
		p.canvas.stroke(r.x, r.y+y, "│", roleAccent)
		p.canvas.stroke(r.x+r.w-1, r.y+y, "│", roleAccent)
	}
	p.canvas.line(r.rows(r.h-1, 1), text(p.look.say("└"+inner+"┘"), roleAccent))
}
