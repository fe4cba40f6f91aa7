package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// asker is an agent's program that is never killed itself: what it has noted in its session file stays. It speaks the
// protocol as the extension does, without waiting for anything.
type asker struct {
	w    *crashed
	id   string
	conn *raw // nil while it is away
	// file is the session file, as the events of session.open.
	file      []map[string]any
	delivered map[string]string          // request -> outcome, as the file has it
	calls     map[string]func(m message) // by JSON-RPC id, of this connection
	open      map[string]bool            // foreground requests whose call has no result
}

func newAsker(w *crashed, id string) *asker {
	return &asker{w: w, id: id, delivered: map[string]string{}, open: map[string]bool{}}
}

// send writes a request; done gets its reply, unless askd dies first.
func (a *asker) send(method string, params any, done func(message)) {
	a.conn.calls++
	id := fmt.Sprint(a.conn.calls)
	a.calls[id] = done
	text, err := json.Marshal(params)
	if err != nil {
		a.w.t.Fatal(err)
	}
	if a.conn.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, text)) != nil {
		a.w.dead = true
	}
}

// come opens the session on a new connection with everything that the file says.
func (a *asker) come() {
	a.conn, a.calls = tryDial(a.w.t, a.w.place.socket), map[string]func(message){}
	if a.conn == nil {
		a.w.dead = true
		return
	}
	known := maps.Clone(a.delivered)
	a.send("initialize", map[string]any{"protocol": 1, "client": map[string]string{"name": "probe", "version": "0"}}, nil)
	var open []map[string]string
	for _, id := range slices.Sorted(maps.Keys(a.open)) {
		open = append(open, map[string]string{"requestId": id, "toolCallId": "t" + id, "tool": "ask_user"})
	}
	a.send("session.open", map[string]any{
		"id": a.id, "cwd": "/src/app", "ui": "tui", "reason": "reconnect", "branch": a.branch(), "openCalls": open, "instance": a.id + "-process",
	}, func(m message) {
		var opened struct {
			Undelivered []struct{ RequestID string }
			Unknown     []string
		}
		a.w.result(m, &opened)
		for _, u := range opened.Undelivered {
			if known[u.RequestID] != "" {
				a.w.t.Errorf("%s: %s is undelivered again", a.w.at, u.RequestID)
			}
		}
		for _, id := range opened.Unknown {
			if a.w.accepted[id] {
				a.w.t.Errorf("%s: %s was accepted and is unknown", a.w.at, id)
			}
			if f := a.w.asked[id]; f.background { // the others are taken up by their calls
				a.ask(f)
			}
		}
	})
	for id := range a.open {
		a.join(id)
	}
}

func (a *asker) branch() []map[string]any {
	if a.file == nil {
		return []map[string]any{}
	}
	return a.file
}

// join takes a foreground call up again.
func (a *asker) join(id string) {
	a.send("tool.await", map[string]string{"requestId": id}, func(m message) {
		if m.Error != nil && m.Error.Data.Kind == "not_found" {
			if a.w.accepted[id] {
				a.w.t.Errorf("%s: %s was accepted and cannot be joined: %v", a.w.at, id, m)
			}
			a.ask(a.w.asked[id])
			return
		}
		a.ended(id, m)
	})
}

// fresh asks something new and notes it first, as the extension does.
func (a *asker) fresh() {
	f := a.w.form(a.id)
	a.file = append(a.file, map[string]any{"type": "asked", "requestId": f.id, "toolCallId": "t" + f.id, "tool": "ask_user", "background": f.background})
	if !f.background {
		a.open[f.id] = true
	}
	a.ask(f)
}

func (a *asker) ask(f form) {
	a.send("tool.call", f.params(), func(m message) {
		if f.background {
			a.w.result(m, nil)
			return
		}
		a.ended(f.id, m)
	})
}

// ended is the result of a foreground call.
func (a *asker) ended(id string, m message) {
	var o outcome
	if !a.w.result(m, &o) {
		return
	}
	delete(a.open, id)
	a.take(id, o.OutcomeID, "result", o.text())
}

// take puts an outcome into the session file and acknowledges it. A second time would be a second answer for the agent.
func (a *asker) take(id, outcome, how, text string) {
	if a.delivered[id] != "" {
		a.w.t.Errorf("%s: %s was delivered as %s and again as %s", a.w.at, id, a.delivered[id], outcome)
		return
	}
	a.w.told(id, outcome, text)
	a.delivered[id] = outcome
	a.file = append(a.file,
		map[string]any{"type": "completed", "requestId": id, "outcomeId": outcome},
		map[string]any{"type": "delivered", "requestId": id, "outcomeId": outcome, "how": how})
	a.send("delivery.ack", map[string]string{"requestId": id, "outcomeId": outcome}, func(m message) { a.w.result(m, nil) })
}

// pump takes what has come, and with patience waits for something to come.
func (a *asker) pump(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for a.conn != nil {
		select {
		case m, alive := <-a.conn.lines:
			if !alive {
				a.w.dead, a.conn = true, nil
				return
			}
			a.got(m)
			timer.Reset(0)
		case <-timer.C:
			return
		}
	}
}

func (a *asker) got(m message) {
	if m.Method == "" {
		if done := a.calls[string(m.ID)]; done != nil {
			done(m)
		}
		return
	}
	var p struct {
		RequestID string
		OutcomeID string
		Content   []struct{ Text string }
	}
	switch m.Method {
	case "ask.accepted":
		a.w.result(message{Result: m.Params}, &p)
		a.w.accepted[p.RequestID] = true
	case "ask.deliver":
		a.w.result(message{Result: m.Params}, &p)
		var text strings.Builder
		for _, block := range p.Content {
			text.WriteString(block.Text)
		}
		a.take(p.RequestID, p.OutcomeID, "message", text.String())
	}
}
