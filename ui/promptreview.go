package ui

import (
	"fmt"
	"strings"

	"askd/config"
)

const reviewHeading = "Review answers"

// answerLines are what the review page says of each question.
func (p *Pane) answerLines(v *view, columns int) []line {
	var out []line
	for i, item := range v.pick.Review() {
		mark, at := p.look.say("✓ "), roleSuccess
		says, r := p.look.say("→ ")+item.Summary, rolePlain
		if item.Summary == "" {
			mark, at = p.look.say("○ "), roleWarning
			says, r = "unanswered", roleWarning
		}
		t := target{kind: hitTab, index: i}
		head := fmt.Sprintf("%d. ", item.Number)
		for j, part := range p.wraps.wrap(shownLine(item.Question), columns-width(mark)-width(head)) {
			if j > 0 {
				mark, head = strings.Repeat(" ", width(mark)), strings.Repeat(" ", width(head))
			}
			out = append(out, fillTo(line{{text: mark, role: at}, {text: head + part, role: rolePlain}}, columns).with(t))
		}
		indent := "   "
		for _, part := range p.wraps.wrap(says, columns-width(indent)) {
			out = append(out, fillTo(line{{text: indent}, {text: part, role: r}}, columns).with(t))
		}
	}
	return out
}

// skipWarning says that questions are unanswered and what the same key again does; empty before it was pressed.
func (p *Pane) skipWarning(v *view) string {
	if !v.pick.Warned() {
		return ""
	}
	return fmt.Sprintf(p.look.say("%d unanswered — press %s again to submit with skips"), v.pick.Unanswered(), p.piNames(config.PiConfirm))
}
