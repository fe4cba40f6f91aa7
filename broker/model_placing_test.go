package broker_test

import (
	"slices"

	"askd/broker"
)

// How the simulated client brings things into its session file. Every function writes one entry or a few; a kill may come
// between any two calls, and where kill says so between two entries.

// writeResult writes down the oldest result that a call has given.
func (p *process) writeResult(torn bool) {
	r := p.results[0]
	p.results = p.results[1:]
	if r.completed != "" && torn {
		p.write(record{kind: "completed", request: r.request, outcome: r.completed})
		return
	}
	p.writeDown(r)
}

func (p *process) writeDown(r result) {
	if r.completed != "" {
		p.write(record{kind: "completed", request: r.request, outcome: r.completed})
	}
	p.write(r.record)
	if r.outcome != "" {
		p.unacked = append(p.unacked, broker.OutcomeRef{RequestID: r.request, OutcomeID: r.outcome})
	}
	p.unacked = append(p.unacked, r.taken...)
}

// writeFailed writes down what ended without askd: it is to know before it asks for more. A result that another process
// of the session has taken up meanwhile is not left lying either.
func (p *process) writeFailed() {
	others := p.company()
	kept := p.results[:0:0]
	for _, r := range p.results {
		if r.failed || others {
			p.writeDown(r)
		} else {
			kept = append(kept, r)
		}
	}
	p.results = kept
}

// handedOver reports whether a call's result carries the outcome and only waits to be written.
func (p *process) handedOver(outcome string) bool {
	return slices.ContainsFunc(p.results, func(r result) bool {
		return r.outcome == outcome || slices.ContainsFunc(r.taken, func(ref broker.OutcomeRef) bool { return ref.OutcomeID == outcome })
	})
}

// place brings the oldest delivery into the branch; false when it has to wait. What stands there already is only
// acknowledged. Nothing is placed while a tool runs, and a recovered answer only when the agent is idle.
func (p *process) place(torn bool) bool {
	if len(p.ready) == 0 || len(p.calls) > 0 || p.handedOver(p.ready[0].OutcomeID) {
		return false
	}
	d := p.ready[0]
	p.ready = p.ready[1:]
	if p.file.view(p.leaf).quiet(d.RequestID) {
		p.unacked = append(p.unacked, broker.OutcomeRef{RequestID: d.RequestID, OutcomeID: d.OutcomeID})
		return true
	}
	placings[d.As](p, d, torn)
	return true
}

var placings = map[string]func(*process, broker.Delivery, bool){
	"background": func(p *process, d broker.Delivery, torn bool) {
		p.write(record{kind: "completed", request: d.RequestID, outcome: d.OutcomeID})
		if torn {
			return
		}
		p.write(record{kind: "message", request: d.RequestID, outcome: d.OutcomeID})
		p.unacked = append(p.unacked, broker.OutcomeRef{RequestID: d.RequestID, OutcomeID: d.OutcomeID})
	},
	"followUp": func(p *process, d broker.Delivery, torn bool) {
		p.write(record{kind: "resume-sent", request: d.RequestID, outcome: d.OutcomeID})
		if torn && p.m.coin(2) {
			return
		}
		p.write(record{kind: "user"})
		if torn {
			return
		}
		p.write(record{kind: "completed", request: d.RequestID, outcome: d.OutcomeID})
		p.write(record{kind: "dismissed", toolCall: d.ToolCallID, request: d.RequestID})
		p.unacked = append(p.unacked, broker.OutcomeRef{RequestID: d.RequestID, OutcomeID: d.OutcomeID})
	},
	"dismissOnly": func(p *process, d broker.Delivery, _ bool) {
		p.write(record{kind: "dismissed", toolCall: d.ToolCallID, request: d.RequestID})
		p.unacked = append(p.unacked, broker.OutcomeRef{RequestID: d.RequestID, OutcomeID: d.OutcomeID})
	},
}

// finish writes and acknowledges all it can; it reports whether anything was done.
func (p *process) finish() bool {
	did := false
	for p.line != nil && p.line.take() {
		did = true
	}
	for _, c := range slices.Clone(p.calls) {
		p.send(c)
	}
	for len(p.results) > 0 {
		p.writeResult(false)
		did = true
	}
	for p.connected() && p.place(false) {
		did = true
	}
	for p.connected() && len(p.unacked) > 0 {
		p.ack()
		did = true
	}
	return did
}
