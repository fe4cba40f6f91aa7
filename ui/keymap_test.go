package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"askd/config"
)

// rebound are the default keymaps with other keys for some actions of the context main; those with nil are left out, as in
// the file of an earlier version.
func rebound(t *testing.T, main map[string][]string) *config.Keymaps {
	t.Helper()
	return reboundIn(t, config.Main, main)
}

// reboundIn is rebound for the actions of any context.
func reboundIn(t *testing.T, context config.Context, actions map[string][]string) *config.Keymaps {
	t.Helper()
	raw, err := json.Marshal(config.DefaultKeymaps())
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for action, keys := range actions {
		if keys == nil {
			delete(all[string(context)], action)
			continue
		}
		all[string(context)][action] = keys
	}
	if raw, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
	k, err := config.ParseKeymaps(raw)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestEditKeyIsTheKeymaps(t *testing.T) {
	s := newStage(t, 80, 30)
	s.settings.loaded.Keymaps = rebound(t, map[string][]string{"editCustom": {"f5"}})
	s.desk.ask(multi(s.clock))
	s.keys("4", "mine", "esc")
	s.has("F5 edit", "!E edit")
	s.keys("e")
	s.has("!Enter submit")
	s.keys("f5")
	s.has("Enter submit")
	s.keys("!", "esc", "?", "up", "enter")
	s.has("F5")
	if got := strings.Join(keyText(s.pane), "\n"); !strings.Contains(got, "F5                              edit custom") {
		t.Errorf("the page of keys:\n%s", got)
	}
}

func keyText(p *Pane) []string {
	var out []string
	for _, l := range keyLines(p, 100) {
		out = append(out, l.String())
	}
	return out
}

// An action that had to give way has no key: no hint, no mistake.
func TestActionWithoutAKey(t *testing.T) {
	s := newStage(t, 200, 24)
	s.settings.loaded.Keymaps = rebound(t, map[string][]string{"optionNote": {"e"}, "changeQuestionType": {"d", "shift+d"}, "editCustom": nil, "skip": nil})
	s.desk.ask(multi(s.clock))
	s.keys("4", "mine", "esc")
	s.has("!edit", "!skip", "Shift+N note")
	s.keys("up")
	s.has("E/Shift+N note")
	s.keys("e")
	s.has("Enter save")
	s.keys("esc", "?", "up", "enter")
	s.has("(no key)")
}

func TestNoKeymapAtAll(t *testing.T) {
	for _, scene := range scenes {
		if strings.HasPrefix(scene.name, "paths") {
			continue // waits for what only a key can open
		}
		s := newStage(t, 80, 24)
		s.settings.loaded.Keymaps = &config.Keymaps{}
		scene.make(s)
		if got := s.frame(); strings.Contains(got, "·  ·") || strings.Contains(got, ":  shows") {
			t.Errorf("%s: a hint without a key:\n%s", scene.name, got)
		}
	}
}
