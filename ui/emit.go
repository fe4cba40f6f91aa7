package ui

// Emit writes a control sequence to the terminal between two frames, such as a bell. It must leave the cursor, the cells
// and the modes alone. False when no terminal is there, or it
// takes no more. Any goroutine; it does not wait.
func (p *Pane) Emit(sequence string) bool {
	s := p.screen.Load()
	if s == nil {
		return false
	}
	tty, ok := s.Tty()
	if !ok {
		return false
	}
	if len(p.posts) > postRoom/2 {
		return false // a terminal that takes nothing: what it would be told of must not crowd out what became of the person's answers
	}
	p.post(func() {
		if _, err := tty.Write([]byte(sequence)); err != nil {
			p.o.Log.Warn("write to the terminal", "err", err)
		}
	})
	return true
}
