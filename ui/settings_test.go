package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"askd/broker"
	"askd/config"
	"askd/ui/form"
)

func TestEditorKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"shift enter", []string{"a", "shift+enter", "b"}, "a\nb"},
		{"alt enter", []string{"a", "alt+enter", "b"}, "a\nb"},
		{"line feed", []string{"a", "ctrl+j", "b"}, "a\nb"},
		{"backslash", []string{`a\`, "enter", "b"}, "a\nb"},
		{"digits and letters are text", []string{"1dtn?"}, "1dtn?"},
		{"undo", []string{"a", "ctrl+j", "b", "ctrl+z"}, "a\n"},
		{"arrows move in text", []string{"ab", "left", "x"}, "axb"},
		{"capital after alt is no text", []string{"a", "alt+x"}, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.desk.ask(storage(s.clock))
			s.keys("4")
			s.keys(c.keys...)
			if got := s.pane.onScreen().form.Editor().Text; got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
		})
	}
}

func TestSettingsOpenFromAnEmptyEditorOnly(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("4", "?")
	if !strings.Contains(s.frame(), "Live settings") {
		t.Fatal("settings did not open")
	}
	s.keys("?", "why", "?")
	if got := s.pane.onScreen().form.Editor().Text; got != "why?" {
		t.Errorf("text %q", got)
	}
}

// TestFileNoticesArePutAway: what is wrong with the settings file stands above the foot until the settings have shown it whole or
// the file is mended, and comes back when the file is changed and still wrong.
func TestFileNoticesArePutAway(t *testing.T) {
	const wrong = "Config was invalid or unsupported. Loaded defaults for this session."
	s := newStage(t, 120, 40)
	s.settings.loaded.Notices = []config.Notice{{Text: wrong}}
	s.desk.ask(storage(s.clock))
	s.has(wrong + " · ? reads it and puts it away")
	s.keys("?")
	s.has("Loaded defaults for this", "!puts it away")
	s.keys("esc")
	s.has("!Config was invalid")
	again := func(valid bool, texts ...string) {
		s.settings.loaded.Valid, s.settings.loaded.Notices = valid, nil
		for _, text := range texts {
			s.settings.loaded.Notices = append(s.settings.loaded.Notices, config.Notice{Text: text})
		}
	}
	again(false, wrong)
	s.has(wrong)
	s.keys("?")
	again(true)
	s.keys("esc")
	s.has("!Config was invalid")
	again(true, "paen is no key")
	s.has("paen is no key · ? reads it")
	s.keys("?", "esc")
	again(true, "paen is no key")
	s.has("!paen is no key")
	again(true)
	s.frame()
	again(true, "paen is no key")
	s.has("paen is no key")
	again(true)
	s.has("!paen is no key")
}

func TestSettingsSaveAtOnceAndRevert(t *testing.T) {
	s := newStage(t, 80, 24)
	s.start()
	s.inject("?")
	s.sees("❯ Auto-submit when answered without notes                     [off]")
	s.clock.pass(time.Second)
	s.inject("enter")
	s.sees("❯ Auto-submit when answered without notes                      [on]")
	if !s.settings.Current().Settings.Behaviour.AutoSubmitWhenAnsweredWithoutNotes {
		t.Error("not saved")
	}
	s.settings.mu.Lock()
	s.settings.fail = errors.New("Unable to save ask config")
	s.settings.mu.Unlock()
	s.clock.pass(time.Second)
	s.inject("enter")
	s.sees("Unable to save ask config")
	s.sees("❯ Auto-submit when answered without notes                      [on]")
}

func TestResetTakesTwoPressesWithinTheWindow(t *testing.T) {
	s := newStage(t, 80, 40)
	s.settings.loaded.Settings.Behaviour.ShowFooterHints = false
	s.start()
	s.inject("?", "up", "up")
	s.sees("❯ [reset all]")
	s.clock.pass(time.Second)
	s.inject("enter")
	s.sees("[confirm reset]")
	s.clock.pass(config.ResetWindow + time.Millisecond)
	s.desk.set(func(*broker.Snapshot) {})
	s.sees("[reset all]")
	s.inject("enter")
	s.sees("[confirm reset]")
	s.clock.pass(config.ResetWindow)
	s.inject("enter")
	s.until("defaults", func() bool { return s.settings.Current().Settings.Behaviour.ShowFooterHints })
}

func TestSettingsApplyToOpenFormsAtOnce(t *testing.T) {
	s := newStage(t, 80, 24)
	s.start()
	s.desk.ask(storage(s.clock))
	s.sees("Which store")
	s.settings.mu.Lock()
	s.settings.loaded.Settings.Behaviour.ShowFooterHints = false
	s.settings.loaded.Settings.Behaviour.DoublePressReviewShortcuts = false
	s.settings.mu.Unlock()
	s.settings.changed <- struct{}{}
	s.until("no hints", func() bool { return !strings.Contains(s.look(), "Enter confirm") })
	applied := make(chan form.Settings, 1)
	s.pane.post(func() { applied <- s.pane.onScreen().form.Settings() })
	if got := <-applied; got.DoublePressReview {
		t.Error("the open form kept its old settings")
	}
}

func TestUnusableTerminals(t *testing.T) {
	for _, term := range []string{"", "dumb", "no-such-terminal-anywhere"} {
		_, _, err := terminal(term)
		if term == "no-such-terminal-anywhere" {
			t.Setenv("TERM", term)
			_, _, err = terminal(term)
		}
		if !errors.Is(err, ErrNoTerminal) || !strings.Contains(err.Error(), `TERM="`+term+`"`) || !strings.Contains(err.Error(), "xterm-256color") {
			t.Errorf("TERM=%q: %v", term, err)
		}
	}
}

func TestKeyNames(t *testing.T) {
	for want, e := range map[string]*tcell.EventKey{
		"N":         tcell.NewEventKey(tcell.KeyRune, 'N', 0),
		"?":         tcell.NewEventKey(tcell.KeyRune, '?', tcell.ModShift),
		"space":     tcell.NewEventKey(tcell.KeyRune, ' ', 0),
		"alt+q":     tcell.NewEventKey(tcell.KeyRune, 'q', tcell.ModAlt),
		"ctrl+c":    tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl),
		"ctrl+j":    tcell.NewEventKey(tcell.KeyLF, 0, tcell.ModCtrl),
		"shift+tab": tcell.NewEventKey(tcell.KeyBacktab, 0, 0),
		"pageUp":    tcell.NewEventKey(tcell.KeyPgUp, 0, 0),
		"ctrl+up":   tcell.NewEventKey(tcell.KeyUp, 0, tcell.ModCtrl),
		"backspace": tcell.NewEventKey(tcell.KeyBackspace2, 0, 0),
		"esc":       tcell.NewEventKey(tcell.KeyEsc, 0, 0),
		"f1":        tcell.NewEventKey(tcell.KeyF1, 0, 0),
	} {
		if got := keyName(e); got != want {
			t.Errorf("key %q, want %q", got, want)
		}
	}
}

// Blanks at the end of a line count for the editor; the cursor must not leave its window.
func TestCursorStaysInTheEditor(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {30, 8}} {
		s := newStage(t, size[0], size[1])
		s.desk.ask(storage(s.clock))
		s.keys("4")
		typed := strings.Split("word and     ", "")
		for i := range 300 {
			s.raw(typed[i%len(typed)])
			s.frame()
			x, y, visible := s.screen.GetCursor()
			if e := s.pane.onScreen().editor; !visible || !e.has(x, y) {
				t.Fatalf("%v: after %d keys the cursor is at %d,%d (%v), the editor at %v:\n%s", size, i+1, x, y, visible, e, s.text())
			}
		}
		for range 40 {
			s.keys("up")
		}
		if x, y, visible := s.screen.GetCursor(); !visible || !s.pane.onScreen().editor.has(x, y) {
			t.Errorf("%v: going up, the cursor was lost:\n%s", size, s.text())
		}
	}
}
