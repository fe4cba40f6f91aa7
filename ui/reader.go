package ui

import (
	"time"

	"askd/broker/ask"
	"askd/config"
	"askd/ui/form"
)

// overlay is something that stands over the whole pane and takes all keys.
type overlay interface {
	draw(p *Pane, c *canvas, r rect)
	key(p *Pane, s stroke)
	click(p *Pane, t target)
	wheel(p *Pane, by int)
	// next is how long it stays true without news.
	next(now time.Time) time.Duration
}

// reader shows one long text on the whole screen: a question with its context, or every active key.
type reader struct {
	title string
	text  func(p *Pane, columns int) []line
	top   int
	page  int
	back  overlay // what it was opened from; nil for the pane itself
}

// newReader is a reader of the open question of a form, or of what has been answered on Review.
func newReader(v *view) *reader {
	f := v.form
	q := f.Question()
	if q == nil {
		return &reader{title: "Review", text: func(p *Pane, columns int) []line { return p.look.reviewLines(f.Review(), columns) }}
	}
	return &reader{title: q.Label, text: func(p *Pane, columns int) []line {
		out := p.textLines(q.Prompt, columns, rolePlain)
		out = append(append(out, nil), p.optionLines(f, columns)...)
		if note, images := f.QuestionNote(); note != "" || images > 0 {
			out = append(out, nil)
			out = append(out, p.textLines("Note: "+withImages(note, images), columns, roleTyped)...)
		}
		if q.Context != "" {
			out = append(out, nil, text("Context", roleTitle), nil)
			out = append(out, p.textLines(q.Context, columns, rolePlain)...)
		}
		return out
	}}
}

// optionLines are the options whole, with what the person has written under them.
func (p *Pane) optionLines(f *form.Form, columns int) []line {
	rows := f.Rows()
	for i := range rows {
		rows[i].Focused, rows[i].Editing = false, false
	}
	multi := f.QuestionType(f.ActiveTab()) == ask.Multi
	lines := newRowStyle(rows, multi, columns, 0, p.look, &p.wraps).rowBlock(rows).lines
	for _, l := range lines {
		l.with(target{})
	}
	return lines
}

func (o *reader) draw(p *Pane, c *canvas, r rect) {
	c.wipe(r)
	c.line(r.rows(0, 1), line{{text: " " + shownLine(o.title), role: roleTitle}})
	body := rect{r.x + 1, r.y, r.w - 2, r.h}
	top, foot := 1, 1
	if r.h >= ruledRows {
		c.rule(r.rows(1, 1), roleMuted)
		c.rule(r.rows(r.h-2, 1), roleMuted)
		top, foot = 2, 2
	}
	body = body.rows(top, r.h-top-foot)
	lines := o.text(p, body.w-1)
	o.page = max(1, body.h-1)
	c.rest(body.x, body.y)
	o.top = c.viewport(body, lines, o.top)
	leave := "Esc close"
	if o.back != nil {
		leave = "Esc back"
	}
	c.line(r.rows(r.h-1, 1), text(p.look.fitHints([]hint{{"↑ ↓ PageUp PageDown scroll", 2}, {leave, 1}}, r.w), roleMuted))
}

// readerMoves are the keys that scroll a reader.
var readerMoves = map[string]func(o *reader){
	"up": func(o *reader) { o.top-- }, "down": func(o *reader) { o.top++ },
	"pageUp": func(o *reader) { o.top -= o.page }, "pageDown": func(o *reader) { o.top += o.page },
	"space": func(o *reader) { o.top += o.page },
	"home":  func(o *reader) { o.top = 0 }, "end": func(o *reader) { o.top = 1 << 30 },
}

func (o *reader) key(p *Pane, s stroke) {
	if move := readerMoves[s.name]; move != nil {
		move(o)
		return
	}
	if s.repeats != pressed {
		return
	}
	action, _ := p.conf.Keymaps.Action(config.Main, s.name)
	if action == "cancel" || s.name == "esc" || s.name == "q" || s.name == readKey || p.global(s.name) != "" {
		p.overlay = o.back
	}
}

func (o *reader) click(p *Pane, _ target) {}

func (o *reader) wheel(_ *Pane, by int) { o.top += by }

func (o *reader) next(time.Time) time.Duration { return never }

// wipe blanks a rectangle and forgets what lay there.
func (c *canvas) wipe(r rect) {
	for y := r.y; y < r.y+r.h; y++ {
		for x := r.x; x < r.x+r.w; x++ {
			c.screen.Put(x, y, " ", styles[rolePlain])
		}
	}
	c.hits = append(c.hits, region{r, target{}})
	c.areas = append(c.areas, region{r, target{}})
	if c.caret != nil && r.has(c.caret[0], c.caret[1]) {
		c.caret = nil
	}
}
