package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// session finds the one session that a person means by an id, a name, or the beginning or the end of an id. Without any, it is the only
// one that has forms of the wanted kind, which the word names.
func (l *link) session(ctx context.Context, name, kind string, wanted func(*broker.RequestSummary) bool) (string, error) {
	queue, err := l.queue(ctx, "")
	if err != nil {
		return "", err
	}
	match := slices.DeleteFunc(queue, func(r broker.RequestSummary) bool { return !wanted(&r) })
	id, err := meant(name, match)
	switch {
	case err != nil || id != "":
		return id, err
	case name == "":
		return "", &exitError{code: exitFailed, text: "no session has " + kind + ": `askctl queue` lists what waits"}
	}
	return "", &exitError{code: exitFailed, text: fmt.Sprintf("no session %q has %s: `askctl queue` lists what waits", name, kind)}
}

// unaskedSession refuses a word for a session that is to be changed without asking first: a shortened id that is too short, or
// fits another session too, one without such forms included.
func (l *link) unaskedSession(ctx context.Context, name, id string) error {
	if name == id || !shortened(name, id) {
		return nil // named whole, by its name or not at all
	}
	if len(name) < minUnasked {
		return &exitError{code: exitUsage, text: fmt.Sprintf("%q is too short to change a session unasked: give at least %d characters of its id, or all of it if you mean\n  %s", name, minUnasked, ask.CleanLine(id))}
	}
	_, err := l.anySession(ctx, name)
	return err
}

// errUnknownSession: a word names no session that has asked.
var errUnknownSession = errors.New("unknown session")

// anySession finds the session that a person means, among those with forms that wait and those that asked lately; of an
// earlier one the whole id is needed. A word that names none is errUnknownSession.
func (l *link) anySession(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	known, err := l.queue(ctx, "")
	if err != nil {
		return "", err
	}
	lately, err := l.lately(ctx)
	if err != nil {
		return "", err
	}
	id, err := meant(name, append(known, lately...))
	if err != nil || id != "" {
		return id, err
	}
	var page tool.HistoryList
	if err := l.ask(ctx, "history.list", broker.HistoryParams{Session: name, Limit: 1}, &page); err != nil {
		return "", err
	}
	if len(page.Records) > 0 {
		return name, nil
	}
	return "", &exitError{code: exitFailed, text: fmt.Sprintf(
		"no session %q: `askctl history` lists them; name one by its id, by at least %d characters of it or by its name, one that asked long ago by its whole id", name, minPrefix), err: errUnknownSession}
}

// lately gives one form of each session that asked last, with the session's name.
func (l *link) lately(ctx context.Context) ([]broker.RequestSummary, error) {
	var page tool.HistoryList
	if err := l.ask(ctx, "history.list", broker.HistoryParams{All: true, Newest: true, Limit: wirePage}, &page); err != nil {
		return nil, err
	}
	names := l.sessionNames(ctx, page.Records)
	var out []broker.RequestSummary
	seen := map[string]bool{}
	for i := range page.Records {
		if id := page.Records[i].Session; !seen[id] {
			seen[id] = true
			out = append(out, broker.RequestSummary{Session: id, SessionName: names[id], AskerOnline: true})
		}
	}
	return out, nil
}

// mostNames bounds how many sessions are asked for their names, one call each.
const mostNames = 200

// sessionNames gives the names of the sessions that asked these questions, by id, as far as they have one. Its newest form
// among them tells a session's name. It is a courtesy: what cannot be read has no name.
func (l *link) sessionNames(ctx context.Context, rows []ask.HistorySummary) map[string]string {
	names := map[string]string{}
	for i := range rows {
		r := &rows[i]
		if _, known := names[r.Session]; known || len(names) == mostNames {
			continue
		}
		names[r.Session] = ""
		if f, err := l.get(ctx, r.RequestID, r.Session, nil); err == nil {
			names[r.Session] = f.Request.Asker.SessionName
		}
	}
	return names
}

// meant is the session of these requests that a word names, empty when it names none.
func meant(name string, requests []broker.RequestSummary) (string, error) {
	for _, fits := range sessionFits {
		var ids []string
		for i := range requests {
			if r := &requests[i]; fits(r, name) && !slices.Contains(ids, r.Session) {
				ids = append(ids, r.Session)
			}
		}
		if len(ids) > 0 {
			return only(ids, requests)
		}
	}
	return "", nil
}

// sessionFits are the ways in which a word names a session, the most exact first.
var sessionFits = []func(r *broker.RequestSummary, name string) bool{
	func(r *broker.RequestSummary, name string) bool { return name == "" || r.Session == name },
	func(r *broker.RequestSummary, name string) bool { return r.SessionName == name },
	func(r *broker.RequestSummary, name string) bool {
		return shortened(name, r.Session)
	},
}

func only(ids []string, match []broker.RequestSummary) (string, error) {
	if len(ids) == 1 {
		return ids[0], nil
	}
	var b strings.Builder
	b.WriteString("several sessions fit, name one by its id:")
	for _, id := range ids {
		i := slices.IndexFunc(match, func(r broker.RequestSummary) bool { return r.Session == id })
		fmt.Fprintf(&b, "\n  %s  %s", ask.CleanLine(id), ask.CleanLine(sessionName(&match[i])))
	}
	return "", &exitError{code: exitFailed, text: b.String()}
}
