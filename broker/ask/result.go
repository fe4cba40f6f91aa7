package ask

import "slices"

// BuildResult makes the contract's details of a finished form ("Output rules"). Selected options stand in form order, the
// free-form text last. A cancelled result keeps the texts of what had been answered and no image. Choices beyond the
// questions are ignored, missing ones are unanswered.
func BuildResult(r *Request, response Response, cancelled bool) *Result {
	result := &Result{Title: r.Title, Cancelled: cancelled, Questions: make([]ResultQuestion, 0, len(r.Questions)), RequestID: r.ID}
	for i := range r.Questions {
		q := &r.Questions[i]
		var c Choice
		if i < len(response.Choices) {
			c = response.Choices[i]
		}
		result.Questions = append(result.Questions, resultQuestion(q, c.Type))
		if c.Skipped {
			result.SkippedQuestionIDs = append(result.SkippedQuestionIDs, q.ID)
			continue
		}
		if answer := buildAnswer(q, &c, cancelled); !answer.IsZero() {
			result.Answers.Set(q.ID, answer)
		}
	}
	return result
}

// PendingResult is the result of a form that nobody was asked: cancelled, with the questions and no answer.
func PendingResult(r *Request) *Result { return BuildResult(r, Response{}, true) }

// InvalidResult is the details of a refused payload. title is as it was given.
func InvalidResult(title string, issues []Issue) *Result {
	return &Result{Title: title, Cancelled: true, Questions: []ResultQuestion{}, Error: &ResultError{Kind: "invalid_input", Issues: issues}}
}

// IsZero reports whether the answer says nothing at all; such answers are left out of results.
func (a *Answer) IsZero() bool { return !a.Committed() && !a.hasNotes() }

// Committed reports whether the answer answers: a chosen option, a free-form text or an image in its place. Notes alone do
// not.
func (a *Answer) Committed() bool {
	return len(a.Values) > 0 || !Blank(a.CustomText) || len(a.CustomImages) > 0
}

func (a *Answer) hasNotes() bool {
	return a.Note != "" || len(a.NoteImages) > 0 || a.OptionNotes.Len() > 0 || a.OptionNoteImages.Len() > 0
}

// Skips reports whether the question was explicitly skipped.
func (r *Result) Skips(id string) bool { return slices.Contains(r.SkippedQuestionIDs, id) }

// Kind is the outcome that a submitted or cancelled result amounts to.
func (r *Result) Kind() OutcomeKind {
	if r.Cancelled {
		return Cancelled
	}
	for _, a := range r.Answers.All() {
		if a.Committed() {
			return Answered
		}
	}
	if len(r.Questions) > 0 && len(r.SkippedQuestionIDs) == len(r.Questions) {
		return Skipped
	}
	return Empty
}

func resultQuestion(q *Question, final Type) ResultQuestion {
	out := ResultQuestion{ID: q.ID, Label: q.Label, Prompt: q.Prompt, Type: q.Requested()}
	if final == "" {
		final = q.Type
	}
	if final != out.Type {
		out.PresentedType = final
	}
	return out
}

func buildAnswer(q *Question, c *Choice, cancelled bool) Answer {
	a := Answer{Values: []string{}, Labels: []string{}, Indices: []int{}}
	for i, o := range q.Options {
		if slices.Contains(c.Selected, i) {
			a.Values, a.Labels, a.Indices = append(a.Values, o.Value), append(a.Labels, o.Label), append(a.Indices, i+1)
		}
		if note := c.OptionNotes[i]; !Blank(note) {
			a.OptionNotes.Set(o.Value, note)
		}
	}
	for _, text := range c.Literal {
		a.Values, a.Labels = append(a.Values, text), append(a.Labels, text)
	}
	if !Blank(c.CustomText) {
		a.CustomText = c.CustomText
		a.Values, a.Labels = append(a.Values, c.CustomText), append(a.Labels, c.CustomText)
	}
	if !Blank(c.Note) {
		a.Note = c.Note
	}
	if !cancelled {
		a.addImages(q, c)
	}
	return a
}

func (a *Answer) addImages(q *Question, c *Choice) {
	a.CustomImages, a.NoteImages = slices.Clone(c.CustomImages), slices.Clone(c.NoteImages)
	for i, o := range q.Options {
		if images := c.OptionNoteImages[i]; len(images) > 0 {
			a.OptionNoteImages.Set(o.Value, slices.Clone(images))
		}
	}
}
