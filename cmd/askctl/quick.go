package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"askd/broker/ask"
)

// quickID is the id of the only question of a quick form.
const quickID = "answer"

// quickQuestion is one question that is given by flags. The zero value is none.
type quickQuestion struct {
	prompt, title, context string
	options                []string
	multi                  bool
}

func (q *quickQuestion) add(flags *pflag.FlagSet) {
	flags.StringVar(&q.prompt, "prompt", "", "the question")
	flags.StringArrayVar(&q.options, "option", nil, "an option as `VALUE[=LABEL]`; again for each")
	flags.BoolVar(&q.multi, "multi", false, "several options may be chosen")
	flags.StringVar(&q.title, "title", "", "a title above the question")
	flags.StringVar(&q.context, "context", "", "text to read beside the options, or the absolute path of a text file")
}

func (q *quickQuestion) used() bool {
	return q.prompt != "" || len(q.options) > 0 || q.multi || q.title != "" || q.context != ""
}

func (q *quickQuestion) check(cmd *cobra.Command) error {
	switch {
	case ask.Blank(q.prompt):
		return usagef(cmd, "a quick question needs its text: --prompt")
	case len(q.options) == 0:
		return usagef(cmd, "a quick question needs at least one --option; an answer in own words is always possible")
	}
	return nil
}

// arguments writes the question as the tool takes it. A label that is not given is the value itself.
func (q *quickQuestion) arguments() ([]byte, error) {
	kind := ask.Single
	if q.multi {
		kind = ask.Multi
	}
	var options []map[string]string
	for _, o := range q.options {
		value, label, _ := strings.Cut(o, "=")
		if label == "" {
			label = value
		}
		options = append(options, map[string]string{"value": value, "label": label})
	}
	question := map[string]any{"id": quickID, "prompt": q.prompt, "type": kind, "options": options}
	if q.context != "" {
		question["context"] = q.context
	}
	arguments := map[string]any{"questions": []any{question}}
	if q.title != "" {
		arguments["title"] = q.title
	}
	return json.Marshal(arguments)
}
