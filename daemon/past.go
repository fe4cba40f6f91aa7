package daemon

import (
	"context"
	"iter"

	"askd/broker/ask"
	"askd/journal"
	"askd/journal/export"
)

// past is the journal's history as the pane shows it (ui.History).
type past struct{ *journal.Journal }

// Export implements ui.History. A request of which only some questions are found goes into the file with those alone, as the
// person sees them in the list.
func (p past) Export(ctx context.Context, path string, q ask.HistoryQuery) (int, error) {
	n := 0
	err := export.Write(path, found(p.Passing(ctx, q), ask.SearchTerm(q.Text), &n), export.FormatMarkdown)
	if err != nil {
		return 0, err
	}
	return n, nil
}

// found leaves in each record the questions in which a term is, and counts them.
func found(records iter.Seq2[ask.Record, error], term string, n *int) iter.Seq2[ask.Record, error] {
	return func(yield func(ask.Record, error) bool) {
		for rec, err := range records {
			if err == nil {
				rec.Request = matching(&rec, term)
				*n += len(rec.Request.Questions)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

func matching(rec *ask.Record, term string) *ask.Request {
	if term == "" {
		return rec.Request
	}
	only := *rec.Request
	only.Questions = nil
	for i, h := range rec.History() {
		if h.Matches(term) {
			only.Questions = append(only.Questions, rec.Request.Questions[i])
		}
	}
	return &only
}
