package tmuxtest

// Rung reports whether the program has rung the terminal's bell since its window was last looked at.
func (p *Pane) Rung() bool {
	p.t.Helper()
	return p.format("#{window_bell_flag}") == "1"
}
