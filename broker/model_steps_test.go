package broker_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"askd/broker"
	"askd/broker/ask"
)

// step is one thing that may happen; do reports whether it could.
type step struct {
	name   string
	weight int
	do     func(*model) bool
}

var steps = []step{
	{"ask", 12, func(m *model) bool { return m.ask(false) }},
	{"ask in the background", 14, func(m *model) bool { return m.ask(true) }},
	{"answer", 16, (*model).answer},
	{"skip all", 3, (*model).skipAll},
	{"cancel", 5, (*model).cancel},
	{"take a cancel back", 5, (*model).takeBack},
	{"answer from outside", 5, (*model).respond},
	{"hide", 3, func(m *model) bool { return m.panel((*broker.Broker).Defer) }},
	{"show", 3, func(m *model) bool { return m.panel((*broker.Broker).Reopen) }},
	{"wait", 8, (*model).wait},
	{"user message", 4, (*model).userMessage},
	{"abort a call", 5, (*model).abortCall},
	{"listen", 14, (*model).listen},
	{"write a result", 8, (*model).writeResult},
	{"place", 8, func(m *model) bool {
		return m.withProcess(func(p *process) bool { return p.connected() && p.place(false) })
	}},
	{"acknowledge", 6, (*model).acknowledge},
	{"disconnect", 4, (*model).disconnect},
	{"connect", 6, (*model).connect},
	{"kill a process", 3, (*model).killProcess},
	{"kill a process while it writes", 2, (*model).killTorn},
	{"kill a process before it asks", 1, (*model).killEarly},
	{"quit", 2, (*model).quit},
	{"start a process", 6, (*model).restartProcess},
	{"move in the tree", 5, (*model).moveInTree},
	{"fork in the process", 2, (*model).forkInProcess},
	{"fork beside", 2, (*model).forkBeside},
	{"new session in the process", 1, (*model).newInProcess},
	{"compact", 1, (*model).compact},
	{"kill askd", 3, (*model).killBroker},
	{"start askd", 8, (*model).startBroker},
	{"hold the disk", 3, (*model).holdDisk},
	{"release the disk", 8, (*model).releaseDisk},
	{"background-only", 2, (*model).switchMode},
}

func (m *model) id() string {
	m.n++
	return id(m.n)
}

func (m *model) newFile() *sessionFile {
	f := newSessionFile(fmt.Sprintf("s%d", len(m.files)+1))
	m.files = append(m.files, f)
	return f
}

// startProcess runs a program over a session file.
func (m *model) startProcess(f *sessionFile, reason string) *process {
	m.n++
	p := &process{m: m, file: f, leaf: f.leaf, instance: fmt.Sprint("p", m.n), reason: reason}
	m.processes = append(m.processes, p)
	if p.company() {
		for _, r := range f.records {
			m.shared[r.request] = true
		}
	}
	p.enter(reason)
	if m.lives.broker != nil {
		p.connect()
	}
	return p
}

func (m *model) withProcess(do func(*process) bool) bool {
	p, ok := pick(m, m.processes)
	return ok && do(p)
}

func (m *model) ask(background bool) bool {
	return m.withProcess(func(p *process) bool {
		if !p.connected() || len(p.calls) > 0 && !m.coin(6) {
			return false
		}
		c := &toolCall{request: m.id(), background: background || p.file.mode}
		c.id = "t" + tail(c.request)
		p.begin(c)
		if !m.coin(8) {
			p.send(c)
		}
		return true
	})
}

func (m *model) wait() bool {
	return m.withProcess(func(p *process) bool {
		if !p.connected() || len(p.calls) > 0 || p.file.mode {
			return false
		}
		c := &toolCall{request: m.id(), wait: true}
		c.id = "w" + tail(c.request)
		p.begin(c)
		p.send(c)
		return true
	})
}

// pending picks a form that the person sees.
func (m *model) pending() (ask.Key, bool) {
	if m.lives.broker == nil {
		return ask.Key{}, false
	}
	e, ok := pick(m, m.lives.broker.Snapshot().Entries)
	if !ok {
		return ask.Key{}, false
	}
	return e.Key(), true
}

// say makes words that no other answer has.
func (m *model) say(k ask.Key) string {
	m.n++
	words := fmt.Sprintf("<answer %d>", m.n)
	m.said[k.Request] = append(m.said[k.Request], words)
	m.decided[k.Request]++
	return words
}

func (m *model) submit(k ask.Key, c ask.Choice) {
	r := m.promise("submit " + tail(k.Request))
	m.lives.broker.Submit(k, ask.Response{Choices: []ask.Choice{c}}, func(error) { r.came() })
}

func (m *model) answer() bool {
	k, ok := m.pending()
	if ok {
		words := m.say(k)
		m.trace("%s/%s is answered %s", k.Session, tail(k.Request), words)
		m.submit(k, ask.Choice{CustomText: words})
	}
	return ok
}

func (m *model) skipAll() bool {
	k, ok := m.pending()
	if ok {
		m.trace("%s/%s is skipped", k.Session, tail(k.Request))
		m.decided[k.Request]++
		m.submit(k, ask.Choice{Skipped: true})
	}
	return ok
}

func (m *model) cancel() bool {
	k, ok := m.pending()
	if ok {
		m.trace("%s/%s is cancelled", k.Session, tail(k.Request))
		m.dismissed[k.Request]++
		r := m.promise("cancel " + tail(k.Request))
		// What had been typed is kept with a cancelled form; it is no answer.
		half := ask.Response{Choices: []ask.Choice{{CustomText: m.say(k)}}}
		m.decided[k.Request]--
		m.lives.broker.Cancel(k, half, func(error) { r.came() })
	}
	return ok
}

// takeBack takes a cancel back that is held, or comes too late: either is fine, as long as no outcome is told twice or lost.
func (m *model) takeBack() bool {
	if m.lives.broker == nil {
		return false
	}
	e, ok := pick(m, m.lives.broker.Snapshot().Cancelling)
	if ok {
		m.trace("the cancel of %s/%s is taken back", e.Request.Session, tail(e.Request.ID))
		r := m.promise("take back " + tail(e.Request.ID))
		m.lives.broker.UndoCancel(e.Key(), func(error) { r.came() })
	}
	return ok
}

func (m *model) respond() bool {
	k, ok := m.pending()
	if ok {
		words := m.say(k)
		m.trace("%s/%s is answered %s from outside", k.Session, tail(k.Request), words)
		r := m.promise("form.respond " + tail(k.Request))
		response := fmt.Sprintf(`{"kind":"answer","answers":{"db":{"customText":%q}}}`, words)
		m.lives.control.Respond(broker.RespondParams{RequestID: k.Request, Session: k.Session, Response: json.RawMessage(response)},
			func(any, error) { r.came() })
	}
	return ok
}

func (m *model) panel(do func(*broker.Broker, string)) bool {
	f, _ := pick(m, m.files)
	if m.lives.broker == nil {
		return false
	}
	m.trace("of %s", f.id)
	do(m.lives.broker, f.id)
	return true
}

func (m *model) userMessage() bool {
	return m.withProcess(func(p *process) bool {
		// Directly after a marker it would count as the marked answer: the file says no more.
		marked := p.leaf >= 0 && p.file.records[p.leaf].kind == "resume-sent"
		if !p.connected() || marked || slices.ContainsFunc(p.calls, func(c *toolCall) bool { return !c.wait }) {
			return false
		}
		p.line.client.UserMessage(p.line.replied("session.userMessage", func(any, error) {}))
		if len(p.calls) == 0 {
			p.write(record{kind: "user"})
		}
		return true
	})
}

func (m *model) abortCall() bool {
	return m.withProcess(func(p *process) bool {
		c, ok := pick(m, p.calls)
		if ok {
			p.abort(c, "user", !m.coin(4))
		}
		return ok
	})
}

// listen takes some of what askd has said.
func (m *model) listen() bool {
	return m.withProcess(func(p *process) bool {
		if p.line == nil || !p.line.take() {
			return false
		}
		for p.line != nil && !m.coin(4) && p.line.take() {
		}
		return true
	})
}

func (m *model) writeResult() bool {
	return m.withProcess(func(p *process) bool {
		if len(p.results) == 0 {
			return false
		}
		p.writeResult(false)
		return true
	})
}

func (m *model) acknowledge() bool {
	return m.withProcess(func(p *process) bool {
		if len(p.unacked) == 0 {
			return false
		}
		p.ack()
		return true
	})
}

func (m *model) disconnect() bool {
	return m.withProcess(func(p *process) bool {
		if p.line == nil {
			return false
		}
		p.disconnect()
		return true
	})
}

func (m *model) connect() bool {
	return m.withProcess(func(p *process) bool {
		if p.line != nil || m.lives.broker == nil {
			return false
		}
		p.connect()
		return true
	})
}

func (m *model) compact() bool {
	return m.withProcess(func(p *process) bool {
		if !p.connected() || len(p.calls) > 0 {
			return false
		}
		p.reason = "compact" // the branch is the same, and so is the epoch
		p.open()
		return true
	})
}

func (m *model) switchMode() bool {
	return m.withProcess(func(p *process) bool {
		asking := func(c *toolCall) bool { return !c.wait }
		if !p.connected() || slices.ContainsFunc(m.processes, func(q *process) bool { return q.file == p.file && slices.ContainsFunc(q.calls, asking) }) {
			return false
		}
		p.file.mode = !p.file.mode
		p.tellMode()
		return true
	})
}

func (m *model) answerAll() bool {
	entries := m.lives.broker.Snapshot().Entries
	for _, e := range entries {
		k := e.Key()
		m.trace("%s/%s is answered at the end", k.Session, tail(k.Request))
		m.submit(k, ask.Choice{CustomText: m.say(k)})
	}
	return len(entries) > 0
}
