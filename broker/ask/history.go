package ask

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// Status is how one question of a request stands (contract, "Session question history").
type Status string

// The statuses of the contract. None but StatusAnswered stands for an answer.
const (
	StatusWaiting   Status = "waiting"
	StatusAnswered  Status = "answered"
	StatusSkipped   Status = "skipped" // submitted without a committed answer
	StatusCancelled Status = "cancelled"
	StatusError     Status = "error"
)

// HistoryKey names one question of the history.
type HistoryKey struct {
	RequestID  string `json:"requestId"`
	QuestionID string `json:"questionId"`
}

// HistoryRecord is one question of a stored request with what became of it, as history reads, searches and exports have it. It
// shares memory with its record; neither is changed.
type HistoryRecord struct {
	HistoryKey
	Title      string   `json:"title,omitempty"`
	CreatedAt  string   `json:"createdAt"` // as FormatTime writes it
	Background bool     `json:"background"`
	Question   Question `json:"question"` // as saved, types as in the result once there is one
	Status     Status   `json:"status"`
	Answer     *Answer  `json:"answer,omitempty"`
	Error      string   `json:"error,omitempty"`
	Tool       string   `json:"-"` // the contract's records have none: they are ask_user's
	Host       string   `json:"-"` // of the asker, empty for the machine that askd ran on
}

// HistorySummary is a HistoryRecord in short, as history lists have it. Session and Tool are set in lists that reach over
// sessions and empty in those of one branch.
type HistorySummary struct {
	HistoryKey
	Title      string `json:"title,omitempty"`
	CreatedAt  string `json:"createdAt"`
	Background bool   `json:"background"`
	Status     Status `json:"status"`
	Label      string `json:"label"`
	Prompt     string `json:"prompt"`
	HasAnswer  bool   `json:"hasAnswer"`
	Session    string `json:"session,omitempty"`
	Tool       string `json:"tool,omitempty"`
}

// HistoryQuery says which part of a whole journal is wanted. The zero value is all of it, in the order asked.
type HistoryQuery struct {
	Session      string    // this session only; empty is every session
	Tool         string    // this tool only; empty is every tool
	Since, Until time.Time // asked at Since or later, before Until; zero is no bound
	Text         string    // as the contract's query: what Matches looks for
	AnsweredOnly bool      // questions with a committed answer only
	Newest       bool      // newest first
}

// HistoryPage is a part of what a query finds.
type HistoryPage struct {
	Total   int // questions found, on this page or not
	Records []HistorySummary
}

// Upkeep is what a check, a backup, a compaction or a pruning of the whole journal says of it (PROTOCOL, journal.*).
type Upkeep struct {
	Records     int      `json:"records"` // requests stored, live and settled
	Live        int      `json:"live"`    // those without a delivered outcome
	Questions   int      `json:"questions,omitempty"`
	Removed     int      `json:"removed,omitempty"` // requests that were dropped
	BytesBefore int64    `json:"bytesBefore,omitempty"`
	Bytes       int64    `json:"bytes"`              // size of the data file, or of the backup
	Problems    []string `json:"problems,omitempty"` // what a check found, the first hundred
}

// FormatTime writes a time as JavaScript's toISOString does: UTC, milliseconds.
func FormatTime(t time.Time) string {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.Format("2006-01-02T15:04:05.000Z")
	}
	hour, minute, second := t.Clock()
	// Each record of a history has one, and a layout takes several times as long.
	const blank = "0000-00-00T00:00:00.000Z"
	b := [len(blank)]byte([]byte(blank))
	for _, part := range [...]struct{ last, value int }{{3, year}, {6, int(month)}, {9, day}, {12, hour}, {15, minute}, {18, second}, {22, t.Nanosecond() / 1e6}} {
		for at := part.last; part.value > 0; at, part.value = at-1, part.value/10 {
			b[at] += byte(part.value % 10)
		}
	}
	return string(b[:])
}

// History gives the records of a stored request, one a question, in form order.
func (rec *Record) History() []HistoryRecord { return rec.AppendHistory(nil) }

// AppendHistory appends them.
func (rec *Record) AppendHistory(list []HistoryRecord) []HistoryRecord {
	list = slices.Grow(list, len(rec.Request.Questions))
	out := list[len(list) : len(list)+len(rec.Request.Questions)]
	created := FormatTime(rec.Request.CreatedAt)
	for i := range rec.Request.Questions {
		out[i] = HistoryRecord{
			HistoryKey: HistoryKey{RequestID: rec.Request.ID, QuestionID: rec.Request.Questions[i].ID},
			Title:      rec.Request.Title,
			CreatedAt:  created,
			Background: rec.Request.Background,
			Question:   rec.Request.Questions[i],
			Status:     StatusWaiting,
			Tool:       rec.Request.Tool,
			Host:       rec.Request.Asker.Host,
		}
		out[i].finish(rec.Outcome)
	}
	return list[:len(list)+len(out)]
}

// finish puts the outcome on the record.
func (h *HistoryRecord) finish(o *Outcome) {
	if o == nil {
		return
	}
	if h.Error = o.Failure(); h.Error != "" {
		h.Status = StatusError
		return
	}
	if o.Result == nil {
		h.Status = StatusCancelled // nobody could be asked
		return
	}
	for _, q := range o.Result.Questions {
		if q.ID == h.QuestionID {
			h.Question.Type, h.Question.PresentedType = q.Type, q.PresentedType
		}
	}
	h.Answer = o.Result.Answers.ref(h.QuestionID)
	switch {
	case o.Result.Cancelled:
		h.Status = StatusCancelled
	case h.HasAnswer():
		h.Status = StatusAnswered
	default:
		h.Status = StatusSkipped
	}
}

// Failure is why an outcome stands for no finished form, empty when the form was submitted or cancelled or nobody could
// be asked.
func (o *Outcome) Failure() string {
	switch {
	case o.Kind == NoUI:
		return ""
	case o.Kind == Interrupted || o.Kind == Withdrawn:
		return TextInterrupted
	case o.Error != "":
		return o.Error
	case o.Kind == TimedOut:
		return "Question form timed out; no answer was given."
	case o.Kind == Failed:
		return "The question form could not be shown."
	case o.Result == nil:
		return TextInterrupted
	}
	return ""
}

// HasAnswer reports whether the record has a committed answer, whatever its status.
func (h *HistoryRecord) HasAnswer() bool { return h.Answer != nil && h.Answer.Committed() }

// Summary is the record in short.
func (h *HistoryRecord) Summary() HistorySummary {
	return HistorySummary{
		HistoryKey: h.HistoryKey, Title: h.Title, CreatedAt: h.CreatedAt, Background: h.Background, Status: h.Status,
		Label: h.Question.Label, Prompt: h.Question.Prompt, HasAnswer: h.HasAnswer(),
	}
}

// SearchTerm is a query as Matches wants it: trimmed, lower case. Empty finds everything.
func SearchTerm(query string) string { return strings.ToLower(Trim(query)) }

// Matches reports whether the record's JSON, in lower case, contains the term. Keys, times, ids and image bytes count.
func (h *HistoryRecord) Matches(term string) bool {
	if term == "" {
		return true
	}
	raw, err := Stringify(h)
	return err == nil && bytes.Contains(bytes.ToLower(raw), []byte(term))
}

// Images are the record's images behind texts that say where they belong; none for a cancelled record.
func (h *HistoryRecord) Images() []Block {
	if h.Answer == nil {
		return nil
	}
	q := ResultQuestion{ID: h.QuestionID, Prompt: h.Question.Prompt}
	r := Result{Cancelled: h.Status == StatusCancelled, Questions: []ResultQuestion{q}}
	r.Answers.Set(h.QuestionID, *h.Answer)
	return ImageBlocks(&r)
}
