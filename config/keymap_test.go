package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type contexts map[Context]map[string]any

// keymapsWith are the published default keymaps with some bindings replaced; a nil binding removes the action, a nil
// context the context.
func keymapsWith(changes contexts) json.RawMessage {
	all := contexts{}
	for c, actions := range publishedKeys() {
		all[c] = map[string]any{}
		for name, keys := range actions {
			all[c][name] = keys
		}
	}
	for c, actions := range changes {
		if actions == nil {
			delete(all, c)
		}
		for name, keys := range actions {
			if all[c] == nil {
				all[c] = map[string]any{}
			}
			if all[c][name] = keys; keys == nil {
				delete(all[c], name)
			}
		}
	}
	return mustMarshal(all)
}

func TestKeymapVectors(t *testing.T) {
	for _, v := range readVectors(t, "ask_user.json", "keymaps") {
		t.Run(v.Name, func(t *testing.T) {
			var in struct {
				Overrides contexts
				Keys      []string
			}
			unmarshal(t, v.Input, &in)
			if in.Keys != nil {
				checkNormalised(t, in.Keys, v.Want)
				return
			}
			checkKeymapFault(t, in.Overrides, v.Want)
		})
	}
}

func checkNormalised(t *testing.T, keys []string, want json.RawMessage) {
	var expect, got struct{ Keys, Labels []string }
	unmarshal(t, want, &expect)
	for _, k := range keys {
		n, err := NormaliseKey(k)
		if err != nil {
			t.Fatal(err)
		}
		got.Keys = append(got.Keys, n)
		got.Labels = append(got.Labels, KeyLabel(n))
	}
	if d := cmp.Diff(expect, got); d != "" {
		t.Error(d)
	}
}

func checkKeymapFault(t *testing.T, overrides contexts, want json.RawMessage) {
	var expect struct{ Error, Notice string }
	unmarshal(t, want, &expect)
	keymaps := keymapsWith(overrides)
	if _, err := ParseKeymaps(keymaps); err == nil || err.Error() != expect.Error {
		t.Errorf("got %v, want %s", err, expect.Error)
	}
	l := loadText(t, fmt.Sprintf(`{"schemaVersion":5,"behaviour":{"showFooterHints":false},"keymaps":%s}`, keymaps))
	if d := cmp.Diff([]Notice{{Warning, expect.Notice}}, l.Notices); d != "" {
		t.Error(d)
	}
	if !l.Valid || l.Settings.Behaviour.ShowFooterHints || !l.Keymaps.Equal(DefaultKeymaps()) {
		t.Errorf("the rest of the file is not kept: %+v", l)
	}
}

func loadText(t *testing.T, text string) Loaded {
	t.Helper()
	l, err := Open(writeFile(t, text)).Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pi-agent-ask.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestParseKeymapsFaults(t *testing.T) {
	main := func(name string, keys any) contexts { return contexts{Main: {name: keys}} }
	tests := []struct {
		name    string
		changes contexts
		want    string
	}{
		{"context", contexts{Editor: nil}, "Missing keymap context editor."},
		{"contexts in order", contexts{SettingsModal: nil, Global: nil}, "Missing keymap context global."},
		{"action", main("confirm", nil), "Missing keymap for main.confirm."},
		{"action of another context", contexts{NoteEditor: {"nextTabWhenEmpty": nil}}, "Missing keymap for noteEditor.nextTabWhenEmpty."},
		{"number", main("toggle", 7), "Invalid keymap for main.toggle: binding must be a string or array of strings"},
		{"object", main("toggle", map[string]int{}), "Invalid keymap for main.toggle: binding must be a string or array of strings"},
		{"empty list", main("toggle", []string{}), "Invalid keymap for main.toggle: empty binding list"},
		{"mixed list", main("toggle", []any{"space", 1}), "Invalid keymap for main.toggle: binding list must contain only strings"},
		{"blank", main("toggle", "  "), "Invalid keymap for main.toggle: empty binding"},
		{"no key", main("toggle", "ctrl+"), "Invalid keymap for main.toggle: missing key"},
		{"plus alone", main("toggle", "+"), "Invalid keymap for main.toggle: missing key"},
		{"modifier", main("toggle", "hyper+x"), "Invalid keymap for main.toggle: unsupported modifier hyper"},
		{"key", main("toggle", "f13"), "Invalid keymap for main.toggle: unsupported key f13"},
		{"letter outside ASCII", main("toggle", "é"), "Invalid keymap for main.toggle: unsupported key é"},
		{"digit", main("toggle", "3"), "Reserved keymap for main.toggle: 3."},
		{"digit in the overlay", contexts{SettingsModal: {"toggle": []string{"enter", "9"}}}, "Reserved keymap for settingsModal.toggle: 9."},
		{"duplicate by alias", main("toggle", "Return"), "Duplicate keymap Enter for main.confirm and main.toggle."},
		{"duplicate arrow", main("optionNote", "down"), "Duplicate keymap ↓ for main.nextOption and main.optionNote."},
		{"duplicate in global", contexts{Global: {"settings": "ctrl+c"}}, "Duplicate keymap Ctrl+C for global.dismiss and global.settings."},
		{"global in editor", contexts{Editor: {"close": "control+c"}}, "Duplicate global keymap Ctrl+C for global.dismiss and editor.close."},
		{"global in note editor", contexts{NoteEditor: {"save": "?"}}, "Duplicate global keymap ? for global.settings and noteEditor.save."},
		{"added action as written", main("skip", "n"), "Duplicate keymap N for main.optionNote and main.skip."},
		{"added global as written", contexts{Global: {"quit": "esc"}}, "Duplicate global keymap Esc for global.quit and main.cancel."},
		{"added action, bad key", main("skip", "no"), "Invalid keymap for main.skip: unsupported key no"},
		{"action before duplicate", contexts{Main: {"toggle": "enter", "questionNote": "f99"}}, "Invalid keymap for main.questionNote: unsupported key f99"},
		{"context before overlap", contexts{Main: {"cancel": "?"}, SettingsModal: {"toggle": "5"}}, "Reserved keymap for settingsModal.toggle: 5."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, err := ParseKeymaps(keymapsWith(tt.changes))
			if err == nil || err.Error() != tt.want || k != nil {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestParseKeymapsNotAnObject(t *testing.T) {
	for _, raw := range []string{"", "null", "[]", `"x"`, "7", "{"} {
		if _, err := ParseKeymaps(json.RawMessage(raw)); err == nil || err.Error() != "Keymaps must be an object." {
			t.Errorf("%q: got %v", raw, err)
		}
	}
}

func TestParseKeymapsAccepts(t *testing.T) {
	k, err := ParseKeymaps(keymapsWith(contexts{
		Main:          {"toggle": []string{"SPACE", "spacebar", "0"}, "unknown": "1"},
		SettingsModal: {"toggle": "ctrl+c", "close": "esc"},
		"another":     {"x": 1},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"space", "0"}, k.Keys(Main, "toggle")); d != "" {
		t.Error("duplicates in one binding collapse:", d)
	}
	if a, _ := k.Action(SettingsModal, "ctrl+c"); a != "toggle" {
		t.Error("the overlay may use global keys, got", a)
	}
}

func TestAddedActionsGiveWay(t *testing.T) {
	tests := []struct {
		name               string
		changes            contexts
		skip, focus, leave []string
	}{
		{"older file", nil, []string{"d", "shift+d"}, []string{"alt+q"}, []string{"ctrl+q"}},
		{"key used in the context", contexts{Main: {"toggle": "d"}}, []string{"shift+d"}, []string{"alt+q"}, []string{"ctrl+q"}},
		{"key used by global", contexts{Global: {"settings": []string{"?", "shift+d"}}}, []string{"d"}, []string{"alt+q"}, []string{"ctrl+q"}},
		{"both used", contexts{Main: {"toggle": []string{"d", "shift+d"}}}, nil, []string{"alt+q"}, []string{"ctrl+q"}},
		{"used in an editor", contexts{Editor: {"submit": []string{"ctrl+q"}}, NoteEditor: {"save": "alt+q"}}, []string{"d", "shift+d"}, nil, nil},
		{"used elsewhere", contexts{Editor: {"submit": "d"}, SettingsModal: {"close": "alt+q"}}, []string{"d", "shift+d"}, []string{"alt+q"}, []string{"ctrl+q"}},
		{"named by the file", contexts{Main: {"skip": "s"}, Global: {"quit": "f10"}}, []string{"s"}, []string{"alt+q"}, []string{"f10"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, err := ParseKeymaps(keymapsWith(tt.changes))
			if err != nil {
				t.Fatal(err)
			}
			got := [][]string{k.Keys(Main, "skip"), k.Keys(Global, "switchFocus"), k.Keys(Global, "quit")}
			if d := cmp.Diff([][]string{tt.skip, tt.focus, tt.leave}, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// An added global action gives way in every context that global keys act in.
func TestHistoryGivesWay(t *testing.T) {
	for name, changes := range map[string]contexts{
		"form": {Main: {"toggle": []string{"space", "ctrl+r"}}}, "answer": {Editor: {"submit": []string{"ctrl+r"}}},
		"note": {NoteEditor: {"close": []string{"esc", "ctrl+r"}}}, "global": {Global: {"settings": []string{"?", "ctrl+r"}}},
	} {
		k, err := ParseKeymaps(keymapsWith(changes))
		if err != nil || len(k.Keys(Global, "history")) != 0 {
			t.Errorf("%s: %v, %v", name, k.Keys(Global, "history"), err)
		}
	}
	k, err := ParseKeymaps(keymapsWith(contexts{Global: {"history": "f9"}}))
	if err != nil || k.Label(Global, "history") != "F9" {
		t.Errorf("a file may name it: %v", err)
	}
}

func TestAction(t *testing.T) {
	k, err := ParseKeymaps(keymapsWith(contexts{Main: {"changeQuestionType": []string{"t", "#", "alt+shift+t", "pgup"}}}))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		context   Context
		key, want string
	}{
		{Main, "n", "optionNote"},
		{Main, "N", "questionNote"},
		{Main, "shift+n", "questionNote"},
		{Main, "Shift+N", "questionNote"},
		{Main, "d", "skip"},
		{Main, "D", "skip"},
		{Main, "T", ""},
		{Main, "#", "changeQuestionType"},
		{Main, "alt+T", "changeQuestionType"},
		{Main, "alt+shift+t", "changeQuestionType"},
		{Main, "shift+alt+t", "changeQuestionType"},
		{Main, "pageUp", "changeQuestionType"},
		{Main, "pgup", "changeQuestionType"},
		{Main, "space", "toggle"},
		{Main, "enter", "confirm"},
		{Main, "right", "nextTab"},
		{Main, "shift+tab", "previousTab"},
		{Main, "?", ""},
		{Main, "1", ""},
		{Main, "é", ""},
		{Main, "", ""},
		{Main, "+", ""},
		{Main, "ctrl++", ""},
		{Global, "?", "settings"},
		{Global, "ctrl+c", "dismiss"},
		{Global, "alt+q", "switchFocus"},
		{Global, "Alt+Q", "switchFocus"},
		{Global, "ctrl+q", "quit"},
		{Global, "ctrl+r", "history"},
		{Editor, "enter", "submit"},
		{Editor, "n", ""},
		{NoteEditor, "enter", "save"},
		{SettingsModal, "ctrl+c", "close"},
		{"nowhere", "enter", ""},
	}
	for _, tt := range tests {
		got, ok := k.Action(tt.context, tt.key)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s %q: got %q, %v, want %q", tt.context, tt.key, got, ok, tt.want)
		}
	}
}

func TestEveryDefaultKeyFindsItsAction(t *testing.T) {
	k := DefaultKeymaps()
	for _, c := range Contexts() {
		for _, name := range Actions(c) {
			keys := k.Keys(c, name)
			if len(keys) == 0 {
				t.Errorf("%s.%s has no key", c, name)
			}
			for _, key := range keys {
				if got, _ := k.Action(c, key); got != name {
					t.Errorf("%s %s: got %q, want %q", c, key, got, name)
				}
			}
		}
	}
}

func TestDefaultKeymapsAreThoseOfAFileWithoutAddedActions(t *testing.T) {
	k, err := ParseKeymaps(keymapsWith(nil))
	if err != nil || !k.Equal(DefaultKeymaps()) {
		t.Errorf("got %+v, %v", k, err)
	}
}

func TestKeysAreTheCallers(t *testing.T) {
	k := DefaultKeymaps()
	k.Keys(Main, "confirm")[0] = "x"
	if got := k.Label(Main, "confirm"); got != "Enter" {
		t.Error("got", got)
	}
	if k.Keys(Main, "no such action") != nil || Actions("nowhere") != nil {
		t.Error("unknown names have no keys")
	}
}

func TestKeymapsAsJSON(t *testing.T) {
	k, err := ParseKeymaps(keymapsWith(contexts{Main: {"toggle": []string{"d", "shift+d"}}}))
	if err != nil {
		t.Fatal(err)
	}
	text := string(mustMarshal(k))
	for _, want := range []string{
		`{"global":{"dismiss":["ctrl+c"],"settings":["?"],"switchFocus":["alt+q"],"quit":["ctrl+q"],"history":["ctrl+r"],"undoCancel":["alt+u"]},"main":{"confirm":["enter"],`,
		`"toggle":["d","shift+d"]`, `"skip":[],`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if again, err := ParseKeymaps(mustMarshal(DefaultKeymaps())); err != nil || !again.Equal(DefaultKeymaps()) {
		t.Errorf("the defaults do not read back: %v", err)
	}
}

func TestZeroKeymapsBindNothing(t *testing.T) {
	var k Keymaps
	if _, ok := k.Action(Main, "enter"); ok || k.Label(Main, "confirm") != "" {
		t.Error("the zero value binds something")
	}
}

func TestKeyLabel(t *testing.T) {
	tests := []struct {
		keys []string
		want string
	}{
		{[]string{"esc", "ctrl+c", "?"}, "Esc / Ctrl+C / ?"},
		{[]string{"up", "down", "left", "right"}, "↑ / ↓ / ← / →"},
		{[]string{"shift+up"}, "Shift+↑"},
		{[]string{"tab", "right"}, "Tab / →"},
		{[]string{"alt+q"}, "Alt+Q"},
		{[]string{"f12", "pageDown", "ctrl+pageUp"}, "F12 / pageDown / Ctrl+pageUp"},
		{[]string{"backspace"}, "Backspace"},
		{nil, ""},
	}
	for _, tt := range tests {
		if got := KeyLabel(tt.keys...); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.keys, got, tt.want)
		}
	}
}

func TestNormaliseKey(t *testing.T) {
	tests := []struct{ key, want string }{
		{" Super+Alt+Shift+Ctrl+A ", "ctrl+shift+alt+super+a"},
		{"ctl+ctrl+x", "ctrl+x"},
		{"option+Del", "alt+delete"},
		{"meta+ins", "super+insert"},
		{"WINDOWS+PageDown", "super+pageDown"},
		{"command+arrowLeft", "super+left"},
		{"win+pgdown", "super+pageDown"},
		{"ctrl + c", "ctrl+c"},
		{"clear", "clear"},
		{"F1", "f1"},
		{"0", "0"},
	}
	for _, tt := range tests {
		if got, err := NormaliseKey(tt.key); err != nil || got != tt.want {
			t.Errorf("%q: got %q, %v, want %q", tt.key, got, err, tt.want)
		}
	}
	for _, c := range strings.Split(symbolKeys, "") {
		if got, err := NormaliseKey(c); err != nil || got != c {
			t.Errorf("%q: got %q, %v", c, got, err)
		}
	}
}
