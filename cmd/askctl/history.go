package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"askd/broker"
	"askd/broker/ask"
)

// historyFilter is what a command line says of the questions that are wanted. The zero value wants all.
type historyFilter struct {
	query, session, since, until string
}

func (f *historyFilter) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.query, "query", "", "only what contains this `TEXT` anywhere, ids and answers included, in any case")
	flags.StringVar(&f.session, "session", "", "only this session: its `ID`, the beginning or end of it, or its name; of one that asked long ago the whole id")
	flags.StringVar(&f.since, "since", "", "only what was asked at this `TIME` or later: "+momentHelp)
	flags.StringVar(&f.until, "until", "", "only what was asked before this `TIME`")
}

func (f *historyFilter) none() bool { return *f == historyFilter{} }

// params writes the filter for askd.
func (f *historyFilter) params(cmd *cobra.Command, now time.Time) (broker.HistoryParams, error) {
	p := broker.HistoryParams{All: true, Session: f.session, Query: f.query}
	for _, bound := range []struct {
		flag, text string
		into       *string
	}{{"--since", f.since, &p.Since}, {"--until", f.until, &p.Until}} {
		if bound.text == "" {
			continue
		}
		t, err := moment(bound.text, now)
		if err != nil {
			return p, usagef(cmd, "%s: %v", bound.flag, err)
		}
		*bound.into = wireTime(t)
	}
	return p, nil
}

// historyOptions are the flags of history.
type historyOptions struct {
	historyFilter
	answered, all bool
	offset, limit int
}

func (a *app) historyVerb() *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history",
		Short: "List the questions that were asked, the newest first",
		Long: `List the questions that were asked, the newest first, answered or not, of all sessions
and tools. The last column is what askctl read and askctl export --keys take.

--json prints an array of {requestId, questionId, title, createdAt, background, status,
label, prompt, hasAnswer, session, tool}. Without --all and --limit both give 50.
Without a running askd its data file is read directly.`,
		Example: `askctl history --since 7d --answered
askctl history --query postgres --session shop`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			p, err := o.params(cmd, a.now())
			if err != nil {
				return err
			}
			p.AnsweredOnly, p.Newest, p.Offset = o.answered, true, o.offset
			return a.history(cmd.Context(), p, &o)
		},
	}
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.answered, "answered", false, "only questions with an answer")
	cmd.Flags().IntVar(&o.limit, "limit", 50, "at most `N` questions")
	cmd.Flags().IntVar(&o.offset, "offset", 0, "leave out `N` of the newest")
	cmd.Flags().BoolVar(&o.all, "all", false, "all of them, however many")
	a.completeFlag(cmd, "session", a.completeSessions)
	a.jsonFlag(cmd)
	return cmd
}

func (o *historyOptions) check(cmd *cobra.Command) error {
	switch {
	case o.offset < 0:
		return usagef(cmd, "--offset is 0 or more")
	case o.limit < 1:
		return usagef(cmd, "--limit is 1 or more, --all gives everything")
	case o.all && cmd.Flags().Changed("limit"):
		return usagef(cmd, "--all and --limit exclude each other")
	}
	return nil
}

// listing is a result of history.list (PROTOCOL) with its records word for word.
type listing struct {
	Total      int               `json:"total"`
	NextOffset int               `json:"nextOffset"`
	Records    []json.RawMessage `json:"records"`
}

func (a *app) history(ctx context.Context, p broker.HistoryParams, o *historyOptions) error {
	l, err := a.reach(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if p.Session, err = l.anySession(ctx, p.Session); err != nil {
		return err
	}
	if a.json {
		// However many there are, no more than a page is in memory.
		array := &jsonArray{o: a.out}
		if err := a.pages(ctx, l, p, o, func(page *listing) error { return array.add(page.Records) }); err != nil {
			return err
		}
		return array.end()
	}
	found := &listing{}
	err = a.pages(ctx, l, p, o, func(page *listing) error {
		found.Total, found.Records = page.Total, append(found.Records, page.Records...)
		return nil
	})
	if err != nil {
		return err
	}
	return a.showHistory(ctx, l, found, o)
}

// pages reads page after page until there is as much as is wanted.
func (a *app) pages(ctx context.Context, l *link, p broker.HistoryParams, o *historyOptions, take func(*listing) error) error {
	for n := 0; ; {
		p.Limit = l.page()
		if !o.all {
			p.Limit = min(p.Limit, o.limit-n)
		}
		var page listing
		if err := a.long(ctx, l, "history.list", p, &page, func() string { return questions(n) + " read …" }); err != nil {
			return err
		}
		if err := take(&page); err != nil {
			return err
		}
		n += len(page.Records)
		p.Offset = page.NextOffset
		if p.Offset == 0 || !o.all && n >= o.limit {
			return nil
		}
	}
}

func (a *app) showHistory(ctx context.Context, l *link, found *listing, o *historyOptions) error {
	rows := make([]ask.HistorySummary, len(found.Records))
	for i, raw := range found.Records {
		if err := json.Unmarshal(raw, &rows[i]); err != nil {
			return fmt.Errorf("read the history: %w", tooOld(err))
		}
	}
	switch {
	case len(rows) > 0:
		a.historyTable(rows, l.sessionNames(ctx, rows), l.endings(ctx, rows)).write(a.out)
	case found.Total > 0:
		a.out.printf("Nothing is left behind the first %s.\n", questions(found.Total))
	case o.none() && !o.answered:
		a.out.printf("Nothing has been asked yet.\n")
	default:
		a.out.printf("No question fits.\n")
	}
	if end := o.offset + len(rows); len(rows) > 0 && end < found.Total {
		a.errors.printf("askctl: %d of %s; --offset %d goes on, --all shows everything\n", len(rows), questions(found.Total), end)
	}
	return nil
}

// statusStyles say how the statuses of questions look on a terminal.
var statusStyles = map[ask.Status]style{
	ask.StatusWaiting: cyan, ask.StatusAnswered: green, ask.StatusSkipped: dim, ask.StatusCancelled: yellow, ask.StatusError: red,
}

// endingWords tell the endings apart that the history calls an error.
var endingWords = map[ask.OutcomeKind]string{
	ask.TimedOut: "timed out", ask.Interrupted: "interrupted", ask.Withdrawn: "taken back", ask.Failed: "failed", ask.NoUI: "not asked",
}

// endings words how the forms ended that the history calls an error, at most mostNames of them. It is a courtesy.
func (l *link) endings(ctx context.Context, rows []ask.HistorySummary) map[ask.Key]string {
	out := map[ask.Key]string{}
	for i := range rows {
		r := &rows[i]
		k := ask.Key{Session: r.Session, Request: r.RequestID}
		if _, known := out[k]; known || r.Status != ask.StatusError || len(out) == mostNames {
			continue
		}
		out[k] = ""
		if f, err := l.get(ctx, k.Request, k.Session, nil); err == nil && f.Outcome != nil {
			out[k] = endingWords[f.Outcome.Kind]
		}
	}
	return out
}

func (a *app) historyTable(rows []ask.HistorySummary, names map[string]string, endings map[ask.Key]string) *table {
	t := &table{columns: []column{
		{head: "ASKED"},
		{head: "STATUS"},
		{head: "SESSION", min: briefID},
		{head: "QUESTION", min: 16, loose: true},
		{head: "REQUEST AND QUESTION", below: true},
	}}
	for i := range rows {
		r := &rows[i]
		t.add(
			cell{a.out.line(minute(r.CreatedAt)), plain},
			cell{a.out.line(cmp.Or(endings[ask.Key{Session: r.Session, Request: r.RequestID}], string(r.Status))), statusStyles[r.Status]},
			cell{a.out.line(cmp.Or(names[r.Session], a.brief(r.Session))), bold},
			cell{a.out.line(r.Label + ": " + r.Prompt), plain},
			cell{a.out.line(r.RequestID + " " + r.QuestionID), dim},
		)
	}
	return t
}

// briefID is how much of a session's UUID a terminal gets: what grows with time.
const briefID = 13

// brief leaves room for the question on a terminal.
func (a *app) brief(session string) string {
	if a.out.width == 0 || uuid.Validate(session) != nil {
		return session
	}
	return session[:briefID]
}

// minute words a time of the history for a person, as it stands when it is none.
func minute(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return t.Local().Format("2006-01-02 15:04")
}

// questions counts questions in words.
func questions(n int) string {
	if n == 1 {
		return "1 question"
	}
	return strconv.Itoa(n) + " questions"
}
