package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"askd/tests/tmuxtest"
)

// twoQuestions is a form with both kinds of question.
const twoQuestions = `{"title":"Storage layout","questions":[
	{"id":"db","label":"Store","prompt":"Which database?","options":[{"value":"pg","label":"Postgres","description":"already deployed"},{"value":"lite","label":"SQLite"}]},
	{"id":"keep","label":"Retention","prompt":"How long are orders kept?","type":"multi","options":[{"value":"2y","label":"2 years"},{"value":"7y","label":"7 years","recommended":true}]}]}`

// shell is an interactive shell in a terminal, from which a test starts askd as a person would.
type shell struct {
	*tmuxtest.Pane
	t testing.TB
	p place
}

func openShell(t testing.TB, server *tmuxtest.Server, p place, columns, rows int) shell {
	t.Helper()
	env := p.env("PS1=ready> ", "ASKD="+program(t, "askd"))
	s := shell{server.For(t).Run(tmuxtest.Program{Dir: p.dir, Env: env, Argv: []string{"bash", "--norc", "--noprofile", "-i"}}), t, p}
	s.Resize(columns, rows)
	s.WaitFor("ready>")
	return s
}

// command types a line into the shell.
func (s shell) command(line string) {
	s.t.Helper()
	s.Type(line)
	s.Keys("Enter")
}

// askd starts the pane and waits for its first screen.
func (s shell) askd() {
	s.t.Helper()
	s.command(`clear; "$ASKD"`)
	s.WaitFor("nothing is waiting")
}

// pid is the process id of the askd that serves the socket.
func (s shell) pid() int {
	s.t.Helper()
	var status struct{ PID int }
	dialRaw(s.t, s.p.socket).hello().must("daemon.status", `{}`, &status)
	return status.PID
}

// restored checks that the shell is usable again and the terminal is as it was before askd.
func (s shell) restored() {
	s.t.Helper()
	s.Wait("the shell's prompt", func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), "ready>") })
	s.modesLeft()
	s.command(`clear; test "$(stty -g)" = "$BEFORE" && echo stty' 'same || { echo stty' 'differs; stty -a; }`)
	if screen := s.Wait("stty", func(screen string) bool {
		return strings.Contains(screen, "stty same") || strings.Contains(screen, "stty differs")
	}); strings.Contains(screen, "differs") {
		s.t.Errorf("the terminal's settings have changed:\n%s", screen)
	}
}

// modesLeft checks that the terminal shows the shell's own screen, in none of the modes of a pane.
func (s shell) modesLeft() {
	s.t.Helper()
	s.command(`clear; tmux display -p 'modes #{alternate_on}#{mouse_any_flag}#{mouse_sgr_flag}#{keypad_flag}#{cursor_flag}.'`)
	s.WaitFor("modes 00001.")
}

var paneSizes = [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}}

// TestPaneAnswer asks over the socket and answers with keys, in every size that the design draws.
func TestPaneAnswer(t *testing.T) {
	server := tmuxtest.Start(t)
	for _, size := range paneSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := newPlace(t)
			s := openShell(t, server, p, size[0], size[1])
			s.askd()
			c := connect(t, p, "checkout-api")
			open := c.begin(1, twoQuestions)

			screen := s.WaitFor("Which database?")
			for _, part := range []string{"askd", "checkout-api", "1. Postgres", "2. SQLite", "Enter confirm"} {
				if !strings.Contains(screen, part) {
					t.Errorf("%q is not on the screen:\n%s", part, screen)
				}
			}
			s.PressUntil("1", "How long are orders kept?")
			s.Keys("Space")
			s.WaitFor("1. [x] 2 years")
			s.Keys("Down")
			s.WaitFor("❯ 2. [ ] 7 years")
			s.Keys("Space")
			s.WaitFor("2. [x] 7 years")
			s.PressUntil("Enter", "1. Submit")
			s.PressUntil("Enter", "nothing is waiting")

			o := c.ended(open)
			if want := "ask_user [" + requestID(1) + "]\nStore: Postgres\nRetention: 2 years, 7 years"; o.text() != want {
				t.Errorf("answer %q, want %q", o.text(), want)
			}
			if o.Provenance.Via != "pane" || o.Provenance.Outcome != "answered" {
				t.Errorf("provenance: %+v", o.Provenance)
			}
		})
	}
}

// TestPaneCancelGuard: a dirty form takes the same key twice; the agent is told that the person cancelled.
func TestPaneCancelGuard(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.askd()
	c := connect(t, p, "s1")
	open := c.begin(1, twoQuestions)
	s.WaitFor("Which database?")
	s.PressUntil("2", "How long are orders kept?")
	s.Keys("Escape")
	s.WaitFor("Unsaved ask answers or drafts. Press cancel/dismiss again to discard.")
	if got := c.queue(`{}`); len(got) != 1 {
		t.Fatalf("one key ended the form: %+v", got)
	}
	s.PressUntil("Escape", "nothing is waiting")
	o := c.ended(open)
	if !o.AbortOperation || o.Provenance.Outcome != "cancelled" || o.Provenance.Via != "pane" {
		t.Errorf("cancelled: %+v", o)
	}
	var details struct {
		Cancelled bool
		Answers   map[string]struct{ Values []string }
	}
	if err := json.Unmarshal(o.Details, &details); err != nil || !details.Cancelled || len(details.Answers["db"].Values) != 1 {
		t.Errorf("a cancelled result keeps what was answered: %s, %v", o.Details, err)
	}
}

// TestPaneLater: Esc in a background form puts it off; nothing is answered.
func TestPaneLater(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.askd()
	c := connect(t, p, "s1")
	c.ended(c.begin(1, background(twoQuestions)))
	s.WaitFor("Which database?")
	s.PressUntil("Escape", "1 deferred")
	within(t, "the form to be deferred", func() bool {
		got := c.queue(`{}`)
		return len(got) == 1 && got[0].Status == "deferred"
	})
	c.must("queue.show", `{"session":"s1"}`, nil)
	s.WaitFor("Which database?")
}

// TestPaneArrivals: a form that arrives does not displace the one on screen, nor take its keys.
func TestPaneArrivals(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 120, 40)
	s.askd()
	one, two := connect(t, p, "one"), connect(t, p, "two")
	one.begin(1, twoQuestions)
	s.WaitFor("Which database?")
	s.PressUntil("3", "Type answer...")
	s.Type("half a")
	other := strings.ReplaceAll(dbQuestion, "Which database?", "Another question?")
	two.begin(2, other)
	s.WaitFor("two")
	s.Type(" sentence")
	s.WaitFor("half a sentence")
	if got := one.queue(`{}`); len(got) != 2 {
		t.Errorf("queue: %+v", got)
	}
}

// TestPaneResize: what is typed and chosen stays through any size, also one too small to show it.
func TestPaneResize(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 120, 40)
	s.askd()
	c := connect(t, p, "s1")
	open := c.begin(1, twoQuestions)
	s.WaitFor("Which database?")
	s.PressUntil("3", "Type answer...")
	s.Type("DuckDB, in a file")
	s.WaitFor("DuckDB, in a file")
	for _, size := range append([][2]int{{20, 5}, {1, 1}}, paneSizes...) {
		s.Resize(size[0], size[1])
		if size[0] >= 40 {
			s.WaitFor("DuckDB, in a file")
		}
	}
	s.PressUntil("Enter", "How long are orders kept?")
	s.PressUntil("Enter", "1. Submit")
	s.PressUntil("Enter", "nothing is waiting")
	if o := c.ended(open); !strings.Contains(o.text(), "Store: DuckDB, in a file\nRetention: (no answer)") {
		t.Errorf("answer: %q", o.text())
	}
}

// TestPaneEnds: however the pane ends, the terminal is as it was and the next askd has the form.
func TestPaneEnds(t *testing.T) {
	server := tmuxtest.Start(t)
	for name, end := range map[string]func(s shell){
		"SIGTERM": func(s shell) { _ = syscall.Kill(s.pid(), syscall.SIGTERM) },
		"SIGHUP":  func(s shell) { _ = syscall.Kill(s.pid(), syscall.SIGHUP) },
		"SIGINT":  func(s shell) { _ = syscall.Kill(s.pid(), syscall.SIGINT) },
		"two signals": func(s shell) {
			pid := s.pid()
			_ = syscall.Kill(pid, syscall.SIGTERM)
			_ = syscall.Kill(pid, syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			s := openShell(t, server, p, 80, 24)
			s.command(`BEFORE=$(stty -g)`)
			s.askd()
			connect(t, p, "s1").begin(1, twoQuestions)
			s.WaitFor("Which database?")
			end(s)
			s.restored()
			if exists(p.socket) {
				t.Error("the socket is still there")
			}
			s.command(`clear; "$ASKD"`)
			s.WaitFor("Which database?")
		})
	}
}

// TestPaneQuits: the quit key asks while an agent stands still, and restores the terminal.
func TestPaneQuits(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.command(`BEFORE=$(stty -g)`)
	s.askd()
	s.Keys("C-c")
	connect(t, p, "s1").begin(1, twoQuestions)
	s.WaitFor("Which database?")
	s.Keys("C-q")
	if !answers(p.socket) {
		t.Fatal("one key ended askd while an agent waited")
	}
	s.PressUntil("C-q", "ready>")
	s.restored()
}

// TestPaneTerminalGone: when its terminal is closed askd ends, and the next one finds everything.
func TestPaneTerminalGone(t *testing.T) {
	p := newPlace(t)
	server := tmuxtest.Start(t)
	s := openShell(t, server, p, 80, 24)
	s.askd()
	connect(t, p, "s1").begin(1, twoQuestions)
	s.WaitFor("Which database?")
	pid := s.pid()
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil { // the shell is the terminal's session leader
		t.Fatal(err)
	}
	within(t, "askd to end", func() bool { return syscall.Kill(pid, 0) != nil })

	again := openShell(t, server, p, 80, 24)
	again.command(`clear; "$ASKD"`)
	again.WaitFor("Which database?")
}

// TestPaneDraftAfterKill: a draft that is on disk comes back after kill -9.
func TestPaneDraftAfterKill(t *testing.T) {
	p := newPlace(t)
	server := tmuxtest.Start(t)
	s := openShell(t, server, p, 80, 24)
	s.askd()
	c := connect(t, p, "s1")
	c.begin(1, twoQuestions)
	s.WaitFor("Which database?")
	s.PressUntil("3", "Type answer...")
	s.Type("half a sentence")
	within(t, "the draft to reach the data file", func() bool {
		data, err := os.ReadFile(p.data)
		return err == nil && bytes.Contains(data, []byte("half a sentence"))
	})
	c.begin(2, dbQuestion) // commits are in order: once this one is on disk, the draft's is whole
	pid := s.pid()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	within(t, "askd to be gone", func() bool { return syscall.Kill(pid, 0) != nil })
	again := openShell(t, server, p, 80, 24)
	again.command(`clear; "$ASKD"`)
	again.WaitFor("half a sentence")
}

// TestPaneHostileText: what an agent supplies is drawn, never obeyed.
func TestPaneHostileText(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 120, 40)
	s.askd()
	c := connect(t, p, "s1")
	hostile := "[red]DELETE[-] arr[0] [\"r1\"]x[\"\"] \x1b]52;c;QQ==\x07\x1b[2J\u009b31m\u202eright\u2066"
	form, err := json.Marshal(map[string]any{"title": hostile, "questions": []any{map[string]any{
		"id": "q", "label": hostile, "prompt": "Prompt " + hostile, "context": "Context " + hostile,
		"options": []any{map[string]any{"value": "v", "label": "Label " + hostile, "description": "Description " + hostile}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	c.begin(1, string(form))
	screen := s.WaitFor("Prompt [red]DELETE[-]")
	for _, part := range []string{"Label [red]DELETE[-]", "Context [red]DELETE[-] arr[0] [\"r1\"]x[\"\"]", "Prompt [red]DELETE[-] arr[0] [\"r1\"]x[\"\"]", "Description"} {
		if !strings.Contains(screen, part) {
			t.Errorf("%q is not on the screen:\n%s", part, screen)
		}
	}
	if i := strings.IndexFunc(screen, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) }); i >= 0 {
		t.Errorf("a control character is on the screen: %q", screen[i:])
	}
}

// TestPaneNeedsATerminal: without one askd says so, and how to run without a pane.
func TestPaneNeedsATerminal(t *testing.T) {
	p := newPlace(t)
	cmd := exec.CommandContext(t.Context(), program(t, "askd"))
	cmd.Env = p.env("TERM=xterm-256color")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--headless") {
		t.Errorf("askd without a terminal: %v, %s", err, out)
	}
	if answers(p.socket) {
		t.Error("something serves the socket")
	}
}

// TestUnknownTerminal: a TERM that nobody knows ends with advice or works, and never with a panic.
func TestUnknownTerminal(t *testing.T) {
	server := tmuxtest.Start(t)
	for _, term := range []string{"no-such-terminal", "dumb", ""} {
		t.Run("TERM="+term, func(t *testing.T) {
			p := newPlace(t)
			s := openShell(t, server, p, 80, 24)
			s.command(`clear; TERM=` + term + ` "$ASKD"; echo en'ded'`)
			screen := s.Wait("a screen or a fault", func(screen string) bool {
				return strings.Contains(screen, "nothing is waiting") || strings.Contains(screen, "ended")
			})
			if strings.Contains(screen, "panic") || strings.Contains(screen, "goroutine") {
				t.Errorf("askd panicked:\n%s", screen)
			}
			if strings.Contains(screen, "ended") && !strings.Contains(screen, "TERM") {
				t.Errorf("the fault does not name TERM:\n%s", screen)
			}
		})
	}
}

// TestPaneIgnoresExportedSizes: the terminal knows its size; variables that a shell exported long ago do not.
func TestPaneIgnoresExportedSizes(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.command(`clear; LINES=-5 COLUMNS=99999999999 "$ASKD"; echo en'ded'`)
	screen := s.Wait("a screen or a fault", func(screen string) bool {
		return strings.Contains(screen, "nothing is waiting") || strings.Contains(screen, "ended")
	})
	if strings.Contains(screen, "ended") || !strings.Contains(screen, "socket ready") {
		t.Errorf("the pane did not come up in 80 columns:\n%s", screen)
	}
}

func TestVersion(t *testing.T) {
	for _, name := range []string{"askd", "askctl"} {
		out, err := exec.CommandContext(t.Context(), program(t, name), "--version").CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), name+" ") || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s --version: %v, %q", name, err, out)
		}
	}
}
