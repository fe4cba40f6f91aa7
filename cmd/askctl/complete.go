package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/tool"
)

// completeWithin is how long a shell waits for askd before it offers nothing.
const completeWithin = time.Second

// completer offers what may follow on a command line.
type completer = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// completeFlag ties a completer to a flag that the command has.
func (a *app) completeFlag(cmd *cobra.Command, flag string, c completer) {
	if err := cmd.RegisterFlagCompletionFunc(flag, c); err != nil {
		panic(err) // the flag does not exist: found by any test that runs askctl
	}
}

// completeRequests offers the ids of the forms that wait.
func (a *app) completeRequests(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(cmd.Context(), typed, func(r *broker.RequestSummary) (id, about string) {
		return r.RequestID, sessionName(r) + ": " + formName(r)
	})
}

// completeQuestions offers the newest requests of the history, then the questions of the one that was named.
func (a *app) completeQuestions(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
	defer cancel()
	p := broker.HistoryParams{All: true, Newest: true, Limit: 50}
	if len(args) == 1 {
		p.Query = args[0]
	}
	var page tool.HistoryList
	if len(args) > 1 || a.ask(ctx, "history.list", p, &page) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.offer(len(page.Records), typed, func(i int) (id, about string) {
		r := &page.Records[i]
		switch {
		case len(args) == 0:
			return r.RequestID, minute(r.CreatedAt) + " " + r.Label + ": " + r.Prompt
		case strings.HasPrefix(r.RequestID, args[0]), strings.HasSuffix(r.RequestID, args[0]):
			return r.QuestionID, r.Label + ": " + r.Prompt
		}
		return "", ""
	})
}

// completeSessions offers the ids of the sessions that have forms.
func (a *app) completeSessions(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.complete(cmd.Context(), typed, func(r *broker.RequestSummary) (id, about string) {
		return r.Session, sessionName(r)
	})
}

func (a *app) complete(ctx context.Context, typed string, word func(*broker.RequestSummary) (id, about string)) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()
	var result struct {
		Requests []broker.RequestSummary `json:"requests"`
	}
	if err := a.ask(ctx, "queue.list", map[string]bool{"all": true}, &result); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.offer(len(result.Requests), typed, func(i int) (id, about string) { return word(&result.Requests[i]) })
}

// offer gives each of n words that begins with what is typed, once.
func (a *app) offer(n int, typed string, word func(i int) (id, about string)) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	seen := map[string]bool{}
	for i := range n {
		id, about := word(i)
		if strings.HasPrefix(id, typed) && harmless(id) && !seen[id] {
			seen[id] = true
			out = append(out, cobra.CompletionWithDesc(id, a.out.line(about)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// harmless reports whether a shell takes an id as one plain word. Ids come from clients.
func harmless(id string) bool {
	return id != "" && id[0] != '-' && !strings.ContainsFunc(id, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", r)
	})
}
