package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"prompt", "options", "showFooterHints", "theme"}
	for word, want := range map[string]string{
		"promt": "prompt", "prmopt": "prompt", "Options": "options", "option": "options", "showFooterHint": "showFooterHints", "showfooterhints": "showFooterHints",
		"tehme": "theme", "x": "", "colour": "", "": "", "theme": "theme",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q is near %q, want %q", word, got, want)
		}
	}
}

// TestMisspeltKeysAreNamed: with the file and the key that was meant, and neither refused nor taken out by a save.
func TestMisspeltKeysAreNamed(t *testing.T) {
	f := Open(writeFile(t, `{"schemaVersion":5,"behavior":{"historyTools":true},"pane":{"focusonask":true,"their own":1},"theirs":2}`))
	l := load(t, f)
	var got []string
	for _, n := range l.Notices {
		got = append(got, strings.TrimPrefix(n.Text, f.Path()+": "))
	}
	want := []string{
		`"behavior" is no setting and changes nothing; is it meant to be "behaviour"?`,
		`"pane.focusonask" is no setting and changes nothing; is it meant to be "pane.focusOnAsk"?`,
	}
	if strings.Join(got, "|") != strings.Join(want, "|") || !l.Valid {
		t.Errorf("%q", got)
	}
	s := l.Settings
	s.Behaviour.HistoryTools = true
	if _, err := f.Save(s); err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{`"behavior": {`, `"focusonask": true`, `"their own": 1`, `"theirs": 2`, `"historyTools": true`} {
		if text := readFile(t, f.Path()); !strings.Contains(text, kept) {
			t.Errorf("%s has gone from\n%s", kept, text)
		}
	}
	if got := StraysOfQuestion(writeFile(t, `{"displaymode":"inline","timeout":0}`)); len(got) != 1 || !strings.Contains(got[0], `"displayMode"?`) {
		t.Error(got)
	}
}

// TestMisspeltActionsAreNamed: a context or an action of the keymaps that resembles one; what resembles none is left alone.
func TestMisspeltActionsAreNamed(t *testing.T) {
	f := Open(filepath.Join(t.TempDir(), "settings.json"))
	load(t, f)
	text := strings.Replace(readFile(t, f.Path()), `"main": {`, `"mian": {}, "main": {"skipp": ["x"], "theirs": ["y"],`, 1)
	if err := os.WriteFile(f.Path(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		f.Path() + `: "keymaps.mian" is no setting and changes nothing; is it meant to be "keymaps.main"?`,
		f.Path() + `: "keymaps.main.skipp" is no setting and changes nothing; is it meant to be "keymaps.main.skip"?`,
	}
	if got := Strays(f.Path()); !slices.Equal(got, want) || !load(t, f).Valid {
		t.Errorf("%q", got)
	}
}
