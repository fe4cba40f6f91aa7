package ui

import (
	"slices"
	"strings"

	"askd/broker/ask"
)

// preview is the longer text of an option of ask_user_question, behind a bar under the option's head. What is too long to
// be looked at as Markdown is shown as it is, so that all of it can be read here.
func (w *pastWriter) preview(source string, indent int) {
	source = strings.Trim(source, "\r\n")
	if source == "" {
		return
	}
	columns := max(1, w.columns-indent-2)
	for _, l := range w.p.wholePreview(source, columns) {
		w.out = append(w.out, append(line{{text: pad("", indent) + w.p.look.say("│ "), role: roleMuted}}, l...))
	}
}

// promptDrafted is what stood on a page of an ask_user_question prompt that was never submitted: the answer that the page
// was confirmed with, and what was ticked or written beside it.
func (w *pastWriter) promptDrafted(q *ask.Question, d *ask.QuestionDraft) {
	done := d.Confirmed
	if done == nil {
		done = &ask.Confirmed{}
	}
	w.chosen(q, done.Selected)
	if done.CustomText != "" {
		w.add(w.p.look.say("→ "), done.CustomText, rolePlain)
	}
	if len(d.Selected) > 0 && !slices.Equal(d.Selected, done.Selected) {
		w.add("", "Ticked, not confirmed:", roleMuted)
		w.chosen(q, d.Selected)
	}
	if !ask.Blank(d.CustomText) && ask.Trim(d.CustomText) != done.CustomText {
		w.add("", "Written, not confirmed:", roleMuted)
		w.add(w.p.look.say("→ "), d.CustomText, roleTyped)
	}
}

func (w *pastWriter) chosen(q *ask.Question, values []string) {
	for _, o := range q.Options {
		if slices.Contains(values, o.Value) {
			w.add(w.p.look.say("→ "), o.Label, rolePlain)
		}
	}
}
