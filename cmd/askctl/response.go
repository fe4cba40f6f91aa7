package main

import (
	"context"
	"fmt"
	"slices"

	"askd/broker"
	"askd/broker/ask"
)

// response is what form.respond takes (PROTOCOL): the answers by question id.
type response struct {
	Kind    ask.RemoteKind   `json:"kind"`
	Answers ask.Map[written] `json:"answers"`
	Skipped []string         `json:"skippedQuestionIds,omitempty"`
}

// written is one answer as it goes to askd.
type written struct {
	Values      []string        `json:"values,omitempty"`
	CustomText  string          `json:"customText,omitempty"`
	Note        string          `json:"note,omitempty"`
	OptionNotes ask.Map[string] `json:"optionNotes,omitzero"`
}

// responseOf writes choices as a response. Untouched questions are left out: they count as unanswered.
func responseOf(r *ask.Request, choices []ask.Choice) response {
	out := response{Kind: ask.RemoteAnswer}
	for i := range r.Questions {
		q, c := &r.Questions[i], &choices[i]
		if c.Skipped {
			out.Skipped = append(out.Skipped, q.ID)
			continue
		}
		w := written{CustomText: c.CustomText, Note: c.Note}
		for j, o := range q.Options {
			if slices.Contains(c.Selected, j) {
				w.Values = append(w.Values, o.Value)
			}
			if note := c.OptionNotes[j]; !ask.Blank(note) {
				w.OptionNotes.Set(o.Value, note)
			}
		}
		if len(w.Values) > 0 || w.CustomText != "" || w.Note != "" || w.OptionNotes.Len() > 0 {
			out.Answers.Set(q.ID, w)
		}
	}
	return out
}

// draftResponse is a draft as if it were sent now.
func draftResponse(r *ask.Request, d *ask.Draft) ask.Response {
	out := ask.Response{Choices: make([]ask.Choice, len(r.Questions))}
	for i := range r.Questions {
		q := &r.Questions[i]
		out.Choices[i].Type = q.Type
		if j := slices.IndexFunc(d.Questions, func(qd ask.QuestionDraft) bool { return qd.ID == q.ID }); j >= 0 {
			out.Choices[i] = draftChoice(r, q, &d.Questions[j])
		}
	}
	return out
}

func draftChoice(r *ask.Request, q *ask.Question, d *ask.QuestionDraft) ask.Choice {
	if isPrompt(r) {
		return confirmedChoice(q, d)
	}
	c := ask.Choice{Type: d.Type, Note: d.Note, NoteImages: d.NoteImages, Skipped: d.Skipped, OptionNotes: map[int]string{}, OptionNoteImages: map[int][]ask.Image{}}
	if c.Type == "" {
		c.Type = q.Type
	}
	for i, o := range q.Options {
		if slices.Contains(d.Selected, o.Value) {
			c.Selected = append(c.Selected, i)
		}
		c.OptionNotes[i], c.OptionNoteImages[i] = d.OptionNotes[o.Value], d.OptionNoteImages[o.Value]
	}
	if d.CustomSelected {
		c.CustomText, c.CustomImages = d.CustomText, d.CustomImages
	}
	return c
}

// respond ends a form. A refusal is an error that says what to do.
func (l *link) respond(ctx context.Context, k ask.Key, response any, same bool) (*broker.Same, error) {
	var r broker.Responded
	params := map[string]any{"requestId": k.Request, "session": k.Session, "response": response}
	if same {
		params["same"] = true
	}
	if err := l.ask(ctx, "form.respond", params, &r); err != nil {
		return nil, err
	}
	switch {
	case r.OK:
		return r.Same, nil
	case r.Error == ask.RemoteFlowNotFound:
		return nil, &exitError{code: exitFailed, text: "this form is no longer open, nothing was changed: it was answered or ended elsewhere, or its branch is not open; `askctl show " + k.Request + "` says more"}
	}
	return nil, &exitError{code: exitFailed, text: r.Message + " Nothing was sent; `askctl show " + k.Request + "` lists the questions and their values."}
}

// respondAndShow ends a form and prints the outcome as askd has stored it.
func (a *app) respondAndShow(ctx context.Context, l *link, k ask.Key, response any, same bool) error {
	others, err := l.respond(ctx, k, response, same)
	if err != nil {
		return err
	}
	defer a.printSame(others)
	f, err := l.get(ctx, k.Request, k.Session, nil)
	switch {
	case isKind(err, broker.NotFound):
		return nil // stored and gone from the desk already
	case err != nil:
		return err
	case a.json:
		return a.out.writeJSON(f.Outcome)
	}
	a.printOutcome(f)
	return nil
}

// printSame says how many other forms got the answer too, beside JSON on the standard error.
func (a *app) printSame(s *broker.Same) {
	if s == nil {
		return
	}
	out := a.out
	if a.json {
		out = a.errors
	}
	text := "The same answer went to " + others(s.Answered) + "."
	if s.Answered == 0 {
		text = "No other form took the same answer."
	}
	if s.Ended > 0 {
		text += " " + forms(s.Ended) + " had ended meanwhile."
	}
	if s.Failed > 0 {
		text += " " + forms(s.Failed) + " could not be stored and wait as before: answer them again."
	}
	out.printf("%s\n", text)
}

func others(n int) string {
	if n == 1 {
		return "1 other form"
	}
	return fmt.Sprintf("%d other forms", n)
}

// printOutcome says how a form ended and to what it belongs.
func (a *app) printOutcome(f *form) {
	a.out.printf("%s, request %s\n", a.out.line(askerName(f.Request)), a.out.line(f.Request.ID))
	if f.Outcome == nil {
		return
	}
	a.out.printf("%s\n", a.out.line(endedHow(f.Outcome)))
	a.drawLines("  ", outcomeLines(f.Outcome))
}
