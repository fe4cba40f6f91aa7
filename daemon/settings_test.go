package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"askd/config"
)

// Pi's key file is followed as the settings file is: the pane hears of a change, and a save does not lose the keys.
func TestPiKeysAreFollowedLive(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	s := openSettings(config.AskSettingsPath(dir), config.PiKeysPath(dir), log)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.follow(ctx, NewGuard(log, dir))
	pane := s.pane()
	defer pane.leave()
	edits := []struct{ text, key, notice string }{
		{`{"app.clipboard.pasteImage":"f6"}`, "f6", ""},
		{`{"app.clipboard.pasteImage":`, "ctrl+v", "not a JSON object"},
		{`{"pasteImage":"alt+v"}`, "alt+v", ""},
	}
	for _, e := range edits {
		path := config.PiKeysPath(dir)
		if err := errors.Join(os.WriteFile(path+"~", []byte(e.text), 0o600), os.Rename(path+"~", path)); err != nil {
			t.Fatal(err)
		}
		deadline := time.After(10 * time.Second)
		for !s.says(e.key, e.notice) {
			select {
			case <-pane.Changed():
			case <-deadline:
				t.Fatalf("%s: %v %v", e.text, s.Current().Pi.Keys(config.PiPasteImage), s.Current().Notices)
			}
		}
	}
	if l, err := s.Save(config.Defaults()); err != nil || !l.Pi.Matches(config.PiPasteImage, "alt+v") {
		t.Errorf("after a save: %v %v", l.Pi, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "keybindings.json")); err != nil {
		t.Error(err)
	}
}

// says reports whether the pane would be given this paste key and this notice alone.
func (s *settings) says(key, notice string) bool {
	l := s.Current()
	told := ""
	for _, n := range l.Notices {
		told += n.Text
	}
	return l.Pi.Matches(config.PiPasteImage, key) && strings.Contains(told, notice) && (notice == "") == (told == "")
}
