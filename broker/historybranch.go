package broker

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
)

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
	since     time.Time       // zero: from the beginning
	until     time.Time       // zero: without end
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

// records gives the questions of the branch in the order asked, each with the outcome that counts there.
func (r *reading) records() ([]ask.HistoryRecord, error) {
	found, err := r.requests()
	return tool.BranchHistory(found), err
}

// requests gives what the branch has asked in the time that is looked at.
func (r *reading) requests() ([]ask.Record, error) {
	found, err := r.all()
	return slices.DeleteFunc(found, func(rec ask.Record) bool {
		at := rec.Request.CreatedAt
		return at.Before(r.since) || !r.until.IsZero() && !at.Before(r.until)
	}), err
}

func (r *reading) all() ([]ask.Record, error) {
	var out []ask.Record
	if r.branch == nil {
		for rec, err := range r.b.o.Archive.History(context.Background(), ask.HistoryQuery{Session: r.session}) {
			if err != nil {
				return nil, err
			}
			out = append(out, rec)
		}
		return out, nil
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
	return out, nil
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
	return r.write(raw, func(path string, _ []ask.Record, chosen []ask.HistoryRecord) error {
		return r.b.o.Archive.WriteQuestions(path, chosen)
	})
}

// exportIn is export into another format, which only the protocol's own method has.
func (r *reading) exportIn(format string) func(json.RawMessage) (*tool.Outcome, error) {
	if format != "jsonl" {
		return r.export
	}
	return func(raw json.RawMessage) (*tool.Outcome, error) {
		return r.write(raw, func(path string, found []ask.Record, chosen []ask.HistoryRecord) error {
			return r.b.o.Archive.WriteRecords(path, chosenOf(found, chosen), format)
		})
	}
}

// write chooses what an export names and has it written to its path.
func (r *reading) write(raw json.RawMessage, to func(path string, found []ask.Record, chosen []ask.HistoryRecord) error) (*tool.Outcome, error) {
	p, err := tool.ParseExport(raw)
	if err != nil {
		return nil, paramError(err)
	}
	found, err := r.requests()
	if err != nil {
		return nil, storageError("read the history", err)
	}
	chosen, err := tool.SelectHistory(tool.BranchHistory(found), p.Keys)
	if err == nil && r.remote {
		err = errExportHere
	}
	if err != nil {
		return tool.HistoryFailure(err), nil
	}
	path, err := tool.ExportPath(p.Path, r.cwd)
	if err == nil {
		err = to(path, found, chosen)
	}
	if err != nil {
		return tool.HistoryFailure(err), nil
	}
	return tool.ExportHistory(path, chosen), nil
}

// chosenOf gives records with those questions alone that were chosen.
func chosenOf(found []ask.Record, chosen []ask.HistoryRecord) iter.Seq2[ask.Record, error] {
	keys := map[ask.HistoryKey]bool{}
	for i := range chosen {
		keys[chosen[i].HistoryKey] = true
	}
	return func(yield func(ask.Record, error) bool) {
		for _, rec := range found {
			r := *rec.Request
			r.Questions = slices.DeleteFunc(slices.Clone(r.Questions), func(q ask.Question) bool {
				return !keys[ask.HistoryKey{RequestID: r.ID, QuestionID: q.ID}]
			})
			rec.Request = &r
			if len(r.Questions) > 0 && !yield(rec, nil) {
				return
			}
		}
	}
}

// errExportHere refuses a file for an agent on another machine. It is told to the agent.
var errExportHere = errors.New("The history is kept on another machine, which cannot write a file here. Read the questions with list_ask_history and read_ask_history instead.")
