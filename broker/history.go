package broker

import (
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
	"askd/config"
)

// Archive is the reading and writing of history that needs no place in the queue: its methods block on the disk and are
// called from goroutines of their own.
type Archive interface {
	// Page lists questions in short, offset questions into what q finds and limit at most.
	Page(ctx context.Context, q ask.HistoryQuery, offset, limit int) (ask.HistoryPage, error)
	// History gives whole records but for their arguments, one at a time.
	History(ctx context.Context, q ask.HistoryQuery) iter.Seq2[ask.Record, error]
	// Passing is History for who keeps nothing but texts: a record is good until the next step.
	Passing(ctx context.Context, q ask.HistoryQuery) iter.Seq2[ask.Record, error]
	// WriteQuestions makes a Markdown file of chosen questions; it never replaces a file.
	WriteQuestions(path string, records []ask.HistoryRecord) error
	// WriteRecords makes a file of whole records in a format, markdown or jsonl.
	WriteRecords(path string, records iter.Seq2[ask.Record, error], format string) error
}

// historyTools are the agent's tools over the history of its branch (contract, "Session question history").
var historyTools = map[string]func(*reading, json.RawMessage) (*tool.Outcome, error){
	tool.ToolListHistory:   (*reading).list,
	tool.ToolReadHistory:   (*reading).read,
	tool.ToolExportHistory: (*reading).export,
}

var errNoArchive = &Error{Kind: Unavailable, Message: "this daemon keeps no history"}

// archived runs f on a goroutine of its own, away from the queue.
func (b *Broker) archived(reply Reply, f func()) {
	if b.o.Archive == nil {
		reply(nil, errNoArchive)
		return
	}
	b.o.Go("history", f)
}

// HistoryParams choose from the whole journal or one session of it (PROTOCOL, history.*). Without All and Session the
// methods are the agent's tools over its own branch, within Since and Until.
type HistoryParams struct {
	All          bool             `json:"all"`
	Session      string           `json:"session"`
	Since        string           `json:"since"` // RFC 3339, or a date
	Until        string           `json:"until"`
	Query        string           `json:"query"`
	AnsweredOnly bool             `json:"answeredOnly"`
	Newest       bool             `json:"newest"` // newest first
	Offset       int              `json:"offset"`
	Limit        int              `json:"limit"`
	RequestID    string           `json:"requestId"`
	QuestionID   string           `json:"questionId"`
	Path         string           `json:"path"`
	Keys         []ask.HistoryKey `json:"keys"`
	Format       string           `json:"format"`
}

// Exported is the result of an export that reaches beyond one branch.
type Exported struct {
	Path  string `json:"path"`
	Count int    `json:"count"` // records written
}

// wide reports whether the parameters reach beyond the caller's branch.
func (p *HistoryParams) wide() bool { return p.All || p.Session != "" }

func (p *HistoryParams) query() (ask.HistoryQuery, error) {
	q := ask.HistoryQuery{Session: p.Session, Text: p.Query, AnsweredOnly: p.AnsweredOnly, Newest: p.Newest}
	var err error
	if q.Since, err = moment("since", p.Since); err == nil {
		q.Until, err = moment("until", p.Until)
	}
	return q, err
}

// moment reads a time; empty is none.
func moment(field, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &Error{Kind: InvalidParams, Path: field, Message: field + ": \"" + s + "\" is no time", Hint: "write 2026-01-31 or 2026-01-31T15:04:05Z"}
}

// HistoryList is history.list. It reads the disk on a goroutine of its own.
func (c *Client) HistoryList(p HistoryParams, raw json.RawMessage, reply Reply) {
	q, err := p.query()
	if err != nil {
		reply(nil, err)
		return
	}
	if !p.wide() {
		c.readHistory(reply, func(r *reading) (any, error) {
			r.since, r.until = q.Since, q.Until
			return asDetails(r.list, raw, InvalidParams)
		})
		return
	}
	offset := max(0, p.Offset)
	c.b.archived(reply, func() {
		page, err := c.b.o.Archive.Page(context.Background(), q, offset, limit(p.Limit))
		if err != nil {
			reply(nil, storageError("read the history", err))
			return
		}
		reply(tool.HistoryPageOutcome(page, offset).Details, nil)
	})
}

// limit is the size of a page: the contract's default and most.
func limit(n int) int {
	if n <= 0 {
		return config.HistoryPage
	}
	return min(n, config.HistoryPageMax)
}

// asDetails runs one of the agent's tools for a method of the protocol.
func asDetails(read func(json.RawMessage) (*tool.Outcome, error), raw json.RawMessage, refusal Kind) (any, error) {
	o, err := read(raw)
	return details(refusal, o, err)
}

// details takes a tool's data out of its outcome, or its refusal.
func details(refusal Kind, o *tool.Outcome, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if o.IsError {
		return nil, &Error{Kind: refusal, Message: o.Content[0].Text}
	}
	return o.Details, nil
}

// HistoryRead is history.read: one question whole.
func (c *Client) HistoryRead(p HistoryParams, raw json.RawMessage, reply Reply) {
	if !p.wide() {
		c.readHistory(reply, func(r *reading) (any, error) { return asDetails(r.read, raw, NotFound) })
		return
	}
	c.b.archived(reply, func() {
		sessions, err := c.b.sessionsOf(p)
		if err != nil {
			reply(nil, storageError("read the history", err))
			return
		}
		for _, session := range sessions {
			rec, ok, err := c.b.o.Store.Find(ask.Key{Session: session, Request: p.RequestID})
			if err != nil {
				reply(nil, storageError("read the history", err))
				return
			}
			if ok {
				reply(details(NotFound, tool.ReadHistory(rec.History(), ask.HistoryKey{RequestID: p.RequestID, QuestionID: p.QuestionID}), nil))
				return
			}
		}
		reply(nil, &Error{Kind: NotFound, Path: "requestId", Message: "no request " + p.RequestID + " in the history", Hint: "askctl history lists what there is"})
	})
}

// sessionsOf names the sessions in which a request may stand.
func (b *Broker) sessionsOf(p HistoryParams) ([]string, error) {
	if p.Session != "" {
		return []string{p.Session}, nil
	}
	var out []string
	page, err := b.o.Archive.Page(context.Background(), ask.HistoryQuery{Text: p.RequestID}, 0, 200)
	for _, r := range page.Records {
		if r.RequestID == p.RequestID && !slices.Contains(out, r.Session) {
			out = append(out, r.Session)
		}
	}
	return out, err
}

// exportFormats are the formats of whole records; none is markdown.
var exportFormats = []string{"", "markdown", "jsonl"}

// HistoryExport is history.export: the branch's questions, or whole records of the journal.
func (c *Client) HistoryExport(p HistoryParams, raw json.RawMessage, reply Reply) {
	q, err := p.query()
	if err == nil && !slices.Contains(exportFormats, p.Format) {
		err = &Error{Kind: InvalidParams, Path: "format", Message: "format: unknown value \"" + p.Format + "\"", Hint: "use markdown or jsonl"}
	}
	if err == nil && !p.wide() {
		c.readHistory(reply, func(r *reading) (any, error) {
			r.since, r.until = q.Since, q.Until
			return asDetails(r.exportIn(p.Format), raw, InvalidParams)
		})
		return
	}
	if err == nil && c.remote() {
		err = &Error{Kind: Unavailable, Message: "the file would be written on another machine than yours", Hint: "run `askctl export` on askd's machine"}
	}
	if err == nil && !filepath.IsAbs(p.Path) {
		err = &Error{Kind: InvalidParams, Path: "path", Message: "path: an absolute path is needed here", Hint: "the daemon does not know your folder"}
	}
	if err != nil {
		reply(nil, err)
		return
	}
	c.b.archived(reply, func() {
		n := 0
		records := counted(c.b.o.Archive.Passing(context.Background(), q), &n)
		if err := c.b.o.Archive.WriteRecords(filepath.Clean(p.Path), records, p.Format); err != nil {
			reply(nil, ExportError(err))
			return
		}
		reply(Exported{Path: filepath.Clean(p.Path), Count: n}, nil)
	})
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
