package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"askd/broker/ask"
	"askd/config"
)

// askOptions are what a command line of ask says beside the questions.
type askOptions struct {
	quick       quickQuestion
	background  bool
	plain       bool
	sessionName string
	tool        string
	timeout     time.Duration // 0: none
}

func (a *app) askVerb() *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask FILE|-",
		Short: "Ask the person from a script and wait for the answer",
		Long: `Ask the person and wait for the answer. FILE, or the standard input for -, holds the
arguments of the tool ask_user as JSON:

  {"title": "Release", "questions": [{"id": "when", "prompt": "When?",
    "options": [{"value": "now", "label": "Now"},
                {"value": "later", "label": "Later"}]}]}

One quick question needs no file: --prompt with --option, --options, --confirm, --input or
--write.

It needs no terminal, so that it asks from git hooks and scheduled jobs too. An answer
that the flags do not allow, such as own words with --strict or more than --limit, is
asked again with a word on why.

With --tool ask_user_question the file holds that tool's arguments, and the answer is
what that tool gives; its questions are named q1 to q4.

The answer to a file is printed as JSON, as the tool gives it to agents. The answer to
a quick question is printed plain: each chosen value on a line of its own. --json and
--plain change that; with several questions each plain line begins with the
question's id and a tab.

--background prints the receipt instead of waiting; askctl wait ID waits later. Ctrl+C
and --timeout take the question back. It waits on when askd is stopped and comes back.

Exit codes: 0 answered, 4 cancelled, 5 sent without an answer or skipped, 6 nobody
answered in time, 1 it failed, 2 the command line or the questions were wrong, 3 no askd
answers. With --confirm 0 is yes, 1 is no, and what failed is 7.`,
		Example: `askctl ask --prompt 'Deploy?' --option yes --option no='Not today'
git branch --format='%(refname:short)' |
  askctl ask --prompt 'Which?' --options - --multi
askctl ask --prompt 'Push to main?' --confirm --default no && git push
askctl ask --prompt 'Subject?' --input --placeholder 'what changes'
askctl ask questions.json --background`,
		Args: func(cmd *cobra.Command, args []string) error { return o.check(cmd, args, a.json) },
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if o.timeout > 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, o.timeout)
				defer stop()
			}
			arguments, err := a.arguments(args, &o)
			if err != nil {
				return err
			}
			for _, words := range misspelt(o.tool, arguments) {
				a.errors.printf("askctl: %s\n", a.errors.line(words))
			}
			s, err := a.asking(arguments, &o, a.json || len(args) == 1 && !o.plain)
			if err != nil {
				return err
			}
			return o.quick.apart(s.run(ctx))
		},
	}
	o.quick.add(cmd.Flags())
	cmd.Flags().BoolVarP(&o.background, "background", "b", false, "print the receipt at once instead of waiting")
	cmd.Flags().BoolVar(&o.plain, "plain", false, "print the chosen values, one a line")
	cmd.Flags().StringVar(&o.tool, "tool", ask.ToolAskUser, "the `TOOL` that FILE holds the arguments of: ask_user or ask_user_question")
	a.completeFlag(cmd, "tool", cobra.FixedCompletions(tools, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&o.sessionName, "session-name", "", "the `NAME` that the person sees as the asker (default the folder's name)")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "take the question back after this `TIME`, such as 90s or 10m, and exit with 6")
	a.completeFlag(cmd, "default", cobra.FixedCompletions([]string{yes, no}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&a.json, "json", false, "print the answer as JSON")
	return cmd
}

func (o *askOptions) check(cmd *cobra.Command, args []string, wantJSON bool) error {
	quick := quickUsed(cmd)
	switch {
	case len(args) > 1:
		return usagef(cmd, "unexpected argument %q", args[1])
	case len(args) == 1 && quick:
		return usagef(cmd, "ask the questions of %s or a quick one with --prompt, not both", args[0])
	case len(args) == 0 && !quick:
		return usagef(cmd, "nothing to ask: name a file, - for the standard input, or use --prompt and --option")
	case !slices.Contains(tools, o.tool):
		return usagef(cmd, "--tool %q: there is %s", o.tool, strings.Join(tools, " and "))
	case o.tool == ask.ToolQuestion && len(args) == 0:
		return usagef(cmd, "a quick question is one of ask_user: name a file for --tool %s", o.tool)
	case o.tool == ask.ToolQuestion && o.background:
		return usagef(cmd, "%s has no background: its asker waits", o.tool)
	case o.timeout < 0 || o.timeout == 0 && cmd.Flags().Changed("timeout"):
		return usagef(cmd, "--timeout is a time above zero, such as 90s or 10m")
	case o.background && (o.timeout > 0 || o.quick.confirm || o.quick.limit > 0 || o.quick.strict || o.quick.input):
		return usagef(cmd, "--background does not wait: --timeout, --confirm, --limit, --strict and --input need the answer")
	case o.plain && wantJSON:
		return usagef(cmd, "--plain and --json exclude each other")
	case len(args) == 0:
		return o.quick.check(cmd)
	}
	return nil
}

// arguments gives what is to be asked as the tool takes it.
func (a *app) arguments(args []string, o *askOptions) (ask.Map[json.RawMessage], error) {
	var out ask.Map[json.RawMessage]
	var raw []byte
	var err error
	if len(args) == 1 {
		raw, err = a.readWhole("questions", args[0])
	} else {
		raw, err = a.quickArguments(&o.quick)
	}
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, &exitError{exitUsage, fmt.Sprintf("the questions are not a JSON object: %v: see askctl ask --help for what one looks like", err), err}
	}
	if o.background {
		out.Set("background", json.RawMessage("true"))
	}
	return out, nil
}

// readWhole reads a file, or the standard input for -. what names its content in errors.
func (a *app) readWhole(what, name string) ([]byte, error) {
	r := a.in.r
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, &exitError{exitUsage, fmt.Sprintf("read the %s: %v: name a file that is there", what, err), err}
		}
		defer f.Close()
		r = f
	}
	raw, err := io.ReadAll(io.LimitReader(r, config.MaxLineIn+1))
	switch {
	case err != nil:
		return nil, &exitError{exitUsage, fmt.Sprintf("read the %s: %v: name a file that can be read", what, err), err}
	case len(raw) > config.MaxLineIn:
		return nil, &exitError{code: exitUsage, text: fmt.Sprintf("the %s are longer than %d MiB: shorten them", what, config.MaxLineIn>>20)}
	}
	return raw, nil
}
