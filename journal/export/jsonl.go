package export

import (
	"io"
	"iter"
	"time"

	"askd/broker/ask"
)

// line is one question in JSON Lines: the contract's record with what it leaves out.
type line struct {
	Session    string `json:"session"`
	Tool       string `json:"tool"`
	ToolCallID string `json:"toolCallId,omitempty"`
	ask.HistoryRecord
	Asker      *ask.Asker  `json:"asker,omitempty"`
	Provenance *provenance `json:"provenance,omitempty"` // none while it waits
	Earlier    []earlier   `json:"earlier,omitempty"`    // what it had on other branches, oldest first
}

type earlier struct {
	Status     ask.Status  `json:"status"`
	Answer     *ask.Answer `json:"answer,omitempty"`
	Error      string      `json:"error,omitempty"`
	Provenance *provenance `json:"provenance,omitempty"`
}

// provenance is PROTOCOL's, with the outcome's id.
type provenance struct {
	OutcomeID  string          `json:"outcomeId"`
	Outcome    ask.OutcomeKind `json:"outcome"`
	Via        ask.Via         `json:"via"`
	Client     string          `json:"client,omitempty"`
	StoredAt   time.Time       `json:"storedAt"`
	ShownAt    *time.Time      `json:"shownAt,omitempty"`
	AnsweredAt *time.Time      `json:"answeredAt,omitempty"`
}

// JSONLines writes one question a line, each a JSON object with its tool and session, and by which way its outcome came.
// Without records it writes nothing. It stops at the first error of records or of w and gives it.
func JSONLines(w io.Writer, records iter.Seq2[ask.Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		for _, l := range lines(&rec) {
			raw, err := ask.Stringify(l)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(raw, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

func lines(rec *ask.Record) []line {
	r := rec.Request
	out := make([]line, len(r.Questions))
	for i, h := range rec.History() {
		out[i] = line{
			Session: r.Session, Tool: r.Tool, ToolCallID: r.ToolCallID, HistoryRecord: h,
			Provenance: provenanceOf(rec.Outcome),
		}
		if r.Asker != (ask.Asker{}) {
			out[i].Asker = &r.Asker
		}
	}
	for _, o := range rec.Earlier {
		before := ask.Record{Request: r, Outcome: o}
		for i, h := range before.History() {
			out[i].Earlier = append(out[i].Earlier, earlier{h.Status, h.Answer, h.Error, provenanceOf(o)})
		}
	}
	return out
}

func provenanceOf(o *ask.Outcome) *provenance {
	if o == nil {
		return nil
	}
	return &provenance{
		OutcomeID: o.ID, Outcome: o.Kind, Via: o.Via, Client: o.Client,
		StoredAt: o.StoredAt, ShownAt: o.ShownAt, AnsweredAt: o.AnsweredAt,
	}
}
