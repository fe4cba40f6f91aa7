package ui

import (
	"slices"

	"askd/broker/ask"
	"askd/ui/form"
)

// picker is an open ask_user_question prompt and what of its look is no part of its state.
type picker struct {
	*form.Prompt
	details  int  // scroll position of the details pane, in lines
	focus    int  // the row that details belongs to
	hinted   bool // the person has been told how to bring the overlay back
	scrolls  bool // the question did not fit in the last frame
	bare     bool // there was no room for a border
	previews bool // there are previews, but no room for them beside the list
	unnamed  bool // the help had no room for the key that hides the window
}

func newPicker(r *ask.Request) *picker { return &picker{Prompt: form.NewPrompt(r)} }

// settings are the preferences that the prompt was opened with.
func (k *picker) settings() ask.PromptSettings {
	if s := k.Request().Prompt; s != nil {
		return *s
	}
	return ask.PromptSettings{DisplayMode: "inline", Layout: "auto", ToggleKey: "alt+o"}
}

// window reports whether the view is shown in a window over the pane, not in its body.
func (v *view) window() bool { return v.pick != nil && v.pick.settings().DisplayMode == "overlay" }

// promptFrame is a prompt laid out for one width and at most so many rows.
type promptFrame struct {
	question []line // or the heading of the review page
	list     pageList
	details  []line // beside the list; nil for none
	left     int    // columns of the list
	right    int    // columns of the details
	answers  []line // of the review page
	help     [2][]line
	h        promptHeights
	bare     bool // there is no room for a border
}

// Columns of the frame: its two sides, each with a blank, and the blank before running text.
const (
	frameSides = 4
	textPad    = 1
	leastFrame = 6 // from so many rows on there is a border
)

// layoutPrompt lays out a prompt for a width and at most room rows.
func (p *Pane) layoutPrompt(v *view, columns, room int) promptFrame {
	f := promptFrame{bare: room < leastFrame}
	v.pick.bare = f.bare
	if f.bare {
		room += 2
	}
	inner := columns - frameSides
	lay := map[form.PromptMode]func(*Pane, *view, *promptFrame, int) promptHeights{
		form.PromptList: (*Pane).layoutList, form.PromptEditor: (*Pane).layoutEditor, form.PromptReview: (*Pane).layoutAnswers,
	}[v.pick.Mode()]
	if lay == nil { // it is being saved
		return f
	}
	want := lay(p, v, &f, inner)
	for _, v.pick.scrolls = range []bool{false, true} { // the keys that scroll are part of the help, which takes room
		f.help[0] = p.helpWhole(v, inner)
		want.help = len(f.help[0])
		f.h = fitPrompt(want, room-2, len(p.warningLines(v, 1<<20))+1)
		if f.h.question == want.question {
			break
		}
	}
	v.pick.unnamed = false
	if f.h.help < want.help {
		f.help[1] = p.helpCut(v, inner, f.h.help)
		v.pick.unnamed = toggleOffer(v) != "" && !names(f.help[1], hideHelp(v).text)
	}
	return f
}

// rows is how high the frame is.
func (f *promptFrame) rows() int {
	if f.bare {
		return f.h.sum()
	}
	return f.h.sum() + 2
}

func (p *Pane) layoutList(v *view, f *promptFrame, inner int) promptHeights {
	f.question = p.questionLines(v, inner)
	f.left = inner
	split := false
	if v.pick.settings().Layout != "list" && !p.look.plain {
		f.left, f.right, split = splitColumns(inner)
	}
	style := choiceStyle{multi: v.pick.Multi(), split: split, look: p.look, columns: f.left, away: p.inInbox, wraps: &p.wraps}
	if !style.multi {
		f.list.head = []line{filterLine(v.pick.Filter(), f.left)}
		if v.pick.NoMatch() {
			f.list.head = append(f.list.head, text(noOptions, roleWarning))
		}
	}
	f.list.items, f.list.focus = style.items(v.pick.Rows())
	body := f.list.height()
	v.pick.previews = !split && slices.ContainsFunc(v.pick.Rows(), func(r form.PromptRow) bool { return r.Preview != "" })
	if split {
		f.details = p.detailLines(v, f.right)
		body = max(body, p.tallestDetails(v, f.right))
	}
	return promptHeights{lead: 1, question: len(f.question), gap: 1, body: body, tail: 1}
}

// questionLines are the question, broken for its place in the frame.
func (p *Pane) questionLines(v *view, inner int) []line {
	q := v.pick.Question()
	if q == nil {
		return nil
	}
	return p.textLines(q.Prompt, inner-2*textPad, roleStrong)
}

// editorRows is how high an editor is with nothing in it: it must be seen as a place to write in.
const editorRows = 3

func (p *Pane) layoutEditor(v *view, f *promptFrame, inner int) promptHeights {
	f.question = p.questionLines(v, inner)
	body := editorRows
	if v.area != nil {
		body = max(body, v.editorLines(inner-2*textPad-1))
	}
	return promptHeights{lead: 1, question: len(f.question), gap: 1, body: editorHead + body, tail: 1}
}

func (p *Pane) layoutAnswers(v *view, f *promptFrame, inner int) promptHeights {
	f.question = []line{text(reviewHeading, roleStrong)}
	f.answers = p.answerLines(v, inner-2*textPad)
	return promptHeights{question: len(f.question), gap: 1, body: len(f.answers), tail: 1}
}

// drawPrompt draws a prompt into the pane's body, no higher than it needs to be.
func (p *Pane) drawPrompt(v *view, r rect) {
	f := p.layoutPrompt(v, r.w, r.h)
	p.drawPromptFrame(v, &f, r.rows(0, f.rows()))
}

// drawPromptFrame draws what was laid out for a place.
func (p *Pane) drawPromptFrame(v *view, f *promptFrame, outer rect) {
	v.clipped, v.hidden, v.editor = false, false, rect{}
	inner := rect{outer.x + 2, outer.y, outer.w - frameSides, outer.h}
	if !f.bare {
		p.drawBorder(v, outer)
		inner = rect{inner.x, inner.y + 1, inner.w, inner.h - 2}
	}
	top := f.h.lead
	v.prompt = p.drawQuestionPart(v, inner.rows(top, f.h.question), f.question, v.prompt)
	top += f.h.question + f.h.gap
	p.drawPromptBody(v, f, inner.rows(top, f.h.body))
	top += f.h.body + f.h.tail
	help := f.help[0]
	if f.help[1] != nil {
		help = f.help[1]
	}
	p.canvas.lines(padded(inner.rows(top, f.h.help)), help)
}

// padded leaves a blank at both sides.
func padded(r rect) rect { return rect{r.x + textPad, r.y, r.w - 2*textPad, r.h} }

// drawQuestionPart draws a window of the question, with marks in front where there is more of it.
func (p *Pane) drawQuestionPart(v *view, r rect, lines []line, top int) int {
	if v.pick.Mode() != form.PromptReview {
		v.sizes.prompt = [2]int{r.h, len(lines)}
		v.clipped = v.clipped || r.h < len(lines)
	}
	return p.drawMarked(r, lines, top, hitPrompt)
}

// drawMarked draws a window of lines. Marks in front of the first and the last row say that there is more.
func (p *Pane) drawMarked(r rect, lines []line, top int, what targetKind) int {
	top = clampTop(top, len(lines), r.h)
	if r.h <= 0 {
		return top
	}
	p.canvas.areas = append(p.canvas.areas, region{r, target{kind: what}})
	if len(lines) <= r.h {
		p.canvas.lines(padded(r), lines)
		return top
	}
	p.canvas.lines(rect{r.x + 2*textPad, r.y, r.w - 2*textPad, r.h}, lines[top:])
	above, below := top > 0, top+r.h < len(lines)
	switch {
	case r.h == 1 && above && below:
		p.canvas.stroke(r.x, r.y, p.look.scrolls[2], roleAccent)
		return top
	case above:
		p.canvas.stroke(r.x, r.y, p.look.scrolls[0], roleAccent)
	}
	if below {
		p.canvas.stroke(r.x, r.y+r.h-1, p.look.scrolls[1], roleAccent)
	}
	return top
}

func (p *Pane) drawPromptBody(v *view, f *promptFrame, r rect) {
	switch v.pick.Mode() {
	case form.PromptList:
		p.drawList(v, f, r)
	case form.PromptEditor:
		p.drawFreeEditor(v, r)
	case form.PromptReview:
		p.canvas.rest(padded(r).x, r.y)
		v.review = p.drawMarked(r, f.answers, v.review, hitReview)
		v.sizes.review = [2]int{r.h, len(f.answers)}
		v.clipped = r.h < len(f.answers)
	}
}

func (p *Pane) drawList(v *view, f *promptFrame, r rect) {
	lines, clipped := f.list.window(r.h, p.look.of)
	left := rect{r.x, r.y, f.left, r.h}
	v.clipped = v.clipped || clipped && len(f.list.items[f.list.focus]) > r.h-1
	p.canvas.areas = append(p.canvas.areas, region{left, target{kind: hitRows}})
	p.canvas.lines(left, lines)
	if f.details == nil {
		return
	}
	for y := range r.h {
		p.canvas.stroke(left.x+left.w+1, r.y+y, "│", roleMuted)
	}
	p.drawDetails(v, f.details, rect{left.x + left.w + splitGap, r.y, f.right, r.h})
}

// editorHead are the rows above the text that is being written.
const (
	editorHead    = 2
	customHeading = "Custom response"
)

func (p *Pane) drawFreeEditor(v *view, r rect) {
	head := min(editorHead, r.h-1)
	if head > 0 {
		p.canvas.line(padded(r.rows(0, 1)), text(customHeading, roleStrong))
	}
	if v.area == nil {
		return
	}
	area := padded(r.rows(head, r.h-head))
	v.drawEditor(p.canvas, area)
	p.canvas.areas = append(p.canvas.areas, region{area, target{kind: hitEditor}})
	if p.inInbox {
		p.canvas.screen.HideCursor()
	}
}
