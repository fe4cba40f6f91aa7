package journal

import (
	"encoding/binary"
	"fmt"
	"slices"

	"askd/broker/ask"
)

// summaryStatuses are on disk by their place; only append.
var summaryStatuses = [...]ask.Status{
	ask.StatusWaiting, ask.StatusAnswered, ask.StatusSkipped, ask.StatusCancelled, ask.StatusError,
}

const (
	summaryBackground = 1 << 0
	summaryHasAnswer  = 1 << 7
)

// appendSummary writes what lists show of a record, in a form that a page of them can be read from in the time that it
// takes to copy it: a version, flags, two counts, five texts of the record, and a status and three texts a question.
func appendSummary(b []byte, rec *ask.Record) []byte {
	r, questions := rec.Request, rec.History()
	flags, answered := byte(0), 0
	if r.Background {
		flags |= summaryBackground
	}
	for i := range questions {
		if questions[i].HasAnswer() {
			answered++
		}
	}
	b = append(b, valueVersion, flags)
	b = binary.AppendUvarint(b, uint64(len(questions)))
	b = binary.AppendUvarint(b, uint64(answered))
	for _, s := range []string{ask.FormatTime(r.CreatedAt), r.Session, r.Tool, r.ID, r.Title} {
		b = appendText(b, s)
	}
	for i := range questions {
		q := &questions[i]
		mark := byte(slices.Index(summaryStatuses[:], q.Status))
		if q.HasAnswer() {
			mark |= summaryHasAnswer
		}
		b = append(b, mark)
		for _, s := range []string{q.QuestionID, q.Question.Label, q.Question.Prompt} {
			b = appendText(b, s)
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// summary is the head of a stored summary.
type summary struct {
	background                            bool
	questions, answered                   int
	created, session, tool, request, name string
	rest                                  reader
}

// countQuestions reads no further than it must: it skips the pages before the one that is wanted.
func countQuestions(value []byte) int {
	n, _ := binary.Uvarint(value[min(2, len(value)):])
	return int(n)
}

// maxSummary is more than any summary has, which is short parts of a request. It is copied before it is read, and a damaged
// length can ask for all the memory there is.
const maxSummary = 16 << 20

// openSummary reads the head; filters need no more. All texts are parts of one copy, in the arena if there is one.
func openSummary(a *ask.Arena, value []byte) (s summary, err error) {
	if _, err := checkVersion(value); err != nil {
		return s, err
	}
	if len(value) > maxSummary {
		return s, fmt.Errorf("%w: a summary of %d bytes", ErrDamaged, len(value))
	}
	var r reader
	if a == nil {
		r.all = string(value[1:])
	} else {
		r.all = a.Text(value[1:])
	}
	s.background = r.byte()&summaryBackground != 0
	s.questions, s.answered = r.count(), r.count()
	s.created, s.session, s.tool, s.request, s.name = r.text(), r.text(), r.text(), r.text(), r.text()
	s.rest = r
	return s, r.err()
}

// appendRows gives the summary's questions, those with an answer only if so wanted.
func (s *summary) appendRows(out []ask.HistorySummary, answeredOnly bool) ([]ask.HistorySummary, error) {
	r := s.rest
	for range s.questions {
		mark := r.byte()
		row := ask.HistorySummary{
			HistoryKey: ask.HistoryKey{RequestID: s.request, QuestionID: r.text()},
			Title:      s.name, CreatedAt: s.created, Background: s.background, Label: r.text(), Prompt: r.text(),
			HasAnswer: mark&summaryHasAnswer != 0, Session: s.session, Tool: s.tool,
		}
		status := int(mark &^ summaryHasAnswer)
		if r.bad || status >= len(summaryStatuses) {
			return nil, fmt.Errorf("%w: summary of %s", ErrDamaged, s.request)
		}
		row.Status = summaryStatuses[status]
		if row.HasAnswer || !answeredOnly {
			out = append(out, row)
		}
	}
	return out, nil
}

// reader takes a value apart. After the end it gives nothing and is bad. It moves an index and not a string: strings that
// move in memory that the collector watches cost it a note each.
type reader struct {
	all string
	at  int
	bad bool
}

func (r *reader) err() error {
	if r.bad {
		return fmt.Errorf("%w: summary", ErrDamaged)
	}
	return nil
}

func (r *reader) byte() byte {
	if r.at >= len(r.all) {
		r.bad = true
		return 0
	}
	r.at++
	return r.all[r.at-1]
}

func (r *reader) count() int {
	n := 0
	for shift := 0; shift < 32; shift += 7 {
		b := r.byte()
		if n |= int(b&0x7f) << shift; b < 0x80 {
			return n
		}
	}
	r.bad = true
	return 0
}

func (r *reader) text() string {
	n := r.count()
	if n > len(r.all)-r.at {
		r.bad = true
		return ""
	}
	r.at += n
	return r.all[r.at-n : r.at]
}
