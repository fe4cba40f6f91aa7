package form

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

// reload sends a draft through its stored form.
func reload(t testing.TB, d *ask.Draft) *ask.Draft {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var out *ask.Draft
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDraftRoundTrip(t *testing.T) {
	for _, script := range []string{
		"", "down", "tab", "shift+tab", "shift+tab down", "space", "2 1 2", "4 =own enter", "4 =_raw_ esc", "4", "4 =half_wr",
		"tab 3 =own esc space", "tab 3 =own esc e =other", "N =soon", "N =soon esc", "down n =why", "down n =why esc down",
		"t", "t 1 2", "tab t", "tab 1 2 t", "D", "D D D", "D shift+tab D", "1 tab n =q esc 1 2 3 =own esc tab D shift+tab N =open",
		"4 esc", "4 esc N =x", "space esc",
	} {
		f := New(sample(), defaults())
		play(t, f, script)
		d := f.Draft()
		g := New(sample(), defaults())
		g.Restore(reload(t, d))
		if diff := cmp.Diff(d, g.Draft()); diff != "" {
			t.Errorf("%q: draft differs:\n%s", script, diff)
		}
		if state(f) != state(g) {
			t.Errorf("%q:\n was %s\n now %s", script, state(f), state(g))
		}
		if diff := cmp.Diff(f.Response(), g.Response()); diff != "" {
			t.Errorf("%q: response differs:\n%s", script, diff)
		}
	}
}

func TestDraftOfAnUntouchedFormIsNil(t *testing.T) {
	for _, script := range []string{"", "down up", "tab shift+tab", "space space", "N =x = esc", "t t", "4 esc up up up"} {
		f := New(sample(), defaults())
		play(t, f, script)
		if d := f.Draft(); d != nil {
			t.Errorf("%q left %+v", script, d)
		}
	}
}

func TestDraftWrittenOut(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "2 tab t 3 =mine")
	want := &ask.Draft{
		Tab: 2, Row: 2,
		Questions: []ask.QuestionDraft{
			{ID: "target", Selected: []string{"us"}},
			{ID: "when", Type: ask.Multi},
		},
		Editor: &ask.EditorDraft{Kind: "custom", Question: "when", Text: "mine"},
	}
	if diff := cmp.Diff(want, f.Draft()); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreKeepsToTheForm(t *testing.T) {
	for name, r := range map[string]struct {
		draft ask.Draft
		want  string
	}{
		"tab too far":       {ask.Draft{Tab: 9, Row: 9, Action: 9}, "review Cancel"},
		"negative":          {ask.Draft{Tab: -1, Row: -1, Action: -1}, "question 0.0"},
		"row too far":       {ask.Draft{Tab: 1, Row: 9, Action: 1}, "question 1.2"},
		"unknown question":  {ask.Draft{Questions: []ask.QuestionDraft{{ID: "gone", Note: "x"}}}, "question 0.0"},
		"unknown option":    {one(ask.QuestionDraft{ID: "target", Selected: []string{"gone", "us"}}), "question 0.0 | target: us"},
		"two on single":     {one(ask.QuestionDraft{ID: "target", Selected: []string{"us", "eu"}}), "question 0.0 | target: us"},
		"twice on multi":    {one(ask.QuestionDraft{ID: "extras", Selected: []string{"docs", "docs"}}), "question 0.0 | extras: docs"},
		"unknown type":      {one(ask.QuestionDraft{ID: "target", Type: "preview"}), "question 0.0"},
		"text and option":   {one(ask.QuestionDraft{ID: "target", Selected: []string{"us"}, CustomText: "own", CustomSelected: true}), `question 0.0 | target: +"own"`},
		"selected nothing":  {one(ask.QuestionDraft{ID: "extras", CustomText: "  ", CustomSelected: true}), "question 0.0"},
		"skipped and more":  {one(ask.QuestionDraft{ID: "target", Selected: []string{"us"}, Note: "n", Skipped: true}), "question 0.0 | target: skipped"},
		"blank notes":       {one(ask.QuestionDraft{ID: "target", Note: " ", OptionNotes: map[string]string{"us": " ", "gone": "x"}}), "question 0.0"},
		"images of nothing": {one(ask.QuestionDraft{ID: "target", OptionNoteImages: map[string][]ask.Image{"us": {}, "gone": {{ID: "1"}}}}), "question 0.0"},
		"editor elsewhere":  {ask.Draft{Row: 2, Editor: &ask.EditorDraft{Kind: "custom", Question: "when", Text: "x"}}, "custom 2.2"},
		"editor on Review":  {ask.Draft{Tab: 3, Action: 1, Editor: &ask.EditorDraft{Kind: "questionNote", Question: "when"}}, "note 2.0"},
		"editor's row":      {ask.Draft{Editor: &ask.EditorDraft{Kind: "optionNote", Question: "target", Option: "ap"}}, "note 0.2"},
		"unknown editor":    {ask.Draft{Row: 1, Editor: &ask.EditorDraft{Kind: "x", Question: "target"}}, "question 0.1"},
		"editor of no one":  {ask.Draft{Row: 1, Editor: &ask.EditorDraft{Kind: "custom", Question: "gone"}}, "question 0.1"},
		"note of no option": {ask.Draft{Editor: &ask.EditorDraft{Kind: "optionNote", Question: "target", Option: "gone"}}, "question 0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			f := New(sample(), defaults())
			f.Restore(&r.draft)
			if got := state(f); got != r.want {
				t.Errorf("got %s, want %s", got, r.want)
			}
		})
	}
}

func one(q ask.QuestionDraft) ask.Draft { return ask.Draft{Questions: []ask.QuestionDraft{q}} }

func TestRestoreReplacesWhatWasThere(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "2 1 N =x")
	f.Restore(nil)
	if f.Draft() != nil || f.Mode() != ModeQuestion {
		t.Errorf("left %+v in mode %d", f.Draft(), f.Mode())
	}
}

func TestDraftSharesNothing(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "N")
	f.AddImage(ask.Image{ID: "1"})
	d := f.Draft()
	g := New(sample(), defaults())
	g.Restore(d)
	d.Questions[0].NoteImages[0].ID = "changed"
	for _, f := range []*Form{f, g} {
		if got := f.Response().Choices[0].NoteImages[0].ID; got != "1" {
			t.Errorf("image %q", got)
		}
	}
}

func TestSaveDraftComesWithEveryChange(t *testing.T) {
	for _, r := range []struct{ script, word string }{
		{"", "down"},
		{"down", "space"},
		{"", "tab"},
		{"N", "=a"},
		{"N =a", "esc"},
		{"4", "esc"},
		{"tab", "1"},
		{"tab 1", "D"},
		{"tab 1", "enter"},
		{"shift+tab", "down"},
		{"shift+tab", "2"},
		{"", "t"},
	} {
		f := New(sample(), defaults())
		play(t, f, r.script)
		if got := kinds(f.Apply(event(t, f, r.word))); got != "SaveDraft" {
			t.Errorf("%q then %q gave %q, want SaveDraft", r.script, r.word, got)
		}
	}
}

func TestEventsThatChangeNothingSaveNothing(t *testing.T) {
	f := New(sample(), defaults())
	for _, e := range []Event{Do{PreviousOption}, Digit{9}, EditText{"x"}, ClickRow{-1}, ClickTab{0}, Change{defaults()}} {
		if got := f.Apply(e); got != nil {
			t.Errorf("%#v changed nothing and gave %v", e, got)
		}
	}
}

// ImageSize counts every image that the form holds, wherever it stands and whether or not it would be sent.
func TestImageSize(t *testing.T) {
	image := func(n int) ask.Image { return ask.Image{ID: "i", MimeType: "image/png", Data: strings.Repeat("A", n)} }
	f := New(&ask.Request{Questions: []ask.Question{{
		ID: "q", Label: "Q", Prompt: "?", Type: ask.Multi, Options: []ask.Option{{Value: "a", Label: "A"}, {Value: "b", Label: "B"}},
	}}}, Settings{})
	f.Restore(&ask.Draft{Questions: []ask.QuestionDraft{{
		ID: "q", CustomImages: []ask.Image{image(1), image(2)}, NoteImages: []ask.Image{image(4)},
		OptionNoteImages: map[string][]ask.Image{"a": {image(8)}, "b": {image(16)}},
	}}})
	if got := f.ImageSize(); got != 31 {
		t.Errorf("%d, want 31", got)
	}
	f.Apply(Do{Command: QuestionNote})
	f.RemoveImage()
	if got := f.ImageSize(); got != 27 {
		t.Errorf("%d after removing the note's, want 27", got)
	}
	f.AddImage(image(32))
	if got := f.ImageSize(); got != 59 {
		t.Errorf("%d after adding one, want 59", got)
	}
}
