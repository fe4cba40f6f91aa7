package ui

import "askd/config"

// smallColumns are the columns of the text in a small frame on a screen.
func smallColumns(r rect) int { return max(1, min(config.QuietWidth, r.w-2)-4) }

// drawSmall draws a few lines in a frame in the middle, with its keys below. Where not all lines fit, the focused one is
// among those that are seen; the keys always are.
func (p *Pane) drawSmall(c *canvas, r rect, lines []line, focus int, foot []line) {
	gap := 1
	if len(lines)+gap+len(foot)+2 > r.h {
		gap = 0
	}
	outer := rect{w: min(smallColumns(r)+4, r.w), h: min(len(lines)+gap+len(foot)+2, r.h)}
	outer.x, outer.y = (r.w-outer.w)/2, (r.h-outer.h)/2
	outer = p.over(c, r, outer)
	drawRounded(c, outer)
	inner := rect{outer.x + 2, outer.y + 1, outer.w - 4, outer.h - 2}
	body := inner.rows(0, min(len(lines), inner.h-gap-len(foot)))
	c.viewport(body, lines, reveal(0, focus, focus+1, body.h))
	c.lines(inner.rows(body.h+gap, len(foot)), foot)
}
