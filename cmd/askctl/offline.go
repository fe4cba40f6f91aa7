package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
	"askd/journal"
	"askd/journal/export"
)

// offline answers from the data file what askd would answer from it (caller). While it is open no askd can start on the
// file.
type offline struct {
	j     *journal.Journal
	ended chan struct{} // never closed: nobody hangs up
}

// offlineMethods are the methods of the protocol that the data file alone can serve, for the whole journal.
var offlineMethods = map[string]func(*offline, context.Context, json.RawMessage) (any, error){
	"queue.list":      withRaw((*offline).queue),
	"request.get":     withRaw((*offline).get),
	"history.list":    withRaw((*offline).list),
	"history.export":  withRaw((*offline).export),
	"journal.check":   withRaw(func(o *offline, ctx context.Context, _ struct{}) (any, error) { return o.j.Check(ctx) }),
	"journal.compact": withRaw(func(o *offline, ctx context.Context, _ struct{}) (any, error) { return o.j.Compact(ctx) }),
	"journal.backup":  withRaw(func(o *offline, ctx context.Context, p backupParams) (any, error) { return o.j.Backup(ctx, p.Path) }),
	"journal.prune":   withRaw(func(o *offline, ctx context.Context, p pruneParams) (any, error) { return o.j.Prune(ctx, p.OlderThan) }),
}

func withRaw[P any](f func(*offline, context.Context, P) (any, error)) func(*offline, context.Context, json.RawMessage) (any, error) {
	return func(o *offline, ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
		return f(o, ctx, p)
	}
}

// Call implements caller.
func (o *offline) Call(ctx context.Context, method string, params, result any) error {
	f, ok := offlineMethods[method]
	if !ok {
		return &broker.Error{Kind: broker.Unavailable, Message: method + " needs a running askd", Hint: "start it with `askd`"}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	answer, err := f(o, ctx, raw)
	if err != nil {
		return err
	}
	if raw, err = ask.Stringify(answer); err != nil { // as askd writes it
		return fmt.Errorf("encode answer: %w", err)
	}
	return json.Unmarshal(raw, result)
}

// Close implements caller.
func (o *offline) Close() error { return o.j.Close() }

// Done implements caller.
func (o *offline) Done() <-chan struct{} { return o.ended }

// queue lists what has no outcome, in the queue's order: forms whose agent stands still first. Which branches are open and
// what is hidden only a running askd knows.
func (o *offline) queue(_ context.Context, p broker.ListParams) (any, error) {
	live, err := o.j.Live()
	if err != nil {
		return nil, err
	}
	live = slices.DeleteFunc(live, func(rec ask.Record) bool {
		return rec.Outcome != nil || p.Session != "" && rec.Request.Session != p.Session
	})
	slices.SortStableFunc(live, func(a, b ask.Record) int { return rank(a.Request) - rank(b.Request) })
	out := make([]broker.RequestSummary, len(live))
	for i := range live {
		out[i] = summarise(live[i].Request, i+1)
	}
	return map[string]any{"requests": out}, nil
}

func rank(r *ask.Request) int {
	if r.Background {
		return 1
	}
	return 0
}

func summarise(r *ask.Request, position int) broker.RequestSummary {
	s := broker.RequestSummary{
		RequestID: r.ID, FlowID: r.FlowID(), Session: r.Session, SessionName: r.Asker.SessionName, Host: machine(r.Asker.Host, thisHost()), Tool: r.Tool, Title: r.Title, Subject: r.Subject(),
		Background: r.Background, Status: broker.Waiting, CreatedAt: r.CreatedAt, Position: position, QuestionIDs: []string{}, Labels: []string{},
	}
	if !r.Deadline.IsZero() {
		s.Deadline = &r.Deadline
	}
	for i := range r.Questions {
		s.QuestionIDs = append(s.QuestionIDs, r.Questions[i].ID)
		s.Labels = append(s.Labels, r.Questions[i].Label)
	}
	return s
}

func (o *offline) get(_ context.Context, p struct{ RequestID, Session string }) (any, error) {
	rec, ok, err := o.j.Find(ask.Key{Session: p.Session, Request: p.RequestID})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, &broker.Error{Kind: broker.NotFound, Message: "no request " + p.RequestID, Hint: "askctl history lists what there is"}
	}
	return broker.Form{Request: rec.Request, Draft: rec.Draft, Outcome: rec.Outcome}, nil
}

func (o *offline) list(ctx context.Context, p broker.HistoryParams) (any, error) {
	q, err := queryOf(p)
	if err != nil {
		return nil, err
	}
	page, err := o.j.Page(ctx, q, p.Offset, p.Limit)
	if err != nil {
		return nil, err
	}
	l := tool.HistoryList{Total: page.Total, Offset: p.Offset, Records: page.Records}
	if next := p.Offset + len(page.Records); len(page.Records) > 0 && next < page.Total {
		l.NextOffset = next
	}
	return l, nil
}

func (o *offline) export(ctx context.Context, p broker.HistoryParams) (any, error) {
	q, err := queryOf(p)
	if err != nil {
		return nil, err
	}
	n := 0
	if err := export.Write(p.Path, counted(o.j.Passing(ctx, q), &n), export.Format(p.Format)); err != nil {
		return nil, broker.ExportError(err)
	}
	return broker.Exported{Path: p.Path, Count: n}, nil
}

func counted(records iter.Seq2[ask.Record, error], n *int) iter.Seq2[ask.Record, error] {
	return func(yield func(ask.Record, error) bool) {
		for rec, err := range records {
			if err == nil {
				*n++
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// queryOf reads the parameters as askctl itself writes them.
func queryOf(p broker.HistoryParams) (ask.HistoryQuery, error) {
	q := ask.HistoryQuery{Session: p.Session, Text: p.Query, AnsweredOnly: p.AnsweredOnly, Newest: p.Newest}
	for _, bound := range []struct {
		text string
		t    *time.Time
	}{{p.Since, &q.Since}, {p.Until, &q.Until}} {
		if bound.text == "" {
			continue
		}
		var err error
		if *bound.t, err = time.Parse(time.RFC3339, bound.text); err != nil {
			return q, fmt.Errorf("read a time: %w", err)
		}
	}
	return q, nil
}
