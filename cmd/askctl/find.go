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

// minPrefix is the shortest beginning or end of an id that stands for the whole, minUnasked the shortest where something is
// changed and nobody is asked first.
const (
	minPrefix  = 6
	minUnasked = 8
)

// shortened reports whether a word is the beginning or the end of an id. Ids begin with the time, so those of one day begin
// alike, and end as they like.
func shortened(word, id string) bool {
	return len(word) >= minPrefix && (strings.HasPrefix(id, word) || strings.HasSuffix(id, word))
}

// form is a request with its draft and its outcome, and what askd answered word for word.
type form struct {
	broker.Form
	raw json.RawMessage
	// summary says where the form stands in the queue; nil when it no longer waits.
	summary *broker.RequestSummary
}

func (f *form) key() ask.Key { return f.Request.Key() }

// form finds the one form that a person means by an id, the beginning or the end of one, or a flow id. session narrows the
// search and may be empty.
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

// unasked finds the one form that a verb is to change without asking first. A shortened id is taken only where it fits no other
// form that was ever asked: the one that it was taken from may have ended.
func (l *link) unasked(ctx context.Context, id, session string) (*form, error) {
	f, err := l.form(ctx, id, session)
	if err != nil || !shortened(id, f.Request.ID) || id == f.Request.ID {
		return f, err
	}
	if len(id) < minUnasked {
		return nil, &exitError{code: exitUsage, text: fmt.Sprintf(
			"%q is too short to change a form unasked: give at least %d characters of its id, or all of it if you mean\n  %s", id, minUnasked, candidate(summarised(f)))}
	}
	others, err := l.stored(ctx, id, session)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(r broker.RequestSummary) bool {
		return r.RequestID == f.Request.ID && r.Session == f.Request.Session
	})
	if len(others) > 0 {
		return nil, ambiguous(id, append([]broker.RequestSummary{summarised(f)}, others...))
	}
	return f, nil
}

// summarised is what a list of candidates says of a form.
func summarised(f *form) broker.RequestSummary {
	if f.summary != nil {
		return *f.summary
	}
	r := broker.RequestSummary{RequestID: f.Request.ID, Session: f.Request.Session, SessionName: f.Request.Asker.SessionName, Title: f.Request.Title, AskerOnline: true}
	for _, q := range f.Request.Questions {
		r.Labels = append(r.Labels, q.Label)
	}
	return r
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

// matching gives the requests of exactly this id, else those whose id begins or ends with it.
func matching(queue []broker.RequestSummary, id string) []broker.RequestSummary {
	pick := func(fits func(*broker.RequestSummary) bool) []broker.RequestSummary {
		return slices.DeleteFunc(slices.Clone(queue), func(r broker.RequestSummary) bool { return !fits(&r) })
	}
	exact := pick(func(r *broker.RequestSummary) bool { return r.RequestID == id || r.FlowID == id })
	if len(exact) > 0 {
		return exact
	}
	return pick(func(r *broker.RequestSummary) bool { return shortened(id, r.RequestID) })
}

func ambiguous(id string, match []broker.RequestSummary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q fits %d forms:", id, len(match))
	for i := range match {
		b.WriteString("\n  " + candidate(match[i]))
	}
	b.WriteString("\ngive more of the id, or its end")
	if match[0].RequestID == match[1].RequestID {
		b.WriteString(", or name the session with --session " + ask.CleanLine(match[0].Session) + " or --session " + ask.CleanLine(match[1].Session))
	}
	return &exitError{code: exitFailed, text: b.String()}
}

// candidate is a line about a form that a word may have meant.
func candidate(r broker.RequestSummary) string {
	return ask.CleanLine(r.RequestID) + "  " + ask.CleanLine(sessionName(&r)) + "  " + ask.CleanLine(formName(&r))
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

// past looks for a form among all that askd ever stored, by its id, the beginning or the end of it. session narrows the search
// and may be empty.
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

// stored finds the requests of exactly this id, else those whose id begins or ends with it, the newest first, not all when they
// are many. The search is one for the first bytes of a question's JSON, which begins with the id.
func (l *link) stored(ctx context.Context, id, session string) ([]broker.RequestSummary, error) {
	raw, err := ask.Stringify(id)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", id, err)
	}
	whole := string(raw)
	p := broker.HistoryParams{All: true, Session: session, Newest: true, Limit: wirePage}
	match, err := l.found(ctx, p, []string{`"requestId":` + whole}, func(found string) bool { return found == id })
	if err != nil || len(match) > 0 {
		return match, err
	}
	ends := []string{`"requestId":` + whole[:len(whole)-1], whole[1:] + `,"questionId":`}
	return l.found(ctx, p, ends, func(found string) bool { return shortened(id, found) })
}

// found pages through the questions that each query finds until enough forms were found whose id fits.
func (l *link) found(ctx context.Context, p broker.HistoryParams, queries []string, fits func(id string) bool) ([]broker.RequestSummary, error) {
	var match []broker.RequestSummary
	for _, p.Query = range queries {
		for more := true; more && len(match) < maxCandidates; more = p.Offset != 0 {
			var page tool.HistoryList
			if err := l.ask(ctx, "history.list", p, &page); err != nil {
				return nil, err
			}
			for i := range page.Records {
				h := &page.Records[i]
				same := func(r broker.RequestSummary) bool { return r.RequestID == h.RequestID && r.Session == h.Session }
				if fits(h.RequestID) && !slices.ContainsFunc(match, same) {
					match = append(match, broker.RequestSummary{RequestID: h.RequestID, Session: h.Session, Title: h.Title, Labels: []string{h.Label}, AskerOnline: true})
				}
			}
			p.Offset = page.NextOffset
		}
		p.Offset = 0
	}
	return match, nil
}
