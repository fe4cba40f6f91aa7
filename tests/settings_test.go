package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/tmuxtest"
)

// configured is a pane with a client and the settings file that askd made.
type configured struct {
	shell
	client *raw
	file   string
}

func openConfigured(t *testing.T) configured {
	t.Helper()
	p := newPlace(t)
	file := filepath.Join(p.dir, "agent", "extensions", "pi-agent-ask.json")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s := openShell(t, tmuxtest.Start(t), p, 120, 40)
	s.askd()
	c := configured{s, connect(t, p, "checkout-api"), file}
	if !exists(c.file) {
		t.Fatalf("askd made no settings file %s", c.file)
	}
	return c
}

func (c configured) read() []byte {
	c.t.Helper()
	data, err := os.ReadFile(c.file)
	if err != nil {
		c.t.Fatal(err)
	}
	return data
}

// section is one object of the settings file, by the path to it.
func section(file map[string]any, path ...string) map[string]any {
	for _, name := range path {
		file, _ = file[name].(map[string]any)
	}
	return file
}

// edited is the settings file with a change.
func (c configured) edited(change func(file map[string]any)) []byte {
	c.t.Helper()
	var file map[string]any
	if err := json.Unmarshal(c.read(), &file); err != nil {
		c.t.Fatal(err)
	}
	change(file)
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		c.t.Fatal(err)
	}
	return data
}

// rewrite changes the file where it stands, as some editors do.
func (c configured) rewrite(data []byte) {
	c.t.Helper()
	if err := os.WriteFile(c.file, data, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// swap puts another file in its place, as other editors do.
func (c configured) swap(data []byte) {
	c.t.Helper()
	fresh := c.file + ".new"
	if err := os.WriteFile(fresh, data, 0o644); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Rename(fresh, c.file); err != nil {
		c.t.Fatal(err)
	}
}

// settingsView is what settings.get and settings.set answer, and the part of it that settings.changed carries.
type settingsView struct {
	Settings struct {
		Behaviour map[string]any
	}
	Path    string
	Notices []struct{ Level, Text string }
	Saved   *bool
	Message string
}

func (c configured) get() settingsView {
	c.t.Helper()
	var v settingsView
	c.client.must("settings.get", `{}`, &v)
	return v
}

// told waits until the client has been told that a setting has a value.
func (c configured) told(key string, value bool) {
	c.t.Helper()
	c.client.find("settings.changed", func(m message) bool {
		var v settingsView
		return m.Method == "settings.changed" && json.Unmarshal(m.Params, &v) == nil && v.Settings.Behaviour[key] == value
	})
}

func behaviour(key string, value bool) func(map[string]any) {
	return func(file map[string]any) { section(file, "behaviour")[key] = value }
}

// TestSettingsEditedOutside: what an editor saves acts at once, on the open form, on the pane and for clients.
func TestSettingsEditedOutside(t *testing.T) {
	c := openConfigured(t)
	if got := c.get(); got.Path != c.file || got.Settings.Behaviour["showFooterHints"] != true || len(got.Notices) != 0 {
		t.Errorf("at first: %+v", got)
	}
	open := c.client.begin(1, twoQuestions)
	c.WaitFor("Enter confirm")
	c.rewrite(c.edited(behaviour("showFooterHints", false)))
	c.told("showFooterHints", false)
	c.WaitGone("Enter confirm")
	c.swap(c.edited(behaviour("showFooterHints", true)))
	c.told("showFooterHints", true)
	c.WaitFor("Enter confirm")

	c.PressUntil("1", "How long are orders kept?")
	c.swap(c.edited(behaviour("confirmDismissWhenDirty", false)))
	c.told("confirmDismissWhenDirty", false)
	if got := c.get(); got.Settings.Behaviour["confirmDismissWhenDirty"] == true {
		t.Errorf("settings.get still says %+v", got)
	}
	c.PressUntil("Escape", idle)
	if o := c.client.ended(open); o.Provenance.Outcome != "cancelled" {
		t.Errorf("provenance %+v", o.Provenance)
	}
}

// TestSettingsForFutureForms: presentSingleAsMulti leaves the open form as it is and holds for the next.
func TestSettingsForFutureForms(t *testing.T) {
	c := openConfigured(t)
	c.client.begin(1, dbQuestion)
	c.WaitFor("❯ 1. Postgres")
	c.swap(c.edited(behaviour("presentSingleAsMulti", true)))
	c.told("presentSingleAsMulti", true)
	second := c.client.begin(2, strings.ReplaceAll(dbQuestion, "Which database?", "And then?"))
	c.WaitFor("❯ 1. Postgres")
	if r := c.client.respond(1, choosePostgres); !r.OK {
		t.Fatalf("refused: %+v", r)
	}
	c.WaitFor("And then?")
	c.WaitFor("1. [ ] Postgres")
	if r := c.client.respond(2, `{"kind":"answer","answers":{"db":{"values":["pg","lite"]}}}`); !r.OK {
		t.Fatalf("refused: %+v", r)
	}
	if o := c.client.ended(second); !strings.HasSuffix(o.text(), "Q1: Postgres, SQLite"+asMulti) {
		t.Errorf("answer %q", o.text())
	}
}

const invalidFile = "Config was invalid or unsupported. Loaded defaults for this session and left the config file unchanged."

// TestSettingsInvalidFile: a file that cannot be understood gives defaults and a notice, and stays as it is.
func TestSettingsInvalidFile(t *testing.T) {
	c := openConfigured(t)
	good := c.edited(behaviour("showFooterHints", false))
	c.swap(good)
	c.told("showFooterHints", false)
	bad := []byte(`{"schemaVersion": 5, "behaviour": {`)
	c.swap(bad)
	c.told("showFooterHints", true)
	c.WaitFor("Config was invalid or unsupported.")
	got := c.get()
	if len(got.Notices) != 1 || got.Notices[0].Level != "error" || !strings.HasPrefix(got.Notices[0].Text, invalidFile) {
		t.Errorf("notices %+v", got.Notices)
	}
	c.PressUntil("?", "Live settings")
	c.WaitFor("Config was invalid or unsupported.")
	c.Keys("Escape")
	c.WaitGone("Live settings")
	if !bytes.Equal(c.read(), bad) {
		t.Errorf("the file was changed to %s", c.read())
	}
	c.swap(good)
	c.told("showFooterHints", false)
	c.WaitGone("Config was invalid or unsupported.")

	c.swap(bad)
	c.WaitFor("Config was invalid or unsupported.")
	c.PressUntil("C-q", "ready>")
	c.command(`clear; "$ASKD"`)
	c.WaitFor("Config was invalid or unsupported.")
	if !bytes.Equal(c.read(), bad) {
		t.Errorf("starting changed the file to %s", c.read())
	}
}

// TestSettingsReadOnlyFile: a save that fails takes the setting back and says why, over the form and to clients.
func TestSettingsReadOnlyFile(t *testing.T) {
	c := openConfigured(t)
	before := c.read()
	if err := os.Chmod(c.file, 0o444); err != nil {
		t.Fatal(err)
	}
	c.client.begin(1, dbQuestion)
	c.WaitFor("Which database?")
	c.Keys("?")
	c.Wait("the list", settingIs("Auto-submit", "[off]"))
	c.Keys("Enter")
	c.WaitFor("Unable to save ask config at")
	c.Wait("the old value", settingIs("Auto-submit", "[off]"))
	var set settingsView
	c.client.must("settings.set", `{"key":"behaviour.autoSubmitWhenAnsweredWithoutNotes","value":true}`, &set)
	want := "Unable to save ask config at " + c.file + ". The file may be read-only or managed outside pi-agent-ask; edit it manually and run /reload."
	if set.Saved == nil || *set.Saved || !strings.HasPrefix(set.Message, want) || set.Settings.Behaviour["autoSubmitWhenAnsweredWithoutNotes"] == true {
		t.Errorf("settings.set: %+v", set)
	}
	if !bytes.Equal(c.read(), before) {
		t.Errorf("the file was changed to %s", c.read())
	}

	if err := os.Chmod(c.file, 0o644); err != nil {
		t.Fatal(err)
	}
	c.Keys("Enter")
	c.Wait("the new value", settingIs("Auto-submit", "[on]"))
	c.WaitGone("Unable to save")
	c.told("autoSubmitWhenAnsweredWithoutNotes", true)
	c.Keys("Escape")
	c.WaitFor("Which database?")
	if got := c.client.queue(`{}`); len(got) != 1 {
		t.Errorf("the form under the list has ended: %+v", got)
	}
}

// settingIs says whether the settings list shows a row with a value.
func settingIs(label, value string) func(screen string) bool {
	return func(screen string) bool {
		for row := range strings.Lines(screen) {
			if strings.Contains(row, label) && strings.Contains(row, value) {
				return true
			}
		}
		return false
	}
}

// TestKeymapFromFile: keys from the file act in the open form and stand in its hints; the default ones act no more.
func TestKeymapFromFile(t *testing.T) {
	c := openConfigured(t)
	open := c.client.begin(1, twoQuestions)
	c.WaitFor("D skip")
	c.swap(c.edited(func(file map[string]any) {
		section(file, "keymaps", "main")["skip"] = []string{"f5"}
		section(file, "keymaps", "main")["toggle"] = []string{"x"}
		section(file, "keymaps", "main")["confirm"] = []string{"Control+Y", "enter"}
	}))
	c.WaitFor("F5 skip")
	c.WaitFor("Ctrl+Y confirm")
	c.WaitGone("D skip")
	c.Keys("D", "Down")
	c.WaitFor("❯ 2. SQLite")
	c.PressUntil("F5", "How long are orders kept?")
	screen := c.WaitFor("X toggle")
	if !strings.Contains(screen, "Ctrl+Y continue") {
		t.Errorf("the hints of a multi-select question:\n%s", screen)
	}
	c.Keys("Space", "Down") // not bound any more
	c.WaitFor("❯ 2. [ ] 7 years")
	c.Keys("x")
	c.WaitFor("❯ 2. [x] 7 years")
	c.PressUntil("C-y", "1. Submit")
	c.PressUntil("C-y", idle)
	want := "ask_user [" + requestID(1) + "]\nStore: (skipped)\nRetention: 7 years"
	if o := c.client.ended(open); o.text() != want {
		t.Errorf("answer %q, want %q", o.text(), want)
	}
}

// TestKeymapMistakes: one bad binding takes all keymaps back to the defaults and says which it is; the rest of the file holds.
func TestKeymapMistakes(t *testing.T) {
	c := openConfigured(t)
	c.swap(c.edited(func(file map[string]any) {
		behaviour("doublePressReviewShortcuts", false)(file)
		section(file, "keymaps", "main")["skip"] = []string{"f5"}
		section(file, "keymaps", "main")["toggle"] = []string{"enter"}
	}))
	c.told("doublePressReviewShortcuts", false)
	c.WaitFor("Duplicate keymap Enter for main.confirm and main.toggle.")
	if got := c.get(); len(got.Notices) != 1 || !strings.HasSuffix(got.Notices[0].Text, "Using default ask keymaps for this session. Edit the config and restart pi or run /reload.") {
		t.Errorf("notices %+v", got.Notices)
	}
	open := c.client.begin(1, dbQuestion)
	c.WaitFor("D skip")
	c.PressUntil("2", "1. Submit")
	c.PressUntil("1", idle) // once is enough
	if o := c.client.ended(open); !strings.HasSuffix(o.text(), "Q1: SQLite") {
		t.Errorf("answer %q", o.text())
	}
}
