package config

// SchemaVersion is the version of the settings file that this release reads and writes.
const SchemaVersion = 5

// Settings is the settings file without its keymaps (contract, "Supported UX"). The zero value is no usable
// configuration; begin with Defaults. It is a plain value: copy it freely, but share no Channels slice while changing it.
// Its JSON form names every key, also those that the file leaves out.
type Settings struct {
	SchemaVersion int           `json:"schemaVersion"`
	Behaviour     Behaviour     `json:"behaviour"`
	Notifications Notifications `json:"notifications"`
	Tools         Tools         `json:"tools"`
	Answers       Answers       `json:"answers"`
	Pane          Pane          `json:"pane"`
}

// Behaviour are the settings of forms and of the tools' interface. Each zero value means off.
type Behaviour struct {
	// AutoSubmitWhenAnsweredWithoutNotes closes a form on Review by itself once all is answered and no note exists.
	AutoSubmitWhenAnsweredWithoutNotes bool `json:"autoSubmitWhenAnsweredWithoutNotes"`
	// BackgroundOnly queues every ask; changing it changes the tool interface.
	BackgroundOnly bool `json:"backgroundOnly"`
	// ConfirmDismissWhenDirty asks for the same action twice before answers are discarded. On by default.
	ConfirmDismissWhenDirty bool `json:"confirmDismissWhenDirty"`
	// DoublePressReviewShortcuts asks for 1 and 2 twice on Review. On by default.
	DoublePressReviewShortcuts bool `json:"doublePressReviewShortcuts"`
	// HistoryTools offers the three history tools to the agent; changing it changes the tool interface.
	HistoryTools bool `json:"historyTools"`
	// PresentSingleAsMulti applies to forms made from now on, never to an open one.
	PresentSingleAsMulti bool `json:"presentSingleAsMulti"`
	// ServeNonTui lets an attached pane serve print and JSON mode too.
	ServeNonTui bool `json:"serveNonTui"`
	// ShowFooterHints shows the line of active keys. On by default.
	ShowFooterHints bool `json:"showFooterHints"`
	// UndoCancel is for how many seconds a cancel in the pane can be taken back before the agent is told, 0 to UndoCancelMost;
	// 0 tells it at once. 3 by default.
	UndoCancel int `json:"undoCancel"`
}

// Notifications say how a waiting question is announced outside the pane (contract, "Notifications").
type Notifications struct {
	// Channels are used in this order. Loading never gives an empty list.
	Channels []Channel `json:"channels"`
	Enabled  bool      `json:"enabled"`
}

// Tools says which further tools the agent gets.
type Tools struct {
	AskUserQuestion bool `json:"askUserQuestion"`
}

// Answers says who besides the person may answer.
type Answers struct {
	// FromAgents lets `askctl answer` run inside an agent. Off by default: an agent must not answer its own questions.
	FromAgents bool `json:"fromAgents"`
}

// Pane says what asking does to the terminal multiplexer, both off by default, and how askd's pane looks.
type Pane struct {
	AutoOpen   bool `json:"autoOpen"`
	FocusOnAsk bool `json:"focusOnAsk"`
	// Plain has the pane in words and one column, for a screen reader.
	Plain bool `json:"plain"`
	// Theme is one of Themes. The zero value is ThemeAuto.
	Theme string `json:"theme"`
}

// The themes of the pane. ThemeAuto has the terminal's own sixteen colours, ThemeLight and ThemeDark have colours that can be
// read on that background whatever the terminal's are, ThemeMono has none. No theme sets a background.
const (
	ThemeAuto  = "auto"
	ThemeLight = "light"
	ThemeDark  = "dark"
	ThemeMono  = "mono"
)

// Themes are the themes in the order in which they are offered.
var Themes = []string{ThemeAuto, ThemeLight, ThemeDark, ThemeMono}

// Defaults are the settings of a person who has set nothing.
func Defaults() Settings {
	return Settings{
		SchemaVersion: SchemaVersion,
		Pane:          Pane{Theme: ThemeAuto},
		Behaviour: Behaviour{
			ConfirmDismissWhenDirty:    true,
			DoublePressReviewShortcuts: true,
			ShowFooterHints:            true,
			UndoCancel:                 3,
		},
		Notifications: Notifications{Channels: []Channel{{Kind: Bell}}, Enabled: true},
	}
}
