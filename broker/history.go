package broker

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
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

// reading is one look at the history of a session's branch, on a goroutine of its own.
type reading struct {
	b         *Broker
	session   string
	ancestors []string
	cwd       string
	asked     []string        // nil: the session has no branches
	branch    *branch         // a copy
	remote    bool            // its folder is on another machine
	waits     map[string]bool // requests that wait on the branch, whatever they had on others
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

// readHistory runs f on a reading of the client's branch.
func (c *Client) readHistory(reply Reply, f func(*reading) (any, error)) {
	c.sendKept(reply, func(d *desk) {
		if c.session == nil {
			reply(nil, errNoSession)
			return
		}
		r := &reading{b: c.b, session: c.session.id, ancestors: c.info.ancestors(), cwd: c.info.Cwd, remote: c.remote()}
		if b := c.session.branch; b != nil {
			r.asked = slices.Clone(b.asked)
			r.branch = &branch{completed: maps.Clone(b.completed), elsewhere: maps.Clone(b.elsewhere)}
			r.waits = d.waits(c.session.id, b.asked)
		}
		c.b.archived(reply, func() { reply(f(r)) })
	})
}

// waits are the requests that a session's branch waits for. The disk may not have it yet that they were asked again.
func (d *desk) waits(session string, asked []string) map[string]bool {
	out := map[string]bool{}
	for _, id := range asked {
		it := d.items[ask.Key{Session: session, Request: id}]
		out[id] = it != nil && it.state == pending && !it.parked
	}
	return out
}

// records gives the branch's records in the order asked, each with the outcome that counts there.
func (r *reading) records() ([]ask.HistoryRecord, error) {
	var out []ask.Record
	if r.branch == nil {
		for rec, err := range r.b.o.Archive.History(context.Background(), ask.HistoryQuery{Session: r.session}) {
			if err != nil {
				return nil, err
			}
			out = append(out, rec)
		}
		return tool.BranchHistory(out), nil
	}
	for _, id := range r.asked {
		rec, ok, err := r.find(id)
		if err != nil {
			return nil, err
		}
		if ok {
			if rec.Outcome = r.branch.counts(rec); r.waits[id] {
				rec.Outcome = nil
			}
			out = append(out, rec)
		}
	}
	return tool.BranchHistory(out), nil
}

func (r *reading) find(id string) (ask.Record, bool, error) {
	for _, session := range append([]string{r.session}, r.ancestors...) {
		rec, ok, err := r.b.o.Store.Find(ask.Key{Session: session, Request: id})
		if err != nil || ok {
			return rec, ok, err
		}
	}
	return ask.Record{}, false, nil
}

// counts is the outcome of a record that belongs to the branch, nil while it waits there: the one that the branch names,
// else the newest of no other branch.
func (b *branch) counts(rec ask.Record) *ask.Outcome {
	outcomes := slices.Clone(rec.Earlier)
	if rec.Outcome != nil {
		outcomes = append(outcomes, rec.Outcome)
	}
	for _, o := range outcomes {
		if b.completed[rec.Request.ID] == o.ID {
			return o
		}
	}
	for _, o := range slices.Backward(outcomes) {
		if !b.elsewhere[o.ID] {
			return o
		}
	}
	return nil
}

func (r *reading) list(raw json.RawMessage) (*tool.Outcome, error) {
	p, err := tool.ParseList(raw)
	if err != nil {
		return nil, paramError(err)
	}
	records, err := r.records()
	if err != nil {
		return nil, storageError("read the history", err)
	}
	return tool.ListHistory(records, p), nil
}

func (r *reading) read(raw json.RawMessage) (*tool.Outcome, error) {
	key, err := tool.ParseRead(raw)
	if err != nil {
		return nil, paramError(err)
	}
	records, err := r.records()
	if err != nil {
		return nil, storageError("read the history", err)
	}
	return tool.ReadHistory(records, key), nil
}

func (r *reading) export(raw json.RawMessage) (*tool.Outcome, error) {
	p, err := tool.ParseExport(raw)
	if err != nil {
		return nil, paramError(err)
	}
	records, err := r.records()
	if err != nil {
		return nil, storageError("read the history", err)
	}
	chosen, err := tool.SelectHistory(records, p.Keys)
	if err == nil && r.remote {
		err = errExportHere
	}
	if err != nil {
		return tool.HistoryFailure(err), nil
	}
	path, err := tool.ExportPath(p.Path, r.cwd)
	if err == nil {
		err = r.b.o.Archive.WriteQuestions(path, chosen)
	}
	if err != nil {
		return tool.HistoryFailure(err), nil
	}
	return tool.ExportHistory(path, chosen), nil
}

// HistoryParams choose from the whole journal or one session of it (PROTOCOL, history.*). Without All and Session the
// methods are the agent's tools over its own branch.
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

// errExportHere refuses a file for an agent on another machine. It is told to the agent.
var errExportHere = errors.New("The history is kept on another machine, which cannot write a file here. Read the questions with list_ask_history and read_ask_history instead.")

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
	if !p.wide() {
		c.readHistory(reply, func(r *reading) (any, error) { return asDetails(r.list, raw, InvalidParams) })
		return
	}
	q, err := p.query()
	if err != nil {
		reply(nil, err)
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
	if !p.wide() {
		c.readHistory(reply, func(r *reading) (any, error) { return asDetails(r.export, raw, InvalidParams) })
		return
	}
	q, err := p.query()
	if err == nil && c.remote() {
		err = &Error{Kind: Unavailable, Message: "the file would be written on another machine than yours", Hint: "run `askctl export` on askd's machine"}
	}
	if err == nil && !filepath.IsAbs(p.Path) {
		err = &Error{Kind: InvalidParams, Path: "path", Message: "path: an absolute path is needed here", Hint: "the daemon does not know your folder"}
	}
	if err == nil && !slices.Contains(exportFormats, p.Format) {
		err = &Error{Kind: InvalidParams, Path: "format", Message: "format: unknown value \"" + p.Format + "\"", Hint: "use markdown or jsonl"}
	}
	if err != nil {
		reply(nil, err)
		return
	}
	c.b.archived(reply, func() {
		n := 0
		records := counted(c.b.o.Archive.History(context.Background(), q), &n)
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
