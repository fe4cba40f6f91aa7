package form

import (
	"strings"
	"testing"
)

func TestNavigation(t *testing.T) {
	runRows(t, defaults(), []row{
		{"opens on the first question", "", "question 0.0"},
		{"options clamp at the top", "up up", "question 0.0"},
		{"options move", "down down", "question 0.2"},
		{"tabs go round forwards", "tab tab tab tab", "question 0.0"},
		{"tabs go round backwards", "shift+tab", "review Submit"},
		{"changing tab resets the row", "down down tab shift+tab", "question 0.0"},
		{"changing tab resets the review focus", "shift+tab down tab shift+tab", "review Submit"},
		{"review actions clamp", "shift+tab down down down", "review Cancel"},
		{"review actions clamp at the top", "shift+tab up", "review Submit"},
		{"a click opens a tab", "tab:2", "question 2.0"},
		{"a click opens Review", "tab:3", "review Submit"},
		{"a click beyond the tabs is nothing", "down tab:4 tab:-1", "question 0.1"},
		{"the focus goes to an option", "focus:2", "question 0.2"},
		{"it stops at the first option", "down focus:-9", "question 0.0"},
		{"it stops before the custom row", "focus:99", "question 0.2"},
		{"from the custom row it comes back", "down down down esc focus:0", "question 0.0"},
		{"there is nothing to focus on Review", "shift+tab down focus:0", "review Cancel"},
		{"it stays in an editor", "n =text focus:2", "note 0.0"},
		{"a click on the open tab is nothing", "down tab:0", "question 0.1"},
	})
}

func TestSingle(t *testing.T) {
	runRows(t, defaults(), []row{
		{"a digit picks and goes on", "2", "question 1.0 | target: us"},
		{"the last choice wins", "2 shift+tab 3", "question 1.0 | target: ap"},
		{"a digit on the chosen option keeps it", "2 shift+tab 2", "question 1.0 | target: us"},
		{"a digit beyond the rows is nothing", "down 5 9 0", "question 0.1"},
		{"enter picks and goes on", "down enter", "question 1.0 | target: us"},
		{"enter on the last question opens Review", "tab tab enter", "review Submit | when: mon"},
		{"space picks and stays", "down space", "question 0.1 | target: us"},
		{"space again takes it back", "down space space", "question 0.1"},
		{"space moves the choice", "space down space", "question 0.1 | target: us"},
		{"a click does what the digit does", "row:1", "question 1.0 | target: us"},
		{"a click beyond the rows is nothing", "row:4 row:-1", "question 0.0"},
		{"a click on a row does nothing on Review", "tab:3 row:0", "review Submit"},
		{
			"choosing an option drops the free-form answer and keeps notes", "N =q enter e =own esc 1",
			`question 1.0 | target: eu note "q"`,
		},
	})
}

func TestMulti(t *testing.T) {
	runRows(t, defaults(), []row{
		{"digits toggle and stay", "tab 2 1", "question 1.0 | extras: docs bench"},
		{"a digit again takes it back", "tab 2 1 2", "question 1.1 | extras: docs"},
		{"space toggles and stays", "tab space down space up space", "question 1.0 | extras: bench"},
		{"enter goes on without a change", "tab down enter", "question 2.0"},
		{"enter keeps all choices", "tab 1 2 enter", "question 2.0 | extras: docs bench"},
		{"enter on a saved custom row goes on", "tab 3 =own esc enter", `question 2.0 | extras: +"own"`},
		{"enter on a saved deselected custom row goes on", "tab 3 =own esc space enter", `question 2.0 | extras: -"own"`},
		{"enter on an empty custom row opens the editor", "tab 3 esc enter", "custom 1.2"},
		{"a click toggles", "tab row:0 row:1 row:0", "question 1.0 | extras: bench"},
	})
}

// Enter that chooses nothing says so: on a single question it would have chosen.
func TestLeavingAMultiQuestionOpenIsSaid(t *testing.T) {
	for script, want := range map[string]string{
		"tab enter": "No option is chosen on question 2.", "tab 1 enter": "", "tab enter tab": "", "tab D shift+tab enter": "", "tab tab": "",
		"tab 3 =own esc enter": "",
	} {
		f := New(sample(), defaults())
		for _, word := range strings.Fields(script) {
			f.Apply(event(t, f, word))
		}
		if got := f.Notice().Text; got != want {
			t.Errorf("%s: notice %q, want %q", script, got, want)
		}
	}
}

func TestCustomRow(t *testing.T) {
	runRows(t, defaults(), []row{
		{"moving on to the empty row opens it", "down down down", "custom 0.3"},
		{"esc closes it and it stays closed", "down down down esc", "question 0.3"},
		{"the next move opens it again", "down down down esc down", "custom 0.3"},
		{"space opens it", "down down down esc space", "custom 0.3"},
		{"enter opens it on a single question", "down down down esc enter", "custom 0.3"},
		{"a digit opens it", "4", "custom 0.3"},
		{"a click opens it", "row:3", "custom 0.3"},
		{"up leaves the empty editor", "4 up", "question 0.2"},
		{"down in the empty editor stays in it", "4 down", "custom 0.3"},
		{"tab leaves the empty editor", "4 tab", "question 1.0"},
		{"shift+tab leaves the empty editor", "4 shift+tab", "review Submit"},
		{"arrows stay in a written editor", "4 =x up down tab shift+tab", "custom 0.3"},
		{"passing over the row keeps the choice", "space down down down up", "question 0.2 | target: eu"},
		{"esc from the empty row keeps the choice", "space down down down esc", "question 0.3 | target: eu"},
		{"enter in the empty editor closes it and stays", "space 4 enter", "question 0.3 | target: eu"},
		{"blank text is no answer", "space 4 =__ enter", "question 0.3 | target: eu"},
		{"enter saves, trimmed, and goes on", "4 =__own_words_ enter", `question 1.0 | target: +"own words"`},
		{"esc saves as typed and stays", "4 =__own_ esc", `question 0.3 | target: +"  own "`},
		{"text replaces the choice on single", "space 4 =own esc", `question 0.3 | target: +"own"`},
		{"a saved row does not open by moving", "4 =own esc up down", `question 0.3 | target: +"own"`},
		{"enter edits a saved row on single", "4 =own esc enter", `custom 0.3 | target: +"own"`},
		{"space edits a saved row on single", "4 =own esc space", `custom 0.3 | target: +"own"`},
		{"blank text clears what was saved", "4 =own esc enter =_ esc", "question 0.3"},
		{"leaving by a click saves", "4 =own tab:2", `question 2.0 | target: +"own"`},
		{"leaving by a click on an option saves, then picks", "tab 3 =own row:0", `question 1.0 | extras: docs +"own"`},
		{"a click on its own row changes nothing", "4 =own row:3", "custom 0.3"},
		{"a click on the open tab changes nothing", "4 =own tab:0", "custom 0.3"},
		{"digits are text in the editor", "4 1 2", "custom 0.3"},
	})
}

func TestCustomRowOnMulti(t *testing.T) {
	runRows(t, defaults(), []row{
		{"enter saves and goes on", "tab 1 3 =own enter", `question 2.0 | extras: docs +"own"`},
		{"esc saves and stays", "tab 1 3 =own esc", `question 1.2 | extras: docs +"own"`},
		{"an empty editor does not go on", "tab 1 3 enter", "question 1.2 | extras: docs"},
		{"space deselects saved text", "tab 3 =own esc space", `question 1.2 | extras: -"own"`},
		{"space selects it again", "tab 3 =own esc space space", `question 1.2 | extras: +"own"`},
		{"a digit toggles saved text", "tab 3 =own esc 3", `question 1.2 | extras: -"own"`},
		{"a click toggles saved text", "tab 3 =own esc row:2", `question 1.2 | extras: -"own"`},
		{"the edit command opens saved text", "tab 3 =own esc e", `custom 1.2 | extras: +"own"`},
		{"clearing keeps the other choices", "tab 2 3 =own esc e =_ esc", "question 1.2 | extras: bench"},
		{"text keeps the other choices", "tab 1 2 3 =own esc", `question 1.2 | extras: docs bench +"own"`},
		{"esc selects deselected text again", "tab 3 =own esc space e esc", `question 1.2 | extras: +"own"`},
	})
}

func TestNotes(t *testing.T) {
	runRows(t, defaults(), []row{
		{"n opens the note of the focused option", "down n", "note 0.1"},
		{"enter saves it and stays", "down n =__why_ enter", `question 0.1 | target: note2 "why"`},
		{"esc keeps it as typed", "n =_why esc", `question 0.0 | target: note1 " why"`},
		{"N opens the note of the question", "N =soon enter", `question 0.0 | target: note "soon"`},
		{"a note changes no selection", "down space up n =why enter", `question 0.0 | target: us note1 "why"`},
		{"a blank note clears", "N =soon enter N =__ enter", "question 0.0"},
		{"a blank option note clears", "n =soon enter n =_ esc", "question 0.0"},
		{"n does nothing on the custom row", "4 esc n", "question 0.3"},
		{"N on the custom row comes back to it", "4 esc N =x enter", `question 0.3 | target: note "x"`},
		{"notes do not open from Review", "shift+tab n N", "review Submit"},
		{"down leaves an empty note", "n down", "question 0.1"},
		{"tab leaves an empty note", "N tab", "question 1.0"},
		{"tab stays in a written note", "N =a tab down", "note 0.0"},
		{"emptying a note and moving on clears it", "n =a enter n = down", "question 0.1"},
		{"leaving by a click saves", "n =a tab:3", `review Submit | target: note1 "a"`},
		{"a click on an option saves first", "n =a row:1", `question 1.0 | target: us note1 "a"`},
		{"down on to the custom row goes on into it", "down down n down", "custom 0.3"},
	})
}

func TestChangeType(t *testing.T) {
	runRows(t, defaults(), []row{
		{"single to multi at once", "t 1 2", "question 0.1 | target: eu us now multi"},
		{"and back keeps one answer", "t 2 t", "question 0.1 | target: us"},
		{"multi to single without an answer", "tab t", "question 1.0 | extras: now single"},
		{"several answers ask first", "tab 1 2 t", "question 1.1 | extras: docs bench"},
		{"twice clears them", "tab 1 2 t t", "question 1.1 | extras: now single"},
		{"notes survive", "tab N =q enter n =o enter 1 2 t t", `question 1.1 | extras: note "q" note1 "o" now single`},
		{"text is what remains", "tab 1 3 =own esc t t", `question 1.2 | extras: +"own" now single`},
		{"deselected text is selected then", "tab 1 2 3 =own esc space t t", `question 1.2 | extras: +"own" now single`},
		{"deselected text does not count", "tab 1 3 =own esc space t", `question 1.2 | extras: docs -"own" now single`},
		{"a move in between means no", "tab 1 2 t up t", "question 1.0 | extras: docs bench"},
		{"a digit in between means no", "tab 1 2 t 1 1 t", "question 1.0 | extras: docs bench"},
		{"a key without effect in between means no", "tab 1 2 t 9 t", "question 1.1 | extras: docs bench"},
		{"a click in between means no", "tab 1 2 t tab:1 t", "question 1.1 | extras: docs bench"},
		{"a note in between means no", "tab 1 2 t n esc t", "question 1.1 | extras: docs bench"},
		{"not on Review", "shift+tab t t", "review Submit"},
		{"digits go on after it became single", "tab t 2", "question 2.0 | extras: bench now single"},
	})
}

func TestSkip(t *testing.T) {
	runRows(t, defaults(), []row{
		{"marks and goes on", "D", "question 1.0 | target: skipped"},
		{"drops the answer and the notes", "space N =q enter n =o enter D", "question 1.0 | target: skipped"},
		{"drops the free-form answer", "tab 3 =own esc D", "question 2.0 | extras: skipped"},
		{"the last one opens Review", "tab:2 D", "review Submit | when: skipped"},
		{"again takes the mark back", "D shift+tab D", "question 0.0"},
		{"an answer takes the mark back", "D shift+tab space", "question 0.0 | target: eu"},
		{"a toggle takes the mark back", "tab D shift+tab 2", "question 1.1 | extras: bench"},
		{"text takes the mark back", "D shift+tab 4 =own esc", `question 0.3 | target: +"own"`},
		{"a note takes the mark back", "D shift+tab N =q esc", `question 0.0 | target: note "q"`},
		{"an option note takes the mark back", "D shift+tab n =o esc", `question 0.0 | target: note1 "o"`},
		{"an empty editor leaves the mark", "D shift+tab 4 esc N esc n esc", "question 0.3 | target: skipped"},
		{"keeps the type", "t D", "question 1.0 | target: now multi skipped"},
		{"not on Review", "shift+tab D", "review Submit"},
	})
}

func TestCommandsOfOtherModesAreIgnored(t *testing.T) {
	all := []Command{
		NextTab, PreviousTab, NextOption, PreviousOption, Confirm, Cancel, Toggle, ChangeType, OptionNote, QuestionNote, Skip,
		EditCustom, EditorSubmit, EditorSave, EditorClose, NextOptionEmpty, PrevOptionEmpty, NextTabEmpty, PrevTabEmpty, "unknown",
	}
	for name, script := range map[string]string{"question": "down", "review": "shift+tab", "custom": "4 =x", "note": "N =x"} {
		t.Run(name, func(t *testing.T) {
			f := New(sample(), defaults())
			play(t, f, script)
			want := state(f)
			for _, c := range all {
				if commands[f.Mode()][c] != nil {
					continue
				}
				if got := f.Apply(Do{Command: c}); got != nil || state(f) != want {
					t.Errorf("%s gave %v and %s, want nothing and %s", c, got, state(f), want)
				}
			}
		})
	}
}
