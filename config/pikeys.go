package config

import (
	"slices"
	"strings"
)

// PiAction is one of Pi's own rebindable actions, by the name that it has in Pi's keybindings.json.
type PiAction string

// Pi's own actions that askd's forms obey (contract, "Clipboard images"; ask_user_question, "Controls"). The table in this
// package knows every tui.select, tui.input and tui.editor action besides these.
const (
	PiPasteImage   PiAction = "app.clipboard.pasteImage"
	PiSelectUp     PiAction = "tui.select.up"
	PiSelectDown   PiAction = "tui.select.down"
	PiSelectPageUp PiAction = "tui.select.pageUp"
	PiSelectPageDn PiAction = "tui.select.pageDown"
	PiConfirm      PiAction = "tui.select.confirm"
	PiCancel       PiAction = "tui.select.cancel"
	PiSubmit       PiAction = "tui.input.submit"
	PiNewLine      PiAction = "tui.input.newLine"
	PiTab          PiAction = "tui.input.tab"
	PiBackspace    PiAction = "tui.editor.deleteCharBackward"
)

// piAction is one row of the table: its name, the name that older files have for it (empty: none), and Pi's defaults.
type piAction struct {
	name   PiAction
	legacy string
	keys   []string
	wsl    []string // the defaults in the Windows subsystem for Linux; nil: the same
}

// piActions are the defaults of Pi 1.6.
var piActions = []piAction{
	{name: PiPasteImage, legacy: "pasteImage", keys: []string{"ctrl+v"}, wsl: []string{"alt+v", "ctrl+v"}},
	{name: PiSelectUp, legacy: "selectUp", keys: []string{"up"}},
	{name: PiSelectDown, legacy: "selectDown", keys: []string{"down"}},
	{name: PiSelectPageUp, legacy: "selectPageUp", keys: []string{"pageUp"}},
	{name: PiSelectPageDn, legacy: "selectPageDown", keys: []string{"pageDown"}},
	{name: PiConfirm, legacy: "selectConfirm", keys: []string{"enter"}},
	{name: PiCancel, legacy: "selectCancel", keys: []string{"esc", "ctrl+c"}},
	{name: PiSubmit, legacy: "submit", keys: []string{"enter"}},
	{name: PiNewLine, legacy: "newLine", keys: []string{"shift+enter", "ctrl+j"}},
	{name: PiTab, legacy: "tab", keys: []string{"tab"}},
	{name: "tui.input.copy", legacy: "copy", keys: []string{"ctrl+c"}},
	{name: "tui.editor.cursorUp", legacy: "cursorUp", keys: []string{"up"}},
	{name: "tui.editor.cursorDown", legacy: "cursorDown", keys: []string{"down"}},
	{name: "tui.editor.historyPrevious"},
	{name: "tui.editor.historyNext"},
	{name: "tui.editor.cursorLeft", legacy: "cursorLeft", keys: []string{"left", "ctrl+b"}},
	{name: "tui.editor.cursorRight", legacy: "cursorRight", keys: []string{"right", "ctrl+f"}},
	{name: "tui.editor.cursorWordLeft", legacy: "cursorWordLeft", keys: []string{"alt+left", "ctrl+left", "alt+b"}},
	{name: "tui.editor.cursorWordRight", legacy: "cursorWordRight", keys: []string{"alt+right", "ctrl+right", "alt+f"}},
	{name: "tui.editor.cursorLineStart", legacy: "cursorLineStart", keys: []string{"home", "ctrl+a"}},
	{name: "tui.editor.cursorLineEnd", legacy: "cursorLineEnd", keys: []string{"end", "ctrl+e"}},
	{name: "tui.editor.jumpForward", legacy: "jumpForward", keys: []string{"ctrl+]"}},
	{name: "tui.editor.jumpBackward", legacy: "jumpBackward", keys: []string{"ctrl+alt+]"}},
	{name: "tui.editor.pageUp", legacy: "pageUp", keys: []string{"pageUp", "ctrl+pageUp"}},
	{name: "tui.editor.pageDown", legacy: "pageDown", keys: []string{"pageDown", "ctrl+pageDown"}},
	{name: PiBackspace, legacy: "deleteCharBackward", keys: []string{"backspace"}},
	{name: "tui.editor.deleteCharForward", legacy: "deleteCharForward", keys: []string{"delete", "ctrl+d"}},
	{name: "tui.editor.deleteWordBackward", legacy: "deleteWordBackward", keys: []string{"ctrl+w", "alt+backspace"}},
	{name: "tui.editor.deleteWordForward", legacy: "deleteWordForward", keys: []string{"alt+d", "alt+delete"}},
	{name: "tui.editor.deleteToLineStart", legacy: "deleteToLineStart", keys: []string{"ctrl+u"}},
	{name: "tui.editor.deleteToLineEnd", legacy: "deleteToLineEnd", keys: []string{"ctrl+k"}},
	{name: "tui.editor.yank", legacy: "yank", keys: []string{"ctrl+y"}},
	{name: "tui.editor.yankPop", legacy: "yankPop", keys: []string{"alt+y"}},
	{name: "tui.editor.undo", legacy: "undo", keys: []string{"ctrl+-"}, wsl: []string{"alt+z"}},
}

// PiKeys say which keys Pi's own actions have. They never change once made, so any goroutine may read them. A nil *PiKeys
// has Pi's defaults, so no caller needs to look.
type PiKeys struct {
	keys map[PiAction][]string // normalised, in the person's order
}

var defaultPiKeys = newPiKeys(func(string) string { return "" })

// newPiKeys are Pi's defaults where getenv is the environment.
func newPiKeys(getenv func(string) string) *PiKeys {
	windows := getenv("WSL_DISTRO_NAME") != "" || getenv("WSL_INTEROP") != ""
	k := &PiKeys{keys: make(map[PiAction][]string, len(piActions))}
	for _, a := range piActions {
		k.keys[a.name] = a.keys
		if windows && a.wsl != nil {
			k.keys[a.name] = a.wsl
		}
	}
	return k
}

// Keys are the keys of an action in the person's order, in the words of Keymaps ("ctrl+v", "esc"). Empty when the person
// has unbound it and for an action that Pi does not have. The caller owns the slice.
func (k *PiKeys) Keys(a PiAction) []string { return slices.Clone(k.of(a)) }

// Label is KeyLabel of an action's keys.
func (k *PiKeys) Label(a PiAction) string { return KeyLabel(k.of(a)...) }

// Matches reports whether a key, in the words that Keymaps.Action takes, does the action.
func (k *PiKeys) Matches(a PiAction, key string) bool {
	bound := k.of(a)
	if key == "ctrl+_" && slices.Contains(bound, "ctrl+-") {
		return true // terminals send both as the same byte
	}
	return slices.ContainsFunc(keyForms(key), func(form string) bool { return slices.Contains(bound, form) })
}

// Equal says whether both bind the same keys to the same actions.
func (k *PiKeys) Equal(other *PiKeys) bool {
	return !slices.ContainsFunc(piActions, func(a piAction) bool { return !slices.Equal(k.of(a.name), other.of(a.name)) })
}

func (k *PiKeys) of(a PiAction) []string {
	if k == nil {
		k = defaultPiKeys
	}
	return k.keys[a]
}

// normalisePiKey turns a key as Pi's file has it into the words of Keymaps; ok is false where Pi itself refuses it: it
// knows small letters only, its own names and every modifier at most once.
func normalisePiKey(text string) (key string, ok bool) {
	base, modifiers := text, []string(nil)
	for {
		head, rest, found := strings.Cut(base, "+")
		if !found || !slices.Contains(modifierOrder, head) {
			break
		}
		if slices.Contains(modifiers, head) {
			return "", false
		}
		modifiers, base = append(modifiers, head), rest
	}
	if alias, known := piKeyNames[base]; known {
		base = alias
	} else if base != "+" && !namedKeys[base] && !isCharKey(base) {
		return "", false
	}
	var parts []string
	for _, m := range modifierOrder {
		if slices.Contains(modifiers, m) {
			parts = append(parts, m)
		}
	}
	return strings.Join(append(parts, base), "+"), true
}

// piKeyNames are the keys that Pi calls by another name.
var piKeyNames = map[string]string{"escape": "esc", "return": "enter"}
