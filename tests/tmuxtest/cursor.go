package tmuxtest

import (
	"fmt"
	"strings"
)

// AtCursor is what the terminal shows from its cursor to the end of the line. Columns count characters: it is for screens
// without wide ones.
func (p *Pane) AtCursor() string {
	p.t.Helper()
	var x, y int
	if _, err := fmt.Sscan(p.format("#{cursor_x} #{cursor_y}"), &x, &y); err != nil {
		p.t.Fatalf("where is the cursor: %v", err)
	}
	lines := strings.Split(p.Screen(), "\n")
	if y >= len(lines) {
		return ""
	}
	row := []rune(lines[y])
	return string(row[min(x, len(row)):])
}
