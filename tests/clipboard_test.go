package tests

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"askd/tests/tmuxtest"
)

// These tests go through the contract's section "Clipboard images" with a real clipboard: an X server without a screen,
// xclip, and the pane in a terminal.

// desktop is an X server that nobody looks at. Its clipboard is what is tested.
type desktop struct {
	t       testing.TB
	display string
}

func newDesktop(t testing.TB) desktop {
	t.Helper()
	for _, tool := range []string{"Xvfb", "xclip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("these tests need %s: install xvfb and xclip with the system's package manager (%v)", tool, err)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // so that it takes its lock file away
		_ = cmd.Wait()
	})
	number, err := io.ReadAll(io.LimitReader(r, 16)) // the server closes its end once it is ready
	if err != nil || len(bytes.TrimSpace(number)) == 0 {
		t.Fatalf("Xvfb did not start: %q, %v", number, err)
	}
	return desktop{t, ":" + string(bytes.TrimSpace(number))}
}

func (d desktop) env() string { return "DISPLAY=" + d.display }

// copy puts data into the clipboard, as a program does from which the person copies.
func (d desktop) copy(mime string, data []byte) {
	d.t.Helper()
	cmd := exec.Command("xclip", "-selection", "clipboard", "-t", mime, "-i")
	cmd.Env = append(os.Environ(), d.env())
	cmd.Stdin = bytes.NewReader(data)
	if err := cmd.Run(); err != nil {
		d.t.Fatalf("xclip: %v", err)
	}
	// xclip goes into the background before the display has heard that the selection is its.
	within(d.t, "the clipboard to hold what was copied", func() bool {
		cmd := exec.Command("xclip", "-selection", "clipboard", "-t", mime, "-o")
		cmd.Env = append(os.Environ(), d.env())
		held, err := cmd.Output()
		return err == nil && bytes.Equal(held, data)
	})
}

// drawing is a picture of noise, so that it takes about as many bytes as it has pixels, three each.
func drawing(side int, seed uint64) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	rnd := rand.New(rand.NewPCG(seed, seed))
	for i := range m.Pix {
		m.Pix[i] = byte(rnd.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func pngOf(t testing.TB, side int, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, drawing(side, seed)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, side int, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, drawing(side, seed), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func base64Of(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// attachment is an image as an outcome has it.
type attachment struct{ ID, MimeType, Data string }

// pictures are all images of an outcome, wherever it has them.
type pictures struct {
	content []attachment // behind the text that names them
	labels  []string
	details map[string]struct {
		Values, Labels           []string
		CustomText               *string
		CustomImages, NoteImages []attachment
		OptionNoteImages         map[string][]attachment
	}
	structured map[string]struct{ Images []attachment }
}

func picturesOf(t testing.TB, m message) pictures {
	t.Helper()
	var o struct {
		Content           []struct{ Type, Text, Data, MimeType string }
		Details           struct{ Answers json.RawMessage }
		StructuredContent struct{ Answers json.RawMessage }
	}
	decode(t, m, &o)
	var p pictures
	for i, b := range o.Content {
		if b.Type == "image" {
			p.content = append(p.content, attachment{MimeType: b.MimeType, Data: b.Data})
			p.labels = append(p.labels, o.Content[i-1].Text)
		}
	}
	if err := errors.Join(json.Unmarshal(o.Details.Answers, &p.details), json.Unmarshal(o.StructuredContent.Answers, &p.structured)); err != nil {
		t.Fatal(err)
	}
	return p
}

// askdOn starts the pane with a desktop's clipboard.
func (s shell) askdOn(d desktop) {
	s.t.Helper()
	s.command(`clear; ` + d.env() + ` "$ASKD"`)
	s.WaitFor("askd")
	within(s.t, "askd's socket", func() bool { return answers(s.p.socket) })
}

// TestClipboardImage pastes a real PNG and a real JPEG in every size that the design draws, takes one away, and finds the
// bytes of the other in the outcome.
func TestClipboardImage(t *testing.T) {
	d, server := newDesktop(t), tmuxtest.Start(t)
	first, second := pngOf(t, 64, 1), jpegOf(t, 64, 2)
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := openShell(t, server, newPlace(t), size[0], size[1])
			s.askdOn(d)
			c := connect(t, s.p, "s1")
			call := c.begin(1, dbQuestion)
			s.WaitFor("Which database?")
			s.PressUntil("3", "Type answer...")
			s.WaitFor("Ctrl+V: attach image")
			d.copy("image/png", first)
			s.Keys("C-v")
			s.WaitFor("[1 image]")
			s.WaitFor("Ctrl+Alt+D: remove last image")
			d.copy("image/jpeg", second)
			s.Keys("End") // or the second could be the first, held down
			s.Keys("C-v")
			s.WaitFor("[2 images]")
			s.Keys("M-C-d")
			s.WaitFor("[1 image]")
			s.Keys("Enter")
			s.WaitFor("→ [1 image]")
			s.PressUntil("Enter", idle)
			want := attachment{MimeType: "image/png", Data: base64Of(first)}
			got := picturesOf(t, c.reply(call))
			wantPictures(t, got, "Image for [db] Which database? — custom answer:", want)
			answer := got.details["db"]
			if len(answer.CustomImages) != 1 || len(answer.CustomImages[0].ID) != 36 || answer.CustomText != nil || len(answer.Values)+len(answer.Labels) != 0 {
				t.Errorf("an answer of one image is %+v", answer)
			}
		})
	}
}

// wantPictures checks that an outcome has one image, in its content behind the text that says what it is of, and in the
// answer that scripts are given.
func wantPictures(t testing.TB, got pictures, label string, want attachment) {
	t.Helper()
	structured := got.structured["db"].Images
	if len(got.content) != 1 || got.content[0] != want || got.labels[0] != label {
		t.Errorf("content has %d images behind %q, want %s behind %q", len(got.content), got.labels, want.MimeType, label)
	}
	if len(structured) != 1 || structured[0] != want {
		t.Errorf("structuredContent has %d images, want one", len(structured))
	}
}

// TestClipboardImageInNotes: images of notes on every option, selected or not, and of the question are sent with what they
// belong to; a cancel sends none.
func TestClipboardImageInNotes(t *testing.T) {
	d := newDesktop(t)
	s := openShell(t, tmuxtest.Start(t), newPlace(t), 120, 40)
	s.askdOn(d)
	c := connect(t, s.p, "s1")
	images := [][]byte{pngOf(t, 8, 1), pngOf(t, 8, 2), pngOf(t, 8, 3)}
	for n, end := range []string{"submit", "cancel"} {
		call := c.begin(n+1, dbQuestion)
		s.WaitFor("Which database?")
		for i, open := range [][]string{{"N"}, {"n"}, {"Down", "n"}} {
			for _, key := range open[:len(open)-1] {
				s.Keys(key)
			}
			s.PressUntil(open[len(open)-1], "Add a note...")
			d.copy("image/png", images[i])
			s.Keys("C-v")
			s.WaitFor("remove last image") // the other editors' markers are on the screen too
			s.Keys("Enter")
			s.WaitGone("attach image")
		}
		if end == "cancel" {
			s.PressUntil("Escape", "Press cancel/dismiss again to discard.")
			s.PressUntil("Escape", idle)
			m := c.reply(call)
			if strings.Contains(string(m.Result), base64Of(images[0])[:64]) || strings.Contains(string(m.Result), `"image"`) {
				t.Errorf("a cancel sends images: %.300s", m.Result)
			}
			continue
		}
		s.PressUntil("1", "1. Submit")
		s.WaitFor("SQLite Note: [1 image]")
		s.PressUntil("Enter", idle)
		got := picturesOf(t, c.reply(call))
		answer := got.details["db"]
		want := []string{"question note", "option note for Postgres", "option note for lite"}
		for i, place := range want {
			if len(got.content) != 3 || got.content[i].Data != base64Of(images[i]) || got.labels[i] != "Image for [db] Which database? — "+place+":" {
				t.Fatalf("content has %d images behind %q, want that of the %s at %d", len(got.content), got.labels, place, i)
			}
		}
		if len(answer.NoteImages) != 1 || len(answer.OptionNoteImages["pg"]) != 1 || len(answer.OptionNoteImages["lite"]) != 1 || len(got.structured["db"].Images) != 3 {
			t.Errorf("details %+v", answer)
		}
	}
}

// TestClipboardNotices: an empty clipboard, one with text and one that cannot be reached are told apart, and nothing that was
// entered goes.
func TestClipboardNotices(t *testing.T) {
	d, server := newDesktop(t), tmuxtest.Start(t)
	s := openShell(t, server, newPlace(t), 120, 40)
	s.askdOn(d)
	connect(t, s.p, "s1").begin(1, dbQuestion)
	s.WaitFor("Which database?")
	s.PressUntil("3", "Type answer...")
	s.Keys("C-v")
	s.WaitFor("No image in the clipboard.")
	d.copy("image/png", pngOf(t, 8, 1))
	s.Keys("C-v")
	s.WaitFor("[1 image]")
	s.WaitGone("No image")
	d.copy("UTF8_STRING", []byte("some text"))
	s.Type("see")
	s.Keys("C-v")
	s.WaitFor("No image in the clipboard.")
	d.copy("image/png", []byte("\x89PNG\r\n\x1a\nbroken"))
	s.PressUntil("C-v", "The clipboard image could not be decoded.")
	screen := s.WaitFor("[1 image]")
	if !strings.Contains(screen, "see") {
		t.Errorf("the text has gone:\n%s", screen)
	}
	nowhere := openShell(t, server, newPlace(t), 120, 40)
	nowhere.askd()
	connect(t, nowhere.p, "s1").begin(1, dbQuestion)
	nowhere.WaitFor("Which database?")
	nowhere.PressUntil("3", "Type answer...")
	nowhere.Keys("C-v")
	nowhere.WaitFor("Image clipboard is unavailable. On Linux, install wl-clipboard or xclip; on WSL, enable Windows clipboard access.")
}

// TestClipboardKeyIsPis: the shortcut is the one of Pi's key file, and a change of that file counts at once.
func TestClipboardKeyIsPis(t *testing.T) {
	d := newDesktop(t)
	s := openShell(t, tmuxtest.Start(t), newPlace(t), 120, 40)
	s.askdOn(d)
	connect(t, s.p, "s1").begin(1, dbQuestion)
	s.WaitFor("Which database?")
	s.PressUntil("3", "Type answer...")
	s.WaitFor("Ctrl+V: attach image")
	writeFile(t, filepath.Join(s.p.dir, "agent", "keybindings.json"), `{"app.clipboard.pasteImage": ["alt+v", "f6"]}`)
	s.WaitFor("Alt+V/F6: attach image")
	d.copy("image/png", pngOf(t, 8, 1))
	s.Keys("M-v")
	s.WaitFor("[1 image]")
	d.copy("image/png", pngOf(t, 8, 2))
	s.Keys("F6")
	s.WaitFor("[2 images]")
	writeFile(t, filepath.Join(s.p.dir, "agent", "keybindings.json"), `{"app.clipboard.pasteImage"`)
	s.WaitFor("Pi's key file")
	s.WaitFor("Ctrl+V: attach image")
}

// TestClipboardImageSurvives: an attached image is in the draft, comes back after kill -9, is stored once by its content, and
// stands in the history, in its export and in what askctl says.
func TestClipboardImageSurvives(t *testing.T) {
	d, server, p := newDesktop(t), tmuxtest.Start(t), newPlace(t)
	picture := pngOf(t, 200, 1)
	s := openShell(t, server, p, 80, 24)
	s.askdOn(d)
	c := connect(t, p, "s1")
	c.begin(1, dbQuestion)
	s.WaitFor("Which database?")
	s.PressUntil("3", "Type answer...")
	d.copy("image/png", picture)
	s.Keys("C-v")
	s.WaitFor("[1 image]")
	within(t, "the image to reach the data file", func() bool {
		data, err := os.ReadFile(p.data)
		return err == nil && bytes.Contains(data, picture[100:1000])
	})
	c.begin(2, strings.Replace(dbQuestion, "Which database?", "Which cache?", 1)) // commits are in order: once this one is on disk, the draft's is whole
	pid := s.pid()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	within(t, "askd to be gone", func() bool { return syscall.Kill(pid, 0) != nil })

	again := openShell(t, server, p, 80, 24)
	again.askdOn(d)
	again.WaitFor("[1 image]")
	again.PressUntil("#", "#") // the form listens now
	again.Keys("C-v")
	again.WaitFor("[2 images]")
	again.Keys("Enter")
	again.WaitFor("[2 images]")
	again.WaitFor("1. Submit")
	again.PressUntil("Enter", "askd  1/1") // the other form is the only one left
	if data, err := os.ReadFile(p.data); err != nil || bytes.Count(data, picture[100:1000]) != 1 {
		t.Errorf("the data file has the image %d times, %v", bytes.Count(data, picture[100:1000]), err)
	}
	for verb, want := range map[string]string{"show": "[2 images]", "read": "custom answer: image/png"} {
		args := []string{verb, requestID(1)}
		if verb == "read" {
			args = append(args, "db")
		}
		out := askctlWithin(t, p, 0, args...)
		if !strings.Contains(out, want) || strings.Contains(out, base64Of(picture)[:64]) {
			t.Errorf("askctl %s says\n%s", verb, out)
		}
	}
	file := filepath.Join(p.dir, "answers.md")
	askctlWithin(t, p, 0, "export", file)
	exported, err := os.ReadFile(file)
	want := "![Custom answer image 2](data:image/png;base64," + base64Of(picture) + ")"
	if err != nil || strings.Count(string(exported), base64Of(picture)) != 2 || !strings.Contains(string(exported), want) {
		t.Errorf("the export lacks the images, %v", err)
	}
}
