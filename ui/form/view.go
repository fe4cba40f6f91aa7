package form

import (
	"strings"

	"askd/broker/ask"
)

// Tabs are the questions in form order, then Review.
func (f *Form) Tabs() []Tab {
	out := make([]Tab, 0, len(f.entries)+1)
	for i := range f.entries {
		e := &f.entries[i]
		out = append(out, Tab{Label: e.question.Label, Active: i == f.tab, Answered: e.answered(), Skipped: e.skipped})
	}
	return append(out, Tab{Label: "Review", Review: true, Active: f.onReview()})
}

// ActiveTab is the index of the open tab; the number of questions is Review.
func (f *Form) ActiveTab() int { return f.tab }

// Question is the active question as it was asked, nil on Review.
func (f *Form) Question() *ask.Question {
	if f.onReview() {
		return nil
	}
	return f.active().question
}

// QuestionType is the type of question i as it stands now; empty when there is no such question.
func (f *Form) QuestionType(i int) ask.Type {
	if i < 0 || i >= len(f.entries) {
		return ""
	}
	return f.entries[i].typ
}

// QuestionNote is the saved note of the active question and how many images hang on it; nothing on Review.
func (f *Form) QuestionNote() (text string, images int) {
	if f.onReview() {
		return "", 0
	}
	return f.active().note, len(f.active().noteImages)
}

// FocusRow is the focused row of the active question, 0-based; 0 on Review.
func (f *Form) FocusRow() int { return f.row }

// Rows are the rows of the active question, the custom row last; nil on Review.
func (f *Form) Rows() []Row {
	if f.onReview() {
		return nil
	}
	e := f.active()
	out := make([]Row, 0, len(e.selected)+1)
	for i := range e.question.Options {
		o := &e.question.Options[i]
		out = append(out, Row{
			Label: o.Label, Description: o.Description, Recommended: o.IsRecommended(),
			Selected: e.selected[i], Note: e.notes[i], NoteImages: len(e.images[i]),
		})
	}
	out = append(out, Row{
		Label: ask.CustomLabel, Custom: true, Selected: e.customSelected,
		CustomText: e.customText, Images: len(e.customImages),
	})
	for i := range out {
		out[i].Number, out[i].Focused = i+1, i == f.row
		out[i].Editing = f.editor != nil && f.editor.Option == i
	}
	return out
}

// Texts of the notices.
const (
	dirtyText = "Unsaved ask answers or drafts. Press cancel/dismiss again to discard."
	typeText  = "Switching to single-select will clear selected options for this question. " +
		"Press the type key again to confirm."
)

// Notice is what the line above the foot says. Where several things are to be said all of them are, the one that waits for
// a decision first, so that no warning that is in force is out of sight.
func (f *Form) Notice() Notice {
	var n Notice
	var texts []string
	say := func(on bool, k NoticeKind, text string) {
		if !on {
			return
		}
		if n.Kind == NoticeNone {
			n.Kind = k
		}
		texts = append(texts, text)
	}
	say(f.typePending, NoticeType, typeText)
	say(f.guard != "", NoticeDismiss, dirtyText)
	say(f.info != "" && !f.typePending, NoticeInfo, f.info)
	n.Text = strings.Join(texts, " ")
	return n
}
