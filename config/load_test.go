package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func load(t *testing.T, f *File) Loaded {
	t.Helper()
	l, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A file of a terabyte is refused by its size: reading it would end the process.
func TestLoadRefusesAHugeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := errors.Join(os.WriteFile(path, []byte("{"), 0o600), os.Truncate(path, 1<<40)); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path).Load()
	if err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") || cmp.Diff(Defaults(), l.Settings) != "" {
		t.Errorf("%v %+v", err, l)
	}
}

func TestLoadCreatesTheDefaultFile(t *testing.T) {
	path := AskSettingsPath(filepath.Join(t.TempDir(), "agent"))
	l := load(t, Open(path))
	if d := cmp.Diff(Defaults(), l.Settings); d != "" || !l.Keymaps.Equal(DefaultKeymaps()) || !l.Valid || l.Notices != nil || l.Path != path {
		t.Errorf("%s %+v", d, l)
	}
	if d := cmp.Diff(readFile(t, "testdata/default.json"), readFile(t, path)); d != "" {
		t.Error(d)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestDefaultFileReadsBackAsItself(t *testing.T) {
	f := Open(AskSettingsPath(t.TempDir()))
	first := load(t, f)
	text := readFile(t, f.Path())
	second := load(t, f)
	if d := cmp.Diff(first, second, cmp.Comparer((*Keymaps).Equal)); d != "" {
		t.Error(d)
	}
	if _, err := f.Save(second.Settings); err != nil || readFile(t, f.Path()) != text {
		t.Errorf("saving what was loaded changes the file: %v", err)
	}
}

func TestLoadBadFiles(t *testing.T) {
	withKeymaps := func(k json.RawMessage) string { return fmt.Sprintf(`{"schemaVersion":5,"keymaps":%s}`, k) }
	tests := []struct{ name, text, notice string }{
		{"empty", "", noticeInvalid},
		{"no JSON", `{"schemaVersion": 5,}`, noticeInvalid},
		{"text after", `{"schemaVersion":5} x`, noticeInvalid},
		{"list", `[]`, noticeInvalid},
		{"null", `null`, noticeInvalid},
		{"no version", `{"behaviour":{}}`, noticeInvalid},
		{"null version", `{"schemaVersion":null}`, noticeInvalid},
		{"version as text", `{"schemaVersion":"5"}`, noticeInvalid},
		{"broken version", `{"schemaVersion":4.5}`, noticeInvalid},
		{"newer version", `{"schemaVersion":6}`, noticeInvalid},
		{"huge version", `{"schemaVersion":1e999}`, noticeInvalid},
		{"version 0", `{"schemaVersion":0}`, noticeMigration},
		{"negative version", `{"schemaVersion":-3}`, noticeMigration},
		{"behaviour is a list", `{"schemaVersion":5,"behaviour":[]}`, noticeInvalid},
		{"behaviour is null", `{"schemaVersion":5,"behaviour":null}`, noticeInvalid},
		{"toggle is text", `{"schemaVersion":5,"behaviour":{"showFooterHints":"no"}}`, noticeInvalid},
		{"toggle is null", `{"schemaVersion":5,"behaviour":{"showFooterHints":null}}`, noticeInvalid},
		{"old behaviour is text", `{"schemaVersion":4,"behaviour":"x"}`, noticeInvalid},
		{"own number is too large", `{"schemaVersion":5,"behaviour":{"undoCancel":31}}`, noticeInvalid},
		{"own toggle is a number", `{"schemaVersion":5,"pane":{"autoOpen":1}}`, noticeInvalid},
		{"unknown channel", `{"schemaVersion":5,"notifications":{"channels":["bell","email"]}}`, noticeInvalid},
		{"channel is null", `{"schemaVersion":5,"notifications":{"channels":[null]}}`, noticeInvalid},
		{"channels are null", `{"schemaVersion":5,"notifications":{"channels":null}}`, noticeInvalid},
		{"unknown object channel", `{"schemaVersion":5,"notifications":{"channels":[{"type":"mail","command":"x"}]}}`, noticeInvalid},
		{"command channel without command", `{"schemaVersion":5,"notifications":{"channels":[{"type":"command"}]}}`, noticeInvalid},
		{"keymaps are null", `{"schemaVersion":5,"keymaps":null}`, noticeInvalid},
		{"flat keymaps", `{"schemaVersion":5,"keymaps":{"cancel":"x"}}`, noticeInvalid},
		{"keymap context missing", withKeymaps(keymapsWith(contexts{Editor: nil})), noticeInvalid},
		{"binding is a number", withKeymaps(keymapsWith(contexts{Main: {"skip": 3}})), noticeInvalid},
		{"binding list holds a number", withKeymaps(keymapsWith(contexts{Main: {"toggle": []any{"x", 3}}})), noticeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, tt.text)
			l := load(t, Open(path))
			want := Loaded{Settings: Defaults(), Keymaps: DefaultKeymaps(), Notices: []Notice{{Error, tt.notice}}, Path: path}
			if d := cmp.Diff(want, l, cmp.Comparer((*Keymaps).Equal)); d != "" {
				t.Error(d)
			}
			if readFile(t, path) != tt.text {
				t.Error("loading changed the file")
			}
		})
	}
}

func TestPublishedNotices(t *testing.T) {
	tests := []struct{ got, want string }{
		{noticeInvalid, "Config was invalid or unsupported. Loaded defaults for this session and left the config file unchanged. Edit the config file or run /reload after fixing it."},
		{noticeMigration, "Config migration failed. Loaded defaults for this session and left the config file unchanged. Edit the config file or run /reload after fixing it."},
		{(&SaveError{"/a/b.json", syscall.EACCES}).Error(), "Unable to save ask config at /a/b.json. The file may be read-only or managed outside pi-agent-ask; edit it manually and run /reload. permission denied"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}

func TestLoadFillsWhatIsMissing(t *testing.T) {
	set := func(change func(*Settings)) Settings {
		s := Defaults()
		change(&s)
		return s
	}
	tests := []struct {
		name, text string
		want       Settings
	}{
		{"version alone", `{"schemaVersion":5}`, Defaults()},
		{"version as a float", `{"schemaVersion":5.0}`, Defaults()},
		{"unknown keys", `{"schemaVersion":5,"x":1,"behaviour":{"y":2,"historyTools":true}}`, set(func(s *Settings) { s.Behaviour.HistoryTools = true })},
		{"other case is another key", `{"schemaVersion":5,"behaviour":{"ShowFooterHints":false}}`, Defaults()},
		{
			"own keys", `{"schemaVersion":5,"behaviour":{"backgroundOnly":true,"serveNonTui":true},"answers":{"fromAgents":true},"pane":{"autoOpen":true,"focusOnAsk":true},"tools":{"askUserQuestion":true}}`,
			set(func(s *Settings) {
				s.Behaviour.BackgroundOnly, s.Behaviour.ServeNonTui = true, true
				s.Answers.FromAgents, s.Pane.AutoOpen, s.Pane.FocusOnAsk, s.Tools.AskUserQuestion = true, true, true, true
			}),
		},
		{
			"channels in order", `{"schemaVersion":5,"notifications":{"channels":["osc777",{"type":"command","command":"say \"x\""},"bell"]}}`,
			set(func(s *Settings) {
				s.Notifications.Channels = []Channel{{Kind: OSC777}, {Kind: Command, Command: `say "x"`}, {Kind: Bell}}
			}),
		},
		{
			"blank command is skipped", `{"schemaVersion":5,"notifications":{"channels":[{"type":"command","command":" "},"osc9"]}}`,
			set(func(s *Settings) { s.Notifications.Channels = []Channel{{Kind: OSC9}} }),
		},
		{
			"nothing left is the bell", `{"schemaVersion":5,"notifications":{"channels":[{"type":"command","command":""}],"enabled":false}}`,
			set(func(s *Settings) { s.Notifications.Enabled = false }),
		},
		{"empty list is the bell", `{"schemaVersion":5,"notifications":{"channels":[]}}`, Defaults()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := loadText(t, tt.text)
			if d := cmp.Diff(tt.want, l.Settings); d != "" || !l.Valid || l.Notices != nil && tt.name != "other case is another key" {
				t.Error(d, l.Notices)
			}
		})
	}
}

// readOnlyPath is a settings path whose folder takes no new file. Root writes past folder modes, so for root the name
// leaves no room for a temporary file's.
func readOnlyPath(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		return filepath.Join(dir, strings.Repeat("x", 250)+".json")
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	return filepath.Join(dir, "pi-agent-ask.json")
}

// danglingPath is a link to a file in a folder that is not there.
func danglingPath(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(filepath.Join(dir, "gone", "target.json"), link); err != nil {
		t.Fatal(err)
	}
	return link
}

func TestLoadWhenCreatingFails(t *testing.T) {
	for name, path := range map[string]string{"read-only": readOnlyPath(t), "dangling link": danglingPath(t)} {
		t.Run(name, func(t *testing.T) {
			l := load(t, Open(path))
			if len(l.Notices) != 1 || l.Notices[0].Level != Warning || !strings.HasPrefix(l.Notices[0].Text, unableToSave(path)) {
				t.Errorf("got %+v", l.Notices)
			}
			if d := cmp.Diff(Defaults(), l.Settings); d != "" || !l.Valid {
				t.Error("the defaults hold in memory:", d)
			}
		})
	}
}

func unableToSave(path string) string {
	return "Unable to save ask config at " + path + ". The file may be read-only or managed outside pi-agent-ask; edit it manually and run /reload. "
}

func TestLoadReadingErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"folder": dir, "file as folder": filepath.Join(plain, "x.json"), "pipe": pipe, "loop": loop,
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Open(path).Load()
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v", err)
			}
			if d := cmp.Diff(Defaults(), l.Settings); d != "" || l.Keymaps == nil || l.Valid {
				t.Error("defaults come with the error:", d)
			}
		})
	}
}

// TestByteOrderMark: a file of an editor that marks UTF-8 is read like any other.
func TestByteOrderMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pi-agent-ask.json")
	text := "\ufeff" + `{"schemaVersion":5,"behaviour":{"confirmDismissWhenDirty":false}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := Open(path)
	l := load(t, f)
	if !l.Valid || len(l.Notices) != 0 || l.Settings.Behaviour.ConfirmDismissWhenDirty {
		t.Errorf("%+v", l)
	}
	if f.changed() {
		t.Error("it counts as changed at once")
	}
	l.Settings.Behaviour.ConfirmDismissWhenDirty = true
	if l, err := f.Save(l.Settings); err != nil || !l.Settings.Behaviour.ConfirmDismissWhenDirty {
		t.Errorf("saved: %+v, %v", l, err)
	}
}
