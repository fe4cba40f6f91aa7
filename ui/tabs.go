package ui

import (
	"fmt"
	"slices"
	"strconv"

	"askd/ui/form"
)

// The frame of the tab strip takes 5 columns: the arrows that say that tabs can be turned.
const stripFrame = 5

// longTab is how wide one tab may be where not all fit.
const longTab = 28

// tabLine is the strip of tabs, each a click target. Where not all fit the open one stays and its neighbours are added
// in turn while they fit.
func tabLine(tabs []form.Tab, columns int) line {
	spans, from, to := shownTabs(tabs, columns)
	return framedTabs(spans[from:to+1], span{text: " ← ", role: roleMuted}, span{text: " →", role: roleMuted})
}

// shownTabs are all tabs, and the range of them that fits.
func shownTabs(tabs []form.Tab, columns int) (spans []span, from, to int) {
	spans, used := tabSpans(tabs, columns-stripFrame)
	if used > columns-stripFrame {
		spans, _ = tabSpans(tabs, min(longTab, columns-stripFrame))
	}
	open := max(0, slices.IndexFunc(tabs, func(t form.Tab) bool { return t.Active }))
	from, to = tabWindow(spans, open, columns-stripFrame)
	return spans, from, to
}

func framedTabs(spans []span, left, right span) line {
	out := line{left}
	for i, s := range spans {
		if i > 0 {
			out = append(out, span{text: " "})
		}
		out = append(out, s)
	}
	return append(out, right)
}

// outOfSight is a number of tabs beside an arrow, in as many columns as there is room for: of more than two digits only that
// there are more.
func outOfSight(n int, more string) string {
	if n > 99 {
		return more
	}
	return strconv.Itoa(n)
}

// countedTabs is the strip of tabs with the number of those that are out of sight at each end: ← 3 …  ☐ Store  … 2 →.
// Where that does not fit the number takes the place of the blank beside the arrow, and a second digit one column more
// at each end, which the form's margins have.
func countedTabs(tabs []form.Tab, columns int) line {
	spans, from, to := shownTabs(tabs, columns)
	before, after := from, len(spans)-1-to
	left, right := span{text: " ← ", role: roleMuted}, span{text: " →", role: roleMuted}
	short := [2]span{left, right}
	if before > 0 {
		left = span{text: " ← " + outOfSight(before, "99+") + " …", role: roleAccent}
		short[0] = span{text: fmt.Sprintf("%3s", "←"+outOfSight(before, "9+")), role: roleAccent}
	}
	if after > 0 {
		right = span{text: "… " + outOfSight(after, "99+") + " →", role: roleAccent}
		short[1] = span{text: outOfSight(after, "9+") + "→", role: roleAccent}
	}
	if out := framedTabs(spans[from:to+1], left, right); out.width() <= columns {
		return out
	}
	return framedTabs(spans[from:to+1], short[0], short[1])
}

// tabSpans are all tabs, none wider than room, and the columns that they take.
func tabSpans(tabs []form.Tab, room int) ([]span, int) {
	spans, used := make([]span, len(tabs)), len(tabs)-1
	for i, t := range tabs {
		spans[i] = tabSpan(i, t, room)
		used += width(spans[i].text)
	}
	return spans, used
}

func tabSpan(i int, t form.Tab, room int) span {
	mark, role := "☐", roleTab
	switch {
	case t.Review:
		mark, role = "☰", roleTabDone
	case t.Skipped:
		mark = "⊘"
	case t.Answered:
		mark, role = "☒", roleTabDone
	}
	if t.Active {
		role = roleOpenTab
	}
	label := cut(shownLine(t.Label), max(1, room-4))
	return span{text: " " + mark + " " + label + " ", role: role, target: target{kind: hitTab, index: i}}
}

// tabWindow is the range of tabs that fit into room around the open one: the right neighbour first when the open tab lies
// in the first half.
func tabWindow(spans []span, open, room int) (from, to int) {
	from, to = open, open
	used := width(spans[open].text)
	right := open <= len(spans)-1-open
	for stuck := 0; stuck < 2; right = !right {
		next := from - 1
		if right {
			next = to + 1
		}
		if next < 0 || next >= len(spans) || used+1+width(spans[next].text) > room {
			stuck++
			continue
		}
		stuck = 0
		used += 1 + width(spans[next].text)
		from, to = min(from, next), max(to, next)
	}
	return from, to
}
