package form

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"askd/broker/ask"
)

func TestPromptDraftRoundTrip(t *testing.T) {
	for _, script := range []string{
		"", "down", "=es down", "space", "tab", "shift+tab", "enter", "tab 1 3", "tab 1 3 enter", "up enter", "up enter =half_wr",
		"up enter =_raw_ esc", "up enter =a shift+enter =b enter", "tab up enter =own enter", "tab up enter =own enter space",
		"tab 2 down down enter =own enter up enter", "tab up enter =own enter enter backspace", "up enter =__ esc", "enter enter enter",
		"enter enter enter 1 =es down tab 2 tab up enter =open", "tab up enter =own enter enter =er",
	} {
		p := NewPrompt(batch())
		playPrompt(t, p, script)
		q := NewPrompt(batch())
		q.Restore(reload(t, p.Draft()))
		samePrompt(t, p, q)
	}
}

// samePrompt compares all that a prompt shows and would send.
func samePrompt(t rapid.TB, p, q *Prompt) {
	t.Helper()
	if diff := cmp.Diff(p.Draft(), q.Draft()); diff != "" {
		t.Fatalf("draft differs:\n%s", diff)
	}
	if diff := cmp.Diff(p.Response(), q.Response()); diff != "" {
		t.Fatalf("response differs:\n%s", diff)
	}
	p.warned = false // a warning is not kept: it has to be given again
	if diff := cmp.Diff(sketch(p), sketch(q)); diff != "" {
		t.Fatalf("screen differs:\n%s", diff)
	}
}

func TestPromptDraftOfAnUntouchedPromptIsNil(t *testing.T) {
	for _, script := range []string{"", "down up", "tab shift+tab", "=x backspace", "tab 1 1 tab tab tab", "up enter esc down"} {
		p := NewPrompt(batch())
		playPrompt(t, p, script)
		if d := p.Draft(); d != nil {
			t.Errorf("%q left %+v", script, d)
		}
	}
}

func TestPromptDraftWrittenOut(t *testing.T) {
	p := NewPrompt(batch())
	playPrompt(t, p, "=es down enter 1 3 down enter =own enter up enter up enter =half")
	want := &ask.Draft{
		Tab: 2,
		Questions: []ask.QuestionDraft{
			{ID: "q1", Filter: "es", Row: 1, Confirmed: &ask.Confirmed{Selected: []string{"Postgres"}}},
			{
				ID: "q2", Selected: []string{"Unit", "Fuzz"}, CustomText: "own", CustomSelected: true, Row: 2,
				Confirmed: &ask.Confirmed{Selected: []string{"Unit", "Fuzz"}, CustomText: "own"},
			},
			{ID: "q3", Row: 2},
		},
		Editor: &ask.EditorDraft{Kind: "custom", Question: "q3", Text: "half"},
	}
	if diff := cmp.Diff(want, p.Draft()); diff != "" {
		t.Error(diff)
	}
}

func TestPromptRestoreKeepsToThePrompt(t *testing.T) {
	confirmed := func(id, text string, labels ...string) ask.Draft {
		return one(ask.QuestionDraft{ID: id, Confirmed: &ask.Confirmed{Selected: labels, CustomText: text}})
	}
	const untouched = "Store [1] 2 3 · review | 1. Redis"
	for name, r := range map[string]struct {
		draft ask.Draft
		want  string
	}{
		"page too far":           {ask.Draft{Tab: 9}, "1 2 3 · [review]"},
		"negative":               {ask.Draft{Tab: -1, Row: -1}, untouched},
		"row too far":            {one(ask.QuestionDraft{ID: "q1", Row: 9}), "Store [1] 2 3 · review | 4. Type something."},
		"row beyond the filter":  {one(ask.QuestionDraft{ID: "q1", Row: 2, Filter: "redis"}), `Store [1] 2 3 · review | filter "redis" | 2. Type something.`},
		"filter of lines":        {one(ask.QuestionDraft{ID: "q1", Filter: "re\nd"}), `Store [1] 2 3 · review | filter "re d" | 1. Redis`},
		"unknown question":       {one(ask.QuestionDraft{ID: "gone", Row: 1}), untouched},
		"ticks on a single":      {one(ask.QuestionDraft{ID: "q1", Selected: []string{"Redis"}, CustomSelected: true}), untouched},
		"filter on a multi":      {ask.Draft{Tab: 1, Questions: []ask.QuestionDraft{{ID: "q2", Filter: "x"}}}, "Gates 1 [2] 3 · review | 1. [ ] Unit"},
		"tick without text":      {ask.Draft{Tab: 1, Questions: []ask.QuestionDraft{{ID: "q2", CustomText: " ", CustomSelected: true}}}, "Gates 1 [2] 3 · review | 1. [ ] Unit"},
		"unknown option":         {ask.Draft{Tab: 1, Questions: []ask.QuestionDraft{{ID: "q2", Selected: []string{"gone", "Lint", "Lint"}}}}, "Gates 1 [2] 3 · review | 1. [ ] Unit +2"},
		"two answers of single":  {confirmed("q1", "", "Redis", "Cookies"), untouched},
		"option and text":        {confirmed("q1", "own", "Redis"), untouched},
		"answer of unknown":      {confirmed("q1", "", "gone"), untouched},
		"empty answer":           {confirmed("q2", "  "), untouched},
		"answer":                 {confirmed("q1", "", "Redis"), "Store [1✓] 2 3 · review | 1. Redis"},
		"answer in words":        {confirmed("q1", " own "), "Store [1✓] 2 3 · review | 1. Redis"},
		"two answers of a multi": {confirmed("q2", "own", "Fuzz"), "Store [1] 2✓ 3 · review | 1. Redis"},
		"editor elsewhere":       {ask.Draft{Editor: &ask.EditorDraft{Kind: "custom", Question: "q2", Text: "x"}}, `Gates 1 [2] 3 · review | editor "x"`},
		"editor on review":       {ask.Draft{Tab: 3, Editor: &ask.EditorDraft{Kind: "custom", Question: "q1"}}, `Store [1] 2 3 · review | editor ""`},
		"editor of no one":       {ask.Draft{Editor: &ask.EditorDraft{Kind: "custom", Question: "gone"}}, untouched},
		"note editor":            {ask.Draft{Editor: &ask.EditorDraft{Kind: "questionNote", Question: "q1"}}, untouched},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPrompt(batch())
			p.Restore(&r.draft)
			if got := standsAs(p); got != r.want {
				t.Errorf("got %s, want %s", got, r.want)
			}
		})
	}
}

func TestPromptRestoreReplacesWhatWasThere(t *testing.T) {
	p := NewPrompt(batch())
	playPrompt(t, p, "enter up enter =x ctrl+c")
	p.Restore(nil)
	if p.Draft() != nil || p.Mode() != PromptList {
		t.Errorf("left %+v in mode %d", p.Draft(), p.Mode())
	}
}

// A prompt with one question has no review page to come back to.
func TestPromptRestoreOneQuestion(t *testing.T) {
	p := NewPrompt(alone(ask.Single, "Redis", "Postgres"))
	p.Restore(&ask.Draft{Tab: 1, Questions: []ask.QuestionDraft{{ID: "q1", Row: 1}}})
	if got := standsAs(p); got != "Store | 2. Postgres" {
		t.Error(got)
	}
}

func TestPromptSaveDraftComesWithEveryChange(t *testing.T) {
	for _, r := range []struct{ script, word string }{
		{"", "down"},
		{"", "=e"},
		{"=e", "backspace"},
		{"", "tab"},
		{"", "enter"},
		{"up", "enter"},
		{"up enter =x", "esc"},
		{"tab", "1"},
		{"tab", "space"},
		{"tab up enter =x", "enter"},
		{"", "row:2"},
		{"", "page:1"},
	} {
		p := NewPrompt(batch())
		playPrompt(t, p, r.script)
		var got []Effect
		if r.word[0] == '=' {
			got = p.Apply(PromptType{Text: r.word[1:]})
		} else {
			got = playWord(t, p, r.word)
		}
		if kinds(got) != "SaveDraft" {
			t.Errorf("%q then %q gave %v, want SaveDraft", r.script, r.word, got)
		}
	}
}

func TestPromptEventsThatChangeNothingSaveNothing(t *testing.T) {
	p := NewPrompt(batch())
	for _, e := range []PromptEvent{
		PromptDo{PromptErase},
		PromptDo{"other"},
		PromptDigit{-1},
		PromptDigit{10},
		PromptDigit{1},
		PromptEdit{"x"},
		PromptClickRow{-1},
		PromptClickPage{0},
		PromptType{""},
	} {
		if got := p.Apply(e); got != nil {
			t.Errorf("%#v changed nothing and gave %v", e, got)
		}
	}
}
