package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/ask"
	"askd/journal/export"
)

// exportOptions are the flags of export.
type exportOptions struct {
	historyFilter
	format string
	keys   []string
}

func (a *app) exportVerb() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export PATH",
		Short: "Write questions and answers to a new file, Markdown or JSON Lines",
		Long: `Write questions and answers to a new file, as Markdown for people or JSON Lines for
programs, the oldest first, images included. The file is readable by you alone; one
that is there already is never replaced. Forms are written whole when one of their
questions fits; --keys names single questions instead.

--json prints {path, count} or, with --keys, {path, keys}. Where nothing fits no file is
written and the exit code is 1. Without a running askd its data file is read directly.`,
		Example: `askctl export answers.md --since 30d
askctl export two.md --keys 2b7e0a11/db --keys 2b7e0a11/keep
askctl export answers.jsonl --format jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || ask.Blank(args[0]) {
				return usagef(cmd, "name the file to write")
			}
			if args[0] == "-" { // text that nobody has cleaned for a terminal
				return usagef(cmd, "an export is a file, since it has every text as it was written: name one; `askctl history --json` prints")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := o.check(cmd, a)
			if err != nil {
				return err
			}
			if p.Path, err = a.absolute(args[0]); err != nil {
				return err
			}
			return a.export(cmd, p, &o)
		},
	}
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.format, "format", string(export.FormatMarkdown), "the `FORMAT` of the file, markdown or jsonl")
	cmd.Flags().StringArrayVar(&o.keys, "keys", nil, "only this question, as `REQUEST/QUESTION` or with a blank between; again for several")
	a.completeFlag(cmd, "session", a.completeSessions)
	a.completeFlag(cmd, "format", cobra.FixedCompletions([]cobra.Completion{string(export.FormatMarkdown), string(export.FormatJSONLines)}, cobra.ShellCompDirectiveNoFileComp))
	a.jsonFlag(cmd)
	return cmd
}

func (o *exportOptions) check(cmd *cobra.Command, a *app) (broker.HistoryParams, error) {
	p, err := o.params(cmd, a.now())
	format := export.Format(o.format)
	switch {
	case err != nil:
		return p, err
	case format != export.FormatMarkdown && format != export.FormatJSONLines:
		return p, usagef(cmd, "--format %q: there is markdown and jsonl", o.format)
	case len(o.keys) > 0 && (o.query != "" || o.since != "" || o.until != ""):
		return p, usagef(cmd, "--keys names the questions, it does not go with --query, --since and --until")
	}
	p.Format = o.format
	return p, nil
}

// absolute is a path as askd can use it: it does not know the folder that askctl runs in.
func (a *app) absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	dir, err := a.getwd()
	if err != nil {
		return "", fmt.Errorf("the folder of %s: %w: name it with a path that starts with /", path, err)
	}
	return filepath.Join(dir, path), nil
}

func (a *app) export(cmd *cobra.Command, p broker.HistoryParams, o *exportOptions) error {
	ctx := cmd.Context()
	keys, err := parseKeys(cmd, o.keys)
	if err != nil {
		return err
	}
	l, err := a.reach(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if p.Session, err = l.anySession(ctx, p.Session); err != nil {
		return err
	}
	if len(keys) > 0 {
		return a.exportKeys(ctx, l, p, keys)
	}
	if err := a.writesHere(l, "export"); err != nil {
		return err
	}
	if err := a.anything(ctx, l, p, o); err != nil {
		return err
	}
	var done broker.Exported
	if err := a.long(ctx, l, "history.export", p, &done, grown(p.Path)); err != nil {
		return err
	}
	if a.json {
		return a.out.writeJSON(done)
	}
	a.out.printf("Wrote %s to %s.\n", forms(done.Count), a.out.line(done.Path))
	return nil
}

// anything refuses to write a file in which nothing would stand.
func (a *app) anything(ctx context.Context, l *link, p broker.HistoryParams, o *exportOptions) error {
	var page listing
	p.Path, p.Format, p.Limit = "", "", 1
	if err := a.long(ctx, l, "history.list", p, &page, nil); err != nil || page.Total > 0 {
		return err
	}
	if o.none() {
		return &exitError{code: exitFailed, text: "nothing has been asked yet, so nothing was written"}
	}
	return &exitError{code: exitFailed, text: "no question fits, so nothing was written: `askctl history` with the same flags shows what fits"}
}

// parseKeys reads keys as a command line has them. A request id has no slash, a question id may.
func parseKeys(cmd *cobra.Command, words []string) ([]ask.HistoryKey, error) {
	keys := make([]ask.HistoryKey, len(words))
	for i, word := range words {
		request, question, ok := cutKey(word)
		if !ok {
			return nil, usagef(cmd, "--keys %q: write it as REQUEST/QUESTION, `askctl history` lists both", word)
		}
		keys[i] = ask.HistoryKey{RequestID: request, QuestionID: question}
	}
	return keys, nil
}

// cutKey reads REQUEST/QUESTION, also with the blank that a line of the history has between them.
func cutKey(word string) (request, question string, ok bool) {
	i := strings.IndexAny(word, "/ ")
	if i <= 0 || i == len(word)-1 {
		return "", "", false
	}
	return word[:i], word[i+1:], true
}

// exportKeys writes single questions, each once, the oldest first. Before anything is written all of them were found.
func (a *app) exportKeys(ctx context.Context, l *link, p broker.HistoryParams, keys []ask.HistoryKey) error {
	forms, err := l.chosen(ctx, keys, p.Session)
	if err != nil {
		return err
	}
	records := func(yield func(ask.Record, error) bool) {
		for _, f := range forms {
			if !yield(f.record(), nil) {
				return
			}
		}
	}
	if err := export.Write(p.Path, records, export.Format(p.Format)); err != nil {
		return fmt.Errorf("%w: nothing was left behind; choose another path", err)
	}
	done := struct {
		Path string           `json:"path"`
		Keys []ask.HistoryKey `json:"keys"`
	}{Path: p.Path}
	for _, f := range forms {
		for i := range f.Request.Questions {
			done.Keys = append(done.Keys, ask.HistoryKey{RequestID: f.Request.ID, QuestionID: f.Request.Questions[i].ID})
		}
	}
	if a.json {
		return a.out.writeJSON(done)
	}
	a.out.printf("Wrote %s to %s.\n", questions(len(done.Keys)), a.out.line(done.Path))
	return nil
}

// chosen gives the forms of the keys in the order asked, with the named questions alone.
func (l *link) chosen(ctx context.Context, keys []ask.HistoryKey, session string) ([]*form, error) {
	found := map[ask.Key]*form{}
	wanted := map[ask.Key][]string{}
	for _, k := range keys {
		f, err := l.past(ctx, k.RequestID, session)
		if err != nil {
			return nil, err
		}
		if _, err := f.number(k.QuestionID); err != nil {
			return nil, err
		}
		found[f.key()] = f
		wanted[f.key()] = append(wanted[f.key()], k.QuestionID)
	}
	var out []*form
	for k, f := range found {
		f.keep(wanted[k])
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *form) int {
		return cmp.Or(a.Request.CreatedAt.Compare(b.Request.CreatedAt), cmp.Compare(a.Request.ID, b.Request.ID), cmp.Compare(a.Request.Session, b.Request.Session))
	})
	return out, nil
}
