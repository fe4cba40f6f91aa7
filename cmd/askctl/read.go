package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"askd/broker/ask"
	"askd/journal/export"
)

func (a *app) readVerb() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "read REQUEST QUESTION",
		Short: "Read one question whole: context, options, answer, notes",
		Long: `Read one question whole: its context and options, how it ended, the answer and its
notes, when and by which way it came. REQUEST is a request id, or its beginning or
end, at least six characters; askctl history lists both. REQUEST/QUESTION is the same.

--json prints the question as a line of askctl export --format jsonl has it, images
included. Without a running askd its data file is read directly.`,
		Example: `askctl read 2b7e0a11 db
askctl read 2b7e0a11/db --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(readKey(args)) != 2 {
				return usagef(cmd, "name one question by its request id and its own, `askctl history` lists them")
			}
			return nil
		},
		ValidArgsFunction: a.completeQuestions,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = readKey(args)
			l, err := a.reach(cmd.Context())
			if err != nil {
				return err
			}
			defer l.close()
			return a.read(cmd.Context(), l, args[0], args[1], session)
		},
	}
	a.sessionFlag(cmd, &session)
	a.jsonFlag(cmd)
	return cmd
}

// readKey takes one word for a request and a question apart.
func readKey(args []string) []string {
	if len(args) != 1 {
		return args
	}
	request, question, ok := cutKey(args[0])
	if !ok {
		return args
	}
	return []string{request, question}
}

func (a *app) read(ctx context.Context, l *link, id, question, session string) error {
	session, err := l.anySession(ctx, session)
	if err != nil {
		return err
	}
	f, err := l.past(ctx, id, session)
	if err != nil {
		return err
	}
	n, err := f.number(question)
	if err != nil {
		return err
	}
	f.keep([]string{question})
	if a.json {
		return a.questionJSON(f)
	}
	a.drawHead(f)
	a.out.printf("\n")
	a.drawQuestion(&f.Request.Questions[0], n)
	a.drawDraft(f)
	a.drawOutcome(f.Outcome)
	a.drawImages(f)
	return nil
}

// number is the 1-based place of a question in its form.
func (f *form) number(question string) (int, error) {
	i := slices.IndexFunc(f.Request.Questions, func(q ask.Question) bool { return q.ID == question })
	if i < 0 {
		return 0, &exitError{code: exitFailed, text: fmt.Sprintf("request %s has no question %q, it has %s", f.Request.ID, question, questionIDs(f.Request))}
	}
	return i + 1, nil
}

// keep drops all questions but the named ones from a form, and what was said to them.
func (f *form) keep(ids []string) {
	other := func(id string) bool { return !slices.Contains(ids, id) }
	f.Request.Questions = slices.DeleteFunc(f.Request.Questions, func(q ask.Question) bool { return other(q.ID) })
	if f.Draft != nil {
		f.Draft.Questions = slices.DeleteFunc(f.Draft.Questions, func(q ask.QuestionDraft) bool { return other(q.ID) })
		if f.Draft.Editor != nil && other(f.Draft.Editor.Question) {
			f.Draft.Editor = nil
		}
		if len(f.Draft.Questions) == 0 && f.Draft.Editor == nil {
			f.Draft = nil
		}
	}
	if f.Outcome == nil || f.Outcome.Result == nil {
		return
	}
	r := f.Outcome.Result
	r.Questions = slices.DeleteFunc(r.Questions, func(q ask.ResultQuestion) bool { return other(q.ID) })
	r.SkippedQuestionIDs = slices.DeleteFunc(r.SkippedQuestionIDs, other)
	var answers ask.Map[ask.Answer]
	for id, answer := range r.Answers.All() {
		if !other(id) {
			answers.Set(id, answer)
		}
	}
	r.Answers = answers
}

// record is the form as exports take it.
func (f *form) record() ask.Record {
	return ask.Record{Request: f.Request, Outcome: f.Outcome, Draft: f.Draft}
}

func (a *app) questionJSON(f *form) error {
	var line bytes.Buffer
	err := export.JSONLines(&line, func(yield func(ask.Record, error) bool) { yield(f.record(), nil) })
	if err != nil {
		return fmt.Errorf("write the question: %w", err)
	}
	return a.out.writeJSON(json.RawMessage(line.Bytes()))
}

// drawImages names the images of an answer: a terminal gets no bytes of them.
func (a *app) drawImages(f *form) {
	rec := f.record()
	n := 0
	for _, h := range rec.History() {
		about := ""
		for _, b := range h.Images() {
			if b.Type == "text" {
				about = b.Text
				continue
			}
			n++
			a.out.printf("  %s: %s, %s\n", a.out.line(strings.TrimSuffix(about, ":")), a.out.line(b.MimeType), size(int64(len(b.Data))*3/4))
		}
	}
	if n > 0 {
		a.out.printf("  %s\n", a.out.paint(dim, "askctl export and --json have the images themselves"))
	}
}
