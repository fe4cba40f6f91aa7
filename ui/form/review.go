package form

import "fmt"

// The Review actions, by index.
const (
	actionSubmit = iota
	actionCancel
)

var actionLabels = []string{actionSubmit: "Submit", actionCancel: "Cancel"}

// Actions are the Review actions: Submit, Cancel.
func (f *Form) Actions() []Action {
	out := make([]Action, len(actionLabels))
	for i, label := range actionLabels {
		out[i] = Action{Number: i + 1, Label: label, Focused: f.onReview() && f.action == i, Pending: f.pending == i}
	}
	return out
}

// ReviewHint is the line under the actions; empty away from Review and while the double press is off.
func (f *Form) ReviewHint() string {
	switch {
	case !f.onReview() || !f.settings.DoublePressReview:
		return ""
	case f.pending == noAction:
		return "Press 1 or 2 twice to confirm a review action."
	}
	return fmt.Sprintf("Press %d again to %s.", f.pending+1, actionLabels[f.pending])
}

func (f *Form) moveAction(by int) {
	to := min(max(f.action+by, 0), len(actionLabels)-1)
	f.changed = f.changed || to != f.action
	f.action = to
}

func (f *Form) clickAction(i int) {
	if f.Mode() == ModeReview {
		f.press(i)
	}
}

// press is a number key or a click on a Review action. With the safeguard on it takes two of the same; a key and a click
// count alike.
func (f *Form) press(i int) {
	if i < 0 || i >= len(actionLabels) {
		f.pending = noAction
		return
	}
	f.changed = f.changed || f.action != i
	f.action = i
	if f.settings.DoublePressReview && f.pending != i {
		f.pending = i
		return
	}
	f.finish(i)
}

// finish runs a Review action at once: it was chosen on a list, so no guard stands before Cancel.
func (f *Form) finish(i int) {
	f.pending = noAction
	if i == actionSubmit {
		f.submit()
		return
	}
	f.dismiss()
}

// Review lists the questions as Review shows them (contract, "the review tab shows every question note and every option
// note"). Texts are as they were typed.
func (f *Form) Review() []ReviewItem {
	out := make([]ReviewItem, len(f.entries))
	for i := range f.entries {
		out[i] = f.entries[i].reviewItem()
	}
	return out
}

func (e *entry) reviewItem() ReviewItem {
	item := ReviewItem{Label: e.question.Label, Skipped: e.skipped}
	if e.skipped {
		return item
	}
	item.Unanswered = !e.answered()
	item.Note, item.NoteImages = e.note, len(e.noteImages)
	for i, o := range e.question.Options {
		note, images := e.notes[i], len(e.images[i])
		switch {
		case e.selected[i]:
			item.Answers = append(item.Answers, ReviewAnswer{Text: o.Label, Note: note, NoteImages: images})
		case note != "" || images > 0:
			item.Unselected = append(item.Unselected, ReviewNote{OptionLabel: o.Label, Note: note, NoteImages: images})
		}
	}
	if e.customSelected {
		item.Answers = append(item.Answers, ReviewAnswer{
			Text:       withMarker(e.customText, len(e.customImages)),
			CustomOnly: len(item.Answers) == 0,
		})
	}
	return item
}

// withMarker adds the contract's attachment marker to a text.
func withMarker(text string, images int) string {
	marker := fmt.Sprintf("[%d images]", images)
	if images == 1 {
		marker = "[1 image]"
	}
	switch {
	case images == 0:
		return text
	case text == "":
		return marker
	}
	return text + " " + marker
}
