package broker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// What must hold (DESIGN, "What must always hold" and "Branches and delivery").

var laterForm = `{"background":true,` + dbForm[1:]

func kindOf(err error) broker.Kind {
	var be *broker.Error
	if errors.As(err, &be) {
		return be.Kind
	}
	return ""
}

// receipt reports whether a call's result only says that the question is queued.
func receipt(o *tool.Outcome) bool {
	raw, err := json.Marshal(o.Details)
	var d struct{ Status string }
	return err == nil && json.Unmarshal(raw, &d) == nil && d.Status == "queued"
}

// checkBranch: each request is closed at most once on a branch, and only where it was asked.
func (m *model) checkBranch(f *sessionFile, leaf int) {
	seen := map[string]string{}
	asked := f.view(leaf).asked
	for _, e := range events(f.branch(leaf)) {
		if e.Type != "delivered" {
			continue
		}
		if how, again := seen[e.RequestID]; again {
			m.fault("%s: %s stands twice on one branch: as %s and as %s", f.id, tail(e.RequestID), how, e.How)
		}
		seen[e.RequestID] = e.How
		if _, ok := asked[e.RequestID]; !ok && e.How != "user" {
			m.fault("%s: %s is on a branch that did not ask it", f.id, tail(e.RequestID))
		}
	}
}

// stored finds a committed outcome.
func (m *model) stored(session, request, outcome string) *ask.Outcome {
	for _, o := range m.lives.truth.of(ask.Key{Session: session, Request: request}) {
		if o.ID == outcome {
			return o
		}
	}
	m.fault("%s: outcome %s of %s is not on disk", session, tail(outcome), tail(request))
	return nil
}

// checkWords: what the asker reads is the very answer of the person, and nothing else looks like an answer.
func (m *model) checkWords(session string, o *ask.Outcome, content string) {
	own := ""
	if o.Kind == ask.Answered {
		for _, a := range o.Result.Answers.All() {
			own = a.CustomText
		}
		if own == "" || !slices.Contains(m.said[o.RequestID], own) {
			m.fault("%s: outcome %s answers %q, which nobody said", session, tail(o.ID), own)
		}
		if !strings.Contains(content, own) {
			m.fault("%s: outcome %s reads %q, want %q", session, tail(o.ID), content, own)
		}
	}
	for _, said := range m.said[o.RequestID] {
		if said != own && strings.Contains(content, said) {
			m.fault("%s: outcome %s (%s) reads %q", session, tail(o.ID), o.Kind, content)
		}
	}
}

func (m *model) checkDelivery(p *process, d broker.Delivery) {
	v := p.file.view(p.leaf)
	if _, ok := v.asked[d.RequestID]; !ok && !slices.Contains(v.calls, d.ToolCallID) {
		m.fault("%s is delivered %s, which its branch did not ask", p.name(), tail(d.RequestID))
	}
	if p.shown[d.RequestID] {
		m.fault("%s is delivered %s again", p.name(), tail(d.RequestID))
	}
	if slices.ContainsFunc(p.calls, func(c *toolCall) bool { return c.request == d.RequestID && c.known && !c.aborted }) {
		m.fault("%s is delivered %s while its call is open", p.name(), tail(d.RequestID))
	}
	o := m.stored(p.file.id, d.RequestID, d.OutcomeID)
	if o == nil {
		return
	}
	if o.Kind == ask.Interrupted || o.Kind == ask.Withdrawn || d.Provenance.Outcome != o.Kind || d.Wake != (o.Kind != ask.Cancelled) {
		m.fault("%s is delivered a %s outcome as %+v", p.name(), o.Kind, d)
	}
	m.checkWords(p.file.id, o, d.Content[0].Text)
}

func (m *model) checkOutcome(p *process, c *toolCall, o *tool.Outcome) {
	content := o.Content[0].Text
	switch {
	case c.wait:
		m.checkWait(p, o)
	case receipt(o):
		for _, said := range m.said[c.request] {
			if strings.Contains(content, said) {
				m.fault("a receipt carries an answer: %q", content)
			}
		}
	case o.OutcomeID != "":
		if kept := m.stored(p.file.id, c.request, o.OutcomeID); kept != nil {
			m.checkWords(p.file.id, kept, content)
			if o.IsError != (kept.Kind == ask.Interrupted || kept.Kind == ask.Withdrawn) {
				m.fault("a %s outcome came with isError %t", kept.Kind, o.IsError)
			}
		}
	}
}

// checkWait: a wait gives what is new on the branch, and each of it once.
func (m *model) checkWait(p *process, o *tool.Outcome) {
	v := p.file.view(p.leaf)
	for _, ref := range o.Deliveries {
		if _, ok := v.asked[ref.RequestID]; !ok {
			m.fault("a wait of %s gives %s, which its branch did not ask", p.name(), tail(ref.RequestID))
		}
		if _, ok := v.delivered[ref.RequestID]; ok {
			m.fault("a wait of %s repeats %s", p.name(), tail(ref.RequestID))
		}
		if kept := m.stored(p.file.id, ref.RequestID, ref.OutcomeID); kept != nil && kept.Kind == ask.Answered {
			for _, a := range kept.Result.Answers.All() {
				if !strings.Contains(o.Content[0].Text, a.CustomText) {
					m.fault("a wait of %s claims %s without its text: %q", p.name(), tail(ref.RequestID), o.Content[0].Text)
				}
			}
		}
	}
}

// listing gives the queue by session.
func (m *model) listing(all bool) map[string]map[string]broker.RequestSummary {
	a := newAnswer(m.tb, "queue.list")
	m.lives.control.QueueList(broker.ListParams{All: all}, a.reply)
	v, err := a.wait()
	must(m.tb, err)
	var l struct{ Requests []broker.RequestSummary }
	must(m.tb, json.Unmarshal(encode(m.tb, v), &l))
	out := map[string]map[string]broker.RequestSummary{}
	for _, r := range l.Requests {
		if out[r.Session] == nil {
			out[r.Session] = map[string]broker.RequestSummary{}
		}
		if _, twice := out[r.Session][r.RequestID]; twice {
			m.fault("%s is listed twice", tail(r.RequestID))
		}
		out[r.Session][r.RequestID] = r
	}
	return out
}

// checkCalm compares askd with the contract while nothing is on its way.
func (m *model) checkCalm() {
	listed := m.listing(false)
	for _, p := range m.processes {
		if p.role == "primary" {
			m.checkSession(p, listed[p.file.id])
		}
	}
	m.checkForks(listed)
	m.checkParked(listed)
	m.lives.truth.mu.Lock()
	faults := m.lives.truth.faults
	m.lives.truth.mu.Unlock()
	for _, f := range faults {
		m.fault("the journal refused: %s", f)
	}
}

// due gives the outcome that a branch still lacks; nil when the request waits on it.
func (m *model) due(f *sessionFile, v view, request string) *ask.Outcome {
	var found *ask.Outcome
	for _, o := range m.lives.truth.of(ask.Key{Session: f.id, Request: request}) {
		switch {
		case v.outcome[request] == o.ID:
			return o
		case o.Kind != ask.Interrupted && o.Kind != ask.Withdrawn && !v.elsewhere[o.ID]:
			found = o
		}
	}
	return found
}

func (m *model) checkSession(p *process, listed map[string]broker.RequestSummary) {
	v := p.file.view(p.leaf)
	want := map[string]bool{}
	tools := map[string]bool{}
	for _, id := range v.order {
		tools[v.asked[id].toolCall] = true
		if v.quiet(id) || m.shared[id] {
			continue
		}
		if o := m.due(p.file, v, id); o != nil {
			if !p.keeps(o) {
				m.fault("%s never got %s of %s (%s)", p.name(), tail(o.ID), tail(id), o.Kind)
			}
			continue
		}
		want[id] = true
	}
	for id, r := range listed {
		call, _ := strings.CutPrefix(r.FlowID, "tool:")
		if !want[id] && !tools[call] && slices.Contains(v.calls, call) {
			tools[call] = true // asked again from the call's own arguments: only askd knows its id
			continue
		}
		if !want[id] && m.shared[id] {
			continue
		}
		if !want[id] {
			m.fault("%s: %s is listed (%s) and is not to be", p.name(), tail(id), r.Status)
		}
		delete(want, id)
		m.checkStatus(p, r)
	}
	for id := range want {
		m.fault("%s: %s is not listed", p.name(), tail(id))
	}
	for _, q := range m.processes {
		if q.file == p.file {
			q.checkCalls(listed)
		}
	}
}

// keeps reports whether a process has an outcome and cannot place it while a tool runs, or its wait is to give it.
func (p *process) keeps(o *ask.Outcome) bool {
	if slices.ContainsFunc(p.calls, func(c *toolCall) bool { return c.wait }) && p.file.view(p.leaf).asked[o.RequestID].background {
		return true
	}
	return len(p.calls) > 0 && slices.ContainsFunc(p.ready, func(d broker.Delivery) bool { return d.OutcomeID == o.ID })
}

func (m *model) checkStatus(p *process, r broker.RequestSummary) {
	open := slices.ContainsFunc(p.calls, func(c *toolCall) bool { return c.request == r.RequestID })
	fits := r.Status == broker.Waiting || r.Status == broker.Deferred && r.Background || r.Status == broker.Interrupted && !r.Background && !open
	if !fits || open && !r.AskerOnline {
		m.fault("%s: %s is %s, online %t", p.name(), tail(r.RequestID), r.Status, r.AskerOnline)
	}
}

// checkCalls: at rest a call is open only while its form is.
func (p *process) checkCalls(listed map[string]broker.RequestSummary) {
	for _, c := range p.calls {
		_, open := listed[c.request]
		if c.wait && len(listed) == 0 || !c.wait && (c.background || !open) {
			p.m.fault("%s: call %s was not answered", p.name(), tail(c.request))
		}
	}
}

// checkForks: while a fork of a closed session is open, what both ask stands in the fork alone.
func (m *model) checkForks(listed map[string]map[string]broker.RequestSummary) {
	live := map[string]bool{}
	for _, p := range m.processes {
		live[p.file.id] = true
	}
	for _, p := range m.processes {
		parent := p.file.parentSession()
		if parent == "" || live[parent] {
			continue
		}
		for id := range listed[p.file.id] {
			if _, twice := listed[parent][id]; twice {
				m.fault("%s is listed in %s and in %s, which was forked from it", tail(id), parent, p.file.id)
			}
		}
	}
}

// checkParked: what is not in the list cannot be answered.
func (m *model) checkParked(listed map[string]map[string]broker.RequestSummary) {
	all := m.listing(true)
	for session, requests := range all {
		for id, r := range requests {
			if _, shown := listed[session][id]; shown == (r.Status == broker.Parked) {
				m.fault("%s/%s is %s, listed %t", session, tail(id), r.Status, shown)
			}
		}
	}
	keys := slices.DeleteFunc(m.lives.truth.keys(), func(k ask.Key) bool {
		_, shown := listed[k.Session][k.Request]
		return shown
	})
	if len(keys) == 0 {
		return
	}
	k := keys[m.rng.IntN(len(keys))]
	a := newAnswer(m.tb, "submit")
	m.lives.broker.Submit(k, ask.Response{Choices: []ask.Choice{{CustomText: "too late"}}}, a.done)
	if _, err := a.wait(); !errors.Is(err, broker.ErrNotPending) {
		m.fault("%s/%s is not listed, yet takes an answer: %v", k.Session, tail(k.Request), err)
	}
	b := newAnswer(m.tb, "form.respond")
	m.lives.control.Respond(broker.RespondParams{RequestID: k.Request, Session: k.Session, Response: json.RawMessage(`{"kind":"cancel"}`)}, b.reply)
	if v, err := b.wait(); err != nil || v.(broker.Responded).Error != ask.ErrFlowNotFound.Code {
		m.fault("%s/%s is not listed, yet a client may answer it: %v, %v", k.Session, tail(k.Request), v, err)
	}
}

// checkPromises: at the end of askd's last life every request of a client has had its one reply.
func (m *model) checkPromises() {
	for _, p := range m.promises {
		if n := p.count(); n != 1 {
			m.fault("%s got %d replies", p.what, n)
		}
	}
}

// checkOutcomes: only what a person did made an answer.
func (m *model) checkOutcomes() {
	for _, k := range slices.SortedFunc(maps.Keys(m.lives.truth.outcomes), func(a, b ask.Key) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		for _, o := range m.lives.truth.of(k) {
			if o.Kind.Submitted() && m.decided[k.Request] == 0 {
				m.fault("%v has a %s outcome and nobody submitted", k, o.Kind)
			}
			if o.Kind == ask.Cancelled && m.dismissed[k.Request] == 0 {
				m.fault("%v has a cancelled outcome and nobody cancelled", k)
			}
		}
	}
}
