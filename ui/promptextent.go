package ui

// promptHeights are the rows of a prompt's parts from top to bottom. On the review page the question is the heading and
// the body the answers; in an editor the body is the editor with its heading.
type promptHeights struct{ lead, question, gap, body, tail, help int }

func (h promptHeights) sum() int { return h.lead + h.question + h.gap + h.body + h.tail + h.help }

// Rows that decide how a low prompt is divided (facts of ask_user_question, "Small terminals").
const (
	helpInTwo     = 12 // from so many rows on the help may take two lines
	gapFrom       = 4  // so many rows have room for a blank one between question and list
	listLeast     = 3
	listFair      = 8 // what a list gets before a long question gives way to it
	questionLeast = 2
)

// fitPrompt cuts wanted heights until they need no more than room rows: blank rows and the help go first, then question
// and list become windows. Both keep at least a row, and the help leastHelp where there is some room.
func fitPrompt(want promptHeights, room, leastHelp int) promptHeights {
	if want.sum() <= room {
		return want
	}
	h := want
	if h.lead = 0; h.sum() <= room {
		return h
	}
	h.help = min(h.help, helpRows(room, leastHelp))
	if h.sum() <= room {
		return h
	}
	if h.tail = 0; h.sum() <= room {
		return h
	}
	left := max(0, room-h.help)
	if h.gap = min(h.gap, 1); left < gapFrom {
		h.gap = 0
	}
	h.question, h.body = share(want, left-h.gap)
	return h
}

// helpRows is what the help gets of so many rows where not everything fits.
func helpRows(room, least int) int {
	switch {
	case room >= helpInTwo:
		return max(2, least)
	case room > listFair-listLeast:
		return least
	case room > listLeast:
		return 1
	}
	return 0
}

// share divides rows between a question and its list where they want more: the list gets a fair part, the question what
// is left, and what that does not need goes back to the list.
func share(want promptHeights, room int) (question, body int) {
	if room <= 1 {
		return 0, max(0, room)
	}
	least := 1
	if room >= listLeast+questionLeast {
		least = questionLeast
	}
	least = min(least, want.question)
	body = min(want.body, room-least, max(listFair, room/2))
	question = min(want.question, room-body)
	return question, min(want.body, room-question)
}

// Overlay placement (contract, "inline / overlay display"): so much of the screen, never less than this.
const (
	overlayPercent = 92
	overlayColumns = 40
	overlayHigh    = 85
	overlayRows    = 8
	overlayMargin  = 1
)

// overlayRect is the window of an overlay prompt, centred in a part of the screen, wanted rows high at most.
func overlayRect(in rect, screenRows, wanted int) rect {
	w := min(max(in.w*overlayPercent/100, overlayColumns), in.w-2*overlayMargin)
	h := min(wanted, overlayCap(screenRows), in.h)
	return rect{in.x + (in.w-w)/2, in.y + (in.h-h)/2, w, h}
}

// overlayCap is how high an overlay may be on a screen of so many rows.
func overlayCap(rows int) int {
	return min(rows-2*overlayMargin, max(min(overlayRows, rows-2*overlayMargin), rows*overlayHigh/100))
}

// Columns of the split details pane, inside the frame.
const (
	splitFrom     = 84
	splitLeftMin  = 32
	splitRightMin = 28
	splitPercent  = 42
	splitSign     = " │ "
	splitGap      = 3
)

// splitColumns divides the inside of a frame; ok is false where it is too narrow for two columns.
func splitColumns(inner int) (left, right int, ok bool) {
	if inner < splitFrom {
		return inner, 0, false
	}
	left = max(splitLeftMin, min((inner-splitGap)*splitPercent/100, inner-splitGap-splitRightMin))
	return left, inner - splitGap - left, true
}
