package broker

import (
	"slices"
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
)

// itemState is where a request stands on its way to an outcome.
type itemState int

const (
	committing itemState = iota // on its way to the disk: not shown, not acknowledged
	pending                     // on disk, waits for the person
	settling                    // its outcome is on its way to the disk
	ended                       // its outcome is on disk, not yet in the asker's transcript
)

// Reply answers one request of a client; it is called exactly once, from any goroutine, and must not block.
type Reply func(result any, err error)

// call is a tool.call or tool.await that waits for an item to end.
type call struct {
	client *Client
	reply  Reply
}

// item is one request on the desk.
type item struct {
	req       *ask.Request
	state     itemState
	outcome   *ask.Outcome   // the one that counts on the open branch; nil while it waits
	outcomes  []*ask.Outcome // all that are stored, oldest first; other branches may have theirs
	draft     *ask.Draft
	drafted   Drafted
	calls     []call
	owner     *Client // the connection whose call it is; nil while the asker is away
	apart     *Client // the live second process of the session that asked it: the open branch says nothing of it
	gone      time.Time
	shownAt   time.Time
	serial    uint64   // order of asking
	orphan    bool     // its asker came back without it: no call waits for the outcome any more
	resumed   bool     // an orphan that is shown again by itself (contract, "Interrupted ask resume")
	parked    bool     // not on its session's open branch: kept, not shown, not answerable
	late      bool     // it was on its way to the disk when its session was opened, and is to be placed when it is there
	noUI      bool     // nobody can be asked
	offered   bool     // no pane served it when it was accepted: its client was asked for another surface
	old       bool     // asked before this askd started: no news
	hushed    bool     // asked while the person was not to be disturbed
	announced bool     // the person has been told of it outside the pane
	receipt   []string // question ids as the asker wrote them, for a background receipt
	beside    int      // unfinished forms that its first receipt counted, itself included; 0 before, and after a restart
	held      *held    // the person's cancel, which can still be taken back
	claim     *claim   // whose task it is to bring the outcome into the transcript
	moving    bool     // on its way into the history
	acks      []Reply  // acknowledgements that wait for it to be there

	began time.Time // for the stopwatch: when it came, later when it was answered; zero when there is nothing to measure

	// Calls of tool.abort that wait for the item's outcome, and how it is to close.
	aborts    []Reply
	abortKind ask.OutcomeKind

	entry *Entry // cached for snapshots; nil when something changed
}

// itemOf makes an item of a stored record.
func itemOf(rec ask.Record, now time.Time) *item {
	it := &item{req: rec.Request, outcome: rec.Outcome, outcomes: rec.Earlier, draft: rec.Draft, state: pending, gone: now}
	if rec.Outcome != nil {
		it.state, it.outcomes = ended, append(slices.Clone(rec.Earlier), rec.Outcome)
	}
	return it
}

// settledItem is a stored request as those see it who ask for it by id: with its newest outcome.
func settledItem(rec ask.Record) *item {
	it := itemOf(rec, time.Time{})
	if n := len(it.outcomes); n > 0 {
		it.outcome, it.state = it.outcomes[n-1], ended
	}
	return it
}

// resolve answers every call that waits for the item.
func (it *item) resolve(o *tool.Outcome, err error) int {
	n := 0
	for _, c := range it.calls {
		if err != nil {
			c.reply(nil, err)
		} else {
			c.reply(o, nil)
		}
		if !c.client.closed {
			c.client.answered.note(it.req.ID, it.said(err))
			n++
		}
	}
	it.calls = nil
	return n
}

// said is what a call of the item has been told with its outcome or an error.
func (it *item) said(err error) said {
	switch {
	case err != nil:
		return saidNothing
	case it.outcome != nil && it.outcome.Kind == ask.Interrupted:
		return saidInterrupted
	default:
		return saidOutcome
	}
}

// holder is a connection that still waits for the item, nil when none does.
func (it *item) holder() *Client {
	if len(it.calls) == 0 {
		return nil
	}
	return it.calls[len(it.calls)-1].client
}

// outcomeFor is the item's outcome as its tool words it.
func (it *item) outcomeFor() *tool.Outcome {
	t, ok := tool.Lookup(it.req.Tool)
	if !ok {
		return &tool.Outcome{IsError: true, Content: []tool.Block{{Type: "text", Text: "unknown tool " + it.req.Tool}}}
	}
	return t.Outcome(it.req, it.outcome)
}

func (it *item) status(s *session) Status {
	switch {
	case it.parked:
		return Parked
	case it.orphan && !it.resumed:
		return Interrupted
	case s.deferred && it.req.Background:
		return Deferred
	default:
		return Waiting
	}
}
