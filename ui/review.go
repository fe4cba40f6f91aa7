package ui

import (
	"fmt"
	"slices"

	"askd/config"
	"askd/ui/form"
)

// drawReview draws the Review tab: the actions, and what has been answered beside or above them.
func (p *Pane) drawReview(v *view, r rect) {
	h := frameParts(v.form.Request())
	left, beside := p.reviewColumns(v.form, r.w)
	actions := p.look.actionLines(v.form, left, r.h >= roomyRows)
	answers := p.look.reviewColumn(v.form, r.w, left, beside)
	if r.h < roomyRows && !beside {
		answers = answers[2:] // the open tab says as much as the heading
	}
	h[partRows] = len(actions)
	h[partPrompt], h[partPromptGap] = len(answers), 1
	if beside {
		h[partPrompt], h[partPromptGap] = 0, 0
		h[partRows] = max(len(actions), len(answers))
	}
	h = fitReview(h, r.h, len(actions))
	p.drawFrame(v, r, h)
	area := r.rows(h.top(partPrompt), h[partPrompt])
	if beside {
		area = rect{r.x + left + config.ColumnGap, r.y, r.w - left - config.ColumnGap, r.h}.rows(h.top(partRows), h[partRows])
	}
	v.review = p.drawText(area, answers, v.review, hitReview)
	v.sizes.review = [2]int{area.h, len(answers)}
	v.clipped = area.h < len(answers)
	p.canvas.lines(rect{r.x, r.y, left, r.h}.rows(h.top(partRows), min(h[partRows], len(actions))), actions)
}

// reviewColumns is the width of the actions, and whether the answers stand beside them.
func (p *Pane) reviewColumns(f *form.Form, columns int) (left int, beside bool) {
	left = config.LeftMin
	for _, a := range f.Actions() {
		left = max(left, 6+width(a.Label))
	}
	if !p.look.plain && columns+2 >= config.ReviewBeside && columns-left-config.ColumnGap >= config.ReviewMin {
		return left, true
	}
	return columns, false
}

func (k *look) reviewColumn(f *form.Form, columns, left int, beside bool) []line {
	if beside {
		columns -= left + config.ColumnGap
	}
	return k.reviewLines(f.Review(), columns-1)
}

// fitReview gives the actions their rows first.
func fitReview(h heights, room, actions int) heights {
	if over := h.sum() - room; over > 0 && h[partRows] > actions {
		h[partRows] -= min(over, h[partRows]-actions)
	}
	return fit(h, room)
}

// actionLines are the Review actions and the hint below them.
func (k *look) actionLines(f *form.Form, columns int, roomy bool) []line {
	var out []line
	for i, a := range f.Actions() {
		pointer, r := k.pointing(a.Focused), rolePlain
		if a.Focused {
			r = roleFocused
		}
		if a.Pending {
			r = roleWarning
		}
		l := line{{text: pointer, role: roleAccent}, {text: fmt.Sprintf("%d. %s", a.Number, a.Label) + k.place(a.Focused, "action", a.Number, len(f.Actions())), role: r, caret: a.Focused}}
		out = append(out, l.with(target{kind: hitAction, index: i}))
	}
	hint := f.ReviewHint()
	if !roomy && !slices.ContainsFunc(f.Actions(), func(a form.Action) bool { return a.Pending }) {
		hint = "" // the first press tells it as well, and answers need the room
	}
	if roomy && (hint != "" || unanswered(f) != "") {
		out = append(out, nil)
	}
	says := []span{{text: unanswered(f), role: roleWarning}, {text: hint, role: roleMuted}}
	if !roomy {
		slices.Reverse(says) // what asks for a key stays in sight
	}
	for _, s := range says {
		if s.text == "" {
			continue
		}
		for _, part := range wrap(s.text, columns) {
			out = append(out, text(part, s.role))
		}
	}
	return out
}

// unanswered says how many questions would be left open; empty for none. Skipped ones are not open: that is an answer.
func unanswered(f *form.Form) string {
	n, items := 0, f.Review()
	for _, item := range items {
		if item.Unanswered {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d unanswered.", n, len(items))
}

// reviewLines list every question with its answers and notes.
func (k *look) reviewLines(items []form.ReviewItem, columns int) []line {
	w := reviewWriter{look: k, columns: columns, out: []line{text("Review answers", roleTitle), nil}}
	for i, item := range items {
		if i > 0 {
			w.out = append(w.out, nil)
		}
		w.item(item)
	}
	return w.out
}

type reviewWriter struct {
	look    *look
	columns int
	out     []line
}

func (w *reviewWriter) item(item form.ReviewItem) {
	w.add("", item.Label, roleStrong)
	switch {
	case item.Skipped:
		w.add(w.look.say("  → "), "skipped", roleMuted)
	case item.Unanswered:
		w.add(w.look.say("  → "), "unanswered", roleMuted)
	}
	for _, a := range item.Answers {
		r := roleSuccess
		if a.CustomOnly {
			r = rolePlain
		}
		w.add(w.look.say("  → "), a.Text, r)
		w.note("Note: ", a.Note, a.NoteImages)
	}
	w.note("Note: ", item.Note, item.NoteImages)
	for _, n := range item.Unselected {
		w.note(n.OptionLabel+" Note: ", n.Note, n.NoteImages)
	}
}

func (w *reviewWriter) note(head, note string, images int) {
	if note != "" || images > 0 {
		w.add("    ", head+withImages(note, images), roleMuted)
	}
}

// add writes text under a head, the following lines hanging below its beginning.
func (w *reviewWriter) add(head, what string, r role) {
	for i, part := range wrap(shown(what), w.columns-width(head)) {
		if i > 0 {
			head = pad("", width(head))
		}
		w.out = append(w.out, line{{text: head, role: r}, {text: part, role: r}})
	}
}
