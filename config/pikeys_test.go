package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func piKeys(t *testing.T, text string) (*PiKeys, []Notice) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keybindings.json")
	mustDo(t, os.WriteFile(path, []byte(text), 0o600))
	return OpenPiKeys(path, env()).Load()
}

func TestPiKeysOfAFile(t *testing.T) {
	tests := []struct {
		name, text string
		action     PiAction
		want       []string
		notices    int
	}{
		{"nothing", `{}`, PiPasteImage, []string{"ctrl+v"}, 0},
		{"a text", `{"app.clipboard.pasteImage":"alt+v"}`, PiPasteImage, []string{"alt+v"}, 0},
		{"a list", `{"app.clipboard.pasteImage":["alt+v","ctrl+v","alt+v"]}`, PiPasteImage, []string{"alt+v", "ctrl+v"}, 0},
		{"unbound", `{"app.clipboard.pasteImage":[]}`, PiPasteImage, nil, 0},
		{"an older name", `{"pasteImage":"f6"}`, PiPasteImage, []string{"f6"}, 0},
		{"both names", `{"pasteImage":"f6","app.clipboard.pasteImage":"f7"}`, PiPasteImage, []string{"f7"}, 0},
		{"a wrong new name beside an older one", `{"pasteImage":"f6","app.clipboard.pasteImage":7}`, PiPasteImage, []string{"ctrl+v"}, 1},
		{"Pi's names of keys", `{"tui.select.cancel":["escape","return"]}`, PiCancel, []string{"esc", "enter"}, 0},
		{"modifiers in any order", `{"tui.select.up":"shift+ctrl+p"}`, PiSelectUp, []string{"ctrl+shift+p"}, 0},
		{"the plus key", `{"tui.select.up":["+","ctrl++"]}`, PiSelectUp, []string{"+", "ctrl++"}, 0},
		{"a capital", `{"tui.select.up":"Ctrl+P"}`, PiSelectUp, []string{"up"}, 1},
		{"a modifier twice", `{"tui.select.up":"ctrl+ctrl+p"}`, PiSelectUp, []string{"up"}, 1},
		{"an unknown key", `{"tui.select.up":["p","hyper"]}`, PiSelectUp, []string{"up"}, 1},
		{"null", `{"tui.select.up":null}`, PiSelectUp, []string{"up"}, 1},
		{"what askd does not know", `{"app.exit":7,"$schema":"x","tui.select.up":"p"}`, PiSelectUp, []string{"p"}, 0},
		{"a byte order mark", "\ufeff" + `{"tui.select.up":"p"}`, PiSelectUp, []string{"p"}, 0},
		{"no JSON", `{"tui.select.up":"p",}`, PiSelectUp, []string{"up"}, 1},
		{"a list of actions", `["tui.select.up"]`, PiSelectUp, []string{"up"}, 1},
		{"empty", ``, PiSelectUp, []string{"up"}, 1},
		{"no such action", `{}`, "app.no.such", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, notices := piKeys(t, tt.text)
			if d := cmp.Diff(tt.want, k.Keys(tt.action)); d != "" || len(notices) != tt.notices {
				t.Error(d, notices)
			}
		})
	}
}

func TestPiKeysWithoutAFileAreDefaultsAndMakeNone(t *testing.T) {
	path := PiKeysPath(t.TempDir())
	k, notices := OpenPiKeys(path, env()).Load()
	var none *PiKeys
	if !k.Equal(none) || notices != nil || none.Label(PiCancel) != "Esc / Ctrl+C" {
		t.Errorf("%v %v %v", k, notices, none.Label(PiCancel))
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
}

func TestPiKeysThatCannotBeReadAreDefaultsWithANotice(t *testing.T) {
	k, notices := OpenPiKeys(t.TempDir(), env()).Load()
	if len(notices) != 1 || !strings.Contains(notices[0].Text, "not a regular file") || !k.Equal(nil) {
		t.Errorf("%v", notices)
	}
}

func TestPiKeysInTheWindowsSubsystem(t *testing.T) {
	k, _ := OpenPiKeys(PiKeysPath(t.TempDir()), env("WSL_DISTRO_NAME", "Ubuntu")).Load()
	if d := cmp.Diff([]string{"alt+v", "ctrl+v"}, k.Keys(PiPasteImage)); d != "" {
		t.Error(d)
	}
}

func TestPiKeysMatch(t *testing.T) {
	k, _ := piKeys(t, `{"tui.select.up":["p","shift+k"],"tui.select.down":"alt+j"}`)
	tests := []struct {
		action PiAction
		key    string
		want   bool
	}{
		{PiSelectUp, "p", true},
		{PiSelectUp, "P", false},
		{PiSelectUp, "K", true},
		{PiSelectUp, "k", false},
		{PiSelectUp, "up", false},
		{PiSelectDown, "alt+j", true},
		{PiPasteImage, "ctrl+v", true},
		{PiPasteImage, "v", false},
		{"tui.editor.undo", "ctrl+_", true},
		{PiBackspace, "backspace", true},
		{"app.no.such", "", false},
	}
	for _, tt := range tests {
		if got := k.Matches(tt.action, tt.key); got != tt.want {
			t.Errorf("%s %q: %v", tt.action, tt.key, got)
		}
	}
}

// The caller's slice is its own: the keys never change once made.
func TestPiKeysAreNotShared(t *testing.T) {
	var k *PiKeys
	k.Keys(PiPasteImage)[0] = "x"
	if got := k.Keys(PiPasteImage); !slices.Equal(got, []string{"ctrl+v"}) {
		t.Error(got)
	}
}

func TestPiKeysAreWatched(t *testing.T) {
	f := OpenPiKeys(PiKeysPath(t.TempDir()), env())
	f.Load()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	changes, err := f.Watch(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"f6", "f7"} {
		text := []byte(`{"pasteImage":"` + want + `"}`)
		mustDo(t, errors.Join(os.WriteFile(f.Path()+"~", text, 0o600), os.Rename(f.Path()+"~", f.Path())))
		deadline := time.After(10 * time.Second)
		for seen := false; !seen; {
			select {
			case <-changes:
				k, _ := f.Load()
				seen = k.Matches(PiPasteImage, want)
			case <-deadline:
				t.Fatalf("%s was not seen", want)
			}
		}
	}
}
