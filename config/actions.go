package config

// Context is the part of the pane that a key is meant for. Global keys act in main, editor and noteEditor too.
type Context string

// The contexts, in the order in which they are checked and written.
const (
	Global        Context = "global"
	Main          Context = "main"
	Editor        Context = "editor"
	NoteEditor    Context = "noteEditor"
	SettingsModal Context = "settingsModal"
)

// action is one bindable action. An added one came after the file format was published: a file may leave it out.
type action struct {
	name  string
	keys  []string
	added bool
}

type contextActions struct {
	context Context
	actions []action // in the order in which they are checked
}

var actionTable = []contextActions{
	{Global, []action{
		{name: "dismiss", keys: []string{"ctrl+c"}},
		{name: "settings", keys: []string{"?"}},
		{name: "switchFocus", keys: []string{"alt+q"}, added: true},
		{name: "quit", keys: []string{"ctrl+q"}, added: true},
		{name: "history", keys: []string{"ctrl+r"}, added: true},
		{name: "undoCancel", keys: []string{"alt+u"}, added: true},
	}},
	{Main, []action{
		{name: "confirm", keys: []string{"enter"}},
		{name: "cancel", keys: []string{"esc"}},
		{name: "changeQuestionType", keys: []string{"t"}},
		{name: "toggle", keys: []string{"space"}},
		{name: "nextTab", keys: []string{"tab", "right"}},
		{name: "previousTab", keys: []string{"shift+tab", "left"}},
		{name: "nextOption", keys: []string{"down"}},
		{name: "previousOption", keys: []string{"up"}},
		{name: "optionNote", keys: []string{"n"}},
		{name: "questionNote", keys: []string{"shift+n"}},
		{name: "skip", keys: []string{"d", "shift+d"}, added: true},
		{name: "editCustom", keys: []string{"e"}, added: true},
		{name: "doNotDisturb", keys: []string{"z"}, added: true},
	}},
	{Editor, []action{
		{name: "submit", keys: []string{"enter"}},
		{name: "close", keys: []string{"esc"}},
		{name: "nextTabWhenEmpty", keys: []string{"tab", "right"}},
		{name: "previousTabWhenEmpty", keys: []string{"shift+tab", "left"}},
		{name: "nextOptionWhenEmpty", keys: []string{"down"}},
		{name: "previousOptionWhenEmpty", keys: []string{"up"}},
	}},
	{NoteEditor, []action{
		{name: "save", keys: []string{"enter"}},
		{name: "close", keys: []string{"esc"}},
		{name: "nextTabWhenEmpty", keys: []string{"tab", "right"}},
		{name: "previousTabWhenEmpty", keys: []string{"shift+tab", "left"}},
		{name: "nextOptionWhenEmpty", keys: []string{"down"}},
		{name: "previousOptionWhenEmpty", keys: []string{"up"}},
	}},
	{SettingsModal, []action{
		{name: "close", keys: []string{"esc", "ctrl+c", "?"}},
		{name: "nextOption", keys: []string{"down"}},
		{name: "previousOption", keys: []string{"up"}},
		{name: "toggle", keys: []string{"enter", "space"}},
	}},
}
