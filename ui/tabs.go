package ui

import (
	"slices"

	"askd/ui/form"
)

// The frame of the tab strip takes 5 columns: the arrows that say that tabs can be turned.
const stripFrame = 5

// longTab is how wide one tab may be where not all fit.
const longTab = 28

// tabLine is the strip of tabs, each a click target. Where not all fit the open one stays and its neighbours are added
// in turn while they fit.
func tabLine(tabs []form.Tab, columns int) line {
	spans, used := tabSpans(tabs, columns-stripFrame)
	if used > columns-stripFrame {
		spans, _ = tabSpans(tabs, min(longTab, columns-stripFrame))
	}
	open := max(0, slices.IndexFunc(tabs, func(t form.Tab) bool { return t.Active }))
	from, to := tabWindow(spans, open, columns-stripFrame)
	out := line{{text: " ← ", role: roleMuted}}
	for i := from; i <= to; i++ {
		if i > from {
			out = append(out, span{text: " "})
		}
		out = append(out, spans[i])
	}
	return append(out, span{text: " →", role: roleMuted})
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
