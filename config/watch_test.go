package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

// watched is a file under watch whose goroutine is gone when the test ends.
func watched(t *testing.T, f *File) <-chan struct{} {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	changes, err := f.Watch(ctx, func(name string, run func()) {
		if name == "" {
			t.Error("the goroutine has no name")
		}
		go func() {
			defer close(done)
			run()
		}()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		<-done
		goleak.VerifyNone(t)
	})
	return changes
}

// until reloads on every change until the file says what it should.
func until(t *testing.T, f *File, changes <-chan struct{}, ok func(Loaded) bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case <-changes:
			if l, err := f.Load(); err == nil && ok(l) {
				return
			}
		case <-deadline:
			t.Fatal("the change was not seen")
		}
	}
}

func textWith(footer bool) []byte {
	return fmt.Appendf(nil, `{"schemaVersion":5,"behaviour":{"showFooterHints":%v}}`, footer)
}

func footerIs(want bool) func(Loaded) bool {
	return func(l Loaded) bool { return l.Valid && l.Settings.Behaviour.ShowFooterHints == want }
}

func mustDo(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestWatchSeesEdits(t *testing.T) {
	edits := []struct {
		name string
		edit func(path string, text []byte) error
	}{
		{"written in place", func(p string, text []byte) error { return os.WriteFile(p, text, 0o600) }},
		{"replaced", func(p string, text []byte) error {
			return errors.Join(os.WriteFile(p+"~", text, 0o600), os.Rename(p+"~", p))
		}},
		{"removed and written", func(p string, text []byte) error {
			return errors.Join(os.Remove(p), os.WriteFile(p, text, 0o600))
		}},
		{"folder replaced", func(p string, text []byte) error {
			dir := filepath.Dir(p)
			return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700), os.WriteFile(p, text, 0o600))
		}},
	}
	for _, tt := range edits {
		t.Run(tt.name, func(t *testing.T) {
			f := Open(AskSettingsPath(t.TempDir()))
			load(t, f)
			changes := watched(t, f)
			for _, footer := range []bool{false, true} {
				if tt.name == "folder replaced" {
					mustDo(t, os.RemoveAll(filepath.Dir(f.Path())+".old"))
				}
				mustDo(t, tt.edit(f.Path(), textWith(footer)))
				until(t, f, changes, footerIs(footer))
			}
		})
	}
}

func TestWatchSeesTheFileAndItsFolderArrive(t *testing.T) {
	f := Open(AskSettingsPath(filepath.Join(t.TempDir(), "a", "b")))
	changes := watched(t, f)
	mustDo(t, os.MkdirAll(filepath.Dir(f.Path()), 0o700), os.WriteFile(f.Path(), textWith(false), 0o600))
	f.mu.Lock()
	f.remember(nil) // as if a load had found nothing
	f.mu.Unlock()
	until(t, f, changes, footerIs(false))
}

func TestWatchSeesTheTargetOfALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "ask.json"), filepath.Join(dir, "agent", "ask.json")
	mustDo(t, os.Mkdir(filepath.Dir(target), 0o700), os.Mkdir(filepath.Dir(link), 0o700),
		os.WriteFile(target, textWith(true), 0o600), os.Symlink(target, link))
	f := Open(link)
	load(t, f)
	changes := watched(t, f)
	mustDo(t, os.WriteFile(target, textWith(false), 0o600))
	until(t, f, changes, footerIs(false))

	other := filepath.Join(dir, "other.json")
	mustDo(t, os.WriteFile(other, textWith(true), 0o600), os.Symlink(other, link+"~"), os.Rename(link+"~", link))
	until(t, f, changes, footerIs(true))
	mustDo(t, os.WriteFile(other, textWith(false), 0o600))
	until(t, f, changes, footerIs(false))
}

func TestWatchIsSilentAboutOwnSavesAndOtherFiles(t *testing.T) {
	f := Open(AskSettingsPath(t.TempDir()))
	load(t, f)
	changes := watched(t, f)
	for i := range 20 {
		if _, err := f.Set("pane.autoOpen", json.RawMessage(fmt.Sprint(i%2 == 0))); err != nil {
			t.Fatal(err)
		}
		mustDo(t, os.WriteFile(filepath.Join(filepath.Dir(f.Path()), "other.json"), textWith(false), 0o600))
	}
	// An edit by another hand comes after all those events, so the one value for it shows that they gave none.
	mustDo(t, os.WriteFile(f.Path(), textWith(false), 0o600))
	select {
	case <-changes:
	case <-time.After(10 * time.Second):
		t.Fatal("the edit was not seen")
	}
	if l := load(t, f); !footerIs(false)(l) {
		t.Errorf("a value came before the edit: %+v", l.Settings)
	}
	if f.changed() || len(changes) != 0 {
		t.Error("several values for one edit")
	}
}

// TestWatchConcerns: a data file in the same folder is written at every question; none of that has the settings read again.
func TestWatchConcerns(t *testing.T) {
	dir := t.TempDir()
	w := &watcher{chain: []string{filepath.Join(dir, "agent", "extensions", "ask.json"), filepath.Join(dir, "dotfiles", "ask.json")}}
	for _, row := range []struct {
		op   fsnotify.Op
		name string
		want bool
	}{
		{fsnotify.Write, "agent/extensions/ask.json", true},
		{fsnotify.Create, "dotfiles/ask.json", true},
		{fsnotify.Create, "agent/extensions", true},
		{fsnotify.Remove, "agent", true},
		{fsnotify.Chmod, "agent/extensions/ask.json", false},
		{fsnotify.Write, "agent/extensions/askd.db", false},
		{fsnotify.Write, "agent/askd.db", false},
		{fsnotify.Write, "agent/askd.log", false},
		{fsnotify.Create, "agent/extensions/ask.json~", false},
		{fsnotify.Write, "agent/extension", false},
	} {
		if got := w.concerns(fsnotify.Event{Name: filepath.Join(dir, row.name), Op: row.op}); got != row.want {
			t.Errorf("%v of %s: %v", row.op, row.name, got)
		}
	}
}

func TestWatchWithPlainGoroutineEndsWithItsContext(t *testing.T) {
	defer goleak.VerifyNone(t)
	f := Open(AskSettingsPath(t.TempDir()))
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := f.Watch(ctx, nil); err != nil {
		t.Fatal(err)
	}
	cancel()
}

func TestChangedTellsOfAFileThatCannotBeReadOnce(t *testing.T) {
	f := Open(AskSettingsPath(t.TempDir()))
	load(t, f)
	text := readFile(t, f.Path())
	mustDo(t, os.Remove(f.Path()), os.Mkdir(f.Path(), 0o700))
	if !f.changed() {
		t.Error("nothing noticed")
	}
	if _, err := f.Load(); err == nil {
		t.Error("a folder was loaded")
	}
	if f.changed() {
		t.Error("told again")
	}
	mustDo(t, os.Remove(f.Path()), os.WriteFile(f.Path(), []byte(text), 0o600))
	if !f.changed() {
		t.Error("the file that came back was not noticed")
	}
}
