package form

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"askd/broker/ask"
)

var everyCommand = []Command{
	NextTab, PreviousTab, NextOption, PreviousOption, Confirm, Cancel, Dismiss, Toggle, ChangeType, OptionNote, QuestionNote,
	Skip, EditCustom, EditorSubmit, EditorSave, EditorClose, NextOptionEmpty, PrevOptionEmpty, NextTabEmpty, PrevTabEmpty,
}

var typed = []string{"", "", " ", "\t\n", "a", " b ", "two\nlines\n", "\ufeff", "EU", "__other__"}

func randomRequest(t *rapid.T) *ask.Request {
	r := &ask.Request{ID: "r", Session: "s", Background: rapid.Bool().Draw(t, "background")}
	for i := range rapid.IntRange(1, 4).Draw(t, "questions") {
		q := ask.Question{ID: fmt.Sprint("q", i), Label: fmt.Sprint("Q", i+1), Prompt: "?", Type: ask.Single}
		switch rapid.IntRange(0, 2).Draw(t, "type") {
		case 1:
			q.Type = ask.Multi
		case 2:
			q.Type, q.RequestedType, q.PresentedType = ask.Multi, ask.Single, ask.Multi
		}
		for j := range rapid.IntRange(1, 11).Draw(t, "options") {
			q.Options = append(q.Options, ask.Option{Value: fmt.Sprint("v", j), Label: fmt.Sprint("V", j)})
		}
		r.Questions = append(r.Questions, q)
	}
	return r
}

func randomSettings(t *rapid.T) Settings {
	b := rapid.Bool()
	return Settings{AutoSubmit: b.Draw(t, "auto"), ConfirmDismiss: b.Draw(t, "guard"), DoublePressReview: b.Draw(t, "double")}
}

func randomEvent(t *rapid.T) Event {
	n := rapid.IntRange(-2, 13)
	switch rapid.IntRange(0, 12).Draw(t, "event") {
	case 12:
		return FocusOption{Index: n.Draw(t, "n")}
	case 0, 1:
		return Digit{N: n.Draw(t, "n")}
	case 2, 3:
		return EditText{Text: rapid.SampledFrom(typed).Draw(t, "text")}
	case 4:
		return ClickTab{Index: n.Draw(t, "n")}
	case 5:
		return ClickRow{Index: n.Draw(t, "n")}
	case 6:
		return ClickAction{Index: n.Draw(t, "n")}
	case 7:
		return Change{Settings: randomSettings(t)}
	}
	return Do{Command: rapid.SampledFrom(everyCommand).Draw(t, "command")}
}

// TestRandomEvents drives forms with events of every kind, sensible or not, and checks what must hold after each.
func TestRandomEvents(t *testing.T) { rapid.Check(t, anyEvents) }

// FuzzEvents is TestRandomEvents led by coverage.
func FuzzEvents(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyEvents)) }

func anyEvents(t *rapid.T) {
	f := New(randomRequest(t), randomSettings(t))
	for i := range rapid.IntRange(1, 60).Draw(t, "events") {
		step(t, f, i)
		checkView(t, f)
		checkAnswers(t, f)
		checkTexts(t, f)
		checkDraft(t, f)
		if f.Mode() == ModeDone {
			f.Reopen()
		}
	}
}

func step(t *rapid.T, f *Form, i int) {
	switch rapid.IntRange(0, 14).Draw(t, "step") {
	case 0:
		f.AddImage(ask.Image{ID: fmt.Sprint("img", i)})
		return
	case 1:
		f.RemoveImage()
		return
	}
	e := randomEvent(t)
	before, draft, may := state(f), f.Draft(), maySubmit(f, e)
	effects := f.Apply(e)
	checkEffects(t, f, effects, may)
	if f.Mode() != ModeDone && !cmp.Equal(draft, f.Draft()) && kinds(effects) != "SaveDraft" {
		t.Fatalf("%#v: %s became %s and gave %v", e, before, state(f), effects)
	}
	if f.Mode() == ModeDone {
		if again := f.Apply(e); again != nil {
			t.Fatalf("%#v after the end gave %v", e, again)
		}
	}
}

// maySubmit says whether an event is one by which a person submits.
func maySubmit(f *Form, e Event) bool {
	onSubmit := f.Mode() == ModeReview && f.Actions()[0].Focused
	switch e := e.(type) {
	case Digit:
		return f.Mode() == ModeReview && e.N == 1 || f.settings.AutoSubmit
	case ClickAction:
		return f.Mode() == ModeReview && e.Index == 0
	case Do:
		return e.Command == Confirm && onSubmit || f.settings.AutoSubmit && e.Command != Cancel && e.Command != Dismiss
	case Change:
		return e.Settings.AutoSubmit && !f.settings.AutoSubmit && f.Mode() == ModeReview
	}
	return f.settings.AutoSubmit
}

func checkEffects(t *rapid.T, f *Form, effects []Effect, may bool) {
	ended := slices.ContainsFunc(effects, func(e Effect) bool {
		switch e := e.(type) {
		case Submit:
			if !may {
				t.Fatalf("a submit out of nothing: %s", state(f))
			}
			return cmp.Equal(e.Response, f.Response())
		case Dismissed:
			return cmp.Equal(e.Response, f.Response())
		case Later:
			if !f.request.Background {
				t.Fatal("a foreground form stepped aside")
			}
		}
		return false
	})
	if ended != (f.Mode() == ModeDone) || ended && len(effects) != 1 {
		t.Fatalf("effects %v in mode %d", effects, f.Mode())
	}
}

func checkView(t *rapid.T, f *Form) {
	if f.ActiveTab() < 0 || f.ActiveTab() > len(f.request.Questions) {
		t.Fatalf("tab %d", f.ActiveTab())
	}
	f.Notice()
	f.ReviewHint()
	rows := f.Rows()
	if q := f.Question(); q != nil && len(rows) != len(q.Options)+1 || q == nil && rows != nil {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		if r.Focused != (i == f.FocusRow()) || r.Number != i+1 || r.Custom != (i == len(rows)-1) {
			t.Fatalf("row %d is %+v, focus on %d", i, r, f.FocusRow())
		}
	}
	if rows == nil && (f.FocusRow() != 0 || f.Editor() != nil) || rows != nil && f.FocusRow() >= len(rows) {
		t.Fatalf("focus on row %d of %d", f.FocusRow(), len(rows))
	}
	if e := f.Editor(); e != nil && (e.Question != f.ActiveTab() || e.Option >= 0 && e.Option != f.FocusRow()) {
		t.Fatalf("editor %+v away from the focus %d.%d", e, f.ActiveTab(), f.FocusRow())
	}
}

// checkAnswers holds what the form says against the result that its response makes.
func checkAnswers(t *rapid.T, f *Form) {
	resp := f.Response()
	result := ask.BuildResult(f.request, resp, false)
	tabs, review := f.Tabs(), f.Review()
	for i, c := range resp.Choices {
		a, _ := result.Answers.Get(f.request.Questions[i].ID)
		if c.Type != f.QuestionType(i) || tabs[i].Answered != a.Committed() || tabs[i].Skipped != c.Skipped {
			t.Fatalf("tab %+v, choice %+v, answer %+v", tabs[i], c, a)
		}
		if review[i].Unanswered != (!a.Committed() && !c.Skipped) || len(review[i].Answers) != countOf(c) {
			t.Fatalf("review %+v, choice %+v", review[i], c)
		}
		if c.Type == ask.Single && countOf(c) > 1 {
			t.Fatalf("a single question has several answers: %+v", c)
		}
	}
}

func countOf(c ask.Choice) int {
	n := len(c.Selected)
	if c.CustomText != "" || len(c.CustomImages) > 0 {
		n++
	}
	return n
}

// checkTexts sees that only what was typed comes out.
func checkTexts(t *rapid.T, f *Form) {
	var texts []string
	for _, c := range f.Response().Choices {
		texts = append(slices.AppendSeq(texts, maps.Values(c.OptionNotes)), c.CustomText, c.Note)
	}
	for _, text := range texts {
		if text == "" {
			continue
		}
		if ask.Blank(text) || !slices.ContainsFunc(typed, func(s string) bool { return s == text || ask.Trim(s) == text }) {
			t.Fatalf("text %q was never typed", text)
		}
	}
}

func checkDraft(t *rapid.T, f *Form) {
	d := f.Draft()
	g := New(f.request, f.settings)
	g.Restore(d)
	if diff := cmp.Diff(d, g.Draft()); diff != "" {
		t.Fatalf("draft differs:\n%s", diff)
	}
	if diff := cmp.Diff(f.Response(), g.Response()); diff != "" {
		t.Fatalf("restored response differs:\n%s", diff)
	}
	if g.Mode() == ModeDone {
		t.Fatal("restoring ended the form")
	}
}

// TestRandomDrafts restores drafts that fit no form.
func TestRandomDrafts(t *testing.T) { rapid.Check(t, anyDraft) }

// FuzzDrafts is TestRandomDrafts led by coverage.
func FuzzDrafts(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyDraft)) }

func anyDraft(t *rapid.T) {
	values := rapid.SampledFrom([]string{"", "v0", "v3", "q0", "q1", "q9", "custom", "optionNote", "questionNote", " "})
	n := rapid.IntRange(-3, 20)
	d := &ask.Draft{Tab: n.Draw(t, "tab"), Row: n.Draw(t, "row"), Action: n.Draw(t, "action")}
	for range rapid.IntRange(0, 4).Draw(t, "questions") {
		d.Questions = append(d.Questions, ask.QuestionDraft{
			ID: values.Draw(t, "id"), Type: ask.Type(rapid.SampledFrom([]string{"", "single", "multi", "x"}).Draw(t, "type")),
			Selected: rapid.SliceOfN(values, 0, 4).Draw(t, "selected"), CustomText: values.Draw(t, "text"),
			CustomSelected: rapid.Bool().Draw(t, "on"), Note: values.Draw(t, "note"),
			OptionNotes: rapid.MapOfN(values, values, 0, 3).Draw(t, "notes"), Skipped: rapid.Bool().Draw(t, "skipped"),
		})
	}
	if rapid.Bool().Draw(t, "editing") {
		d.Editor = &ask.EditorDraft{
			Kind: values.Draw(t, "kind"), Question: values.Draw(t, "at"), Option: values.Draw(t, "option"), Text: "a",
		}
	}
	f := New(randomRequest(t), randomSettings(t))
	f.Restore(d)
	checkView(t, f)
	checkAnswers(t, f)
	checkDraft(t, f)
}
