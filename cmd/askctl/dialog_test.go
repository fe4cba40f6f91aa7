package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"askd/broker"
	"askd/broker/ask"
)

// talk runs the dialog over typed lines and gives the response as JSON and what was printed.
func talk(t *testing.T, f *form, lines ...string) (string, string, error) {
	t.Helper()
	var out bytes.Buffer
	a := &app{
		in:    &input{r: strings.NewReader(strings.Join(append(lines, ""), "\n")), terminal: true},
		out:   &output{w: &out, width: 80},
		now:   func() time.Time { return testNow },
		spawn: func(_ string, f func()) { go f() },
	}
	r, err := a.dialog(t.Context(), f)
	raw, _ := json.Marshal(r)
	return string(raw), out.String(), err
}

func twoQuestions() *form {
	return &form{Form: broker.Form{Request: testRequest(question("db", ask.Single, "pg", "lite"), question("keep", ask.Multi, "2y", "7y"))}}
}

func TestDialog(t *testing.T) {
	for _, row := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"numbers", []string{"2", "1,2", "y"}, `{"kind":"answer","answers":{"db":{"values":["lite"]},"keep":{"values":["2y","7y"]}}}`},
		{"own words", []string{"3", "  mine ", "2 3", "more", "yes"}, `{"kind":"answer","answers":{"db":{"customText":"mine"},"keep":{"values":["7y"],"customText":"more"}}}`},
		{"no words are no answer", []string{"3", "", "1", "", "y"}, `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`},
		{"nothing answered", []string{"", "", "y"}, `{"kind":"answer","answers":{}}`},
		{"skip", []string{"s", "S", "y"}, `{"kind":"answer","answers":{},"skippedQuestionIds":["db","keep"]}`},
		{
			"notes",
			[]string{"n", "on all", "n 2", "on lite", "n 3", "1", "", "y"},
			`{"kind":"answer","answers":{"db":{"values":["pg"],"note":"on all","optionNotes":{"lite":"on lite"}}}}`,
		},
		{"back and another choice", []string{"1", "b", "2", "1", "y"}, `{"kind":"answer","answers":{"db":{"values":["lite"]},"keep":{"values":["2y"]}}}`},
		{"clear", []string{"1", "b", "c", "", "1", "y"}, `{"kind":"answer","answers":{"keep":{"values":["2y"]}}}`},
		{"an option instead of words", []string{"3", "mine", "b", "1", "", "y"}, `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`},
		{"choosing takes a skip back", []string{"s", "b", "1", "", "y"}, `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`},
		{"from the review to a question", []string{"1", "1", "1", "2", "", "y"}, `{"kind":"answer","answers":{"db":{"values":["lite"]},"keep":{"values":["2y"]}}}`},
		{"from the review back", []string{"1", "1", "b", "2", "y"}, `{"kind":"answer","answers":{"db":{"values":["pg"]},"keep":{"values":["7y"]}}}`},
		{"mistakes change nothing", []string{"0", "4", "x", "1 2", "-1", "b", "1", "1", "", "maybe", "7", "y"}, `{"kind":"answer","answers":{"db":{"values":["pg"]},"keep":{"values":["2y"]}}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, screen, err := talk(t, twoQuestions(), row.lines...)
			if err != nil || got != row.want {
				t.Errorf("%s, %v, want %s\n%s", got, err, row.want, screen)
			}
		})
	}
}

// TestDialogSendsNothing: only an explicit yes at the end sends.
func TestDialogSendsNothing(t *testing.T) {
	for _, lines := range [][]string{
		{}, {"1"}, {"1", "1"}, {"1", "1", ""}, {"q"}, {"1", "q"}, {"1", "1", "q"}, {"1", "1", "n"}, {"1", "1", "no"}, {"n"}, {"3"},
	} {
		if got, _, err := talk(t, twoQuestions(), lines...); !errors.Is(err, errNothingSent) {
			t.Errorf("%q gave %s, %v", lines, got, err)
		}
	}
}

// TestDialogBeginsWithTheDraft: what was filled in before is kept by Enter, as far as it can be sent.
func TestDialogBeginsWithTheDraft(t *testing.T) {
	f := twoQuestions()
	f.Draft = &ask.Draft{Questions: []ask.QuestionDraft{
		{ID: "keep", Selected: []string{"7y"}, Note: "as before", NoteImages: []ask.Image{{ID: "i"}}, OptionNotes: map[string]string{"2y": "short"}},
		{ID: "db", Type: ask.Multi, Selected: []string{"pg", "lite"}},
	}}
	got, screen, err := talk(t, f, "", "", "y")
	want := `{"kind":"answer","answers":{"keep":{"values":["7y"],"note":"as before","optionNotes":{"2y":"short"}}}}`
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if !strings.Contains(screen, "images, which are not sent") || !strings.Contains(screen, "So far, Enter keeps it") {
		t.Errorf("the draft was not shown:\n%s", screen)
	}
}

// TestDialogIsClean: nothing that an agent supplies steers the terminal.
func TestDialogIsClean(t *testing.T) {
	evil := "\x1b[2J\u202e\x07"
	q := ask.Question{ID: evil, Label: evil, Prompt: evil, Context: evil, Type: ask.Single, Options: []ask.Option{{Value: evil, Label: evil, Description: evil}}}
	r := testRequest(q)
	r.Title, r.Session, r.ID, r.Asker = evil, evil, evil, ask.Asker{SessionName: evil, Cwd: evil, Agent: evil, Host: evil}
	_, screen, err := talk(t, &form{Form: broker.Form{Request: r}}, "?", "1", "b", "", "y")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range screen {
		if r != '\n' && steers(r) {
			t.Fatalf("%U reached the terminal:\n%q", r, screen)
		}
	}
}

// screen collects what a terminal shows while a test types.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) shows(t *testing.T, text string) {
	t.Helper()
	deadline, tick := time.After(10*time.Second), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for {
		s.mu.Lock()
		found := strings.Contains(s.buf.String(), text)
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%q is not on the screen:\n%s", text, s.buf.String())
		}
	}
}

// onTerminal is an app whose input is a real terminal, and the end that a person types into.
func onTerminal(t *testing.T) (*app, *screen, *os.File) {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ptmx.Close(); tty.Close() })
	s := &screen{}
	a := &app{
		in: newInput(tty), out: &output{w: s, width: 80}, errors: &output{w: s}, now: func() time.Time { return testNow },
		spawn: func(_ string, f func()) { go f() },
	}
	return a, s, ptmx
}

// TestDialogOnATerminal: typed lines arrive one by one, and an interruption ends the dialog at once with nothing sent.
func TestDialogOnATerminal(t *testing.T) {
	a, s, keys := onTerminal(t)
	if !a.dialogPossible() {
		t.Fatal("a terminal is not seen as one")
	}
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := a.dialog(ctx, twoQuestions())
		ended <- err
	}()
	for _, step := range [][2]string{{"Number: ", "1\n"}, {"Numbers: ", "1,2\n"}, {"Send them?", "maybe\n"}, {"\"maybe\" is none of these.", ""}} {
		s.shows(t, step[0])
		if _, err := keys.WriteString(step[1]); err != nil {
			t.Fatal(err)
		}
	}
	interrupt()
	select {
	case err := <-ended:
		if !errors.Is(err, errNothingSent) {
			t.Errorf("interrupted: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the dialog goes on after an interruption")
	}
}

func TestConfirm(t *testing.T) {
	for line, agreed := range map[string]bool{"y": true, " YES ": true, "": false, "n": false, "yep": false} {
		var out bytes.Buffer
		a := &app{in: &input{r: strings.NewReader(line + "\n")}, out: &output{w: &out}, spawn: func(_ string, f func()) { go f() }}
		if err := a.confirm(t.Context(), "Sure?"); (err == nil) != agreed {
			t.Errorf("%q: %v", line, err)
		}
	}
}
