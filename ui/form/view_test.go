package form

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

func TestRows(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "n =near esc down space")
	want := []Row{
		{Number: 1, Label: "EU", Note: "near"},
		{Number: 2, Label: "US", Description: "larger", Recommended: true, Selected: true, Focused: true},
		{Number: 3, Label: "AP"},
		{Number: 4, Label: "Type your own", Custom: true},
	}
	if diff := cmp.Diff(want, f.Rows()); diff != "" {
		t.Error(diff)
	}
	play(t, f, "n")
	if !f.Rows()[1].Editing {
		t.Error("the note editor does not stand under its row")
	}
	play(t, f, "esc N")
	for _, r := range f.Rows() {
		if r.Editing {
			t.Errorf("the question's note stands under row %d", r.Number)
		}
	}
}

func TestCustomRowShowsSavedText(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "tab 3 =own esc space")
	got := f.Rows()[2]
	want := Row{Number: 3, Label: "Type your own", Custom: true, Focused: true, CustomText: "own"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTabs(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "1 N =only_a_note esc tab D")
	want := []Tab{
		{Label: "Target", Answered: true},
		{Label: "Extras"},
		{Label: "When", Skipped: true},
		{Label: "Review", Review: true, Active: true},
	}
	if diff := cmp.Diff(want, f.Tabs()); diff != "" {
		t.Error(diff)
	}
}

func TestAccessorsOnReview(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "shift+tab")
	text, images := f.QuestionNote()
	if f.Question() != nil || f.Rows() != nil || text != "" || images != 0 || f.Editor() != nil || f.FocusRow() != 0 {
		t.Errorf("Review has a question: %v %v %q %d", f.Question(), f.Rows(), text, images)
	}
	if f.QuestionType(3) != "" || f.QuestionType(-1) != "" {
		t.Error("Review has a type")
	}
}

func TestQuestionAndNote(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "tab N =soon esc")
	if f.Question() != &f.Request().Questions[1] {
		t.Error("not the question of the request")
	}
	if text, _ := f.QuestionNote(); text != "soon" {
		t.Errorf("note %q", text)
	}
}

func TestEditorCarriesSavedTextAndSerial(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "4 =own esc enter")
	want := &Editor{Mode: ModeCustomEditor, Option: 3, Text: "own", Serial: 2}
	if diff := cmp.Diff(want, f.Editor()); diff != "" {
		t.Error(diff)
	}
	play(t, f, "esc tab N")
	want = &Editor{Mode: ModeNoteEditor, Question: 1, Option: -1, Serial: 3}
	if diff := cmp.Diff(want, f.Editor()); diff != "" {
		t.Error(diff)
	}
	f.Editor().Text = "outside"
	if f.Editor().Text != "" {
		t.Error("the editor can be changed from outside")
	}
}

func TestNotice(t *testing.T) {
	const (
		dirty   = "Unsaved ask answers or drafts. Press cancel/dismiss again to discard."
		confirm = "Switching to single-select will clear selected options for this question. Press the type key again to confirm."
	)
	for _, r := range []struct {
		script string
		want   Notice
	}{
		{"", Notice{}},
		{"space", Notice{}},
		{"space esc", Notice{NoticeDismiss, dirty}},
		{"space esc down", Notice{NoticeDismiss, dirty}},
		{"space esc tab", Notice{}},
		{"t", Notice{NoticeInfo, "Question type changed from single to multi."}},
		{"t t", Notice{NoticeInfo, "Question type changed from multi to single."}},
		{"t tab", Notice{}},
		{"tab 1 2 t", Notice{NoticeType, confirm}},
		{"tab 1 2 t t", Notice{NoticeInfo, "Question type changed from multi to single."}},
		{"tab 1 2 t up", Notice{}},
		{"tab 1 2 esc t", Notice{NoticeType, confirm + " " + dirty}},
		{"tab 1 2 esc t up", Notice{NoticeDismiss, dirty}},
		{"tab 1 esc t", Notice{NoticeDismiss, dirty + " Question type changed from multi to single."}},
		{"D shift+tab D", Notice{NoticeInfo, "The question is no longer skipped."}},
	} {
		f := New(sample(), defaults())
		play(t, f, r.script)
		if diff := cmp.Diff(r.want, f.Notice()); diff != "" {
			t.Errorf("%q:\n%s", r.script, diff)
		}
	}
}

func TestPresentedDifferently(t *testing.T) {
	req := sample()
	q := &req.Questions[0]
	q.Type, q.RequestedType, q.PresentedType = ask.Multi, ask.Single, ask.Multi
	f := New(req, defaults())
	if !f.AnyPresentedDifferently() {
		t.Error("a single question presented as multi is not seen")
	}
	play(t, f, "t")
	if f.AnyPresentedDifferently() || f.QuestionType(0) != ask.Single {
		t.Error("back at the type that was asked for")
	}
}

func TestImagesOfEachEditor(t *testing.T) {
	one, two := ask.Image{ID: "1"}, ask.Image{ID: "2"}
	f := New(sample(), defaults())
	if f.AddImage(one) != nil || f.RemoveImage() != nil {
		t.Error("images without an editor")
	}
	play(t, f, "D shift+tab N")
	f.AddImage(one)
	f.AddImage(two)
	if got := f.Editor().Images; got != 2 {
		t.Errorf("%d images in the editor, want 2", got)
	}
	f.RemoveImage()
	play(t, f, "esc n")
	f.AddImage(two)
	play(t, f, "esc 4")
	f.AddImage(one)
	play(t, f, "enter")
	want := ask.Choice{
		Type: ask.Single, CustomImages: []ask.Image{one}, NoteImages: []ask.Image{one},
		OptionNoteImages: map[int][]ask.Image{0: {two}},
	}
	if diff := cmp.Diff(want, f.Response().Choices[0]); diff != "" {
		t.Error(diff)
	}
	if f.ActiveTab() != 1 {
		t.Error("an image alone is no answer")
	}
}

func TestRemovingTheLastImageRemovesTheAnswer(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "4")
	f.AddImage(ask.Image{ID: "1"})
	play(t, f, "esc enter")
	f.RemoveImage()
	f.RemoveImage()
	play(t, f, "esc N")
	f.AddImage(ask.Image{ID: "1"})
	f.RemoveImage()
	play(t, f, "esc")
	play(t, f, "up n")
	f.AddImage(ask.Image{ID: "1"})
	f.RemoveImage()
	play(t, f, "esc up up")
	if f.Dirty() || f.Draft() != nil {
		t.Errorf("something is left: %+v", f.Draft())
	}
}

func TestAFormWithoutQuestionsIsReviewAlone(t *testing.T) {
	f := New(&ask.Request{}, Settings{AutoSubmit: true})
	if got := play(t, f, "tab shift+tab down t n D esc"); kinds(got) != "Dismissed" {
		t.Errorf("gave %v", got)
	}
}

func TestResponseSharesNothing(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "n =a esc N")
	f.AddImage(ask.Image{ID: "1"})
	play(t, f, "esc")
	r := f.Response()
	r.Choices[0].OptionNotes[0] = "changed"
	r.Choices[0].NoteImages[0].ID = "changed"
	if c := f.Response().Choices[0]; c.OptionNotes[0] != "a" || c.NoteImages[0].ID != "1" {
		t.Errorf("the form changed: %+v", c)
	}
}
