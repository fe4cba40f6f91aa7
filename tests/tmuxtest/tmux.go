// Package tmuxtest runs programs in panes of a private tmux server: real terminals whose screens a test reads and types
// into. Everything ends with the test.
package tmuxtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Patience is how long the waits of this package go on before they fail the test.
const Patience = time.Minute

// every is the time between two looks at a screen.
const every = 40 * time.Millisecond

// Server is a private tmux server. Make it with Start.
type Server struct {
	t      testing.TB
	socket string
	panes  int
}

// Start runs a tmux server until the test ends. It fails the test when there is no tmux.
func Start(t testing.TB) *Server {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatalf("these tests need tmux 3.2 or newer: install it with the system's package manager (%v)", err)
	}
	dir, err := os.MkdirTemp("", "tmux") // short: a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		s.killPrograms()
		_ = s.command("kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	s.run("new-session", "-d", "-s", "test", "-x", "120", "-y", "45", "tail -f /dev/null")
	for _, option := range [][]string{
		{"-sg", "escape-time", "0"},
		{"-sg", "extended-keys", "on"},
		{"-g", "remain-on-exit", "on"},
		{"-g", "status", "off"},
		{"-g", "default-terminal", "tmux-256color"},
		{"-g", "focus-events", "on"},
	} {
		s.run(append([]string{"set"}, option...)...)
	}
	return s
}

func (s *Server) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-S", s.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
	return cmd
}

func (s *Server) run(args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// For is the server for a part of the test that started it: what is run through it ends with that part, before what the part
// made earlier is removed.
func (s *Server) For(t testing.TB) *Server { return &Server{t: t, socket: s.socket} }

// killPrograms ends what still runs and waits for it: a program that is only told to leave may write into a folder which
// the test is removing.
func (s *Server) killPrograms() {
	out, err := s.command("list-panes", "-a", "-F", "#{pane_pid}").Output()
	if err != nil {
		return // the server has gone already, and its programs with it
	}
	for _, field := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(field); err == nil {
			killSession(pid)
		}
	}
}

// Program is what a pane runs. Its environment is Env and tmux's own variables, nothing else.
type Program struct {
	Dir  string
	Env  []string
	Argv []string
}

// Pane is one terminal.
type Pane struct {
	t      testing.TB
	server *Server
	id     string
}

// Run starts a program in a terminal of its own, 120 columns wide and 45 rows high.
func (s *Server) Run(p Program) *Pane {
	s.t.Helper()
	s.panes++
	argv := append([]string{
		"new-window", "-d", "-P", "-F", "#{pane_id} #{pane_pid}", "-t", "test:", "-n", "w" + strconv.Itoa(s.panes), "-c", p.Dir,
		"sh", "-c", `exec env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" TERM="$TERM" "$@"`, "sh",
	}, p.Env...)
	id, leader, _ := strings.Cut(s.run(append(argv, p.Argv...)...), " ")
	pane := &Pane{t: s.t, server: s, id: id}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("the last screen of %s:\n%s", filepath.Base(p.Argv[0]), framed(pane.Screen()))
		}
		if pid, err := strconv.Atoi(leader); err == nil {
			killSession(pid)
		}
	})
	return pane
}

// Keys presses keys by tmux's names: Enter, Escape, C-c, Down, a.
func (p *Pane) Keys(keys ...string) {
	p.t.Helper()
	p.server.run(append([]string{"send-keys", "-t", p.id}, keys...)...)
}

// Type types a text, key by key.
func (p *Pane) Type(text string) {
	p.t.Helper()
	p.server.run("send-keys", "-t", p.id, "-l", "--", text)
}

// Paste inserts a text as one bracketed paste.
func (p *Pane) Paste(text string) {
	p.t.Helper()
	p.server.run("set-buffer", "-b", "paste", "--", text)
	p.server.run("paste-buffer", "-p", "-d", "-b", "paste", "-t", p.id)
}

// Resize gives the terminal another size.
func (p *Pane) Resize(columns, rows int) {
	p.t.Helper()
	p.server.run("resize-window", "-t", p.id, "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows))
}

// Screen is what the terminal shows, without colours.
func (p *Pane) Screen() string {
	p.t.Helper()
	return p.server.run("capture-pane", "-p", "-t", p.id)
}

// PID is the process id of the program.
func (p *Pane) PID() int {
	p.t.Helper()
	pid, err := strconv.Atoi(p.format("#{pane_pid}"))
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// Dead reports whether the program has ended.
func (p *Pane) Dead() bool {
	p.t.Helper()
	return p.format("#{pane_dead}") == "1"
}

func (p *Pane) format(f string) string {
	p.t.Helper()
	return p.server.run("display-message", "-p", "-t", p.id, f)
}

// WaitFor waits until the screen shows a text, and gives the screen. It fails the test after Patience.
func (p *Pane) WaitFor(text string) string {
	p.t.Helper()
	return p.Wait(fmt.Sprintf("%q on the screen", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitGone waits until the screen does not show a text any more.
func (p *Pane) WaitGone(text string) string {
	p.t.Helper()
	return p.Wait(fmt.Sprintf("%q to go", text), func(screen string) bool { return !strings.Contains(screen, text) })
}

// WaitDead waits until the program has ended.
func (p *Pane) WaitDead() {
	p.t.Helper()
	p.Wait("the program to end", func(string) bool { return p.Dead() })
}

// Wait waits until a screen fulfils a condition, and gives it. It fails the test after Patience, showing the last one.
func (p *Pane) Wait(what string, ok func(screen string) bool) string {
	p.t.Helper()
	screen, done := p.within(Patience, ok)
	if !done {
		p.t.Fatalf("waited %v for %s; the screen is\n%s", Patience, what, framed(screen))
	}
	return screen
}

// PressUntil presses a key again and again until the screen shows a text: a form that has just taken the screen does not
// listen at once.
func (p *Pane) PressUntil(key, text string) string {
	p.t.Helper()
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		p.Keys(key)
		shows := func(screen string) bool { return strings.Contains(screen, text) }
		if screen, ok := p.within(time.Second, shows); ok {
			return screen
		}
	}
	p.t.Fatalf("pressed %s for %v without seeing %q; the screen is\n%s", key, Patience, text, framed(p.Screen()))
	return ""
}

// within looks at the screen until it fulfils a condition or the time is up.
func (p *Pane) within(limit time.Duration, ok func(string) bool) (string, bool) {
	p.t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for deadline := time.Now().Add(limit); ; <-tick.C {
		screen := p.Screen()
		if ok(screen) {
			return screen, true
		}
		if time.Now().After(deadline) {
			return screen, false
		}
	}
}

// framed leaves out the empty rows, which tell little.
func framed(screen string) string {
	rows := slices.DeleteFunc(strings.Split(screen, "\n"), func(row string) bool { return strings.Trim(row, " │") == "" })
	return "| " + strings.Join(rows, "\n| ")
}
