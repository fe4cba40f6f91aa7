package daemon

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"askd/broker"
)

// tmuxServer is a private tmux server with real terminals that show its sessions.
type tmuxServer struct {
	t       *testing.T
	socket  string
	environ []string
}

func startTmux(t *testing.T) *tmuxServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "mux")
	if err != nil {
		t.Fatal(err)
	}
	s := &tmuxServer{t: t, socket: filepath.Join(dir, "s")}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TMUX") && !strings.HasPrefix(v, "TERM=") {
			s.environ = append(s.environ, v)
		}
	}
	s.environ = append(s.environ, "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	t.Cleanup(func() {
		_ = s.command("kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	return s
}

func (s *tmuxServer) command(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-S", s.socket, "-f", "/dev/null"}, args...)...)
	c.Env = s.environ
	return c
}

func (s *tmuxServer) run(args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// session makes a session and gives its pane.
func (s *tmuxServer) session(name string) string {
	s.t.Helper()
	return s.run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, "-x", "100", "-y", "30", "tail -f /dev/null")
}

func (s *tmuxServer) window(session string) string {
	s.t.Helper()
	return s.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", session+":", "tail -f /dev/null")
}

// attach shows a session in a terminal of its own and gives the terminal's name.
func (s *tmuxServer) attach(session string) string {
	s.t.Helper()
	before := s.run("list-clients", "-F", "#{client_name}")
	c := s.command("attach", "-t", session)
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		s.t.Fatal(err)
	}
	go func() { // what it draws goes nowhere
		buf := make([]byte, 4096)
		for {
			if _, err := tty.Read(buf); err != nil {
				return
			}
		}
	}()
	s.t.Cleanup(func() {
		_ = s.command("kill-server").Run()
		_ = c.Wait()
		_ = tty.Close()
	})
	deadline := time.Now().Add(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		for _, name := range strings.Fields(s.run("list-clients", "-F", "#{client_name}")) {
			if !strings.Contains(before, name) {
				return name
			}
		}
		if time.Now().After(deadline) {
			s.t.Fatal("the terminal does not come")
		}
	}
	return ""
}

// mux is the mux of an askd in a pane of the server.
func (s *tmuxServer) mux(pane string) *mux {
	m := newMux(func(name string) string { return map[string]string{"TMUX_PANE": pane}[name] }, slog.New(slog.DiscardHandler))
	m.environ = append(append([]string{}, s.environ...), "TMUX="+s.socket+",1,0", "TMUX_PANE="+pane)
	return m
}

// at is the pane that a terminal shows.
func (s *tmuxServer) at(client string) string {
	s.t.Helper()
	for _, row := range strings.Split(s.run("list-clients", "-F", "#{client_name} #{pane_id}"), "\n") {
		if name, pane, _ := strings.Cut(row, " "); name == client {
			return pane
		}
	}
	return ""
}

func (s *tmuxServer) expect(client, pane string) {
	s.t.Helper()
	if got := s.at(client); got != pane {
		s.t.Errorf("the terminal shows %s, want %s", got, pane)
	}
}

func inTmux(pane string) broker.Terminal { return broker.Terminal{Kind: "tmux", ID: pane} }

// There and back: within a window, between windows and between sessions.
func TestTmuxThereAndBack(t *testing.T) {
	s := startTmux(t)
	own := s.session("desk")
	beside := s.run("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", own, "tail -f /dev/null")
	window := s.window("desk")
	s.session("work")
	other := s.window("work")
	client := s.attach("desk")
	m := s.mux(own)
	s.expect(client, own)
	for name, pane := range map[string]string{"pane": beside, "window": window, "session": other} {
		if err := m.Visit(t.Context(), inTmux(pane)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.expect(client, pane)
		if !m.comeHere(inTmux(pane)) {
			t.Fatalf("%s: no way back", name)
		}
		s.expect(client, own)
	}
}

// The terminal at which the person is moves, not another one.
func TestTmuxMovesTheRightTerminal(t *testing.T) {
	s := startTmux(t)
	own, work, third := s.session("desk"), s.session("work"), s.session("third")
	desk, mine, idle := s.attach("desk"), s.attach("work"), s.attach("third")
	m := s.mux(own)
	if !m.comeHere(inTmux(work)) {
		t.Fatal("not moved")
	}
	s.expect(mine, own)
	s.expect(desk, own)
	s.expect(idle, third)
}

// A window that is in the person's own session too needs no other session.
func TestTmuxLinkedWindow(t *testing.T) {
	s := startTmux(t)
	own := s.session("desk")
	work := s.session("work")
	s.run("link-window", "-d", "-s", "work:0", "-t", "desk:5")
	client := s.attach("desk")
	if err := s.mux(own).Visit(t.Context(), inTmux(work)); err != nil {
		t.Fatal(err)
	}
	s.expect(client, work)
	if got := s.run("list-clients", "-F", "#{session_name}"); got != "desk" {
		t.Errorf("the terminal was taken to the session %s", got)
	}
}

func TestTmuxWhereNothingCanMove(t *testing.T) {
	s := startTmux(t)
	own, work := s.session("desk"), s.session("work")
	m := s.mux(own)
	if m.comeHere(inTmux(work)) {
		t.Error("moved without a terminal")
	}
	client := s.attach("work")
	if m.comeHere(broker.Terminal{}) || m.comeHere(broker.Terminal{Kind: "kitty", ID: "1"}) {
		t.Error("moved somebody who may be anywhere")
	}
	s.expect(client, work)
	if err := m.Visit(t.Context(), inTmux("%999")); err == nil || !strings.Contains(err.Error(), "no pane %999 any more") {
		t.Errorf("a pane that has gone: %v", err)
	}
	m.environ = append(m.environ, "TMUX="+s.socket+"-none,1,0")
	if m.comeHere(inTmux(work)) {
		t.Error("moved without a server")
	}
}

func TestMuxReaches(t *testing.T) {
	m := newMux(func(name string) string { return map[string]string{"TMUX_PANE": "%3", "KITTY_WINDOW_ID": "2"}[name] }, slog.New(slog.DiscardHandler))
	for id, want := range map[string]bool{"%5": true, "5": false, "": false, "%5; kill-server": false, "-t": false, "%5\n": false} {
		if m.Reaches(inTmux(id)) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
	if m.Reaches(broker.Terminal{Kind: "kitty", ID: "5"}) {
		t.Error("the terminal outside tmux is no place to go")
	}
	none := newMux(func(string) string { return "" }, slog.New(slog.DiscardHandler))
	if none.Reaches(broker.Terminal{}) || none.comeHere(inTmux("%1")) || none.Visit(t.Context(), inTmux("%1")) == nil {
		t.Error("askd in no multiplexer has nowhere to go")
	}
}

// The commands of the multiplexers that need no search for the terminal.
func TestMuxCommands(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"zellij", "wezterm", "kitten"} {
		script := "#!/bin/sh\necho \"" + name + " $*\" >> " + dir + "/said\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, tt := range []struct{ variable, kind, want string }{
		{"ZELLIJ_PANE_ID", "zellij", "zellij action focus-pane-id terminal_7"},
		{"WEZTERM_PANE", "wezterm", "wezterm cli activate-pane --pane-id=7"},
		{"KITTY_WINDOW_ID", "kitty", "kitten @ focus-window --match=id:7"},
	} {
		m := newMux(func(name string) string { return map[string]string{tt.variable: "1"}[name] }, slog.New(slog.DiscardHandler))
		if err := m.Visit(t.Context(), broker.Terminal{Kind: tt.kind, ID: "7"}); err != nil {
			t.Fatal(err)
		}
		said, err := os.ReadFile(filepath.Join(dir, "said"))
		if err != nil || !strings.HasSuffix(string(said), tt.want+"\n") {
			t.Errorf("%s: %q, %v", tt.kind, said, err)
		}
		if !m.comeHere(broker.Terminal{}) {
			t.Errorf("%s: no way to askd's own pane", tt.kind)
		}
	}
}
