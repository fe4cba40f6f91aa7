package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

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
}

func (a *app) askVerb() *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask FILE|-",
		Short: "Ask the person from a script and wait for the answer",
		Long: `Ask the person and wait for the answer. FILE, or the standard input for -, holds the
arguments of the tool ask_user as JSON:

  {"title": "Release", "questions": [{"id": "when", "prompt": "When?",
    "options": [{"value": "now", "label": "Now"}, {"value": "later", "label": "Later"}]}]}

One quick question needs no file:

  askctl ask --prompt 'Deploy to production?' --option yes --option no='Not today'

With --tool ask_user_question the file holds that tool's arguments, and the answer is
what that tool gives; its questions are named q1 to q4.

The answer to a file is printed as JSON, as the tool gives it to agents. The answer to
a quick question is printed plain: each chosen value on a line of its own. --json and
--plain change that; with several questions each plain line begins with the
question's id and a tab.

--background prints the receipt instead of waiting; askctl wait ID waits later. Ctrl+C
takes the question back. It waits on when askd is stopped and comes back.

Exit codes: 0 answered, 4 cancelled, 5 sent without an answer or skipped, 1 it failed,
2 the command line or the questions were wrong, 3 no askd answers.`,
		Args: func(cmd *cobra.Command, args []string) error { return o.check(cmd, args, a.json) },
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := a.arguments(args, &o)
			if err != nil {
				return err
			}
			s, err := a.asking(arguments, &o, a.json || len(args) == 1 && !o.plain)
			if err != nil {
				return err
			}
			return s.run(cmd.Context())
		},
	}
	o.quick.add(cmd.Flags())
	cmd.Flags().BoolVarP(&o.background, "background", "b", false, "print the receipt at once instead of waiting")
	cmd.Flags().BoolVar(&o.plain, "plain", false, "print the chosen values, one a line")
	cmd.Flags().StringVar(&o.tool, "tool", ask.ToolAskUser, "the `TOOL` that FILE holds the arguments of: ask_user or ask_user_question")
	a.completeFlag(cmd, "tool", cobra.FixedCompletions(tools, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&o.sessionName, "session-name", "", "what the person sees as the asker (default the folder's name)")
	cmd.Flags().BoolVar(&a.json, "json", false, "print the answer as JSON")
	return cmd
}

func (o *askOptions) check(cmd *cobra.Command, args []string, wantJSON bool) error {
	switch {
	case len(args) > 1:
		return usagef(cmd, "unexpected argument %q", args[1])
	case len(args) == 1 && o.quick.used():
		return usagef(cmd, "ask the questions of %s or a quick one with --prompt, not both", args[0])
	case len(args) == 0 && !o.quick.used():
		return usagef(cmd, "nothing to ask: name a file, - for the standard input, or use --prompt and --option")
	case !slices.Contains(tools, o.tool):
		return usagef(cmd, "--tool %q: there is %s", o.tool, strings.Join(tools, " and "))
	case o.tool == ask.ToolQuestion && len(args) == 0:
		return usagef(cmd, "a quick question is one of ask_user: name a file for --tool %s", o.tool)
	case o.tool == ask.ToolQuestion && o.background:
		return usagef(cmd, "%s has no background: its asker waits", o.tool)
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
	raw, err := o.quick.arguments()
	if len(args) == 1 {
		raw, err = a.readQuestions(args[0])
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

// readQuestions reads a file, or the standard input.
func (a *app) readQuestions(name string) ([]byte, error) {
	r := a.in.r
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, &exitError{exitUsage, fmt.Sprintf("read the questions: %v: name a file that is there", err), err}
		}
		defer f.Close()
		r = f
	}
	raw, err := io.ReadAll(io.LimitReader(r, config.MaxLineIn+1))
	switch {
	case err != nil:
		return nil, &exitError{exitUsage, fmt.Sprintf("read the questions: %v: name a file that can be read", err), err}
	case len(raw) > config.MaxLineIn:
		return nil, &exitError{code: exitUsage, text: fmt.Sprintf("the questions are longer than %d MiB: shorten them", config.MaxLineIn>>20)}
	}
	return raw, nil
}
