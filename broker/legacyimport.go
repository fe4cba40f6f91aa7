package broker

import (
	"maps"
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
)

// legacyClient is what outcomes of earlier releases say of the program that took the answer.
const legacyClient = "pi-agent-ask"

// legacyOutcome is the id of the outcome that a request of an earlier release has in the entries. It is made of the
// request's id, so that it is the same in every process that reads the session file.
func legacyOutcome(request string) string { return "legacy-" + request }

// legacyState is what a session keeps of the entries of earlier releases.
type legacyState struct {
	payloads map[string]legacyPayload
	storing  int      // requests on their way to the disk
	then     []func() // what waits for them
}

// importLegacy takes the requests of earlier releases over, each once: what askd or a session that this one was forked from
// knows already stays as it is. then runs once everything is on disk, at once when there is nothing to store.
func (d *desk) importLegacy(s *session, book *legacyBook, then func()) {
	if book != nil {
		if s.legacy.payloads == nil {
			s.legacy.payloads = map[string]legacyPayload{}
		}
		maps.Copy(s.legacy.payloads, book.payloads)
		for _, f := range book.forms {
			d.importForm(s, book, f)
		}
	}
	if s.legacy.storing == 0 {
		then()
		return
	}
	s.legacy.then = append(s.legacy.then, then)
}

func (d *desk) importForm(s *session, book *legacyBook, f *legacyForm) {
	if it := d.items[ask.Key{Session: s.id, Request: f.id}]; it != nil {
		d.importEnding(s, it, f)
		return
	}
	rec, _ := d.seek(s, f.id)
	switch {
	case rec.Request != nil:
	case f.ending != nil:
		d.importEnded(s, d.legacyRequest(s, book, f), f.outcome(s))
	case s.branch != nil && s.branch.closed(f.id, f.toolCall):
		now := d.now().UTC()
		o := &ask.Outcome{ID: d.b.o.NewID(), RequestID: f.id, Session: s.id, Kind: ask.Interrupted, Via: ask.ViaAskd, StoredAt: now}
		d.importEnded(s, d.legacyRequest(s, book, f), o)
	default:
		d.importPending(s, d.legacyRequest(s, book, f))
	}
}

// legacyRequest is a form as it goes to the disk. One that is still to be answered is made of its arguments as they were
// saved (contract, "Interrupted ask resume"), one that has ended of the questions that were answered.
func (d *desk) legacyRequest(s *session, book *legacyBook, f *legacyForm) *ask.Request {
	parsed := f.saved
	payload, saved := book.payloads[f.toolCall]
	switch {
	case f.ending != nil && f.saved != nil:
	case f.queued != nil:
		parsed = f.queued
	case saved:
		parsed = parseSaved(payload.arguments, book.multi)
	}
	r := d.request(s.primary, CallParams{Tool: ask.ToolAskUser, Arguments: parsed.Arguments, RequestID: f.id, ToolCallID: f.toolCall}, parsed)
	r.Background = f.background
	switch {
	case !f.at.IsZero():
		r.CreatedAt = f.at.UTC()
	case saved:
		r.CreatedAt = payload.at.UTC()
	}
	return r
}

// outcome is the end of a form as it goes to the disk.
func (f *legacyForm) outcome(s *session) *ask.Outcome {
	e := f.ending
	at := e.at
	if at.IsZero() {
		at = f.at
	}
	o := &ask.Outcome{
		ID: legacyOutcome(f.id), RequestID: f.id, Session: s.id, Kind: ask.Failed, Error: e.err, Via: ask.ViaDialog, Client: legacyClient,
		StoredAt: at.UTC(),
	}
	switch {
	case e.err == ask.TextInterrupted:
		o.Kind, o.Error = ask.Interrupted, ""
	case e.result != nil:
		result := *e.result
		result.RequestID = f.id
		o.Result, o.Kind, o.AnsweredAt = &result, result.Kind(), &o.StoredAt
	}
	return o
}

// importEnded stores a request that is over. It goes into the history: what of it the branch still lacks is taken out of
// there again.
func (d *desk) importEnded(s *session, r *ask.Request, o *ask.Outcome) {
	done := d.storing(s, 3)
	d.b.o.Store.AppendRequest(r, done)
	d.b.o.Store.AppendOutcome(o, done)
	d.b.o.Store.AppendDelivered(r.Key(), o.ID, done)
}

// importPending stores a request that still waits, and puts it on the desk, parked until it is placed.
func (d *desk) importPending(s *session, r *ask.Request) {
	it := &item{req: r, parked: true, gone: d.now()}
	d.put(it)
	done := d.storing(s, 1)
	d.b.o.Store.AppendRequest(r, func(err error) {
		d.b.post(func(d *desk) {
			it.state = pending
			if err != nil {
				d.remove(it)
				d.failed("a question of an earlier release could not be stored", it, err)
			}
		})
		done(err)
	})
}

// importEnding ends a request that was taken over while it waited and that the earlier release has been used to answer
// since, or whose end did not get to the disk.
func (d *desk) importEnding(s *session, it *item, f *legacyForm) {
	if f.ending == nil || it.state != pending || len(it.outcomes) > 0 {
		return
	}
	o := f.outcome(s)
	d.dequeue(it)
	it.state, it.parked = settling, true
	done := d.storing(s, 1)
	d.b.o.Store.AppendOutcome(o, func(err error) {
		d.b.post(func(d *desk) {
			if err != nil {
				it.state = pending
				d.failed("an answer of an earlier release could not be stored; its form is open again", it, err)
				return
			}
			it.state, it.outcome, it.outcomes = ended, o, []*ask.Outcome{o}
		})
		done(err)
	})
}

// storing gives the function that counts n records of a session's import off as they reach the disk.
func (d *desk) storing(s *session, n int) func(error) {
	s.legacy.storing += n
	return func(err error) {
		d.b.post(func(d *desk) {
			if err != nil {
				d.b.o.Log.Error("import from an earlier release", "session", s.id, "err", err)
			}
			if s.legacy.storing--; s.legacy.storing > 0 {
				return
			}
			waiting := s.legacy.then
			s.legacy.then = nil
			for _, then := range waiting {
				then()
			}
		})
	}
}

// savedForm is what an earlier release saved of a call, read as a form that is shown again now; nil when it saved nothing.
func (d *desk) savedForm(s *session, toolCall string) (*tool.Parsed, time.Time) {
	payload, ok := s.legacy.payloads[toolCall]
	if !ok {
		return nil, time.Time{}
	}
	return parseSaved(payload.arguments, d.b.o.Settings().PresentSingleAsMulti), payload.at
}
