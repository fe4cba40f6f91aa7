package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestJSONIsSafeAndTheSame: nothing in it steers a terminal, and it reads back as what it was.
func TestJSONIsSafeAndTheSame(t *testing.T) {
	value := map[string]string{"text": "\x1b]52;c;QQ==\x07 \u009b31m \u202e \u2066 \u2028 \ufeff \x7f é 文 <b> &"}
	var buf bytes.Buffer
	o := &output{w: &buf}
	if err := o.writeJSON(value); err != nil {
		t.Fatal(err)
	}
	for _, r := range buf.String() {
		if r != '\n' && steers(r) {
			t.Errorf("%U came through: %s", r, buf.String())
		}
	}
	if !strings.Contains(buf.String(), "é 文 <b> &") {
		t.Errorf("harmless text was changed: %s", buf.String())
	}
	var back map[string]string
	if err := json.Unmarshal(buf.Bytes(), &back); err != nil || back["text"] != value["text"] {
		t.Errorf("reads back as %q, %v", back["text"], err)
	}
}

// TestRawJSONKeepsWhatItDoesNotKnow: fields of a newer askd come through, and numbers keep all their digits.
func TestRawJSONKeepsWhatItDoesNotKnow(t *testing.T) {
	var buf bytes.Buffer
	o := &output{w: &buf}
	if err := o.writeJSON(json.RawMessage(`{"z":1,"new":{"id":12345678901234567890},"a":[]}`)); err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"z\": 1,\n  \"new\": {\n    \"id\": 12345678901234567890\n  },\n  \"a\": []\n}\n"; buf.String() != want {
		t.Errorf("%s", buf.String())
	}
}

func TestCleaning(t *testing.T) {
	o := &output{}
	for _, text := range []string{"\x1b[2J", "a\x07b", "\u009b31m", "\u202eabc", "a\rb", "\x7f", "\x00"} {
		for _, got := range []string{o.line(text), o.text(text)} {
			if strings.ContainsFunc(got, steers) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	if got := o.line("two\nlines"); strings.Contains(got, "\n") {
		t.Errorf("a line break came through: %q", got)
	}
}

// TestWhatAStreamIs: width and colour only on a terminal, no colour where the person wants none.
func TestWhatAStreamIs(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ptmx.Close()
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Cols: 97, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, row := range []struct {
		name   string
		f      *os.File
		env    map[string]string
		width  int
		colour bool
	}{
		{"terminal", tty, map[string]string{"TERM": "xterm"}, 97, true},
		{"NO_COLOR", tty, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, 97, false},
		{"dumb terminal", tty, map[string]string{"TERM": "dumb"}, 97, false},
		{"pipe", w, map[string]string{"TERM": "xterm"}, 0, false},
	} {
		o := newOutput(row.f, func(name string) string { return row.env[name] })
		if o.width != row.width || o.colour != row.colour {
			t.Errorf("%s: width %d, colour %v", row.name, o.width, o.colour)
		}
	}
}

// TestLostOutput: a verb whose output has not got out has not done what it was called for.
func TestLostOutput(t *testing.T) {
	for _, args := range [][]string{{"queue"}, {"queue", "--json"}, {"--help"}, {"completion", "bash"}} {
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		getenv := func(string) string { return "" }
		out := newOutput(f, getenv)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		a := &app{
			in: &input{r: strings.NewReader("")}, out: out, errors: &output{w: &errs}, getenv: getenv, now: func() time.Time { return testNow },
			dial: func(context.Context, string, func(string, json.RawMessage)) (caller, error) {
				return canned{result: `{"requests":[]}`}, nil
			},
		}
		if code := a.run(context.Background(), args); code != exitFailed || !strings.Contains(errs.String(), "file already closed") {
			t.Errorf("%v: code %d, said %q", args, code, errs.String())
		}
	}
}
