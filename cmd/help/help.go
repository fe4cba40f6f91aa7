// Package help lays out what askd and askctl say of themselves, alike and for a terminal of 80 columns.
package help

import (
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
)

// Columns is how wide a line of help is at most.
const Columns = 80

// Lay fills the prose of a program's commands to Columns and has their flags wrapped there. Lines that begin with a blank, such
// as those of an example, stay as they are. To be called once, when the program has all of its commands.
func Lay(root *cobra.Command) {
	wrapped := " | trimTrailingWhitespaces"
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages"+wrapped, "FlagUsagesWrapped "+strconv.Itoa(Columns)+wrapped))
	each(root, func(cmd *cobra.Command) {
		if cmd.Long == "" {
			cmd.Long = cmd.Short + "."
		}
		cmd.Long = fill(cmd.Long)
		if cmd.Example != "" {
			cmd.Example = "  " + strings.ReplaceAll(strings.Trim(cmd.Example, "\n"), "\n", "\n  ")
		}
	})
}

func each(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		each(c, do)
	}
}

// fill joins the lines of each paragraph and breaks them anew.
func fill(text string) string {
	var out, words []string
	flush := func() {
		line := ""
		for _, w := range words {
			if line != "" && uniseg.StringWidth(line)+1+uniseg.StringWidth(w) > Columns {
				out, line = append(out, line), ""
			}
			line = strings.TrimPrefix(line+" "+w, " ")
		}
		if line != "" {
			out = append(out, line)
		}
		words = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == ' ' {
			flush()
			out = append(out, line)
			continue
		}
		words = append(words, strings.Fields(line)...)
	}
	flush()
	return strings.Join(out, "\n")
}
