package tmuxtest

import "strings"

// Beside waits for the pane that a program has opened in the window of this one, and gives it.
func (p *Pane) Beside() *Pane {
	p.t.Helper()
	other := ""
	p.Wait("a pane beside it", func(string) bool {
		for _, id := range p.Neighbours() {
			other = id
		}
		return other != ""
	})
	return &Pane{t: p.t, server: p.server, id: other}
}

// Neighbours are tmux's names of the other panes in the window.
func (p *Pane) Neighbours() []string {
	p.t.Helper()
	var out []string
	for _, id := range strings.Fields(p.server.run("list-panes", "-t", p.id, "-F", "#{pane_id}")) {
		if id != p.id {
			out = append(out, id)
		}
	}
	return out
}

// Active reports whether keys that reach the window go to this pane.
func (p *Pane) Active() bool {
	p.t.Helper()
	return p.format("#{pane_active}") == "1"
}
