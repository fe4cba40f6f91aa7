package broker

import (
	"encoding/json"
	"errors"
	"strings"

	"askd/broker/ask"
)

// Await joins a foreground ask again after a lost connection or a restart (PROTOCOL, tool.await).
func (c *Client) Await(requestID string, reply Reply) {
	c.send(reply, func(d *desk) {
		if c.session == nil {
			reply(nil, errNoSession)
			return
		}
		if requestID == "" {
			reply(nil, &Error{Kind: InvalidParams, Path: "requestId", Message: "requestId is missing", Hint: "send the id of the call to wait for"})
			return
		}
		it, err := d.lookup(ask.Key{Session: c.session.id, Request: requestID})
		switch {
		case err != nil:
			reply(nil, storageError("look up request "+requestID, err))
		case it == nil:
			reply(nil, &Error{Kind: NotFound, Path: "requestId", Message: "no request " + requestID + " in this session", Hint: "send tool.call again with the same id"})
		case it.owner != nil && it.owner != c && !it.owner.closed && it.state != ended:
			reply(nil, &Error{Kind: Conflict, Path: "requestId", Message: "request " + requestID + " is held by another live process of this session"})
		default:
			d.join(c, it, reply)
		}
	})
}

// lookup finds an item on the desk or in the history; nil when it was never stored.
func (d *desk) lookup(k ask.Key) (*item, error) {
	if it := d.items[k]; it != nil {
		return it, nil
	}
	rec, ok, err := d.b.o.Store.Find(k)
	if err != nil || !ok {
		return nil, err
	}
	return settledItem(rec), nil
}

// AbortParams are the parameters of tool.abort.
type AbortParams struct {
	RequestID  string `json:"requestId"`
	ToolCallID string `json:"toolCallId"`
	Reason     string `json:"reason"`
}

// aborted is the result of tool.abort.
type aborted struct {
	State string `json:"state"` // ended, interrupted, unknown
}

// abortKinds says how each reason of tool.abort closes a form.
var abortKinds = map[string]ask.OutcomeKind{
	"": ask.Interrupted, "user": ask.Interrupted, "switch": ask.Interrupted, "fork": ask.Interrupted, "quit": ask.Interrupted, "lost": ask.Withdrawn,
}

// Abort closes one of the session's own requests because the agent's operation ended (PROTOCOL, tool.abort). An outcome
// that is already on its way stands.
func (c *Client) Abort(p AbortParams, reply Reply) {
	kind, ok := abortKinds[p.Reason]
	if !ok {
		reply(nil, &Error{Kind: InvalidParams, Path: "reason", Message: "reason: unknown value \"" + p.Reason + "\"", Hint: "use user, switch, fork, quit or lost"})
		return
	}
	c.send(reply, func(d *desk) {
		if d.abortsWait(c, p, reply) {
			return
		}
		it := d.item(c, p.RequestID, p.ToolCallID)
		switch {
		case it == nil:
			reply(aborted{d.abortUnknown(c, p)}, nil)
		case it.state == committing || it.state == settling:
			it.aborts, it.abortKind = append(it.aborts, reply), kind
		case it.state == pending:
			it.aborts = append(it.aborts, reply)
			d.interrupt(it, kind)
		default:
			reply(aborted{"ended"}, nil)
		}
	})
}

// abortUnknown tells an old request of the session from one that never was.
func (d *desk) abortUnknown(c *Client, p AbortParams) string {
	id := p.RequestID
	if id == "" {
		id = c.called.of(p.ToolCallID)
	}
	if c.session == nil || id == "" {
		return "unknown"
	}
	if _, ok, err := d.b.o.Store.Find(ask.Key{Session: c.session.id, Request: id}); err == nil && ok {
		return "ended"
	}
	return "unknown"
}

func (d *desk) interrupt(it *item, kind ask.OutcomeKind) {
	d.settle(it, ending{kind: kind, via: ask.ViaAskd, done: func(err error) {
		if err != nil {
			it.finishAborts("unknown")
		}
	}})
}

// abortState is what an abort is told of a request that has ended.
func abortState(k ask.OutcomeKind) string {
	if k == ask.Interrupted || k == ask.Withdrawn {
		return "interrupted"
	}
	return "ended"
}

// finishAborts answers the calls of tool.abort that waited for the item.
func (it *item) finishAborts(state string) {
	for _, reply := range it.aborts {
		reply(aborted{state}, nil)
	}
	it.aborts = nil
}

// RespondParams are the parameters of form.respond.
type RespondParams struct {
	FlowID    string          `json:"flowId"`
	RequestID string          `json:"requestId"`
	Session   string          `json:"session"`
	Tool      string          `json:"tool"` // whose forms count; empty for all
	Response  json.RawMessage `json:"response"`
	Via       string          `json:"via"`  // "external": the surface that was found for ask.surface gave it
	Same      bool            `json:"same"` // the other forms that ask the same get this answer too
}

// Respond ends a form with an explicit answer or cancel from outside the pane (PROTOCOL, form.respond).
func (c *Client) Respond(p RespondParams, reply Reply) {
	// The outside of a response comes before the form is looked up, its answers after (contract, remote events).
	if _, err := ask.ParseRemoteKind(p.Response); err != nil {
		refuseRemote(err, reply)
		return
	}
	if p.RequestID == "" && p.FlowID == "" {
		refuseRemote(ask.ErrNoFlow, reply)
		return
	}
	c.sendKept(reply, func(d *desk) {
		it, err := d.find(c, p)
		if err != nil {
			reply(nil, err)
			return
		}
		if it == nil {
			reply(notActive, nil)
			return
		}
		d.respond(c, it, p, reply)
	})
}

func (d *desk) respond(c *Client, it *item, p RespondParams, reply Reply) {
	kind, response, err := ask.ParseRemote(it.req, p.Response)
	if err != nil {
		refuseRemote(err, reply)
		return
	}
	e := ending{response: response, via: c.via(it, p.Via), client: c.name, done: func(err error) { responded(nil, err, reply) }}
	switch {
	case kind == ask.RemoteCancel && p.Same:
		reply(nil, &Error{Kind: InvalidParams, Path: "same", Message: "same: only an answer can be given to several forms", Hint: "cancel each form by itself"})
		return
	case p.Same:
		d.answerAlike(it, e, func(s Same, err error) { responded(&s, err, reply) })
		return
	}
	if kind == ask.RemoteCancel {
		e.kind, e.response = ask.Cancelled, responseOf(it.req, it.draft)
	}
	d.settle(it, e)
}

// responded answers form.respond once the outcome is on disk, or is not.
func responded(same *Same, err error, reply Reply) {
	switch {
	case errors.Is(err, ErrNotPending):
		reply(notActive, nil)
	case errors.Is(err, ErrTooMuchText) || errors.Is(err, ErrTooLargeAnswer):
		reply(Responded{Error: ask.RemoteInvalidAnswer, Message: err.Error()}, nil)
	case err != nil:
		reply(nil, storageError("the answer could not be stored", err))
	default:
		reply(Responded{OK: true, Same: same}, nil)
	}
}

// refuseRemote answers a response that the form does not take.
func refuseRemote(err error, reply Reply) {
	var re *ask.RemoteError
	if errors.As(err, &re) {
		reply(Responded{Error: re.Code, Message: re.Message}, nil)
		return
	}
	reply(nil, &Error{Kind: InvalidParams, Path: "response", Message: err.Error()})
}

var notActive = Responded{Error: ask.ErrFlowNotFound.Code, Message: ask.ErrFlowNotFound.Message}

// via is the way on which this client's answer to a form comes.
func (c *Client) via(it *item, said string) ask.Via {
	if said == string(ask.ViaExternal) && it.offeredTo(c) {
		return ask.ViaExternal
	}
	if c.name == "askctl" {
		return ask.ViaAskctl
	}
	return ask.ViaRemote
}

// find looks a form up for form.respond: in the named session, else the connection's own, else in all.
func (d *desk) find(c *Client, p RespondParams) (*item, error) {
	match := d.matching(p)
	own := p.Session
	if own == "" && c.session != nil {
		own = c.session.id
	}
	var mine []*item
	for _, it := range match {
		if it.req.Session == own {
			mine = append(mine, it)
		}
	}
	if len(mine) > 0 || p.Session != "" {
		match = mine
	}
	return one(match)
}

// one is the only item of those that match, nil for none.
func one(match []*item) (*item, error) {
	switch len(match) {
	case 0:
		return nil, nil
	case 1:
		return match[0], nil
	}
	hint := "name the session as well"
	if match[0].req.Session == match[1].req.Session {
		hint = "name one by its requestId"
	}
	return nil, &Error{Kind: Conflict, Message: "several forms match: " + candidates(match), Hint: hint}
}

func (d *desk) matching(p RespondParams) []*item {
	var out []*item
	for it := range d.queue.all() {
		if p.Tool != "" && p.Tool != it.req.Tool {
			continue
		}
		if p.RequestID != "" && it.req.ID == p.RequestID || p.RequestID == "" && p.FlowID != "" && it.req.FlowID() == p.FlowID {
			out = append(out, it)
		}
	}
	return out
}

func candidates(items []*item) string {
	var names []string
	for _, it := range items {
		names = append(names, it.req.Session+" / "+it.req.ID)
	}
	return strings.Join(names, ", ")
}
