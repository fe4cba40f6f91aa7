package broker_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// process is one run of the asker's program over a session file, as DESIGN ("The shim") wants it. A kill leaves nothing
// of it but the file.
type process struct {
	m        *model
	file     *sessionFile
	leaf     int
	instance string
	epoch    int
	reason   string // of the next session.open
	line     *line  // nil while not connected
	role     string // of the last session.open on this line; empty until it is answered
	calls    []*toolCall
	results  []result          // handed over by a call, not yet in the file
	ready    []broker.Delivery // not yet placed
	unacked  []broker.OutcomeRef
	late     []string        // calls that ended while askd was being told of them
	shown    map[string]bool // outcomes that this line has been told are in the file
}

// toolCall is an open call.
type toolCall struct {
	request, id string
	wait        bool
	background  bool
	sent        bool // on this line
	known       bool // askd has been sent it before
	aborted     bool // its operation has ended
}

// result is what a tool gives its caller. It is written a moment later.
type result struct {
	record
	completed string // the outcome to note with it
}

func (p *process) name() string { return p.file.id + "/" + p.instance }

// write puts an entry on the process's branch, and looks at once whether that was allowed.
func (p *process) write(r record) {
	p.leaf = p.file.add(p.leaf, r)
	p.m.trace("%s writes %s", p.name(), r)
	p.m.checkBranch(p.file, p.leaf)
}

// enter begins a session or another branch of it: nothing of an earlier epoch counts.
func (p *process) enter(reason string) {
	p.epoch++
	p.reason = reason
	p.ready, p.unacked = nil, nil
}

func (p *process) openCalls() []broker.OpenCall {
	var out []broker.OpenCall
	for _, c := range p.calls {
		out = append(out, broker.OpenCall{RequestID: c.request, ToolCallID: c.id})
	}
	return out
}

// open tells askd which branch counts now.
func (p *process) open() {
	p.writeFailed()
	branch := events(p.file.branch(p.leaf))
	if branch == nil {
		branch = []broker.BranchEvent{}
	}
	info := broker.SessionInfo{
		ID: p.file.id, UI: "tui", Reason: p.reason, Branch: branch, Elsewhere: p.file.elsewhere(branch), OpenCalls: p.openCalls(),
		Instance: p.instance, Epoch: p.epoch, ParentSession: p.file.parentSession(),
	}
	if len(p.file.ancestors) > 1 {
		info.Ancestors = p.file.ancestors[1:]
	}
	p.shown = map[string]bool{} // until askd has read this, it may send what the branch has
	told := map[string]bool{}
	for _, e := range branch {
		if e.Type == "delivered" {
			told[e.RequestID] = true
		}
	}
	p.m.trace("%s opens (%s, epoch %d)", p.name(), p.reason, p.epoch)
	p.role, p.late = "", nil
	epoch := p.epoch
	p.line.client.OpenSession(info, p.line.replied("session.open of "+p.name(), func(v any, err error) {
		if epoch == p.epoch {
			maps.Copy(p.shown, told)
			p.opened(v, err)
		}
	}))
}

func (p *process) opened(v any, err error) {
	if err != nil {
		return
	}
	o := v.(broker.Opened)
	p.role, p.reason = o.Role, "reconnect"
	p.ready = slices.DeleteFunc(p.ready, func(d broker.Delivery) bool { // of an earlier connection, and another process may have it
		return !slices.ContainsFunc(o.Undelivered, func(ref broker.OutcomeRef) bool { return ref.OutcomeID == d.OutcomeID })
	})
	p.m.trace("%s is %s: %d pending, %d undelivered, %d unknown", p.name(), o.Role, len(o.Pending), len(o.Undelivered), len(o.Unknown))
	if p.file.mode {
		p.tellMode()
	}
	for _, request := range p.late {
		p.tellAbort(request, "user", func(any, error) {})
	}
	p.late = nil
	for _, c := range p.calls {
		p.send(c)
	}
	for _, id := range o.Unknown {
		if slices.ContainsFunc(p.calls, func(c *toolCall) bool { return c.request == id }) {
			continue
		}
		a := p.file.view(p.leaf).asked[id]
		p.call(id, a.toolCall, a.background, func(any, error) {})
	}
}

func (p *process) connect() {
	p.line = p.m.dial("pi")
	for _, c := range p.calls {
		c.sent = false
	}
	p.open()
}

func (p *process) disconnect() {
	p.line.cut()
	p.line, p.role, p.unacked = nil, "", nil
}

// company reports whether another process has the session's file open.
func (p *process) company() bool {
	return slices.ContainsFunc(p.m.processes, func(q *process) bool { return q != p && q.file == p.file })
}

func (p *process) connected() bool { return p.line != nil && p.role != "" }

// begin starts a tool call. The call and its request are in the file before askd hears of them.
func (p *process) begin(c *toolCall) {
	name := ask.ToolAskUser
	if c.wait {
		name = ask.ToolWait
	}
	p.write(record{kind: "call", toolCall: c.id, tool: name})
	if !c.wait {
		p.write(record{kind: "request", request: c.request, toolCall: c.id, background: c.background})
	}
	p.calls = append(p.calls, c)
}

// send tells askd of a call, or joins it when askd may know of it.
func (p *process) send(c *toolCall) {
	if c.sent || !p.connected() {
		return
	}
	c.sent = true
	if p.company() {
		p.m.shared[c.request] = true
	}
	epoch, session := p.epoch, p.file.id
	reply := func(v any, err error) {
		if epoch == p.epoch {
			p.returned(c, v, err)
		} else if o, ok := v.(*tool.Outcome); ok && o != nil && o.OutcomeID != "" {
			p.release(session, o.RequestID, o.OutcomeID)
		}
	}
	switch {
	case c.wait:
		p.ackAll()
		p.line.client.Call(broker.CallParams{Tool: ask.ToolWait, RequestID: c.request, ToolCallID: c.id}, p.line.replied("wait "+tail(c.request), reply))
	case c.known && !c.background:
		p.line.client.Await(c.request, p.line.replied("tool.await "+tail(c.request), reply))
	default:
		p.call(c.request, c.id, c.background, reply)
	}
	c.known = true
}

func (p *process) call(request, id string, background bool, reply func(any, error)) {
	arguments := dbForm
	if background && !p.file.mode {
		arguments = laterForm
	}
	p.m.trace("%s calls %s background=%t", p.name(), tail(request), background)
	p.line.client.Call(broker.CallParams{Tool: ask.ToolAskUser, Arguments: json.RawMessage(arguments), RequestID: request, ToolCallID: id},
		p.line.replied("tool.call "+tail(request), reply))
}

// returned takes the reply of a call.
func (p *process) returned(c *toolCall, v any, err error) {
	if err != nil {
		p.refused(c, err)
		return
	}
	o := v.(*tool.Outcome)
	if slices.Contains(p.calls, c) {
		p.m.checkOutcome(p, c, o)
	}
	if c.aborted && receipt(o) {
		return // what becomes of the abort decides
	}
	if !p.drop(c) {
		if o.OutcomeID != "" {
			p.release(p.file.id, o.RequestID, o.OutcomeID)
		}
		return
	}
	r := result{record: record{kind: "result", toolCall: c.id, failed: o.IsError}}
	switch {
	case c.wait:
		for _, d := range o.Deliveries {
			r.taken = append(r.taken, broker.OutcomeRef{RequestID: d.RequestID, OutcomeID: d.OutcomeID})
		}
	case receipt(o):
		r.queued = true
	case !o.IsError:
		r.request, r.outcome, r.completed = c.request, o.OutcomeID, o.OutcomeID
	}
	p.m.trace("%s gets %s", p.name(), r.record)
	p.results = append(p.results, r)
}

// refused handles an error: a call that askd does not know is sent anew, and one that met the end of a connection waits
// for the next.
func (p *process) refused(c *toolCall, err error) {
	if !slices.Contains(p.calls, c) {
		return
	}
	kind := kindOf(err)
	p.m.trace("%s: call %s refused: %v", p.name(), tail(c.request), err)
	switch kind {
	case broker.ShuttingDown, broker.Unavailable:
		c.sent = false
	case broker.NotFound:
		c.sent, c.known = false, false
		p.send(c)
	default:
		p.m.fault("call %s: %v", c.request, err)
	}
}

// drop takes a call off the list; false when it had gone before.
func (p *process) drop(c *toolCall) bool {
	i := slices.Index(p.calls, c)
	if i < 0 {
		return false
	}
	p.calls = slices.Delete(p.calls, i, i+1)
	return true
}

// abort ends a call's operation. An answer that askd has decided stands when it comes in time; a wait's never does, for
// askd gives what it carried to others.
func (p *process) abort(c *toolCall, reason string, patient bool) {
	p.m.trace("%s aborts %s (%s)", p.name(), tail(c.request), reason)
	c.aborted = true
	if p.line != nil && !p.connected() && c.background {
		p.disconnect() // the next session.open says what became of the call
	}
	if p.line != nil && !p.connected() && c.known {
		p.late = append(p.late, c.request) // askd was just told that the call is open
	}
	if p.connected() && c.known {
		p.tellAbort(c.request, reason, func(v any, _ error) {
			if state := stateOf(p.m.tb, v); c.background && !c.wait && state == "ended" && p.drop(c) {
				p.results = append(p.results, result{record: record{kind: "result", toolCall: c.id, queued: true}})
			}
		})
		for (patient || c.background) && !c.wait && p.connected() && slices.Contains(p.calls, c) {
			p.m.lives.settle()
			if !p.line.take() {
				break
			}
		}
	}
	if p.drop(c) {
		p.results = append(p.results, result{record: record{kind: "result", toolCall: c.id, failed: true}})
		if c.background && c.known && p.line != nil {
			p.disconnect() // nobody has said yet what stands: the next session.open tells askd what the agent was told
		}
	}
}

func (p *process) tellAbort(request, reason string, then func(any, error)) {
	p.line.client.Abort(broker.AbortParams{RequestID: request, Reason: reason}, p.line.replied("tool.abort "+tail(request), then))
}

// stateOf reads the reply of tool.abort.
func stateOf(tb testing.TB, v any) string {
	if v == nil {
		return ""
	}
	var s struct{ State string }
	must(tb, json.Unmarshal(encode(tb, v), &s))
	return s.State
}

// notified takes what askd says by itself. A stale epoch is somebody else's.
func (p *process) notified(method string, params any) {
	switch method {
	case "ask.deliver":
		p.delivered(params.(broker.Delivery))
	case "ask.withdraw":
		var w struct {
			Session, RequestID, OutcomeID string
			Epoch                         int
		}
		must(p.m.tb, json.Unmarshal(encode(p.m.tb, params), &w))
		if w.Session == p.file.id && w.Epoch == p.epoch {
			p.ready = slices.DeleteFunc(p.ready, func(d broker.Delivery) bool { return d.OutcomeID == w.OutcomeID })
		}
	case "session.stale":
		p.open()
	}
}

func (p *process) delivered(d broker.Delivery) {
	if d.Session != p.file.id || d.Epoch != p.epoch {
		p.m.trace("%s drops %+v", p.name(), d.RequestID)
		return
	}
	p.m.trace("%s is delivered %s %s %s", p.name(), d.As, tail(d.RequestID), tail(d.OutcomeID))
	p.m.checkDelivery(p, d)
	if slices.ContainsFunc(p.ready, func(r broker.Delivery) bool { return r.OutcomeID == d.OutcomeID }) {
		return // from before the connection was lost
	}
	p.ready = append(p.ready, d)
}

// release gives back what came too late to be written down.
func (p *process) release(session, request, outcome string) {
	if p.line != nil {
		p.line.client.Release(broker.AckParams{Session: session, RequestID: request, OutcomeID: outcome}, p.line.replied("delivery.release", func(any, error) {}))
	}
}

// ack tells askd of the oldest thing that the file holds.
func (p *process) ack() {
	ref := p.unacked[0]
	p.unacked = p.unacked[1:]
	if !p.connected() {
		return
	}
	p.m.trace("%s acknowledges %s %s", p.name(), tail(ref.RequestID), tail(ref.OutcomeID))
	shown := p.shown
	what := fmt.Sprintf("delivery.ack %s %s", tail(ref.RequestID), tail(ref.OutcomeID))
	p.line.client.Ack(broker.AckParams(struct{ RequestID, OutcomeID, Session string }{ref.RequestID, ref.OutcomeID, ""}),
		p.line.replied(what, func(_ any, err error) {
			shown[ref.RequestID] = err == nil
			if err != nil && kindOf(err) != broker.ShuttingDown && kindOf(err) != broker.InvalidParams {
				p.m.fault("%s: %v", what, err)
			}
		}))
}

func (p *process) ackAll() {
	for len(p.unacked) > 0 {
		p.ack()
	}
}

func (p *process) tellMode() {
	p.line.client.Mode(broker.ModeParams{BackgroundOnly: p.file.mode}, p.line.replied("session.mode", func(any, error) {}))
}
