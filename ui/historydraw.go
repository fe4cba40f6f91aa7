package ui

import (
	"fmt"
	"slices"
	"strings"

	"askd/broker"
	"askd/broker/ask"
)

// draw draws the list on the whole screen.
func (o *history) draw(p *Pane, c *canvas, r rect) {
	c.wipe(r)
	o.drawHead(p, c, r.rows(0, 1))
	top, foot := 1, 1
	if r.h >= ruledRows {
		c.rule(r.rows(1, 1), roleMuted)
		c.rule(r.rows(r.h-2, 1), roleMuted)
		top, foot = 2, 2
	}
	notice := o.notice(r.w - 2)
	notice = notice[:min(len(notice), max(1, r.h/4))]
	body := rect{r.x + 1, r.y, r.w - 2, r.h}
	body = body.rows(top, r.h-top-foot-len(notice))
	if o.prompt != nil || o.query.Text != "" {
		o.drawPrompt(c, body.rows(0, 1))
		body = body.rows(1, body.h-1)
	}
	o.drawList(p, c, body)
	c.lines(rect{r.x + 1, body.y + body.h, r.w - 2, len(notice)}, notice)
	c.line(r.rows(r.h-1, 1), text(c.look.fitHints(o.hints(), r.w), roleMuted))
}

// drawHead says how many questions there are and, as always, what waits.
func (o *history) drawHead(p *Pane, c *canvas, r rect) {
	left := line{{text: " History", role: roleTitle}, {text: "   " + o.count(), role: rolePlain}}
	c.line(r, left)
	waits := roleMuted
	if p.waiting() > 0 {
		waits = roleWarning
	}
	short, _, _ := p.counts()
	for _, says := range []string{p.headCount(), fmt.Sprintf("%d waiting", short)} {
		if c.right(r, text(says+" ", waits), left.width()+2) {
			return
		}
	}
}

func (o *history) count() string {
	switch {
	case o.total < 0 && o.reads.failed:
		return ""
	case o.reads.loading && o.query.Text != "":
		return "searching…"
	case o.total < 0:
		return "reading…"
	case o.query.Text != "" && o.total > 0:
		return grouped(o.total) + " found"
	case o.total == 0:
		return ""
	}
	return questions(o.total)
}

// drawPrompt draws the line that is being typed, or the search that holds.
func (o *history) drawPrompt(c *canvas, r rect) {
	if o.prompt == nil {
		c.line(r, line{{text: "Search: ", role: roleMuted}, {text: shownLine(o.query.Text), role: roleStrong}})
		return
	}
	c.line(r, text(o.prompt.label, roleAccent))
	n := width(o.prompt.label)
	if r.h <= 0 || r.w <= n {
		return
	}
	field := rect{r.x + n, r.y, r.w - n, 1}
	o.prompt.area.SetRect(field.x, field.y, field.w, field.h)
	o.prompt.area.Draw(c.screen)
	o.prompt.drawCuts(c, field)
}

// drawCuts marks the ends at which more of the line is out of sight.
func (q *prompt) drawCuts(c *canvas, field rect) {
	_, left := q.area.GetOffset()
	_, _, _, cursor := q.area.GetCursor()
	if left > 0 && cursor > left {
		c.stroke(field.x, field.y, "…", roleMuted)
	}
	if width(q.area.GetText())-left > field.w && cursor-left < field.w-1 {
		c.stroke(field.x+field.w-1, field.y, "…", roleMuted)
	}
}

func (o *history) notice(columns int) []line {
	if o.said == "" {
		return nil
	}
	var out []line
	for _, part := range wrap(shownLine(o.said), max(1, columns)) {
		out = append(out, text(part, o.saying))
	}
	return out
}

func (o *history) hints() []hint {
	switch {
	case o.prompt != nil && o.prompt.export:
		return []hint{{"Enter write Markdown", 1}, {"Esc back", 2}}
	case o.prompt != nil:
		return []hint{{"Enter keep", 1}, {"↑ ↓ move", 3}, {"Esc clear", 2}}
	}
	out := "Esc close"
	if o.query.Text != "" {
		out = "Esc clear search"
	}
	if o.total <= 0 {
		return []hint{{"/ search", 3}, {out, 1}}
	}
	return []hint{{"Enter open", 2}, {"/ search", 3}, {"e export", 4}, {"PageUp PageDown scroll", 5}, {out, 1}}
}

// pastRows is how many lines a question of the list takes.
const pastRows = 2

func (o *history) drawList(p *Pane, c *canvas, r rect) {
	o.page = max(1, r.h/pastRows)
	if !o.free {
		o.top = reveal(o.top, o.focus, o.focus+1, o.page)
	}
	o.top = clampTop(o.top, max(o.total, 0), o.page)
	o.need(p)
	if o.total <= 0 {
		o.drawNothing(c, r)
		return
	}
	body := r
	if o.total > o.page {
		body.w--
	}
	for i := range min(o.page, o.total-o.top) {
		c.lines(body.rows(i*pastRows, pastRows), o.lines(p, o.top+i, body.w))
	}
	if o.top > 0 {
		c.mark(r, 0, "▴")
	}
	if o.top+o.page < o.total {
		c.mark(r, min(r.h, o.page*pastRows)-1, "▾")
	}
}

func (o *history) drawNothing(c *canvas, r rect) {
	says := ""
	switch {
	case o.total < 0:
	case o.query.Text != "":
		says = "Nothing in the history holds this text."
	default:
		says = "No questions yet. What agents ask stays here with your answers."
	}
	for i, part := range wrap(says, max(1, r.w)) {
		c.line(r.rows(i+1, 1), text(part, rolePlain))
	}
}

// pastMark is the mark of a question: one that waits has the mark of the inbox.
func (p *Pane) pastMark(q *pastQuestion) span {
	if i := slices.IndexFunc(p.list, func(e *broker.Entry) bool { return e.Key() == q.key() }); i >= 0 && q.Status == ask.StatusWaiting {
		return span{text: mark(p.list[i]), role: markRole(p.list[i])}
	}
	return pastMarks[q.Status]
}

// pastMarks say what became of a question; the words beside them say the same.
var pastMarks = map[ask.Status]span{
	ask.StatusWaiting: {text: "○", role: roleAccent}, ask.StatusAnswered: {text: "✓", role: roleSuccess},
	ask.StatusSkipped: {text: "⊘", role: roleMuted}, ask.StatusCancelled: {text: "✗", role: roleWarning},
	ask.StatusError: {text: "✗", role: roleMuted},
}

// lines are the two lines of one question: what was asked, by whom and when, and what became of it.
func (o *history) lines(p *Pane, place, columns int) []line {
	q := o.at(place)
	if q == nil {
		return []line{text("  …", roleMuted)}
	}
	pointer, r := p.look.pointing(place == o.focus), roleStrong
	if place == o.focus {
		r = roleFocused
	}
	tail := age(p.o.Now().Sub(q.when))
	if q.asker != "" && columns >= 50 {
		tail = cut(shownLine(q.asker), columns/4) + p.look.say(" · ") + tail
	}
	where := p.look.place(place == o.focus && columns >= narrowFoot, "question", place+1, o.total)
	asked := cut(firstLine(q.subject()), max(1, columns-6-width(tail+where))) + where
	mark := p.pastMark(q)
	first := line{
		{text: pointer, role: roleAccent},
		{text: p.look.say(mark.text + " "), role: mark.role},
		{text: asked, role: r, caret: place == o.focus},
		{text: strings.Repeat(" ", max(1, columns-4-width(asked)-width(tail))) + tail, role: roleMuted},
	}
	became := roleMuted
	if q.Status == ask.StatusAnswered {
		became = roleSuccess
	}
	says := q.answer
	if q.note != "" {
		says += p.look.say(" · ") + q.note
	}
	second := line{{text: pad("    "+cut(firstLine(says), max(1, columns-4)), columns), role: became}}
	t := target{kind: hitPast, index: place}
	return []line{first.with(t), second.with(t)}
}

// subject is what was asked, behind its label unless that only numbers the question.
func (q *pastQuestion) subject() string {
	if q.Label == "" || len(q.Label) < 4 && strings.HasPrefix(q.Label, "Q") || q.Label == q.Prompt {
		return q.Prompt
	}
	return q.Label + ": " + q.Prompt
}

// firstLine is supplied text on one line.
func firstLine(s string) string {
	return strings.Join(strings.Fields(shownLine(cutBytes(s))), " ")
}

// mostShort bounds the text that is looked at for one line of a list.
const mostShort = 2 << 10

func cutBytes(s string) string {
	if len(s) <= mostShort {
		return s
	}
	return strings.ToValidUTF8(s[:mostShort], "")
}
