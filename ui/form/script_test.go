package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"askd/broker/ask"
)

// sample is a form with a single, a multi and a single question.
func sample() *ask.Request {
	yes := true
	return &ask.Request{ID: "r1", Session: "s1", Tool: ask.ToolAskUser, Title: "Release", Questions: []ask.Question{
		{ID: "target", Label: "Target", Prompt: "Where first?", Type: ask.Single, Options: []ask.Option{
			{Value: "eu", Label: "EU"}, {Value: "us", Label: "US", Description: "larger", Recommended: &yes}, {Value: "ap", Label: "AP"},
		}},
		{ID: "extras", Label: "Extras", Prompt: "What else?", Type: ask.Multi, Options: []ask.Option{
			{Value: "docs", Label: "Docs"}, {Value: "bench", Label: "Bench"},
		}},
		{ID: "when", Label: "When", Prompt: "When?", Type: ask.Single, Options: []ask.Option{
			{Value: "mon", Label: "Monday"}, {Value: "thu", Label: "Thursday"},
		}},
	}}
}

// defaults are the settings of a new installation.
func defaults() Settings {
	return Settings{ConfirmDismiss: true, DoublePressReview: true, ShowFooterHints: true}
}

// The keys of a script, by the mode they are pressed in, as the default keymap has them.
var (
	mainKeys = map[string]Command{
		"down": NextOption, "up": PreviousOption, "tab": NextTab, "shift+tab": PreviousTab, "enter": Confirm, "esc": Cancel,
		"space": Toggle, "t": ChangeType, "n": OptionNote, "N": QuestionNote, "D": Skip, "e": EditCustom, "ctrl+c": Dismiss,
	}
	editorKeys = map[string]Command{
		"down": NextOptionEmpty, "up": PrevOptionEmpty, "tab": NextTabEmpty, "shift+tab": PrevTabEmpty, "esc": EditorClose,
		"ctrl+c": Dismiss,
	}
	clicks = map[string]func(int) Event{
		"focus": func(n int) Event { return FocusOption{Index: n} },
		"row":   func(n int) Event { return ClickRow{Index: n} },
		"tab":   func(n int) Event { return ClickTab{Index: n} },
		"act":   func(n int) Event { return ClickAction{Index: n} },
	}
)

// event reads one word of a script: a key, a digit, a click such as row:2, or text to stand in the editor such as =some_text
// (underscores are spaces).
func event(t *testing.T, f *Form, word string) Event {
	t.Helper()
	if text, ok := strings.CutPrefix(word, "="); ok {
		return EditText{Text: strings.ReplaceAll(text, "_", " ")}
	}
	if n, err := strconv.Atoi(word); err == nil {
		return Digit{N: n}
	}
	if kind, at, ok := strings.Cut(word, ":"); ok && clicks[kind] != nil {
		n, err := strconv.Atoi(at)
		if err != nil {
			t.Fatalf("script word %q: %v", word, err)
		}
		return clicks[kind](n)
	}
	c := keyIn(f.Mode(), word)
	if c == "" {
		t.Fatalf("script word %q means nothing in mode %d", word, f.Mode())
	}
	return Do{Command: c}
}

func keyIn(m Mode, word string) Command {
	switch {
	case m == ModeCustomEditor && word == "enter":
		return EditorSubmit
	case m == ModeNoteEditor && word == "enter":
		return EditorSave
	case m == ModeCustomEditor || m == ModeNoteEditor:
		return editorKeys[word]
	}
	return mainKeys[word]
}

// play applies a script and returns the effects other than SaveDraft.
func play(t *testing.T, f *Form, script string) []Effect {
	t.Helper()
	var out []Effect
	for _, word := range strings.Fields(script) {
		for _, e := range f.Apply(event(t, f, word)) {
			if _, ok := e.(SaveDraft); !ok {
				out = append(out, e)
			}
		}
	}
	return out
}

// state writes a form down: where it stands, then every question that holds something.
func state(f *Form) string {
	mode := []string{"question", "review", "custom", "note", "done"}[f.Mode()]
	at := fmt.Sprintf("%s %d.%d", mode, f.ActiveTab(), f.FocusRow())
	if f.Mode() == ModeReview {
		at = fmt.Sprintf("review %s", f.Actions()[slices.IndexFunc(f.Actions(), func(a Action) bool { return a.Focused })].Label)
	}
	for i := range f.entries {
		if s := entryState(&f.entries[i]); s != "" {
			at += fmt.Sprintf(" | %s:%s", f.entries[i].question.ID, s)
		}
	}
	return at
}

func entryState(e *entry) string {
	var out strings.Builder
	for i, o := range e.question.Options {
		if e.selected[i] {
			out.WriteString(" " + o.Value)
		}
	}
	mark := map[bool]string{true: "+", false: "-"}
	if e.kept() {
		fmt.Fprintf(&out, " %s%q", mark[e.customSelected], withMarker(e.customText, len(e.customImages)))
	}
	if e.note != "" || len(e.noteImages) > 0 {
		fmt.Fprintf(&out, " note %q", withMarker(e.note, len(e.noteImages)))
	}
	for i := range e.question.Options {
		if e.notes[i] != "" || len(e.images[i]) > 0 {
			fmt.Fprintf(&out, " note%d %q", i+1, withMarker(e.notes[i], len(e.images[i])))
		}
	}
	if e.typ != ownType(e.question) {
		out.WriteString(" now " + string(e.typ))
	}
	if e.skipped {
		out.WriteString(" skipped")
	}
	return out.String()
}

// row is one line of a behaviour table.
type row struct {
	name, script, want string
}

func runRows(t *testing.T, s Settings, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			f := New(sample(), s)
			if got := play(t, f, r.script); len(got) != 0 {
				t.Errorf("script %q gave effects %v", r.script, got)
			}
			if got := state(f); got != r.want {
				t.Errorf("script %q\n got %s\nwant %s", r.script, got, r.want)
			}
		})
	}
}
