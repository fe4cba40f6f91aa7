package tmuxtest

import (
	"io"
	"strings"

	"github.com/creack/pty"
)

// Attach shows the session of all panes in a terminal of its own, as a person has it. It ends with the server.
func (s *Server) Attach() { s.AttachTo(io.Discard) }

// AttachTo is Attach with all that the terminal is sent written to out, which several goroutines may use at once.
func (s *Server) AttachTo(out io.Writer) {
	s.t.Helper()
	cmd := s.command("attach", "-t", "test")
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 45, Cols: 120})
	if err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(out, tty)
	}()
	s.t.Cleanup(func() {
		_ = s.command("kill-server").Run()
		<-ended
		_ = cmd.Wait()
		_ = tty.Close()
	})
}

// ID is tmux's own name of the pane.
func (p *Pane) ID() string { return p.id }

// Show brings the pane to the front, as a person does who goes there by hand.
func (p *Pane) Show() {
	p.t.Helper()
	p.server.run("select-window", "-t", p.id)
	p.server.run("select-pane", "-t", p.id)
}

// WaitShown waits until the attached terminal shows the pane and its keys go there.
func (p *Pane) WaitShown() {
	p.t.Helper()
	p.Wait("the focus on "+p.id, func(string) bool { return p.Shown() })
}

// Shown reports whether the attached terminal shows the pane.
func (p *Pane) Shown() bool {
	p.t.Helper()
	return strings.Contains(p.server.run("list-clients", "-F", "[#{pane_id}]"), "["+p.id+"]")
}
