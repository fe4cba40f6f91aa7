package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const ownFile = `{
  "schemaVersion": 5,
  "stray": true,
  "behaviour": {"showFooterHints": false, "backgroundOnly": true, "stray": 1},
  "keymaps": %s,
  "notifications": {"channels": [{"type": "command", "command": "echo <a> & b"}], "enabled": true}
}
`

func ownText(t *testing.T, changes contexts) string {
	t.Helper()
	return strings.Replace(ownFile, "%s", string(keymapsWith(changes)), 1)
}

func TestSaveKeepsKeymapsAndOwnKeysAndStrayOnes(t *testing.T) {
	f := Open(writeFile(t, ownText(t, contexts{Main: {"skip": []string{"S"}, "toggle": "Spacebar"}})))
	l := load(t, f)
	l.Settings.Behaviour.HistoryTools = true
	saved, err := f.Save(l.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(load(t, f), saved, cmp.Comparer((*Keymaps).Equal)); d != "" {
		t.Error(d)
	}
	text := readFile(t, f.Path())
	for _, want := range []string{
		`"backgroundOnly": true`, `"historyTools": true`, `"skip": [` + "\n        \"s\"", `"command": "echo <a> & b"`, "\n}\n", `"stray": 1`, `"stray": true`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	for _, gone := range []string{"serveNonTui", "switchFocus", "answers", "pane", "tools", `\u003c`} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is in\n%s", gone, text)
		}
	}
}

func TestSaveKeepsKeymapsThatAreWrong(t *testing.T) {
	f := Open(writeFile(t, ownText(t, contexts{Main: {"confirm": "entre"}})))
	notices := load(t, f).Notices
	l, err := f.Set("behaviour.historyTools", json.RawMessage("true"))
	if err != nil || len(notices) != 1 {
		t.Fatal(err, notices)
	}
	if d := cmp.Diff(notices, l.Notices); d != "" {
		t.Error(d)
	}
	if text := readFile(t, f.Path()); !strings.Contains(text, `"entre"`) {
		t.Errorf("the misspelt key is lost:\n%s", text)
	}
}

func TestSaveTakesKeymapsEditedMeanwhile(t *testing.T) {
	f := Open(writeFile(t, ownText(t, nil)))
	l := load(t, f)
	if err := os.WriteFile(f.Path(), []byte(ownText(t, contexts{Main: {"confirm": "f5"}})), 0o600); err != nil {
		t.Fatal(err)
	}
	saved, err := f.Save(l.Settings)
	if err != nil || saved.Keymaps.Label(Main, "confirm") != "F5" {
		t.Error(saved.Keymaps.Label(Main, "confirm"), err)
	}
}

func TestSaveKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	target, middle, link := filepath.Join(dir, "dotfiles", "ask.json"), filepath.Join(dir, "dotfiles", "current"), filepath.Join(dir, "agent", "ask.json")
	for _, d := range []string{filepath.Dir(target), filepath.Dir(link)} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.WriteFile(target, []byte(`{"schemaVersion":5}`), 0o640), os.Chmod(target, 0o640),
		os.Symlink("ask.json", middle), os.Symlink("../dotfiles/current", link))
	if err != nil {
		t.Fatal(err)
	}
	f := Open(link)
	if _, err := f.Set("pane.autoOpen", json.RawMessage("true")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "../dotfiles/current" {
		t.Errorf("the link is gone: %q, %v", to, err)
	}
	info, err := os.Lstat(target)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if !load(t, f).Settings.Pane.AutoOpen {
		t.Error("nothing was saved")
	}
}

func TestSaveLeavesNoTemporaryFile(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":5}`))
	if _, err := f.Save(Defaults()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(f.Path()))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestSaveFailures(t *testing.T) {
	readOnlyFile := writeFile(t, `{"schemaVersion":5}`)
	if err := os.Chmod(readOnlyFile, 0o400); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		is         error
	}{
		{"read-only file", readOnlyFile, fs.ErrPermission},
		{"read-only folder", readOnlyPath(t), nil},
		{"dangling link", danglingPath(t), fs.ErrNotExist},
		{"newer version", writeFile(t, `{"schemaVersion":9,"future":true}`), ErrNotUnderstood},
		{"no JSON", writeFile(t, `{"schemaVersion":5,`), ErrNotUnderstood},
		{"folder", t.TempDir(), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, _ := os.ReadFile(tt.path)
			l, err := Open(tt.path).Set("behaviour.showFooterHints", json.RawMessage("false"))
			var failed *SaveError
			if !errors.As(err, &failed) || err.Error() != unableToSave(tt.path)+failed.Err.Error() {
				t.Fatalf("got %v", err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %v, want %v", err, tt.is)
			}
			if !l.Settings.Behaviour.ShowFooterHints || l.Keymaps == nil {
				t.Error("the setting did not revert")
			}
			if after, _ := os.ReadFile(tt.path); string(after) != string(before) {
				t.Error("the file changed")
			}
		})
	}
}

func TestSet(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":5}`))
	for _, key := range Keys() {
		if key == channelsKey {
			continue
		}
		values := []string{"true", "false"}
		for _, c := range choices {
			if c.name() == key {
				values = values[:0]
				for _, v := range c.values {
					values = append(values, strconv.Quote(v))
				}
			}
		}
		if key == "behaviour.undoCancel" {
			values = []string{"0", "30"}
		}
		for _, value := range values {
			l, err := f.Set(key, json.RawMessage(value))
			if err != nil || member1(t, l.Settings, key) != value || member1(t, load(t, f).Settings, key) != value {
				t.Errorf("%s = %s: %v", key, value, err)
			}
		}
		if l, err := f.Set(key, json.RawMessage(" null ")); err != nil || member1(t, l.Settings, key) != member1(t, Defaults(), key) {
			t.Errorf("%s = null: %v", key, err)
		}
	}
	if d := cmp.Diff(Defaults(), load(t, f).Settings); d != "" {
		t.Error(d)
	}
}

// member1 is one key of the settings' JSON form.
func member1(t *testing.T, s Settings, key string) string {
	t.Helper()
	var all map[string]json.RawMessage
	unmarshal(t, mustMarshal(s), &all)
	section, name, _ := strings.Cut(key, ".")
	var members map[string]json.RawMessage
	unmarshal(t, all[section], &members)
	return string(members[name])
}

func TestSetChannels(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":5}`))
	l, err := f.Set(channelsKey, json.RawMessage(`["osc9",{"type":"command","command":"x"}]`))
	want := []Channel{{Kind: OSC9}, {Kind: Command, Command: "x"}}
	if d := cmp.Diff(want, l.Settings.Notifications.Channels); d != "" || err != nil {
		t.Error(d, err)
	}
	if got := member1(t, l.Settings, channelsKey); got != `["osc9",{"type":"command","command":"x"}]` {
		t.Error("got", got)
	}
	if l, err = f.Set(channelsKey, json.RawMessage(`null`)); err != nil || len(l.Settings.Notifications.Channels) != 1 {
		t.Error(l.Settings, err)
	}
}

func TestSetRefuses(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":5}`))
	tests := []struct {
		key, value string
		is         error
		text       string
	}{
		{"behaviour.nothing", "true", ErrUnknownKey, `unknown setting "behaviour.nothing"; the settings are behaviour.autoSubmitWhenAnsweredWithoutNotes, `},
		{"schemaVersion", "5", ErrUnknownKey, ""},
		{"", "true", ErrUnknownKey, ""},
		{"pane.autoOpen", `"yes"`, ErrInvalidValue, "invalid value for pane.autoOpen: expected true or false"},
		{"pane.autoOpen", ``, ErrInvalidValue, ""},
		{"behaviour.undoCancel", `31`, ErrInvalidValue, "invalid value for behaviour.undoCancel: expected a whole number from 0 to 30"},
		{"behaviour.undoCancel", `-1`, ErrInvalidValue, ""},
		{"behaviour.undoCancel", `2.5`, ErrInvalidValue, ""},
		{"behaviour.undoCancel", `true`, ErrInvalidValue, ""},
		{channelsKey, `["email"]`, ErrInvalidValue, `invalid value for notifications.channels: channel "email": expected `},
		{channelsKey, `{}`, ErrInvalidValue, "invalid value for notifications.channels: expected a list of channels"},
	}
	for _, tt := range tests {
		_, err := f.Set(tt.key, json.RawMessage(tt.value))
		if !errors.Is(err, tt.is) || !strings.HasPrefix(err.Error(), tt.text) {
			t.Errorf("%s = %s: got %v", tt.key, tt.value, err)
		}
	}
	if readFile(t, f.Path()) != `{"schemaVersion":5}` {
		t.Error("the file changed")
	}
}

func TestToolInterfaceKeysAreSettings(t *testing.T) {
	for _, key := range ToolInterfaceKeys() {
		if !strings.Contains(strings.Join(Keys(), " ")+" ", key+" ") {
			t.Error(key)
		}
	}
}

func TestReset(t *testing.T) {
	for name, text := range map[string]string{
		"own": ownText(t, contexts{Main: {"confirm": "f5"}}), "invalid": "{", "newer": `{"schemaVersion":9}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := Open(writeFile(t, text))
			l, err := f.Reset()
			if d := cmp.Diff(Defaults(), l.Settings); d != "" || err != nil || !l.Valid || !l.Keymaps.Equal(DefaultKeymaps()) {
				t.Error(d, err)
			}
			if d := cmp.Diff(readFile(t, "testdata/default.json"), readFile(t, f.Path())); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestResetFailure(t *testing.T) {
	path := writeFile(t, `{"schemaVersion":5,"behaviour":{"historyTools":true}}`)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path).Reset()
	if err == nil || !strings.HasPrefix(err.Error(), unableToSave(path)) || !l.Settings.Behaviour.HistoryTools {
		t.Errorf("got %+v, %v", l.Settings, err)
	}
}

func TestDefaultsShareNothing(t *testing.T) {
	a := Defaults()
	a.Notifications.Channels[0].Kind = OSC9
	if Defaults().Notifications.Channels[0].Kind != Bell {
		t.Error("defaults were changed")
	}
}

// TestPlainSetting: pane.plain is off, stands in the file only while it is on, and is no other word.
func TestPlainSetting(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":5,"pane":{"plain":true}}`))
	if !load(t, f).Settings.Pane.Plain || Defaults().Pane.Plain {
		t.Error("the file does not decide")
	}
	if _, err := f.Set("pane.plain", json.RawMessage(`"yes"`)); !errors.Is(err, ErrInvalidValue) {
		t.Errorf("refused with %v", err)
	}
	l, err := f.Set("pane.plain", json.RawMessage(`false`))
	if err != nil || l.Settings.Pane.Plain {
		t.Errorf("%v, %+v", err, l.Settings.Pane)
	}
	for value, want := range map[string]bool{"": false, "0": false, "1": true, "yes": true} {
		if got := Plain(func(string) string { return value }); got != want {
			t.Errorf("ASKD_PLAIN=%q: %t", value, got)
		}
	}
}

// TestThemeThatIsNone: a word that is no theme is refused with those that are, in a file as in a call.
func TestThemeThatIsNone(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":5,"pane":{"theme":"dark"}}`))
	if l := load(t, f); l.Settings.Pane.Theme != ThemeDark {
		t.Errorf("theme %q", l.Settings.Pane.Theme)
	}
	for _, value := range []string{`"black"`, `true`, `7`} {
		if _, err := f.Set("pane.theme", json.RawMessage(value)); !errors.Is(err, ErrInvalidValue) || !strings.Contains(err.Error(), "auto, light, dark, mono") {
			t.Errorf("%s: %v", value, err)
		}
	}
	path := writeFile(t, `{"schemaVersion":5,"pane":{"theme":"black"}}`)
	if err := Inspect(path); err == nil || !strings.Contains(err.Error(), "pane.theme: expected one of") {
		t.Error(err)
	}
}
