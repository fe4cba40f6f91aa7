package form

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

func kinds(effects []Effect) string {
	var out []string
	for _, e := range effects {
		out = append(out, reflect.TypeOf(e).Name())
	}
	return strings.Join(out, " ")
}

// endRow is a script and the effects it must give, beside drafts to save.
type endRow struct {
	name, script, want string
	settings           func(*Settings)
	background         bool
}

func runEnds(t *testing.T, rows []endRow) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s, req := defaults(), sample()
			if r.settings != nil {
				r.settings(&s)
			}
			req.Background = r.background
			f := New(req, s)
			if got := kinds(play(t, f, r.script)); got != r.want {
				t.Errorf("script %q gave %q, want %q", r.script, got, r.want)
			}
			if ended := f.Mode() == ModeDone; ended != (r.want != "" && r.want != "Later") {
				t.Errorf("script %q: ended is %v", r.script, ended)
			}
		})
	}
}

func doublePressOff(s *Settings) { s.DoublePressReview = false }
func guardOff(s *Settings)       { s.ConfirmDismiss = false }
func autoSubmitOn(s *Settings)   { s.AutoSubmit = true }

func TestReviewActions(t *testing.T) {
	runEnds(t, []endRow{
		{name: "one press waits", script: "shift+tab 1"},
		{name: "two presses submit", script: "shift+tab 1 1", want: "Submit"},
		{name: "two presses cancel, without the guard", script: "space shift+tab 2 2", want: "Dismissed"},
		{name: "another digit moves the mark", script: "shift+tab 1 2 1"},
		{name: "another digit then twice", script: "shift+tab 1 2 2", want: "Dismissed"},
		{name: "a digit that is no action clears the mark", script: "shift+tab 1 3 1"},
		{name: "another key clears the mark", script: "shift+tab 1 down 1"},
		{name: "a tab and back clears the mark", script: "shift+tab 1 tab shift+tab 1"},
		{name: "clicks are safeguarded", script: "shift+tab act:0"},
		{name: "two clicks submit", script: "shift+tab act:0 act:0", want: "Submit"},
		{name: "a click and a digit are the same action", script: "shift+tab act:0 1", want: "Submit"},
		{name: "two clicks on different actions", script: "shift+tab act:0 act:1"},
		{name: "a click beyond the actions", script: "shift+tab act:2 act:-1 act:2"},
		{name: "a click on actions that are not there", script: "act:0 act:0"},
		{name: "enter submits at once", script: "shift+tab enter", want: "Submit"},
		{name: "enter on Cancel cancels at once", script: "space shift+tab down enter", want: "Dismissed"},
		{name: "enter follows the focus that a digit moved", script: "shift+tab 2 enter", want: "Dismissed"},
		{name: "space is no action", script: "shift+tab space space"},
		{name: "safeguard off: one digit submits", script: "shift+tab 1", want: "Submit", settings: doublePressOff},
		{name: "safeguard off: one digit cancels", script: "space shift+tab 2", want: "Dismissed", settings: doublePressOff},
		{name: "safeguard off: one click submits", script: "shift+tab act:0", want: "Submit", settings: doublePressOff},
		{name: "a held key submits once", script: "shift+tab 1 1 1 1 1 1", want: "Submit"},
		{name: "nothing happens after the end", script: "shift+tab enter enter esc ctrl+c tab 1", want: "Submit"},
		{name: "Review cancels a background form", script: "shift+tab down enter", want: "Dismissed", background: true},
	})
}

func TestGuard(t *testing.T) {
	runEnds(t, []endRow{
		{name: "a clean form goes at once", script: "esc", want: "Dismissed"},
		{name: "a clean form goes at once by ctrl+c", script: "ctrl+c", want: "Dismissed"},
		{name: "moving about is not dirty", script: "down tab tab esc", want: "Dismissed"},
		{name: "a dirty form warns", script: "space esc"},
		{name: "the same again discards", script: "space esc esc", want: "Dismissed"},
		{name: "ctrl+c twice discards", script: "space ctrl+c ctrl+c", want: "Dismissed"},
		{name: "the other action warns again", script: "space esc ctrl+c"},
		{name: "and is then the one", script: "space esc ctrl+c ctrl+c", want: "Dismissed"},
		{name: "to and fro never discards", script: "space esc ctrl+c esc ctrl+c esc"},
		{name: "a tab change clears it", script: "space esc tab esc"},
		{name: "advancing clears it", script: "N =a enter esc 1 esc"},
		{name: "other keys do not", script: "space esc down up esc", want: "Dismissed"},
		{name: "a note is dirty", script: "N =a enter esc"},
		{name: "an option note is dirty", script: "n =a enter esc"},
		{name: "deselected text is dirty", script: "tab 3 =own esc space esc"},
		{name: "a skip is dirty", script: "D esc"},
		{name: "on Review too", script: "1 shift+tab shift+tab esc"},
		{name: "text in an open editor is dirty", script: "4 =x ctrl+c"},
		{name: "and goes the second time", script: "4 =x ctrl+c ctrl+c", want: "Dismissed"},
		{name: "an empty editor is not dirty", script: "4 ctrl+c", want: "Dismissed"},
		{name: "blank text is not dirty", script: "N =__ ctrl+c", want: "Dismissed"},
		{name: "the warning outlives the editor", script: "4 =x ctrl+c esc ctrl+c", want: "Dismissed"},
		{name: "a type notice is no warning", script: "space t esc"},
		{name: "a type question is no warning", script: "tab 1 2 t esc"},
		{name: "guard off", script: "space esc", want: "Dismissed", settings: guardOff},
		{name: "guard off in an editor", script: "4 =x ctrl+c", want: "Dismissed", settings: guardOff},
		{name: "a background form steps aside", script: "space esc", want: "Later", background: true},
		{name: "a background form warns on ctrl+c", script: "space ctrl+c", background: true},
		{name: "a background form goes on the second", script: "space ctrl+c ctrl+c", want: "Dismissed", background: true},
		{name: "stepping aside takes the warning along", script: "space ctrl+c esc ctrl+c", want: "Later", background: true},
		{name: "esc in a background editor only closes it", script: "4 =x esc", background: true},
	})
}

func TestAutoSubmit(t *testing.T) {
	runEnds(t, []endRow{
		{name: "all answered", script: "1 1 enter 1", want: "Submit", settings: autoSubmitOn},
		{name: "off", script: "1 1 enter 1"},
		{name: "by the tab key", script: "1 1 tab space tab", want: "Submit", settings: autoSubmitOn},
		{name: "by a click", script: "1 1 tab space tab:3", want: "Submit", settings: autoSubmitOn},
		{name: "by text", script: "1 1 enter 3 =own enter", want: "Submit", settings: autoSubmitOn},
		{name: "one is missing", script: "1 enter 1", settings: autoSubmitOn},
		{name: "not before Review", script: "1 1 tab space", settings: autoSubmitOn},
		{name: "a question note", script: "N =q enter 1 1 enter 1", settings: autoSubmitOn},
		{name: "an option note, even unselected", script: "down n =q enter 1 1 enter 1", settings: autoSubmitOn},
		{name: "deselected text is no answer", script: "1 3 =own esc space tab 1", settings: autoSubmitOn},
		{name: "a skip is no answer", script: "1 D 1", settings: autoSubmitOn},
		{name: "nor are all skips", script: "D D D", settings: autoSubmitOn},
	})
}

func TestAutoSubmitSwitchedOn(t *testing.T) {
	on := defaults()
	on.AutoSubmit = true
	for _, r := range []struct{ name, script, want string }{
		{"on Review", "1 1 enter 1", "Submit"},
		{"on a question", "1 1 enter 1 tab", "SaveDraft"},
		{"with a note", "N =q enter 1 1 enter 1", ""},
		{"in an editor", "1 1 enter 1 tab N =a esc N", ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			f := New(sample(), defaults())
			play(t, f, r.script)
			got := kinds(f.Apply(Change{Settings: on}))
			if want := strings.TrimPrefix(r.want, "SaveDraft"); got != want {
				t.Errorf("gave %q, want %q", got, want)
			}
		})
	}
}

func TestAutoSubmitDoesNotFireByItselfAfterReopenOrRestore(t *testing.T) {
	s := defaults()
	s.AutoSubmit = true
	f := New(sample(), s)
	if got := kinds(play(t, f, "1 1 enter 1")); got != "Submit" {
		t.Fatalf("gave %q, want Submit", got)
	}
	f.Reopen()
	g := New(sample(), s)
	g.Restore(f.Draft())
	for _, f := range []*Form{f, g} {
		s.ShowFooterHints = !s.ShowFooterHints
		if got := f.Apply(Change{Settings: s}); got != nil {
			t.Errorf("another setting gave %v", got)
		}
		if got := kinds(play(t, f, "down up esc")); got != "" || f.Mode() != ModeReview {
			t.Errorf("moving and a first esc gave %q", got)
		}
	}
}

func TestReopenGivesTheAnswerAgain(t *testing.T) {
	f := New(sample(), defaults())
	first := play(t, f, "2 3 =own enter 1 enter")
	f.Reopen()
	if f.Mode() != ModeReview {
		t.Fatalf("mode %d after Reopen, want Review", f.Mode())
	}
	if diff := cmp.Diff(first, play(t, f, "enter")); diff != "" {
		t.Errorf("second submit differs:\n%s", diff)
	}
}

func TestReopenComesBackToTheEditor(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "4 =draft ctrl+c ctrl+c")
	if f.Mode() != ModeDone {
		t.Fatal("not ended")
	}
	f.Reopen()
	if e := f.Editor(); f.Mode() != ModeCustomEditor || e == nil || e.Text != "draft" {
		t.Errorf("mode %d, editor %+v", f.Mode(), e)
	}
}

func TestSettingsApplyAtOnce(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "space esc")
	f.Apply(Change{Settings: Settings{DoublePressReview: true}})
	if f.Notice().Kind != NoticeNone {
		t.Errorf("the warning stands without the guard: %+v", f.Notice())
	}
	f.Apply(Change{Settings: defaults()})
	play(t, f, "shift+tab 1")
	f.Apply(Change{Settings: Settings{ConfirmDismiss: true}})
	if got := f.ReviewHint(); got != "" {
		t.Errorf("hint %q with the safeguard off", got)
	}
	f.Apply(Change{Settings: defaults()})
	if got := f.ReviewHint(); got != "Press 1 or 2 twice to confirm a review action." {
		t.Errorf("hint %q: the mark outlived the safeguard", got)
	}
	if got := f.Settings(); got != defaults() {
		t.Errorf("settings %+v", got)
	}
}

func TestReviewHint(t *testing.T) {
	for _, r := range []struct{ script, want string }{
		{"", ""},
		{"shift+tab", "Press 1 or 2 twice to confirm a review action."},
		{"shift+tab 1", "Press 1 again to Submit."},
		{"shift+tab 2", "Press 2 again to Cancel."},
		{"shift+tab 2 up", "Press 1 or 2 twice to confirm a review action."},
	} {
		f := New(sample(), defaults())
		play(t, f, r.script)
		if got := f.ReviewHint(); got != r.want {
			t.Errorf("%q: hint %q, want %q", r.script, got, r.want)
		}
	}
}

func TestActions(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "shift+tab 2")
	want := []Action{{Number: 1, Label: "Submit"}, {Number: 2, Label: "Cancel", Focused: true, Pending: true}}
	if diff := cmp.Diff(want, f.Actions()); diff != "" {
		t.Error(diff)
	}
}

func TestReviewItems(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "down n =cheap esc up n =near esc space N =soon esc tab 2 3 =own esc n tab D")
	want := []ReviewItem{
		{
			Label: "Target", Note: "soon", Answers: []ReviewAnswer{{Text: "EU", Note: "near"}},
			Unselected: []ReviewNote{{OptionLabel: "US", Note: "cheap"}},
		},
		{Label: "Extras", Answers: []ReviewAnswer{{Text: "Bench"}, {Text: "own"}}},
		{Label: "When", Skipped: true},
	}
	if diff := cmp.Diff(want, f.Review()); diff != "" {
		t.Error(diff)
	}
	fresh := New(sample(), defaults()).Review()
	for _, item := range fresh {
		if !item.Unanswered || item.Answers != nil {
			t.Errorf("untouched item %+v", item)
		}
	}
}

func TestReviewItemOfTextAndImages(t *testing.T) {
	f := New(sample(), defaults())
	play(t, f, "4 =own")
	f.AddImage(ask.Image{ID: "a"})
	play(t, f, "esc n tab 3")
	f.AddImage(ask.Image{ID: "b"})
	f.AddImage(ask.Image{ID: "c"})
	play(t, f, "enter")
	got := f.Review()
	if diff := cmp.Diff([]ReviewAnswer{{Text: "own [1 image]", CustomOnly: true}}, got[0].Answers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]ReviewAnswer{{Text: "[2 images]", CustomOnly: true}}, got[1].Answers); diff != "" {
		t.Error(diff)
	}
}
