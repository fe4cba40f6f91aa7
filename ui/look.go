package ui

import (
	"fmt"
	"strings"
	"time"

	"askd/broker"
	"askd/ui/form"
)

// look is how the pane says what is no word: drawn with marks, or plain, in words for a screen reader. Whatever differs between
// the two stands here.
type look struct {
	plain    bool              // one column, nothing beside the form, no frames, and the cursor at what has the focus
	words    *strings.Replacer // of the pane's own texts; nil leaves them as they are
	pointer  [2]string         // before a row without and with the focus
	arrow    [2]string         // the same in a prompt of ask_user_question
	boxes    [2]string         // before an option of several, not ticked and ticked
	ticks    [2]string         // the same in a prompt of ask_user_question
	scrolls  [3]string         // in front of a text of a prompt that goes on above, below, and both
	chosen   string            // behind the one option that was chosen
	states   [2]string         // behind an option that is not selected and one that is
	placed   string            // behind the focused row: which of how many it is
	deferred string            // how many forms are deferred
	of       string            // between a number and how many there are
	signs    [][2]string       // the page of keys explains them
	tabs     func(tabs []form.Tab, columns int) line
	pages    func(*picker) line
	clock    func(time.Duration) string // a time to go
	second   time.Duration              // how long what clock says stays true
	age      time.Duration              // how long an age on the screen may stay as it is
}

// drawn is the look with marks and lines.
var drawn = look{
	pointer: [2]string{"  ", "❯ "}, arrow: [2]string{"  ", "→ "}, boxes: [2]string{"[ ] ", "[x] "}, ticks: [2]string{"[ ] ", "[✓] "},
	scrolls: [3]string{"↑", "↓", "↕"}, chosen: " ✓", deferred: "⏸ %d", of: "/", signs: signs, tabs: countedTabs, pages: (*picker).strip, clock: clockFace, second: time.Second, age: ageStep,
}

// spoken is the look in words. Nothing in it changes by itself more than once a minute.
var spoken = look{
	plain: true, words: plainWords, pointer: [2]string{"  ", "> "}, arrow: [2]string{"  ", "> "}, states: [2]string{", not selected", ", selected"},
	scrolls: [3]string{"^", "v", "v"}, placed: ", %s %d of %d", deferred: "%d deferred", of: " of ", signs: spokenSigns, tabs: spokenTabs, pages: (*picker).spokenPages, clock: spokenClock, second: time.Minute, age: time.Minute,
}

// spokenSigns are what stands on the plain screen in few words.
var spokenSigns = [][2]string{
	{"> ", "before the row that has the focus; the cursor is there too"},
	{"time 2", "the session has asked this in the same words for the second time"},
	{"3 alike", "so many forms wait that ask the same; after answering one you may give the others its answer"},
	{"row 2 of 9", "the row that has the focus, of all rows of the question"},
	{"^ and v at a line's end", "there is more above, below"},
}

// plainWords are what the pane's own marks are in plain mode. A mark with a blank behind it stands before words that say the
// same. Earlier ones win.
var plainWords = strings.NewReplacer(
	" · ", ", ", " • ", ", ", "✓ ", "", "● ", "", "○ ", "", "⏸ ", "", "⊘ ", "", "✗ ", "", "▾ ", "",
	"❯ ", "> ", "→ /", "Right /", "→ ", "- ", "☐", "not selected,", "☒", "selected,", "↑↓", "Up/Down", "▴", "^", "▾", "v", " … ", " to ", "×", "time ", " — ", ", ",
	"↑", "Up", "↓", "Down", "←", "Left", "→", "Right",
	"─", " ", "│", " ", "┌", " ", "┐", " ", "└", " ", "┘", " ", "╭", " ", "╮", " ", "╰", " ", "╯", " ",
)

// say is one of the pane's own texts as this look has it. Supplied text must not be in it: that is shown as it came.
func (k *look) say(own string) string {
	if k.words == nil {
		return own
	}
	return k.words.Replace(own)
}

// pointing is what stands before a row.
func (k *look) pointing(focused bool) string { return which(k.pointer, focused) }

// choosing is the same in a prompt of ask_user_question.
func (k *look) choosing(focused bool) string { return which(k.arrow, focused) }

func which(of [2]string, second bool) string {
	if second {
		return of[1]
	}
	return of[0]
}

// tail is what stands behind the label of an option: nothing where marks say it.
func (k *look) tail(focused, selected bool, i, n int) string {
	return k.place(focused, "option", i, n) + which(k.states, selected)
}

// place says which of how many the focused row is, where the cursor alone would not.
func (k *look) place(focused bool, what string, i, n int) string {
	if !focused || k.placed == "" {
		return ""
	}
	return fmt.Sprintf(k.placed, what, i, n)
}

// mark says what waiting means for the agent.
func (k *look) mark(e *broker.Entry) string {
	if k.plain {
		return stateWords[mark(e)]
	}
	return mark(e)
}

// markIn is the mark behind other text.
func (k *look) markIn(e *broker.Entry) string {
	if k.plain {
		return "(" + stateWords[mark(e)] + ")"
	}
	return mark(e)
}

// boxTop is the upper border of the box around a context, in words its heading.
func (k *look) boxTop(border string) line {
	if k.plain {
		return text("Context:", roleTitle)
	}
	return text(border, roleAccent)
}

// stateWords are the marks of entries in words.
var stateWords = map[string]string{"⏸": "deferred", "●": "waiting, the agent stands still", "○": "waiting, the agent goes on"}

// looks is how this pane is to look now.
func (p *Pane) looks() *look {
	if p.o.Plain || p.conf.Settings.Pane.Plain {
		return &spoken
	}
	return &drawn
}

// dress takes on the look that is wanted, before a frame.
func (p *Pane) dress() {
	if l := p.looks(); l != p.look {
		p.look, p.marked = l, markdownCache{look: l}
	}
}

// spokenTabs says which tab is open, how it stands and what lies on both sides of it. Each is a click target.
func spokenTabs(tabs []form.Tab, columns int) line {
	open, questions := 0, 0
	for i, t := range tabs {
		if t.Active {
			open = i
		}
		if !t.Review {
			questions++
		}
	}
	head, state := fmt.Sprintf(" Question %d of %d: ", open+1, questions), ", "+tabState(tabs[open])
	if tabs[open].Review {
		return besideTab(text(fmt.Sprintf(" Review of %d questions", questions), roleStrong), tabs, open, columns)
	}
	label := cut(shownLine(tabs[open].Label), max(1, columns-width(head+state)))
	out := line{{text: head + label + state, role: roleStrong, target: target{kind: hitTab, index: open}}}
	return besideTab(out, tabs, open, columns)
}

// besideTab adds the tabs on both sides of the open one where they have room.
func besideTab(out line, tabs []form.Tab, open, columns int) line {
	for _, other := range []struct {
		name string
		at   int
	}{{"; next: ", open + 1}, {"; before: ", open - 1}} {
		if other.at < 0 || other.at >= len(tabs) {
			continue
		}
		s := other.name + shownLine(tabs[other.at].Label)
		if out.width()+width(s) <= columns {
			out = append(out, span{text: s, role: roleMuted, target: target{kind: hitTab, index: other.at}})
		}
	}
	return out
}

func tabState(t form.Tab) string {
	switch {
	case t.Skipped:
		return "skipped"
	case t.Answered:
		return "answered"
	}
	return "not answered"
}

// spokenPages says which page of a batch is open, and how it stands.
func (k *picker) spokenPages() line {
	pages := k.Pages()
	if !k.Batch() {
		return nil
	}
	for i, page := range pages {
		if page.Current && k.Question() != nil {
			state := "not answered"
			if page.Answered {
				state = "answered"
			}
			s := fmt.Sprintf("(question %d of %d, %s)", page.Number, len(pages), state)
			return line{{text: s, role: roleStrong, target: target{kind: hitTab, index: i}}}
		}
	}
	return text(fmt.Sprintf("Review of %d questions", len(pages)), roleStrong)
}

// spokenClock is a time to go in whole minutes.
func spokenClock(d time.Duration) string {
	if d < time.Minute {
		return "less than 1 min"
	}
	return fmt.Sprintf("%d min", (d+time.Minute-1)/time.Minute)
}

// spokenEntry is headEntry in words.
func (p *Pane) spokenEntry(e *broker.Entry, gap, name string, columns int) line {
	out := line{{text: gap + p.place(e) + ", ", role: rolePlain}, {text: name, role: roleStrong}}
	if again := p.asked.again(e.Key()); again != "" {
		out = append(out, span{text: ", " + p.look.say(again), role: roleWarning})
	}
	if columns >= 50 {
		out = append(out, span{text: ", " + age(p.o.Now().Sub(e.Request.CreatedAt)), role: roleMuted})
	}
	if p.onScreen().closed() { // nobody waits for it any more
		return out
	}
	state := strings.TrimPrefix(p.look.mark(e), "waiting, ")
	if columns < 50 {
		state = strings.TrimPrefix(state, "the agent ")
	}
	return append(out, span{text: ", " + state, role: markRole(e)})
}

// spokenInbox are the two lines of an entry of the inbox in words: who asks, and what it is about.
func (p *Pane) spokenInbox(e *broker.Entry, columns int) []line {
	focused := p.inInbox && e.Key() == p.inbox.focus
	where := ""
	if focused {
		where = p.look.place(true, "form", p.inbox.row+1, len(p.listed()))
	}
	when := ", " + age(p.o.Now().Sub(e.Request.CreatedAt))
	open := ""
	if e.Key() == p.current {
		open = ", open"
	}
	name := p.named(e, max(leastName, columns-2-width(open+when+where)))
	about := "  " + p.look.mark(e) + ": " + strings.TrimSpace(p.about(e, max(leastName, columns-4-width(p.look.mark(e))+3)))
	t := target{kind: hitEntry, key: e.Key()}
	first := fillTo(line{{text: p.look.pointing(focused)}, {text: name + open + when + where, role: roleStrong, caret: focused}}, columns)
	return []line{first.with(t), text(pad(cut(about, columns), columns), roleMuted).with(t)}
}

// over makes room for an overlay that would be a box in the middle: in words it has the screen to itself.
func (p *Pane) over(c *canvas, r, box rect) rect {
	if p.look.plain {
		c.wipe(r)
		return rect{r.x, r.y, box.w, r.h}
	}
	c.wipe(box)
	return box
}

// placeCursor puts the cursor at what has the focus, where no editor has placed it: a screen reader reads there.
func (p *Pane) placeCursor() {
	s := p.screen.Load()
	if !p.look.plain || s == nil || s.cursor[0] >= 0 {
		return
	}
	if at := p.canvas.caret; at != nil {
		s.ShowCursor(at[0], at[1])
		return
	}
	s.ShowCursor(0, 0)
}
