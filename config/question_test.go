package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func lookupIn(vars map[string]string) func(string) (string, bool) {
	return func(key string) (string, bool) {
		v, ok := vars[key]
		return v, ok
	}
}

func TestQuestionValueVectors(t *testing.T) {
	for _, v := range readVectors(t, "question_settings.json", "setting") {
		t.Run(v.Name, func(t *testing.T) {
			var in struct{ Key, Text string }
			var want struct {
				Value json.RawMessage
				Error string
			}
			unmarshal(t, v.Input, &in)
			unmarshal(t, v.Want, &want)
			path := filepath.Join(t.TempDir(), "agent", "ask-user-settings.json")
			err := SetQuestion(path, in.Key, in.Text)
			if want.Error != "" {
				if err == nil || err.Error() != "Cannot update ask_user_question settings ("+path+"): Error: "+want.Error {
					t.Errorf("got %v", err)
				}
				return
			}
			if text := "{\n  \"" + in.Key + "\": " + string(want.Value) + "\n}\n"; err != nil || readFile(t, path) != text {
				t.Errorf("got %v, %s", err, readFile(t, path))
			}
		})
	}
}

func TestQuestionEffectiveVectors(t *testing.T) {
	for _, v := range readVectors(t, "question_settings.json", "effective_settings") {
		t.Run(v.Name, func(t *testing.T) {
			var in struct {
				File *string
				Env  map[string]string
			}
			var want struct {
				Settings struct {
					DisplayMode, SingleSelectLayout string
					OverlayToggleKey                *string
					Timeout                         int
				}
			}
			unmarshal(t, v.Input, &in)
			unmarshal(t, v.Want, &want)
			path := filepath.Join(t.TempDir(), "x.json")
			if in.File != nil {
				path = writeFile(t, *in.File)
			}
			expect := QuestionSettings{
				DisplayMode: want.Settings.DisplayMode, SingleSelectLayout: want.Settings.SingleSelectLayout,
				Timeout: time.Duration(want.Settings.Timeout) * time.Millisecond,
			}
			if key := want.Settings.OverlayToggleKey; key != nil {
				expect.OverlayToggleKey = *key
			}
			l := LoadQuestion(path, lookupIn(in.Env))
			if d := cmp.Diff(expect, l.Settings); d != "" || l.Warning != "" {
				t.Error(d, l.Warning)
			}
		})
	}
}

// TestQuestionEmptyKey: nothing typed is no value; nothing in the file or the environment is no key, as published.
func TestQuestionEmptyKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	if err := SetQuestion(path, "overlayToggleKey", " "); err == nil || !strings.HasSuffix(err.Error(), ": Error: overlayToggleKey must be a shortcut such as alt+o, or off to disable it.") {
		t.Errorf("got %v", err)
	}
	for _, l := range []QuestionLoaded{
		LoadQuestion(writeFile(t, `{"overlayToggleKey":""}`), lookupIn(nil)),
		LoadQuestion(path, lookupIn(map[string]string{"PI_ASK_USER_OVERLAY_TOGGLE_KEY": ""})),
	} {
		if l.Settings.OverlayToggleKey != "" || l.Warning != "" {
			t.Errorf("got %+v", l)
		}
	}
}

func TestQuestionSetting(t *testing.T) {
	path := writeFile(t, `{"futureThing": {"on": true}, "timeout": 5, "displayMode": "inline"}`)
	steps := []struct{ key, text string }{
		{"displayMode", " Overlay "},
		{"timeout", "Default"},
		{"overlayToggleKey", "NONE"},
		{"timeout", "1e3"},
	}
	for _, s := range steps {
		if err := SetQuestion(path, s.key, s.text); err != nil {
			t.Fatal(err)
		}
	}
	want := "{\n  \"futureThing\": {\n    \"on\": true\n  },\n  \"displayMode\": \"overlay\",\n  \"overlayToggleKey\": \"none\",\n  \"timeout\": 1000\n}\n"
	if d := cmp.Diff(want, readFile(t, path)); d != "" {
		t.Error(d)
	}
	l := LoadQuestion(path, lookupIn(map[string]string{"PI_ASK_USER_OVERLAY_TOGGLE_KEY": "alt+h"}))
	if d := cmp.Diff(QuestionSettings{DisplayMode: "overlay", SingleSelectLayout: "auto", Timeout: time.Second}, l.Settings); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]bool{"displayMode": true, "overlayToggleKey": true, "timeout": true}, l.Saved); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"displayMode", "singleSelectLayout", "overlayToggleKey", "timeout"}, QuestionKeys()); d != "" {
		t.Error(d)
	}
}

func TestQuestionSettingKeepsModeAndMakesAPrivateFile(t *testing.T) {
	kept, made := writeFile(t, "{}"), filepath.Join(t.TempDir(), "new.json")
	mustDo(t, os.Chmod(kept, 0o644), SetQuestion(kept, "timeout", "7"), SetQuestion(made, "timeout", "7"))
	for path, mode := range map[string]os.FileMode{kept: 0o644, made: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
}

func TestQuestionBadFiles(t *testing.T) {
	tests := []struct{ name, text, reason string }{
		{"no JSON", `{`, "unexpected end of JSON input"},
		{"list", `[]`, "Settings must be a JSON object."},
		{"null", `null`, "Settings must be a JSON object."},
		{"mode", `{"displayMode":"fullscreen"}`, "displayMode must be inline or overlay."},
		{"mode in capitals", `{"displayMode":"Inline"}`, "displayMode must be inline or overlay."},
		{"layout", `{"singleSelectLayout":null}`, "singleSelectLayout must be auto or list."},
		{"timeout", `{"displayMode":"overlay","timeout":-1}`, "timeout must be an integer from 0 to 2147483647 milliseconds (0 disables it)."},
		{"broken timeout", `{"timeout":1.5}`, "timeout must be an integer from 0 to 2147483647 milliseconds (0 disables it)."},
		{"timeout as text", `{"timeout":"5"}`, "timeout must be an integer from 0 to 2147483647 milliseconds (0 disables it)."},
		{"key", `{"overlayToggleKey":null}`, "overlayToggleKey must be a shortcut such as alt+o, or off to disable it."},
		{"key with a space", `{"overlayToggleKey":"alt o"}`, "overlayToggleKey must be a shortcut such as alt+o, or off to disable it."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, tt.text)
			l := LoadQuestion(path, lookupIn(map[string]string{"PI_ASK_USER_SINGLE_SELECT_LAYOUT": "list"}))
			want := QuestionSettings{DisplayMode: "inline", SingleSelectLayout: "list", OverlayToggleKey: "alt+o"}
			if d := cmp.Diff(want, l.Settings); d != "" || len(l.Saved) != 0 {
				t.Error(d)
			}
			if l.Warning != "Cannot load ask_user_question settings from "+path+": "+tt.reason+". Using environment/default settings." {
				t.Error("got", l.Warning)
			}
			err := SetQuestion(path, "displayMode", "inline")
			if err == nil || err.Error() != "Cannot update ask_user_question settings ("+path+"): Error: "+tt.reason || readFile(t, path) != tt.text {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestQuestionEnvironment(t *testing.T) {
	tests := []struct {
		name string
		vars map[string]string
		want QuestionSettings
	}{
		{"nonsense", map[string]string{"PI_ASK_USER_DISPLAY_MODE": "x", "PI_ASK_USER_SINGLE_SELECT_LAYOUT": "auto ", "PI_ASK_USER_OVERLAY_TOGGLE_KEY": "alt++"}, QuestionSettings{"inline", "auto", "alt+o", 0}},
		{"empty key is off", map[string]string{"PI_ASK_USER_OVERLAY_TOGGLE_KEY": ""}, QuestionSettings{"inline", "auto", "", 0}},
		{"disabled key", map[string]string{"PI_ASK_USER_OVERLAY_TOGGLE_KEY": " Disabled "}, QuestionSettings{"inline", "auto", "", 0}},
	}
	for _, tt := range tests {
		l := LoadQuestion(filepath.Join(t.TempDir(), "none.json"), lookupIn(tt.vars))
		if d := cmp.Diff(tt.want, l.Settings); d != "" {
			t.Error(tt.name, d)
		}
		if _, err := os.Stat(l.Path); err == nil {
			t.Error("reading created the file")
		}
	}
}

func TestQuestionNumbers(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "007": 7, "1e3": 1000, "+5": 5, "5.0": 5, ".5e1": 5, "0x10": 16, "0b11": 3} {
		if got, ok := looseNumber(text); !ok || got != want {
			t.Errorf("%s: got %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "nan", "inf", "1_0", "0x1_0", "0x", "e", "1e", "5s", "-0x5", "1 0", "1e999"} {
		if got, ok := looseNumber(text); ok {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestQuestionRefusals(t *testing.T) {
	if err := SetQuestion("x", "colour", "red"); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("got %v", err)
	}
	var failed *QuestionSaveError
	if err := SetQuestion(readOnlyPath(t), "timeout", "5"); !errors.As(err, &failed) || errors.Unwrap(err) == nil {
		t.Errorf("got %v", err)
	}
	if l := LoadQuestion(t.TempDir(), lookupIn(nil)); !strings.Contains(l.Warning, "not a regular file") {
		t.Errorf("got %v", l.Warning)
	}
}
