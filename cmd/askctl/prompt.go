package main

import (
	"slices"
	"strings"

	"askd/broker/ask"
)

// isPrompt reports whether a form is one of ask_user_question, which differs from the others in what can be said to it.
func isPrompt(r *ask.Request) bool { return r.Tool == ask.ToolQuestion }

// formTitle is what a form is called, here as in the pane: its title, else its questions' labels, or the one question itself.
func formTitle(r *ask.Request) string {
	if r.Title != "" {
		return r.Title
	}
	return r.Subject()
}

// promptRows are the lines of a form's head that only prompts have.
func (a *app) promptRows(f *form) [][2]string {
	if !isPrompt(f.Request) {
		return nil
	}
	rows := [][2]string{{"tool", f.Request.Tool}}
	if at := f.Request.Deadline; !at.IsZero() && f.Outcome == nil {
		words := "in " + age(at.Sub(a.now()))
		if !at.After(a.now()) {
			words = "now"
		}
		rows = append(rows, [2]string{"closes", stamp(at) + ", " + words + ", answered or not"})
	}
	return rows
}

// ownWords is what the row is called that takes an answer in words.
func ownWords(r *ask.Request) string {
	if isPrompt(r) {
		return "Type something."
	}
	return ask.CustomLabel
}

// confirmedChoice is what a page of a prompt was confirmed with; ticks and text that were not confirmed are no answer.
func confirmedChoice(q *ask.Question, d *ask.QuestionDraft) ask.Choice {
	c := ask.Choice{Type: q.Type}
	if d.Confirmed == nil {
		return c
	}
	for i, o := range q.Options {
		if slices.Contains(d.Confirmed.Selected, o.Value) {
			c.Selected = append(c.Selected, i)
		}
	}
	c.CustomText = d.Confirmed.CustomText
	return c
}

// unconfirmed says what stands on a page of a prompt beside the answer that it was confirmed with.
func unconfirmed(d *ask.QuestionDraft) []string {
	done := d.Confirmed
	if done == nil {
		done = &ask.Confirmed{}
	}
	var out []string
	if len(d.Selected) > 0 && !slices.Equal(d.Selected, done.Selected) {
		out = append(out, d.ID+", ticked and not confirmed: "+strings.Join(d.Selected, ", "))
	}
	if !ask.Blank(d.CustomText) && ask.Trim(d.CustomText) != done.CustomText {
		out = append(out, d.ID+", typed and not confirmed: "+d.CustomText)
	}
	return out
}
