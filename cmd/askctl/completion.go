package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are the shells that askctl writes completions for.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash": func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":  func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
	"fish": func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
}

func (a *app) completionVerb() *cobra.Command {
	names := []string{"bash", "fish", "zsh"}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Print the completions of a shell",
		Long: `Print the completions of a shell. Load them for the running shell as in the
examples, or write them to the folder from which your shell loads completions.`,
		Example: `source <(askctl completion bash)
source <(askctl completion zsh)
askctl completion fish | source`,
		ValidArgs: names,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(names, args[0]) {
				return usagef(cmd, "name one shell: %s", strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return shells[args[0]](cmd.Root(), a.out)
		},
	}
}
