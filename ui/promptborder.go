package ui

import (
	"fmt"
	"strings"
	"time"
)

// leastBorder is the inside width from which a border holds a title.
const leastBorder = 4

// drawBorder draws the frame: the header and the pages in the top border, the time left and the version in the bottom one.
func (p *Pane) drawBorder(v *view, r rect) {
	p.canvas.line(r, p.topBorder(v, r.w))
	for y := 1; y < r.h-1; y++ {
		p.canvas.stroke(r.x, r.y+y, "│", roleAccent)
		p.canvas.stroke(r.x+r.w-1, r.y+y, "│", roleAccent)
	}
	p.canvas.line(r.rows(r.h-1, 1), p.bottomBorder(v, r.w))
}

// topBorder is ╭─ TITLE ───╮, columns wide. A title that is too wide loses the end of its header, then of its pages.
func (p *Pane) topBorder(v *view, columns int) line {
	room := columns - 2 - leastBorder // a stroke and a blank on both sides
	if columns-2 < leastBorder {
		return text(p.look.say("╭"+strings.Repeat("─", max(0, columns-2))+"╮"), roleAccent)
	}
	title := v.pick.title(p.look, room)
	out := append(line{{text: p.look.say("╭─ "), role: roleAccent}}, title...)
	rest := p.look.say(strings.Repeat("─", max(0, columns-5-title.width())) + "╮")
	return append(out, span{text: " " + rest, role: roleAccent})
}

// title is the header with the strip of pages; on the review page the strip alone.
func (k *picker) title(look *look, room int) line {
	strip := look.pages(k)
	q := k.Question()
	if q == nil {
		return cutLine(strip, room)
	}
	gap := ""
	if len(strip) > 0 {
		gap = " "
	}
	left := room - strip.width() - width(gap)
	if left < 1 {
		return cutLine(strip, room)
	}
	return append(line{{text: cut(shownLine(q.Label), left), role: roleStrong}, {text: gap}}, strip...)
}

// strip are the pages of a batch, each a click target; nothing for a single question.
func (k *picker) strip() line {
	if !k.Batch() {
		return nil
	}
	var out line
	for i, page := range k.Pages() {
		s := fmt.Sprint(page.Number)
		if page.Answered {
			s += "✓"
		}
		if page.Current {
			s = "[" + s + "]"
		}
		if i > 0 {
			out = append(out, span{text: " ", role: roleStrong})
		}
		out = append(out, span{text: s, role: roleStrong, target: target{kind: hitTab, index: i}})
	}
	review := "review"
	if k.Question() == nil {
		review = "[review]"
	}
	return append(out, span{text: " · ", role: roleStrong},
		span{text: review, role: roleStrong, target: target{kind: hitTab, index: len(k.Pages())}})
}

// cutLine shortens a line to columns, with a sign when something is missing.
func cutLine(l line, columns int) line {
	if l.width() <= columns {
		return l
	}
	var out line
	for _, s := range l {
		if out.width()+width(s.text) > columns-1 {
			s.text, _ = splitAt(s.text, columns-1-out.width())
			return append(out, s, span{text: "…", role: s.role})
		}
		out = append(out, s)
	}
	return out
}

// bottomBorder is ╰─ 4:59 left ─── v1.0.0 ─╯, columns wide; what has no room is left out.
func (p *Pane) bottomBorder(v *view, columns int) line {
	left, leftRole := p.timeLeft(v)
	right := versionTag(p.o.Version)
	room := columns - 2
	tag := func(s string, r role) line {
		if s == "" || width(s)+3 > room {
			return nil
		}
		room -= width(s) + 3
		return line{{text: " " + s + " ", role: r}}
	}
	end, start := tag(right, roleMuted), tag(left, leftRole)
	if end == nil && right != "" && start == nil && left != "" {
		start = tag(left, leftRole)
	}
	out := line{{text: p.look.say("╰"), role: roleAccent}}
	if start != nil {
		out = append(append(out, span{text: p.look.say("─"), role: roleAccent}), start...)
	}
	out = append(out, span{text: p.look.say(strings.Repeat("─", max(0, room))), role: roleAccent})
	if end != nil {
		out = append(append(out, end...), span{text: p.look.say("─"), role: roleAccent})
	}
	return append(out, span{text: p.look.say("╯"), role: roleAccent})
}

func versionTag(version string) string {
	if version != "" && version[0] >= '0' && version[0] <= '9' {
		return "v" + version
	}
	return shownLine(version)
}

// hurry is the time left from which it is shown in the warning colour.
const hurry = 30 * time.Second

// timeLeft is how long the prompt can still be answered; empty without a deadline.
func (p *Pane) timeLeft(v *view) (string, role) {
	if v.pick.Request().Deadline.IsZero() || v.closed() {
		return "", roleMuted
	}
	left := max(0, v.pick.Request().Deadline.Sub(p.o.Now()))
	r := roleMuted
	if left < hurry {
		r = roleWarning
	}
	return p.look.clock(left) + " left", r
}

// clockFace is a time to go, rounded up to whole seconds: 4:59, 1:02:03.
func clockFace(d time.Duration) string {
	s := int64((d + time.Second - 1) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// untilTick is how long the time left that is on screen stays true; never where none is.
func (p *Pane) untilTick(now time.Time) time.Duration {
	v := p.onScreen()
	if v == nil || v.pick == nil || v.closed() || v.pick.Request().Deadline.IsZero() {
		return never
	}
	left := v.pick.Request().Deadline.Sub(now)
	if left <= 0 {
		return never
	}
	if part := left % p.look.second; part > 0 {
		return part
	}
	return p.look.second
}
