package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/broker/wire"
	"askd/config"
)

// cabinet is wire.Settings over real files.
type cabinet struct{ file *config.File }

func (c cabinet) Current() config.Loaded {
	l, _ := c.file.Load()
	return l
}

func (c cabinet) Set(key string, value json.RawMessage) (config.Loaded, error) {
	return c.file.Set(key, value)
}

func (c cabinet) Question(dir string, env map[string]string) config.QuestionLoaded {
	return config.LoadQuestion(config.QuestionSettingsPath(dir), func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	})
}

func (c cabinet) SetQuestion(dir, key, text string) error {
	return config.SetQuestion(config.QuestionSettingsPath(dir), key, text)
}

func (c cabinet) SetProject(project string, word *bool) error {
	return config.SetProjectBackgroundOnly(config.ProjectSettingsPath(project), word)
}

// settingsClient is a connection whose session lives in the folder dir.
func settingsClient(t *testing.T, trusted bool) (c *raw, dir string) {
	t.Helper()
	dir = t.TempDir()
	h := newHouse(t, wire.Options{Settings: cabinet{config.Open(config.AskSettingsPath(dir))}})
	c = h.dial().hello()
	info := map[string]any{"id": "s", "cwd": dir, "agentDir": dir, "projectTrusted": trusted, "env": map[string]string{"PI_ASK_USER_DISPLAY_MODE": "overlay"}}
	text, err := json.Marshal(info)
	must(t, err)
	if m := c.call("session.open", string(text)); m.Error != nil {
		t.Fatal(m)
	}
	return c, dir
}

func TestQuestionSettings(t *testing.T) {
	c, dir := settingsClient(t, false)
	path := filepath.Join(dir, "ask-user-settings.json")
	for _, step := range []struct{ method, params, want string }{
		{"settings.get", `{"file":"question"}`, `{"settings":{},"effective":{"displayMode":"overlay","singleSelectLayout":"auto","overlayToggleKey":"alt+o","timeout":0},"path":"PATH","notices":[]}`},
		{
			"settings.set", `{"file":"question","key":"displayMode","value":" Inline "}`,
			`{"settings":{"displayMode":"inline"},"effective":{"displayMode":"inline","singleSelectLayout":"auto","overlayToggleKey":"alt+o","timeout":0},"path":"PATH","notices":[],"saved":true}`,
		},
		{
			"settings.set", `{"file":"question","key":"timeout","value":9000}`,
			`{"settings":{"displayMode":"inline","timeout":9000},"effective":{"displayMode":"inline","singleSelectLayout":"auto","overlayToggleKey":"alt+o","timeout":9000},"path":"PATH","notices":[],"saved":true}`,
		},
		{
			"settings.set", `{"file":"question","key":"overlayToggleKey","value":"none","scope":"global"}`,
			`{"settings":{"displayMode":"inline","overlayToggleKey":"off","timeout":9000},"effective":{"displayMode":"inline","singleSelectLayout":"auto","overlayToggleKey":"off","timeout":9000},"path":"PATH","notices":[],"saved":true}`,
		},
		{
			"settings.set", `{"file":"question","key":"displayMode","value":null}`,
			`{"settings":{"overlayToggleKey":"off","timeout":9000},"effective":{"displayMode":"overlay","singleSelectLayout":"auto","overlayToggleKey":"off","timeout":9000},"path":"PATH","notices":[],"saved":true}`,
		},
		{
			"settings.set", `{"file":"question","key":"timeout","value":true}`,
			`{"settings":{"overlayToggleKey":"off","timeout":9000},"effective":{"displayMode":"overlay","singleSelectLayout":"auto","overlayToggleKey":"off","timeout":9000},"path":"PATH","notices":[],"saved":false,` +
				`"message":"Cannot update ask_user_question settings (PATH): Error: timeout must be an integer from 0 to 2147483647 milliseconds (0 disables it)."}`,
		},
	} {
		m := c.call(step.method, step.params)
		if want := strings.ReplaceAll(step.want, "PATH", path); string(m.Result) != want {
			t.Errorf("%s %s:\n got %s %+v\nwant %s", step.method, step.params, m.Result, m.Error, want)
		}
	}
	if m := c.call("settings.set", `{"file":"question","key":"colour","value":"red"}`); m.Error == nil || m.Error.Data.Path != "key" {
		t.Errorf("an unknown key: %v", m)
	}
}

// TestQuestionSettingsOfABadFile: it is said why, and the file stays as it is.
func TestQuestionSettingsOfABadFile(t *testing.T) {
	c, dir := settingsClient(t, false)
	path := filepath.Join(dir, "ask-user-settings.json")
	must(t, os.WriteFile(path, []byte(`{"timeout":-1}`), 0o600))
	for _, m := range []message{c.call("settings.get", `{"file":"question"}`), c.call("settings.set", `{"file":"question","key":"timeout","value":1}`)} {
		var got wire.QuestionResult
		must(t, json.Unmarshal(m.Result, &got))
		const reason = "timeout must be an integer from 0 to 2147483647 milliseconds (0 disables it)."
		if got.Message != "Cannot update ask_user_question settings ("+path+"): Error: "+reason || len(got.Settings) != 0 || len(got.Notices) != 1 ||
			got.Notices[0].Text != "Cannot load ask_user_question settings from "+path+": "+reason+". Using environment/default settings." {
			t.Errorf("got %s", m.Result)
		}
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != `{"timeout":-1}` {
		t.Errorf("the file is %s, %v", data, err)
	}
}

func TestProjectSettings(t *testing.T) {
	c, dir := settingsClient(t, true)
	path := filepath.Join(dir, ".pi", "extensions", "pi-agent-ask.json")
	var all struct{ Settings json.RawMessage }
	must(t, json.Unmarshal(c.ok("settings.get", `{}`), &all))
	on := strings.Replace(string(all.Settings), `"backgroundOnly":false`, `"backgroundOnly":true`, 1)
	for _, step := range []struct{ method, params, want string }{
		{"settings.get", `{"scope":"project"}`, `{"settings":{"behaviour":{}},"effective":OFF,"path":"PATH","notices":[]}`},
		{"settings.set", `{"scope":"project","key":"behaviour.backgroundOnly","value":true}`, `{"settings":{"behaviour":{"backgroundOnly":true}},"effective":ON,"path":"PATH","notices":[],"saved":true}`},
		{"settings.get", `{"scope":"project","file":"ask"}`, `{"settings":{"behaviour":{"backgroundOnly":true}},"effective":ON,"path":"PATH","notices":[]}`},
		{"settings.set", `{"scope":"project","key":"behaviour.backgroundOnly","value":null}`, `{"settings":{"behaviour":{}},"effective":OFF,"path":"PATH","notices":[],"saved":true}`},
	} {
		m := c.call(step.method, step.params)
		if want := strings.NewReplacer("PATH", path, "OFF", string(all.Settings), "ON", on).Replace(step.want); string(m.Result) != want {
			t.Errorf("%s %s: got %s %+v, want %s", step.method, step.params, m.Result, m.Error, want)
		}
	}
	for params, path := range map[string]string{
		`{"scope":"project","key":"behaviour.historyTools","value":true}`:  "key",
		`{"scope":"project","key":"behaviour.backgroundOnly","value":"y"}`: "value",
		`{"scope":"project","key":"behaviour.backgroundOnly"}`:             "value",
		`{"scope":"project","file":"question","key":"timeout","value":1}`:  "scope",
		`{"scope":"nowhere","key":"x","value":1}`:                          "scope",
		`{"file":"nothing","key":"x","value":1}`:                           "file",
		`{"key":"behaviour.historyTools","value":1}`:                       "value",
		`{"key":"behaviour.history","value":true}`:                         "key",
	} {
		if m := c.call("settings.set", params); m.Error == nil || m.Error.Data.Path != path {
			t.Errorf("%s: %v", params, m)
		}
	}
}

func TestProjectSettingsNeedTrust(t *testing.T) {
	c, dir := settingsClient(t, false)
	if m := c.call("settings.set", `{"scope":"project","key":"behaviour.backgroundOnly","value":true}`); m.Error == nil || m.Error.Data.Kind != "unavailable" {
		t.Errorf("got %v", m)
	}
	if _, err := os.Stat(filepath.Join(dir, ".pi")); err == nil {
		t.Error("a folder was made in a project that is not trusted")
	}
}
