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
	{"PageUp / PageDown", "scroll a long question, or the answers on Review; else move by several rows"},
	{"Home / End", "go to the first and to the last row"},
	{"Ctrl+↑ / Ctrl+↓", "scroll the context; Shift+PageUp and Shift+PageDown by pages"},
	{"Ctrl+O", "read the whole question with its options and its context"},
	{"@", "while writing: name a file in the asker's folder; Tab or Enter choose, Esc closes the list"},
	{"Shift+Enter, Alt+Enter, Ctrl+J", `new line while writing; so does \ before Enter`},
	{"Ctrl+Z / Ctrl+Y", "undo and redo while writing"},
	{"Ctrl+Alt+D", "while writing: remove the last image"},
	{"h", "with nothing open and in the inbox: the history of questions"},
	{"F2", "leave the mouse to the terminal, to select text; again takes it back"},
}

// signs are the marks that stand on the screen without a word.
var signs = [][2]string{
	{"● ○ ⏸", "an agent stands still; it goes on working, or has gone; you have deferred the form"},
	{"×2", "the session has asked this in the same words for the second time"},
	{"3 alike", "so many forms wait that ask the same; after answering one you may give the others its answer"},
	{"← 3 … 2 →", "so many tabs are out of sight at each end"},
	{"row 2/9", "the row that has the focus, of all rows of the question"},
	{"▴ ▾", "there is more above, below"},
}

// promptFixed are the keys of ask_user_question prompts that nobody can change.
var promptFixed = [][2]string{
	{"letters, digits, Space", "filter the options where one answer is taken; digits go to the option with that number"},
	{"Space, 1 … 9", "tick options where several are taken"},
	{"Tab / Shift+Tab", "turn the pages of several questions; else move the focus"},
	{"Ctrl+J / Ctrl+K", "move the focus; on the review page scroll"},
	{"Esc", "clear the filter, leave the editor, cancel"},
	{"PageUp / PageDown, Home / End, Ctrl+U / Ctrl+D", "scroll a long question, and the answers on the review page"},
	{"1 … 4", "on the review page: go back to that question"},
	{settingsLabel, "settings and keys, also where ? is text"},
}

// promptActions are Pi's own keys that act in those prompts.
var promptActions = []struct {
	action config.PiAction
	does   string
}{
	{config.PiSelectUp, "previous option"},
	{config.PiSelectDown, "next option"},
	{config.PiConfirm, "answer with the focused option or with what is ticked; on the review page submit"},
	{config.PiCancel, "cancel all questions"},
	{config.PiBackspace, "take back the last letter of the filter"},
	{config.PiSubmit, "take the text that is being written"},
	{config.PiNewLine, "new line in it"},
}

func (p *Pane) promptKeyLines(columns int) []line {
	out := []line{text("In an ask_user_question prompt (Pi's own keys, from its keybindings.json)", roleTitle)}
	for _, a := range promptActions {
		out = append(out, keyLine(p.look.say(p.conf.Pi.Label(a.action)), a.does, columns)...)
	}
	for _, k := range promptFixed {
		out = append(out, keyLine(p.look.say(k[0]), k[1], columns)...)
	}
	return out
}

// keyLines lists every active key.
func keyLines(p *Pane, columns int) []line {
	var out []line
	for _, c := range config.Contexts() {
		out = append(out, text(contextNames[c], roleTitle))
		for _, action := range config.Actions(c) {
			out = append(out, keyLine(p.look.say(p.conf.Keymaps.Label(c, action)), p.actionWords(action), columns)...)
		}
		out = append(out, nil)
	}
	out = append(out, text("Pi's own", roleTitle))
	out = append(out, keyLine(p.conf.Pi.Label(config.PiPasteImage), "while writing: attach the image in the clipboard; change it in Pi's keybindings.json", columns)...)
	out = append(out, nil, text("Fixed", roleTitle))
	for _, k := range fixedKeys {
		out = append(out, keyLine(p.look.say(k[0]), k[1], columns)...)
	}
	out = append(append(out, nil), p.promptKeyLines(columns)...)
	out = append(out, nil, text("Signs", roleTitle))
	for _, s := range p.look.signs {
		out = append(out, keyLine(s[0], s[1], columns)...)
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

// actionWords says what an action does in this pane.
func (p *Pane) actionWords(action string) string {
	if action == "quit" && p.attached() {
		return "detach this pane; askd goes on"
	}
	return inWords(action)
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
