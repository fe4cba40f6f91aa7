package ui

// part is one horizontal strip of a question, from top to bottom.
type part int

// The parts of a question.
const (
	partTitle part = iota
	partTitleGap
	partTabs
	partTabsGap
	partPrompt
	partNote
	partPromptGap
	partRows
	partContextGap
	partContext
	partCount
)

// heights are the rows given to each part.
type heights [partCount]int

func (h heights) sum() int {
	n := 0
	for _, v := range h {
		n += v
	}
	return n
}

// top is the first row of a part.
func (h heights) top(p part) int {
	n := 0
	for _, v := range h[:p] {
		n += v
	}
	return n
}

// cuts is the order in which parts give up rows where not all fit, and down to how many: long texts become windows first,
// then the blank lines and the title go, then the windows get small. The rows around the focus stay to the end.
var cuts = []struct {
	part  part
	floor int
}{
	{partContext, 8},
	{partRows, 9},
	{partPrompt, 6},
	{partTitleGap, 0},
	{partTabsGap, 0},
	{partContext, 5},
	{partPrompt, 4},
	{partContextGap, 0},
	{partPromptGap, 0},
	{partTitle, 0},
	{partRows, 6},
	{partPrompt, 3},
	{partContext, 3},
	{partNote, 2},
	{partPrompt, 2},
	{partRows, 5},
	{partContext, 1},
	{partNote, 1},
	{partRows, 4},
	{partTabs, 0},
	{partPrompt, 1},
	{partRows, 2},
	{partNote, 0},
	{partContext, 0},
	{partPrompt, 0},
	{partRows, 1},
}

// shares are what long parts keep of a high screen before anything gets small: the rows the most.
var shares = []struct {
	part    part
	percent int
}{{partContext, 30}, {partPrompt, 35}, {partRows, 60}}

// leastShare is what a part keeps of a low screen, where a share of it would be next to nothing.
func leastShare(p part, room int) int {
	if room >= roomyRows {
		return 0
	}
	for _, c := range cuts {
		if c.part == p {
			return c.floor
		}
	}
	return 0
}

// growing are the parts that take what a later, larger cut has left over.
var growing = []part{partRows, partPrompt, partNote}

// fit cuts wanted heights until they need no more than room rows.
func fit(wanted heights, room int) heights {
	h := wanted
	for _, s := range shares {
		over := h.sum() - room
		h[s.part] -= max(0, min(over, h[s.part]-max(leastShare(s.part, room), room*s.percent/100)))
	}
	for _, c := range cuts {
		over := h.sum() - room
		if over <= 0 {
			break
		}
		h[c.part] -= max(0, min(over, h[c.part]-c.floor))
		if c.part == partContext && h[partContext] == 2 {
			h[partContext] = 1 // no box without a line in it, but a sign that there is a context
		}
	}
	for _, p := range growing {
		h[p] += max(0, min(room-h.sum(), wanted[p]-h[p]))
	}
	return h
}
