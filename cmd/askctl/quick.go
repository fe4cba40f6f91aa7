package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"askd/broker"
	"askd/broker/ask"
)

// quickID is the id of the only question of a quick form.
const quickID = "answer"

// The options of a question that is answered with yes or no.
const (
	yes = "yes"
	no  = "no"
)

// quickQuestion is one question that is given by flags. The zero value is none.
type quickQuestion struct {
	prompt, title, context string
	options                []string // VALUE[=LABEL]
	lines                  string   // the file with one option a line; - is the standard input
	multi, strict          bool
	limit                  int // 0: none
	selected               []string

	confirm                       bool
	affirmative, negative, preset string

	input, write, password bool
	placeholder, value     string
}

func (q *quickQuestion) add(flags *pflag.FlagSet) {
	flags.StringVar(&q.prompt, "prompt", "", "the question, a `TEXT`")
	flags.StringArrayVar(&q.options, "option", nil, "an option as `VALUE[=LABEL]`; again for each")
	flags.StringVar(&q.lines, "options", "", "take each line of `FILE`, or of the standard input for -, as an option")
	flags.BoolVar(&q.multi, "multi", false, "several options may be chosen")
	flags.IntVar(&q.limit, "limit", 0, "at most `N` options may be chosen; more are asked again")
	flags.StringArrayVar(&q.selected, "selected", nil, "an option `VALUE` that is selected to begin with; again for each")
	flags.BoolVar(&q.strict, "strict", false, "an answer has to be one of the options; own words are asked again")
	flags.StringVar(&q.title, "title", "", "a `TEXT` above the question")
	flags.StringVar(&q.context, "context", "", "a `TEXT` to read beside the options, or the absolute path of a text file")
	flags.BoolVar(&q.confirm, "confirm", false, "yes or no: the exit code is the answer")
	flags.StringVar(&q.affirmative, "affirmative", "Yes", "the `WORD` for yes")
	flags.StringVar(&q.negative, "negative", "No", "the `WORD` for no")
	flags.StringVar(&q.preset, "default", "", "the answer that is selected to begin with, `yes or no`")
	flags.BoolVar(&q.input, "input", false, "a line in the person's own words")
	flags.BoolVar(&q.write, "write", false, "text of several lines")
	flags.StringVar(&q.placeholder, "placeholder", "", "the `TEXT` that stands in the empty editor of --input and --write")
	flags.StringVar(&q.value, "value", "", "the `TEXT` that --input and --write begin with")
	flags.BoolVar(&q.password, "password", false, "refused: answers are kept on disk")
}

// quickFlags are the flags that only a quick question has.
var quickFlags = []string{
	"prompt", "option", "options", "multi", "limit", "selected", "strict", "title", "context", "confirm", "affirmative", "negative",
	"default", "input", "write", "placeholder", "value", "password",
}

func quickUsed(cmd *cobra.Command) bool {
	return slices.ContainsFunc(quickFlags, func(name string) bool { return cmd.Flags().Changed(name) })
}

// text reports whether the question is answered in own words alone.
func (q *quickQuestion) text() bool { return q.input || q.write }

// several reports whether more than one option may be chosen.
func (q *quickQuestion) several() bool { return q.multi || q.limit > 1 }

func (q *quickQuestion) check(cmd *cobra.Command) error {
	if q.password {
		return usagef(cmd, "askd keeps every answer on disk and shows it in its history: a secret is not for it. Read one on a terminal with `read -s`, or from a password manager")
	}
	for _, rule := range q.rules(cmd.Flags().Changed) {
		if rule.broken {
			return usagef(cmd, "%s", rule.words)
		}
	}
	return nil
}

// rule is something that a command line may not be.
type rule struct {
	broken bool
	words  string
}

func (q *quickQuestion) rules(given func(flag string) bool) []rule {
	choosing := given("option") || given("options") || given("multi") || given("limit") || given("selected") || given("strict")
	kinds := 0
	for _, k := range []bool{q.confirm, q.input, q.write, choosing} {
		if k {
			kinds++
		}
	}
	return []rule{
		{ask.Blank(q.prompt), "a quick question needs its text: --prompt"},
		{kinds > 1, "one of --confirm, --input, --write and the flags of a choice (--option, --options, --multi, --limit, --selected, --strict), not several"},
		{kinds == 0 || choosing && len(q.options) == 0 && q.lines == "", "a quick question needs at least one --option, or --options FILE, or one of --confirm, --input and --write"},
		{given("limit") && q.limit < 1, "--limit is a number from 1 on"},
		{q.multi && q.limit == 1, "--multi and --limit 1 exclude each other"},
		{!q.confirm && (given("affirmative") || given("negative") || given("default")), "--affirmative, --negative and --default belong to --confirm"},
		{q.confirm && (ask.Blank(q.affirmative) || ask.Blank(q.negative)), "--affirmative and --negative need a text"},
		{given("default") && q.preset != yes && q.preset != no, fmt.Sprintf("--default is yes or no, not %q", q.preset)},
		{!q.text() && (given("placeholder") || given("value")), "--placeholder and --value belong to --input and --write"},
		{q.input && strings.ContainsAny(q.value, "\r\n"), "the --value of --input is one line: use --write for several"},
	}
}

// readOptions adds the lines of a list to the options. A line is taken whole; empty ones and those that came before are
// passed over.
func (a *app) readOptions(q *quickQuestion) ([]map[string]string, error) {
	var out []map[string]string
	for _, o := range q.options {
		value, label, _ := strings.Cut(o, "=")
		if label == "" {
			label = value
		}
		out = append(out, map[string]string{"value": value, "label": label})
	}
	if q.lines == "" {
		return out, nil
	}
	raw, err := a.readWhole("options", q.lines)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, o := range out {
		seen[o["value"]] = true
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for lines.Scan() {
		line := ask.Trim(lines.Text())
		if line == "" || seen[line] {
			continue
		}
		seen[line] = true
		out = append(out, map[string]string{"value": line, "label": line})
	}
	if len(out) == 0 {
		return nil, &exitError{code: exitUsage, text: "there is nothing to choose from: every line of the options is empty"}
	}
	return out, nil
}

// quickArguments writes the question as the tool takes it. A label that is not given is the value itself.
func (a *app) quickArguments(q *quickQuestion) ([]byte, error) {
	question := map[string]any{"id": quickID, "prompt": q.prompt}
	switch {
	case q.text():
		question["input"], question["options"] = true, []any{}
		if q.placeholder != "" {
			question["placeholder"] = q.placeholder
		}
	case q.confirm:
		question["options"] = []map[string]string{{"value": yes, "label": q.affirmative}, {"value": no, "label": q.negative}}
	default:
		options, err := a.readOptions(q)
		if err != nil {
			return nil, err
		}
		for _, value := range q.selected {
			if !slices.ContainsFunc(options, func(o map[string]string) bool { return o["value"] == value }) {
				return nil, &exitError{code: exitUsage, text: fmt.Sprintf("--selected %q is none of the options: name the value of one", value)}
			}
		}
		question["options"] = options
	}
	if q.several() {
		question["type"] = ask.Multi
	}
	if q.context != "" {
		question["context"] = q.context
	}
	arguments := map[string]any{"questions": []any{question}}
	if q.title != "" {
		arguments["title"] = q.title
	}
	return json.Marshal(arguments)
}

// initial is what the form opens with; nil for an untouched one.
func (q *quickQuestion) initial() map[string]broker.Initial {
	var in broker.Initial
	switch {
	case q.text():
		in.CustomText = &q.value
	case q.preset != "":
		in.Values = []string{q.preset}
	case len(q.selected) > 0:
		in.Values = q.selected
	default:
		return nil
	}
	return map[string]broker.Initial{quickID: in}
}
