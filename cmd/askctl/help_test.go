package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"askd/cmd/help"
)

// plainTypes are what a flag's value is called when nobody has named it.
var plainTypes = regexp.MustCompile(`--[a-z-]+ (string|int|ints|uint|duration|stringArray|strings)\b`)

// TestHelp reads the help of every command as a newcomer does: it fits 80 columns, says what each flag is and shows how it is done.
func TestHelp(t *testing.T) {
	a := &app{}
	root := a.root()
	root.InitDefaultHelpCmd()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		t.Run(cmd.CommandPath(), func(t *testing.T) { readHelp(t, cmd) })
		for _, c := range cmd.Commands() {
			if c.Name() != "help" {
				walk(c)
			}
		}
	}
	walk(root)
}

func readHelp(t *testing.T, cmd *cobra.Command) {
	var out strings.Builder
	cmd.SetOut(&out)
	if err := cmd.Help(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := uniseg.StringWidth(strings.TrimSuffix(line, "\n")); n > help.Columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if m := plainTypes.FindString(out.String()); m != "" {
		t.Errorf("%s does not say what the value is", m)
	}
	if !sentence(cmd.Short) {
		t.Errorf("short text %q: a capital letter and no full stop", cmd.Short)
	}
	if cmd.HasSubCommands() && cmd.HasParent() {
		return // it does nothing itself
	}
	if !strings.HasPrefix(cmd.Example, "  ") || !strings.Contains(cmd.Example, cmd.CommandPath()) {
		t.Errorf("the example does not call it: %q", cmd.Example)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
			t.Errorf("--%s is explained by %q", f.Name, f.Usage)
		}
	})
}

func sentence(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !strings.HasSuffix(s, ".")
}
