package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// toggle is one boolean key of the file. Own ones are not part of the published file: they are written only where they
// differ from the default.
type toggle struct {
	section, key string
	own          bool
	field        func(*Settings) *bool
}

// toggles stand in the order in which a file is written.
var toggles = []toggle{
	{"behaviour", "autoSubmitWhenAnsweredWithoutNotes", false, func(s *Settings) *bool { return &s.Behaviour.AutoSubmitWhenAnsweredWithoutNotes }},
	{"behaviour", "backgroundOnly", true, func(s *Settings) *bool { return &s.Behaviour.BackgroundOnly }},
	{"behaviour", "confirmDismissWhenDirty", false, func(s *Settings) *bool { return &s.Behaviour.ConfirmDismissWhenDirty }},
	{"behaviour", "doublePressReviewShortcuts", false, func(s *Settings) *bool { return &s.Behaviour.DoublePressReviewShortcuts }},
	{"behaviour", "historyTools", false, func(s *Settings) *bool { return &s.Behaviour.HistoryTools }},
	{"behaviour", "presentSingleAsMulti", false, func(s *Settings) *bool { return &s.Behaviour.PresentSingleAsMulti }},
	{"behaviour", "serveNonTui", true, func(s *Settings) *bool { return &s.Behaviour.ServeNonTui }},
	{"behaviour", "showFooterHints", false, func(s *Settings) *bool { return &s.Behaviour.ShowFooterHints }},
	{"notifications", "enabled", false, func(s *Settings) *bool { return &s.Notifications.Enabled }},
	{"answers", "fromAgents", true, func(s *Settings) *bool { return &s.Answers.FromAgents }},
	{"pane", "autoOpen", true, func(s *Settings) *bool { return &s.Pane.AutoOpen }},
	{"pane", "focusOnAsk", true, func(s *Settings) *bool { return &s.Pane.FocusOnAsk }},
	{"pane", "plain", true, func(s *Settings) *bool { return &s.Pane.Plain }},
	{"tools", "askUserQuestion", true, func(s *Settings) *bool { return &s.Tools.AskUserQuestion }},
}

// choice is one key of the file that is one of several words; it is written only where it differs from the default.
type choice struct {
	section, key string
	values       []string
	field        func(*Settings) *string
}

var choices = []choice{
	{"pane", "theme", Themes, func(s *Settings) *string { return &s.Pane.Theme }},
}

func (c choice) name() string { return c.section + "." + c.key }

// decode takes one of the values.
func (c choice) decode(raw json.RawMessage, into *Settings) error {
	var v string
	if json.Unmarshal(raw, &v) != nil || !slices.Contains(c.values, v) {
		return fmt.Errorf("expected one of %s", strings.Join(c.values, ", "))
	}
	*c.field(into) = v
	return nil
}

// number is one whole number of the file, always one of ours: it is written only where it differs from the default.
type number struct {
	section, key string
	most         int // and at least 0
	field        func(*Settings) *int
}

// numbers stand in the order in which a file is written, after the toggles of their section.
var numbers = []number{
	{"behaviour", "undoCancel", UndoCancelMost, func(s *Settings) *int { return &s.Behaviour.UndoCancel }},
}

func (n number) name() string { return n.section + "." + n.key }

func (n number) get(s Settings) int { return *n.field(&s) }

const channelsKey = "notifications.channels"

// Keys are the names that Set takes, in the order of the file.
func Keys() []string {
	out := make([]string, 0, len(toggles)+len(choices)+len(numbers)+1)
	for _, t := range toggles {
		out = append(out, t.name())
	}
	for _, c := range choices {
		out = append(out, c.name())
	}
	for _, n := range numbers {
		out = append(out, n.name())
	}
	return append(out, channelsKey)
}

// ToolInterfaceKeys are the settings that change which tools the agent sees or their schemas. A change of one of them
// costs the agent's prompt cache, so the shim asks before it takes effect.
func ToolInterfaceKeys() []string {
	return []string{"behaviour.backgroundOnly", "behaviour.historyTools", "tools.askUserQuestion"}
}

func (t toggle) name() string { return t.section + "." + t.key }

func (t toggle) get(s Settings) bool { return *t.field(&s) }
