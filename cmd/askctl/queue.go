package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"

	"askd/broker"
)

// marks say how a form stands, as the pane's inbox draws it.
var marks = []struct {
	mark  string
	style style
	words string
	fits  func(r *broker.RequestSummary) bool
}{
	{"⏸", yellow, "deferred by the person", func(r *broker.RequestSummary) bool { return r.Status == broker.Deferred }},
	{"◌", dim, "its branch is not open", func(r *broker.RequestSummary) bool { return r.Status == broker.Parked }},
	{"●", cyan, "the agent stands still", func(r *broker.RequestSummary) bool { return r.StandsStill }},
	{"○", plain, "its asker has gone", func(r *broker.RequestSummary) bool { return !r.AskerOnline || r.Status == broker.Interrupted }},
	{"○", plain, "the agent goes on working", func(*broker.RequestSummary) bool { return true }},
}

// inboxOrder are the groups of the pane's inbox, in its order.
var inboxOrder = []broker.Status{broker.Waiting, broker.Interrupted, broker.Deferred, broker.Parked}

// asInInbox puts forms in the order of the pane's inbox; within a group the queue's order stays.
func asInInbox(requests []broker.RequestSummary) []broker.RequestSummary {
	out := slices.Clone(requests)
	slices.SortStableFunc(out, func(a, b broker.RequestSummary) int {
		return slices.Index(inboxOrder, a.Status) - slices.Index(inboxOrder, b.Status)
	})
	return out
}

func (a *app) queueVerb() *cobra.Command {
	var all, watch bool
	var session string
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "List the forms that wait, in the order in which they are shown",
		Long: `List the forms that wait, in the order in which they are shown: those whose agent
stands still come first, then the others, first come first served. As in the pane's inbox, those
whose asker was killed come after them, and those that are deferred last; # is the place in
askd's queue, which they keep.

--watch shows the list again whenever it changes, until Ctrl+C: redrawn in place on a
terminal; with --json one array a line. A session that has not asked yet is waited for.

--json prints the list as askd gives it (an array of RequestSummary).
Without a running askd its data file is read directly.`,
		Example: `askctl queue
askctl queue --watch --session shop`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				if all {
					return usagef(cmd, "--watch follows what waits, it does not go with --all")
				}
				return a.watchQueue(cmd.Context(), session)
			}
			return a.listQueue(cmd.Context(), session, all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also forms whose session's branch is not open")
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show the list again whenever it changes")
	cmd.Flags().StringVar(&session, "session", "", "only the forms of this session: its `ID`, the beginning or end of it, or its name")
	a.completeFlag(cmd, "session", a.completeSessions)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) listQueue(ctx context.Context, session string, all bool) error {
	l, err := a.reach(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if session, err = l.anySession(ctx, session); err != nil {
		return err
	}
	params := map[string]any{"all": all}
	if session != "" {
		params["session"] = session
	}
	var result struct {
		Requests json.RawMessage `json:"requests"`
	}
	if err := l.ask(ctx, "queue.list", params, &result); err != nil {
		return err
	}
	return a.showQueue(result.Requests)
}

func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, for programs")
}

func (a *app) showQueue(raw json.RawMessage) error {
	if a.json {
		return a.out.writeJSON(raw)
	}
	var requests []broker.RequestSummary
	if err := json.Unmarshal(raw, &requests); err != nil {
		return fmt.Errorf("read the queue: %w", tooOld(err))
	}
	if len(requests) == 0 {
		a.out.printf("Nothing is waiting.\n")
		return nil
	}
	requests = asInInbox(requests)
	a.queueTable(requests).write(a.out)
	if a.out.width > 0 {
		a.out.printf("\n%s\n", a.out.paint(dim, legend(requests, a.out.width)))
	}
	return nil
}

func (a *app) queueTable(requests []broker.RequestSummary) *table {
	t := &table{columns: []column{
		{head: "#", right: true},
		{head: ""},
		{head: "SESSION", min: 10},
		{head: "AGE", right: true},
		{head: "FORM", min: 12, loose: true},
		{head: "REQUEST", below: true},
	}}
	for i := range requests {
		r := &requests[i]
		m := markOf(r)
		t.add(
			cell{position(r), plain},
			cell{marks[m].mark, marks[m].style},
			cell{a.out.line(sessionName(r)), hueStyle(r.Hue)},
			cell{age(a.now().Sub(r.CreatedAt)), plain},
			cell{a.out.line(formName(r) + a.left(r)), plain},
			cell{a.out.line(r.RequestID), dim},
		)
	}
	return t
}

func markOf(r *broker.RequestSummary) int {
	for i := range marks {
		if marks[i].fits(r) {
			return i
		}
	}
	return len(marks) - 1
}

// legend explains the marks that the table has used, on one line where that fits.
func legend(requests []broker.RequestSummary, width int) string {
	used := map[int]bool{}
	for i := range requests {
		used[markOf(&requests[i])] = true
	}
	var parts []string
	for i, m := range slices.Backward(marks) {
		if used[i] {
			parts = append(parts, m.mark+" "+m.words)
		}
	}
	line := strings.Join(parts, "  ")
	if uniseg.StringWidth(line) > width {
		return strings.Join(parts, "\n")
	}
	return line
}

func position(r *broker.RequestSummary) string {
	if r.Position == 0 {
		return "-"
	}
	return strconv.Itoa(r.Position)
}

func sessionName(r *broker.RequestSummary) string {
	name := r.SessionName
	if name == "" {
		name = r.Session
	}
	if r.Host != "" {
		name += "@" + r.Host
	}
	if !r.AskerOnline {
		name += " (asker gone)"
	}
	return name
}

// left says how long a form with a deadline can still be answered.
func (a *app) left(r *broker.RequestSummary) string {
	if r.Deadline == nil {
		return ""
	}
	return " (" + age(r.Deadline.Sub(a.now())) + " left)"
}

// formName is the title of a form and the labels of its questions; labels that only number the questions say nothing.
func formName(r *broker.RequestSummary) string {
	labels := strings.Join(r.Labels, " · ")
	switch {
	case r.Title == "" && r.Subject != "", r.Title != "" && r.Subject == r.Title:
		return r.Subject
	case r.Title == "":
		return labels
	case labels == "":
		return r.Title
	}
	return r.Title + ": " + labels
}

// age is a time span as short as a person says it.
func age(d time.Duration) string {
	day := 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d/time.Second)))
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/day)
}

// forms counts forms in words.
func forms(n int) string {
	if n == 1 {
		return "1 form"
	}
	return strconv.Itoa(n) + " forms"
}
