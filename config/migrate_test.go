package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const flatKeymaps = `{"cancel":"q","dismiss":"ctrl+x","confirm":"ctrl+s","toggle":"x","optionNote":7}`

func TestMigrationsOfSettings(t *testing.T) {
	command := []Channel{{Kind: Command, Command: "say"}}
	tests := []struct {
		name, text string
		single     bool
		footer     bool
		channels   []Channel
		enabled    bool
	}{
		{"1", `{"schemaVersion":1,"behaviour":{"showFooterHints":false}}`, false, false, []Channel{{Kind: Bell}}, true},
		{"1 overwrites notifications", `{"schemaVersion":1,"notifications":{"enabled":false}}`, false, true, []Channel{{Kind: Bell}}, true},
		{"2 overwrites notifications", `{"schemaVersion":2,"notifications":"x","behaviour":{}}`, false, true, []Channel{{Kind: Bell}}, true},
		{"3 keeps notifications", `{"schemaVersion":3,"notifications":{"channels":[{"type":"command","command":"say"}],"enabled":false}}`, false, true, command, false},
		{"4 overwrites presentSingleAsMulti", `{"schemaVersion":4,"behaviour":{"presentSingleAsMulti":true,"showFooterHints":false}}`, false, false, []Channel{{Kind: Bell}}, true},
		{"4 overwrites even nonsense", `{"schemaVersion":4,"behaviour":{"presentSingleAsMulti":"x"}}`, false, true, []Channel{{Kind: Bell}}, true},
		{"5 keeps presentSingleAsMulti", `{"schemaVersion":5,"behaviour":{"presentSingleAsMulti":true}}`, true, true, []Channel{{Kind: Bell}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := Defaults()
			want.Behaviour.PresentSingleAsMulti, want.Behaviour.ShowFooterHints = tt.single, tt.footer
			want.Notifications = Notifications{Channels: tt.channels, Enabled: tt.enabled}
			f := Open(writeFile(t, tt.text))
			l := load(t, f)
			if d := cmp.Diff(want, l.Settings); d != "" || !l.Valid || l.Notices != nil {
				t.Error(d, l.Notices)
			}
			if readFile(t, f.Path()) != tt.text {
				t.Error("loading rewrote the file")
			}
		})
	}
}

func TestMigrationOfFlatKeymaps(t *testing.T) {
	for _, version := range []string{"1", "2", "3"} {
		t.Run(version, func(t *testing.T) {
			l := loadText(t, `{"schemaVersion":`+version+`,"keymaps":`+flatKeymaps+`}`)
			want, err := ParseKeymaps(keymapsWith(contexts{
				Global:     {"dismiss": "ctrl+x"},
				Main:       {"cancel": "q", "confirm": "ctrl+s", "toggle": "x"},
				Editor:     {"close": "q", "submit": "ctrl+s"},
				NoteEditor: {"close": "q", "save": "ctrl+s"},
			}))
			if err != nil || l.Notices != nil || !l.Keymaps.Equal(want) {
				t.Errorf("%v, %v: %+v", err, l.Notices, l.Keymaps)
			}
		})
	}
}

func TestMigrationOfContextKeymaps(t *testing.T) {
	old := func(version int, changes contexts) string {
		if changes == nil {
			changes = contexts{}
		}
		if changes[Main] == nil {
			changes[Main] = map[string]any{}
		}
		if _, set := changes[Main]["changeQuestionType"]; !set {
			changes[Main]["changeQuestionType"] = nil
		}
		return string(mustMarshal(map[string]any{"schemaVersion": version, "keymaps": keymapsWith(changes)}))
	}
	tests := []struct {
		name, text, typeKey, notice string
	}{
		{"4 gets the type key", old(4, nil), "t", ""},
		{"3 with contexts is left as it is", old(3, nil), "t", ""},
		{"4 keeps its own", old(4, contexts{Main: {"changeQuestionType": "y"}}), "y", ""},
		{"5 must have it", old(5, nil), "t", "Missing keymap for main.changeQuestionType."},
		{"4 that uses the key", old(4, contexts{Main: {"toggle": "t"}}), "t", "Duplicate keymap T for main.changeQuestionType and main.toggle."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := loadText(t, tt.text)
			if got := l.Keymaps.Keys(Main, "changeQuestionType"); strings.Join(got, " ") != tt.typeKey || !l.Valid {
				t.Errorf("got %v, %v", got, l.Notices)
			}
			var want []Notice
			if tt.notice != "" {
				want = []Notice{{Warning, tt.notice + " Using default ask keymaps for this session. Edit the config and restart pi or run /reload."}}
			}
			if d := cmp.Diff(want, l.Notices); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestMigrationLeavesWrongShapesToTheCheck(t *testing.T) {
	for _, text := range []string{
		`{"schemaVersion":1,"keymaps":[]}`,
		`{"schemaVersion":3,"keymaps":{"main":{}}}`,
		`{"schemaVersion":4,"keymaps":{"main":7}}`,
		`{"schemaVersion":4,"keymaps":null}`,
	} {
		l := loadText(t, text)
		if d := cmp.Diff([]Notice{{Error, noticeInvalid}}, l.Notices); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestSavingAMigratedFileWritesTheNewVersion(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":1,"keymaps":`+flatKeymaps+`}`))
	l := load(t, f)
	if _, err := f.Save(l.Settings); err != nil {
		t.Fatal(err)
	}
	again := load(t, f)
	if !again.Keymaps.Equal(l.Keymaps) || !strings.HasPrefix(readFile(t, f.Path()), "{\n  \"schemaVersion\": 5,\n") {
		t.Error("got", readFile(t, f.Path()))
	}
}
