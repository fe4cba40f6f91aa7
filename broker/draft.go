package broker

import (
	"slices"

	"askd/broker/ask"
)

// responseOf is what the person has answered so far: a form that is cancelled from outside keeps it (contract, remote
// events).
func responseOf(r *ask.Request, d *ask.Draft) ask.Response {
	if d == nil {
		return ask.Response{}
	}
	out := ask.Response{Choices: make([]ask.Choice, len(r.Questions))}
	for i := range r.Questions {
		q := &r.Questions[i]
		if j := slices.IndexFunc(d.Questions, func(qd ask.QuestionDraft) bool { return qd.ID == q.ID }); j >= 0 {
			out.Choices[i] = choiceOf(q, &d.Questions[j])
		}
	}
	return out
}

func choiceOf(q *ask.Question, d *ask.QuestionDraft) ask.Choice {
	c := ask.Choice{Type: d.Type, Note: d.Note, Skipped: d.Skipped, OptionNotes: map[int]string{}}
	for i, o := range q.Options {
		if slices.Contains(d.Selected, o.Value) {
			c.Selected = append(c.Selected, i)
		}
		c.OptionNotes[i] = d.OptionNotes[o.Value]
	}
	if d.CustomSelected {
		c.CustomText = d.CustomText
	}
	return c
}
