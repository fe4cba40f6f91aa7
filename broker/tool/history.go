package tool

import (
	"bytes"
	"errors"
	"fmt"

	"askd/broker/ask"
)

// Why a history tool refuses; what an agent reads.
var (
	// ErrNoKeys: an export names no question.
	ErrNoKeys = errors.New("Select at least one question or omit keys to export all history.")
	// ErrNoPath: an export names no file.
	ErrNoPath = errors.New("An export path is required.")
)

// HistoryList is details and structured content of list_ask_history.
type HistoryList struct {
	Total      int                  `json:"total"`
	Offset     int                  `json:"offset"`
	NextOffset int                  `json:"nextOffset,omitempty"` // absent on the last page
	Records    []ask.HistorySummary `json:"records"`
}

// HistoryRead is details and structured content of read_ask_history.
type HistoryRead struct {
	Record ask.HistoryRecord `json:"record"`
}

// HistoryExport is details and structured content of export_ask_history.
type HistoryExport struct {
	Path string           `json:"path"` // absolute
	Keys []ask.HistoryKey `json:"keys"`
}

// BranchHistory gives what the agent's history tools see of the requests of a branch, which are in the order asked: the
// questions of ask_user.
func BranchHistory(records []ask.Record) []ask.HistoryRecord {
	var out []ask.HistoryRecord
	for i := range records {
		if records[i].Request.Tool == ask.ToolAskUser {
			out = append(out, records[i].History()...)
		}
	}
	return out
}

// ListHistory is the result of list_ask_history over these records.
func ListHistory(records []ask.HistoryRecord, p ListParams) *Outcome {
	term := ask.SearchTerm(p.Query)
	page := ask.HistoryPage{Records: []ask.HistorySummary{}}
	for i := range records {
		if p.AnsweredOnly && !records[i].HasAnswer() || !records[i].Matches(term) {
			continue
		}
		if page.Total >= p.Offset && len(page.Records) < p.Limit {
			page.Records = append(page.Records, records[i].Summary())
		}
		page.Total++
	}
	return HistoryPageOutcome(page, p.Offset)
}

// HistoryPageOutcome is the result of a list whose page was found elsewhere, as over a whole journal.
func HistoryPageOutcome(page ask.HistoryPage, offset int) *Outcome {
	l := HistoryList{Total: page.Total, Offset: offset, Records: notNil(page.Records)}
	if next := offset + len(l.Records); len(l.Records) > 0 && next < l.Total {
		l.NextOffset = next
	}
	return historyOutcome(l)
}

// ReadHistory is the result of read_ask_history over these records.
func ReadHistory(records []ask.HistoryRecord, key ask.HistoryKey) *Outcome {
	for i := range records {
		if records[i].HistoryKey == key {
			out := historyOutcome(HistoryRead{Record: records[i]})
			out.Content = append(out.Content, records[i].Images()...)
			return out
		}
	}
	return HistoryFailure(notFound(key))
}

func notFound(k ask.HistoryKey) error {
	return fmt.Errorf("Question not found on the current branch: %s / %s", k.RequestID, k.QuestionID)
}

// SelectHistory gives the records that an export names, each once, in the order of records; nil keys are all. It comes
// before anything is written: one key that is not there fails the whole selection.
func SelectHistory(records []ask.HistoryRecord, keys []ask.HistoryKey) ([]ask.HistoryRecord, error) {
	if keys == nil {
		return records, nil
	}
	if len(keys) == 0 {
		return nil, ErrNoKeys
	}
	wanted := map[ask.HistoryKey]bool{}
	for _, k := range keys {
		wanted[k] = false
	}
	var out []ask.HistoryRecord
	for i := range records {
		if done, ok := wanted[records[i].HistoryKey]; ok && !done {
			out = append(out, records[i])
			wanted[records[i].HistoryKey] = true
		}
	}
	for _, k := range keys {
		if !wanted[k] {
			return nil, notFound(k)
		}
	}
	return out, nil
}

// ExportHistory is the result of export_ask_history once the records are written to path, which is absolute.
func ExportHistory(path string, records []ask.HistoryRecord) *Outcome {
	e := HistoryExport{Path: path, Keys: make([]ask.HistoryKey, len(records))}
	for i := range records {
		e.Keys[i] = records[i].HistoryKey
	}
	return historyOutcome(e)
}

// HistoryFailure is a history tool's refusal. Like all rows of the history tools its row is empty.
func HistoryFailure(err error) *Outcome {
	out := Failure(err.Error())
	out.Transcript = []Line{}
	return out
}

func historyOutcome(data any) *Outcome {
	raw, err := ask.Stringify(data)
	if err != nil {
		return HistoryFailure(err)
	}
	return &Outcome{
		Content:           []Block{ask.TextBlock(string(redact(raw)))},
		Details:           data,
		StructuredContent: data,
		Transcript:        []Line{},
	}
}

// redacted stands for image bytes in text.
const redacted = `"[image bytes in structuredContent]"`

// redact replaces every string under a key "data". In what Stringify writes, a quote inside a string has a backslash
// before it, so that these bytes are nothing but a key and the start of its string.
func redact(raw []byte) []byte {
	key := []byte(`"data":"`)
	var out []byte
	for {
		at := bytes.Index(raw, key)
		if at < 0 {
			return append(out, raw...)
		}
		start := at + len(key) - 1
		out = append(append(out, raw[:start]...), redacted...)
		raw = raw[start+stringEnd(raw[start:]):]
	}
}

// stringEnd is the length of the JSON string that raw begins with.
func stringEnd(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}
