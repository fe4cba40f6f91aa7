package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// These tests go through the contract's section "Clipboard images", a sentence each, as far as the pane keeps it.

// piKeys are Pi's keys as a file of this text has them.
func piKeys(t *testing.T, text string) *config.PiKeys {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keybindings.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, _ := config.OpenPiKeys(path, func(string) string { return "" }).Load()
	return keys
}

// rekey gives the pane other keys of Pi, as an edit of their file does.
func (s *stage) rekey(text string) {
	s.t.Helper()
	s.settings.mu.Lock()
	s.settings.loaded.Pi = piKeys(s.t, text)
	s.settings.mu.Unlock()
	s.frame()
}

// attached is how many images the open editor has.
func (s *stage) attached() int {
	s.t.Helper()
	e := s.pane.onScreen().form.Editor()
	if e == nil {
		s.t.Fatal("no editor is open")
	}
	return e.Images
}

func (s *stage) wantAttached(n int) {
	s.t.Helper()
	if got := s.attached(); got != n {
		s.t.Errorf("%d images in the open editor, want %d", got, n)
	}
}

// The custom-answer, question-note and option-note editors accept images through Pi's configured shortcut.
func TestImagesInEachEditorThroughPisKey(t *testing.T) {
	for _, keys := range []struct{ file, key string }{
		{`{}`, "ctrl+v"}, {`{"app.clipboard.pasteImage":["f5","alt+v"]}`, "f5"}, {`{"pasteImage":["f5","alt+v"]}`, "alt+v"},
	} {
		for _, open := range []string{"4", "N", "n"} {
			s := newStage(t, 80, 24)
			s.settings.loaded.Pi = piKeys(t, keys.file)
			s.desk.ask(storage(s.clock))
			s.keys(open)
			s.pasted(keys.key)
			s.wantAttached(1)
			s.has("[1 image]")
		}
	}
}

// Nowhere else is there anything to attach to.
func TestImageKeyElsewhereReadsNothing(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("ctrl+v", "tab", "tab", "ctrl+v", "tab", "4", "?", "ctrl+v", "esc", "alt+q", "ctrl+v")
	if reads, _ := s.clip.counts(); reads != 0 {
		t.Errorf("%d reads", reads)
	}
}

// The form displays the active shortcut: at once after a change, without the setting for the foot, and when there is none.
func TestImageShortcutIsDisplayed(t *testing.T) {
	s := newStage(t, 80, 24)
	s.settings.loaded.Settings.Behaviour.ShowFooterHints = false
	s.desk.ask(storage(s.clock))
	s.frame()
	s.has("!attach image")
	s.keys("4")
	s.has(" Ctrl+V: attach image\n", "!remove last image")
	s.rekey(`{"app.clipboard.pasteImage":["alt+v","ctrl+v"]}`)
	s.has(" Alt+V/Ctrl+V: attach image\n")
	s.rekey(`{"app.clipboard.pasteImage":[]}`)
	s.has(" Paste image: attach image\n")
	s.pasted("ctrl+v")
	s.wantAttached(0)
	s.rekey(`{}`)
	s.pasted("ctrl+v")
	s.has(" Ctrl+V: attach image · Ctrl+Alt+D: remove last image\n")
	s.keys("alt+q")
	s.has("!attach image")
	s.keys("alt+q", "esc")
	s.has("!attach image")
}

// A pane without room above the foot has the shortcut in it.
func TestImageShortcutOnALowScreen(t *testing.T) {
	s := newStage(t, 60, 7)
	s.desk.ask(storage(s.clock))
	s.keys("4")
	s.has("Enter submit, go on · Esc close · Ctrl+V: attach image")
}

// F2 is the pane's own key for the mouse, and Pi's while an editor is open if Pi has it.
func TestImageShortcutOnF2(t *testing.T) {
	s := newStage(t, 80, 24)
	s.settings.loaded.Pi = piKeys(t, `{"app.clipboard.pasteImage":"f2"}`)
	s.desk.ask(storage(s.clock))
	s.keys("f2")
	if !s.pane.quiet {
		t.Error("F2 does not leave the mouse to the terminal")
	}
	s.keys("f2", "4")
	s.pasted("f2")
	s.wantAttached(1)
}

// Text paste stays with the native editor.
func TestTextPasteStaysWithTheEditor(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("4")
	s.pasted("ctrl+v")
	s.pane.paste("two\nlines")
	if got := s.written(); got != "two\nlines" {
		t.Errorf("the editor has %q", got)
	}
	s.wantAttached(1)
}

// Ctrl+Alt+D removes the last image in the current editor, and does nothing else.
func TestRemoveTheLastImage(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("n")
	s.pasted("ctrl+v")
	s.keys("esc", "4", "abc")
	s.pasted("ctrl+v", "ctrl+v")
	for _, want := range []int{1, 0, 0} {
		s.keys("ctrl+alt+d")
		s.wantAttached(want)
	}
	if got := s.written(); got != "abc" {
		t.Errorf("the editor has %q", got)
	}
	s.keys("esc")
	s.has("Note: [1 image]")
}

// A key that is held down counts once.
func TestHeldImageKeysCountOnce(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("4")
	s.pasted("ctrl+v", "ctrl+v", "ctrl+v")
	s.clock.pass(5e9)
	for range 10 {
		s.pane.key(keyEvents("ctrl+alt+d")[0])
		s.clock.pass(30e6)
	}
	s.wantAttached(2)
}

// Configured Ask commands take precedence over these image actions.
func TestAskCommandsTakePrecedenceOverImages(t *testing.T) {
	for _, key := range []string{"ctrl+v", "ctrl+alt+d"} {
		s := newStage(t, 80, 24)
		s.settings.loaded.Keymaps = reboundIn(t, config.Editor, map[string][]string{"close": {key}})
		s.settings.loaded.Pi = piKeys(t, `{"app.clipboard.pasteImage":["ctrl+v","f5"]}`)
		s.desk.ask(storage(s.clock))
		s.keys("4", "abc")
		s.pasted("f5")
		s.keys(key)
		if s.pane.onScreen().form.Editor() != nil {
			t.Errorf("%s did not close the editor", key)
		}
		s.has("abc [1 image]")
	}
}

// Text is optional; an image-only custom answer counts as answered.
func TestImageOnlyAnswerCounts(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("4")
	s.pasted("ctrl+v")
	s.keys("enter")
	s.has("☒ Store")
	s.keys("tab", "enter")
	got := only(t, s.desk, "submit").Response.Choices[0]
	if len(got.CustomImages) != 1 || got.CustomText != "" || got.Selected != nil {
		t.Errorf("%+v", got)
	}
}

// Multiple images stay with their editor when saving, reopening or changing tabs.
func TestImagesStayWithTheirEditor(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("n")
	s.pasted("ctrl+v", "ctrl+v", "ctrl+v")
	s.keys("enter", "N")
	s.pasted("ctrl+v", "ctrl+v")
	s.keys("tab", "shift+tab", "n")
	s.wantAttached(3)
	s.keys("esc", "N")
	s.wantAttached(2)
	s.keys("esc", "4")
	s.wantAttached(0)
	s.pasted("ctrl+v")
	s.keys("esc", "e")
	s.wantAttached(1)
}

// Editors, Review and what is saved show markers; the base64 is nowhere.
func TestImagesShowAsMarkers(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		s := newStage(t, size[0], size[1])
		s.desk.ask(storage(s.clock))
		s.keys("N")
		s.pasted("ctrl+v", "ctrl+v")
		s.has("[2 images]", "!AAAA")
		s.keys("enter", "4")
		s.pasted("ctrl+v")
		s.has("[1 image]", "!AAAA")
		s.keys("enter", "tab")
		s.has("→ [1 image]", "Note: [2 images]", "!AAAA")
		s.keys("ctrl+o")
		s.has("→ [1 image]", "Note: [2 images]", "!AAAA")
	}
}

// Empty or unavailable image clipboards show a notice without clearing text or images.
func TestClipboardNotices(t *testing.T) {
	for _, notice := range []string{
		"No image in the clipboard.", "The clipboard image could not be decoded.",
		"Image clipboard is unavailable. On Linux, install wl-clipboard or xclip; on WSL, enable Windows clipboard access.",
	} {
		s := newStage(t, 120, 40)
		s.desk.ask(storage(s.clock))
		s.keys("4", "abc")
		s.pasted("ctrl+v")
		s.clip.err = errors.New(notice)
		s.pasted("ctrl+v")
		s.has(notice, "abc", "[1 image]")
		s.keys("d")
		s.has(notice) // typing goes on below it
		s.clip.err = nil
		s.pasted("ctrl+v")
		s.has("!"+notice, "[2 images]")
		if got := s.written(); got != "abcd" {
			t.Errorf("the editor has %q", got)
		}
	}
}

// A notice goes with its editor.
func TestClipboardNoticeGoesWithItsEditor(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("4")
	s.clip.err = errors.New("No image in the clipboard.")
	s.pasted("ctrl+v")
	s.keys("esc")
	s.has("!No image")
}

// A pane without a clipboard says so.
func TestNoClipboardAtAll(t *testing.T) {
	s := newStage(t, 120, 40)
	s.pane.o.ReadClipboard = nil
	s.desk.ask(storage(s.clock))
	s.keys("4", "ctrl+v")
	s.has("Image clipboard is unavailable.")
}

// Reading never stands in the way of typing, and there is one read at a time.
func TestTypingGoesOnWhileTheClipboardIsRead(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.clip.hold()
	s.keys("4", "ctrl+v", "abc", "ctrl+v", "ctrl+v")
	s.has("Reading image clipboard…", "abc")
	s.clip.release()
	s.arrived()
	s.has("!Reading", "abc", "[1 image]")
	if reads, _ := s.clip.counts(); reads != 1 {
		t.Errorf("%d reads", reads)
	}
}

// An image read that finishes after its editor closes or the form is disposed cannot attach to another editor. The ways in
// which an editor can go, and what is opened then.
func TestLateImagesAreDropped(t *testing.T) {
	ways := map[string]func(s *stage, e *broker.Entry){
		"another editor":     func(s *stage, _ *broker.Entry) { s.keys("esc", "N") },
		"the same one anew":  func(s *stage, _ *broker.Entry) { s.keys("esc", "e") },
		"another question":   func(s *stage, _ *broker.Entry) { s.keys("enter", "N") },
		"another row":        func(s *stage, _ *broker.Entry) { s.keys("esc", "up", "n") },
		"an answer and back": func(s *stage, _ *broker.Entry) { s.keys("esc", "1", "shift+tab", "4") },
		"the form is gone": func(s *stage, e *broker.Entry) {
			s.keys("esc")
			s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Withdrawn})
			s.keys("esc")
			s.clock.pass(settledFor)
			s.desk.ask(multi(s.clock))
			s.frame()
			s.keys("N")
		},
		"the form is taken away": func(s *stage, e *broker.Entry) {
			s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Answered})
			s.keys("esc")
			s.desk.ask(multi(s.clock))
			s.frame()
			s.keys("N")
		},
	}
	for name, leave := range ways {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			e := storage(s.clock)
			s.desk.ask(e)
			s.clip.hold()
			s.keys("4", "abc", "ctrl+v")
			leave(s, e)
			s.wantAttached(0)
			s.clip.release()
			s.frame()
			s.has("!Reading")
			s.pasted("ctrl+v") // and the editor takes images of its own
			s.wantAttached(1)
		})
	}
}

// An editor that closes ends its read.
func TestClosingAnEditorEndsItsRead(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.clip.hold()
	s.keys("4", "abc", "ctrl+v", "esc")
	s.wait("the read to end", func() bool {
		_, ended := s.clip.counts()
		return ended == 1
	})
}

// A look at the inbox closes no editor: the image is attached when it comes.
func TestImageArrivesWhileTheInboxHasTheKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.clip.hold()
	s.keys("4", "ctrl+v", "alt+q")
	s.clip.release()
	s.arrived()
	s.keys("alt+q")
	s.wantAttached(1)
}

// Submission includes images on notes for every option, selected or not, and no deselected custom image.
func TestSubmittedImages(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(multi(s.clock))
	s.keys("n")
	s.pasted("ctrl+v")
	s.keys("enter", "down", "n")
	s.pasted("ctrl+v")
	s.keys("enter", "space", "N")
	s.pasted("ctrl+v")
	s.keys("enter", "4")
	s.pasted("ctrl+v")
	s.keys("esc", "4", "enter", "enter")
	got := only(t, s.desk, "submit").Response.Choices[0]
	if len(got.OptionNoteImages[0]) != 1 || len(got.OptionNoteImages[1]) != 1 || len(got.NoteImages) != 1 || got.CustomImages != nil {
		t.Errorf("%+v", got)
	}
}

// Images stand in the draft at once, also those of an answer that is deselected or not yet saved.
func TestImagesAreInTheDraftAtOnce(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(multi(s.clock))
	s.keys("4")
	s.pasted("ctrl+v", "ctrl+v")
	s.keys("ctrl+alt+d")
	drafts := s.desk.made("draft")
	last := drafts[len(drafts)-1].Draft
	if len(last.Questions) != 1 || len(last.Questions[0].CustomImages) != 1 || last.Editor == nil {
		t.Errorf("%+v", last)
	}
	again := newStage(t, 80, 24)
	e := multi(again.clock)
	e.Draft = last
	again.desk.ask(e)
	again.frame()
	again.wantAttached(1)
	again.keys("esc", "4")
	drafts = again.desk.made("draft")
	q := drafts[len(drafts)-1].Draft.Questions[0]
	if len(q.CustomImages) != 1 || q.CustomSelected {
		t.Errorf("deselected: %+v", q)
	}
}

// An image alone is worth the question before a form is left.
func TestImageMakesTheFormDirty(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("N")
	s.pasted("ctrl+v")
	s.keys("esc", "esc")
	s.has("Unsaved ask answers or drafts.")
}

// What would not fit is refused with what to do; the limits themselves fit.
func TestImageLimits(t *testing.T) {
	s := newStage(t, 120, 40)
	s.desk.ask(storage(s.clock))
	s.keys("N")
	s.clip.size = config.MaxImage
	s.pasted("ctrl+v", "ctrl+v")
	s.wantAttached(2)
	s.clip.size = 8
	s.keys("esc", "4")
	s.pasted("ctrl+v")
	s.has("With it the images of this form would take 16.1 MiB, and 16 MiB is the most.", "Remove one with Ctrl+Alt+D")
	s.wantAttached(0)
	s.keys("esc", "N", "ctrl+alt+d")
	s.clip.size = config.MaxImage + 4
	s.pasted("ctrl+v")
	s.has("The image takes 8.1 MiB, and 8 MiB is the most. Copy a smaller part of it and paste it anew.")
	s.wantAttached(1)
}

// The page of keys names both, with the key that Pi has.
func TestKeysPageNamesImageKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	s.settings.loaded.Pi = piKeys(t, `{"app.clipboard.pasteImage":"f5"}`)
	s.frame()
	page := strings.Join(keyText(s.pane), "\n")
	if !strings.Contains(page, "  F5  ") || !strings.Contains(page, "Ctrl+Alt+D") {
		t.Error(page)
	}
}
