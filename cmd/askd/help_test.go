package main

import (
	"strings"
	"testing"

	"askd/cmd/help"
)

// TestHelp: what askd says of itself fits 80 columns and shows how it is started.
func TestHelp(t *testing.T) {
	root := command()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Hidden {
			continue
		}
		var out strings.Builder
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > help.Columns+1 {
				t.Errorf("%s: %q is too long", cmd.CommandPath(), line)
			}
		}
		for _, part := range []string{"Examples:\n  " + cmd.CommandPath(), "--socket PATH", "--allow-uid IDS"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: %q is not in\n%s", cmd.CommandPath(), part, out.String())
			}
		}
	}
}
