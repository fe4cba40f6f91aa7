package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// minPrefix is the shortest beginning of an id that stands for the whole.
const minPrefix = 6

// form is a request with its draft and its outcome, and what askd answered word for word.
type form struct {
	broker.Form
	raw json.RawMessage
	// summary says where the form stands in the queue; nil when it no longer waits.
	summary *broker.RequestSummary
}

func (f *form) key() ask.Key { return f.Request.Key() }

// form finds the one form that a person means by an id, the beginning of one, or a flow id. session narrows the search and
// may be empty.
func (l *link) form(ctx context.Context, id, session string) (*form, error) {
	session, err := l.anySession(ctx, session)
	if err != nil {
		return nil, err
	}
	queue, err := l.queue(ctx, session)
	if err != nil {
		return nil, err
	}
	match := matching(queue, id)
	switch {
	case len(match) > 1:
		return nil, ambiguous(id, match)
	case len(match) == 1:
		return l.get(ctx, match[0].RequestID, match[0].Session, &match[0])
	case len(id) < minPrefix:
		return nil, &exitError{code: exitUsage, text: fmt.Sprintf("%q is too short for a request id: give at least %d characters of it, `askctl queue` lists them", id, minPrefix)}
	}
	return l.past(ctx, id, session)
}

func (l *link) queue(ctx context.Context, session string) ([]broker.RequestSummary, error) {
	params := map[string]any{"all": true}
	if session != "" {
		params["session"] = session
	}
	var result struct {
		Requests []broker.RequestSummary `json:"requests"`
	}
	err := l.ask(ctx, "queue.list", params, &result)
	return result.Requests, err
}

// matching gives the requests of exactly this id, else those whose id begins with it.
func matching(queue []broker.RequestSummary, id string) []broker.RequestSummary {
	pick := func(fits func(*broker.RequestSummary) bool) []broker.RequestSummary {
		return slices.DeleteFunc(slices.Clone(queue), func(r broker.RequestSummary) bool { return !fits(&r) })
	}
	exact := pick(func(r *broker.RequestSummary) bool { return r.RequestID == id || r.FlowID == id })
	if len(exact) > 0 || len(id) < minPrefix {
		return exact
	}
	return pick(func(r *broker.RequestSummary) bool { return strings.HasPrefix(r.RequestID, id) })
}

func ambiguous(id string, match []broker.RequestSummary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q fits %d forms:", id, len(match))
	for i := range match {
		r := &match[i]
		fmt.Fprintf(&b, "\n  %s  %s  %s", ask.CleanLine(r.RequestID), ask.CleanLine(sessionName(r)), ask.CleanLine(formName(r)))
	}
	b.WriteString("\ngive more of the id")
	if match[0].RequestID == match[1].RequestID {
		b.WriteString(", or name the session with --session " + ask.CleanLine(match[0].Session) + " or --session " + ask.CleanLine(match[1].Session))
	}
	return &exitError{code: exitFailed, text: b.String()}
}

func (l *link) get(ctx context.Context, id, session string, summary *broker.RequestSummary) (*form, error) {
	f := &form{summary: summary}
	if err := l.ask(ctx, "request.get", map[string]string{"requestId": id, "session": session}, &f.raw); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(f.raw, &f.Form); err != nil || f.Request == nil {
		return nil, fmt.Errorf("read the form: %w", tooOld(err))
	}
	return f, nil
}

// past looks for a form among all that askd ever stored, by its id or the beginning of it. session narrows the search and may
// be empty.
func (l *link) past(ctx context.Context, id, session string) (*form, error) {
	if len(id) < minPrefix {
		return nil, &exitError{code: exitUsage, text: fmt.Sprintf("%q is too short for a request id: give at least %d characters of it, `askctl history` lists them", id, minPrefix)}
	}
	match, err := l.stored(ctx, id, session)
	switch {
	case err != nil:
		return nil, err
	case len(match) > 1:
		return nil, ambiguous(id, match)
	case len(match) == 1:
		return l.get(ctx, match[0].RequestID, match[0].Session, nil)
	}
	return nil, &exitError{code: exitFailed, text: fmt.Sprintf("no form %q: `askctl queue --all` lists what waits, `askctl history` all that was asked", id)}
}

// maxCandidates bounds what is listed of an id that fits many forms.
const maxCandidates = 10

// stored finds the requests of exactly this id, else those whose id begins with it, the newest first, not all when they are
// many. The search is one for the first bytes of a question's JSON, which begins with the id.
func (l *link) stored(ctx context.Context, id, session string) ([]broker.RequestSummary, error) {
	raw, err := ask.Stringify(id)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", id, err)
	}
	for _, key := range []string{string(raw), string(raw[:len(raw)-1])} {
		match, err := l.beginning(ctx, id, broker.HistoryParams{All: true, Session: session, Newest: true, Query: `"requestId":` + key, Limit: wirePage})
		if err != nil || len(match) > 0 {
			return match, err
		}
	}
	return nil, nil
}

// beginning pages through questions until enough forms were found whose id begins so.
func (l *link) beginning(ctx context.Context, id string, p broker.HistoryParams) ([]broker.RequestSummary, error) {
	var match []broker.RequestSummary
	for {
		var page tool.HistoryList
		if err := l.ask(ctx, "history.list", p, &page); err != nil {
			return nil, err
		}
		for i := range page.Records {
			h := &page.Records[i]
			same := func(r broker.RequestSummary) bool { return r.RequestID == h.RequestID && r.Session == h.Session }
			if strings.HasPrefix(h.RequestID, id) && !slices.ContainsFunc(match, same) {
				match = append(match, broker.RequestSummary{RequestID: h.RequestID, Session: h.Session, Title: h.Title, Labels: []string{h.Label}, AskerOnline: true})
			}
		}
		if p.Offset = page.NextOffset; p.Offset == 0 || len(match) >= maxCandidates {
			return match, nil
		}
	}
}
