package tmuxtest

// Rung reports whether the program has rung the terminal's bell since its window was last looked at.
func (p *Pane) Rung() bool {
	p.t.Helper()
	return p.format("#{window_bell_flag}") == "1"
}

// Title is the title that the program has given its terminal.
func (p *Pane) Title() string {
	p.t.Helper()
	return p.format("#{pane_title}")
}

// LetThrough has tmux hand on the sequences that programs address to the terminal outside.
func (s *Server) LetThrough() {
	s.t.Helper()
	s.run("set", "-g", "allow-passthrough", "on")
}
