package help

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestLay(t *testing.T) {
	root := &cobra.Command{
		Use: "program", Short: "Do something", Run: func(*cobra.Command, []string) {},
		Long:    "One\nparagraph " + strings.Repeat("of many words ", 8) + "\n\n  kept   as it is\n\nThe end.",
		Example: "program --flag\nprogram",
	}
	root.Flags().String("flag", "", "a `WORD` that "+strings.Repeat("says much and ", 8)+"ends")
	sub := &cobra.Command{Use: "sub", Short: "Do less", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(sub)
	Lay(root)
	var out strings.Builder
	root.SetOut(&out)
	if err := root.Help(); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"One paragraph of many", "\n\n  kept   as it is\n\nThe end.", "Examples:\n  program --flag\n  program\n", "--flag WORD   a WORD that says"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > Columns+1 {
			t.Errorf("too long: %q", line)
		}
	}
	if sub.Long != "Do less." {
		t.Errorf("of a command with a short text alone: %q", sub.Long)
	}
}
