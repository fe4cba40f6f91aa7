package ui

import (
	"strings"
	"unicode"

	"askd/config"
)

// contextNames are the headings of the page of keys.
var contextNames = map[config.Context]string{
	config.Global: "Everywhere", config.Main: "In a form, and in the inbox", config.Editor: "While writing an answer",
	config.NoteEditor: "While writing a note", config.SettingsModal: "In the settings",
}

// fixedKeys are the keys that no keymap changes.
var fixedKeys = [][2]string{
	{"1 … 9", "choose or toggle the option with that number; on Review: submit, cancel"},
	{"PageUp / PageDown", "scroll a long question, or the answers on Review; else move by several options"},
	{"Home / End", "go to the first and to the last option"},
	{"Ctrl+↑ / Ctrl+↓", "scroll the context; Shift+PageUp and Shift+PageDown by pages"},
	{"Ctrl+O", "read the whole question with its options and its context"},
	{"@", "while writing: name a file in the asker's folder; Tab or Enter choose, Esc closes the list"},
	{"Shift+Enter, Alt+Enter, Ctrl+J", `new line while writing; so does \ before Enter`},
	{"Ctrl+Z / Ctrl+Y", "undo and redo while writing"},
	{"Ctrl+Alt+D", "while writing: remove the last image"},
	{"h", "with nothing open and in the inbox: the history of questions"},
	{"F2", "leave the mouse to the terminal, to select text; again takes it back"},
}

// keyLines lists every active key.
func keyLines(p *Pane, columns int) []line {
	var out []line
	for _, c := range config.Contexts() {
		out = append(out, text(contextNames[c], roleTitle))
		for _, action := range config.Actions(c) {
			out = append(out, keyLine(p.conf.Keymaps.Label(c, action), inWords(action), columns)...)
		}
		out = append(out, nil)
	}
	out = append(out, text("Pi's own", roleTitle))
	out = append(out, keyLine(p.conf.Pi.Label(config.PiPasteImage), "while writing: attach the image in the clipboard; change it in Pi's keybindings.json", columns)...)
	out = append(out, nil, text("Fixed", roleTitle))
	for _, k := range fixedKeys {
		out = append(out, keyLine(k[0], k[1], columns)...)
	}
	return out
}

// keyLine is a key and what it does, on two lines where they do not fit on one.
func keyLine(key, does string, columns int) []line {
	const keyColumns = 32
	if key == "" {
		key = "(no key)"
	}
	if columns < 2*keyColumns {
		out := []line{text("  "+key, roleStrong)}
		for _, part := range wrap(does, columns-4) {
			out = append(out, text("    "+part, rolePlain))
		}
		return out
	}
	var out []line
	for i, part := range wrap(does, columns-keyColumns-2) {
		if i > 0 {
			key = ""
		}
		out = append(out, line{{text: "  " + pad(key, keyColumns), role: roleStrong}, {text: part, role: rolePlain}})
	}
	return out
}

// inWords turns an action's name into words: nextOptionWhenEmpty is "next option when empty".
func inWords(action string) string {
	var b strings.Builder
	for _, r := range action {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
