package broker

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
	"askd/config"
)

// CallParams are the parameters of tool.call.
type CallParams struct {
	Tool             string          `json:"tool"`
	Arguments        json.RawMessage `json:"arguments"`
	RequestID        string          `json:"requestId"`
	ToolCallID       string          `json:"toolCallId"`
	ParentToolCallID string          `json:"parentToolCallId"`
	// Initial is what the form opens with, by question id; nil is an untouched form. It is a draft, never an answer.
	Initial map[string]Initial `json:"initial"`
	came    time.Time          // for the stopwatch only
	// Files are the files that the arguments' contexts name, from a client on another machine (Opened.Remote).
	Files []ask.File `json:"files,omitempty"`
}

// Call runs an agent's tool call (PROTOCOL, tool.call). Arguments are read and context files loaded on the caller's
// goroutine; the reply of a foreground ask comes when the form ends.
func (c *Client) Call(p CallParams, reply Reply) {
	p.came = time.Now()
	if err := checkID("requestId", p.RequestID); err != nil {
		reply(nil, err)
		return
	}
	if p.Tool == ask.ToolWait {
		if err := tool.ParseWait(p.Arguments); err != nil {
			reply(nil, paramError(err))
			return
		}
		c.sendKept(reply, func(d *desk) { d.wait(c, p, reply) })
		return
	}
	if read, ok := historyTools[p.Tool]; ok && c.b.o.Archive != nil && c.b.o.Settings().HistoryTools {
		c.readHistory(reply, func(r *reading) (any, error) { return read(r, p.Arguments) })
		return
	}
	t, ok := tool.Lookup(p.Tool)
	if !ok {
		reply(nil, &Error{Kind: NotFound, Path: "tool", Message: "unknown tool \"" + p.Tool + "\"", Hint: "tool.list names the tools there are"})
		return
	}
	s := c.b.o.Settings()
	parsed, err := t.Parse(p.Arguments, tool.Env{PresentSingleAsMulti: s.PresentSingleAsMulti, Remote: c.remote(), Files: p.Files})
	if err != nil {
		reply(nil, paramError(err))
		return
	}
	if len(parsed.Issues) > 0 {
		if c.unasked(p.RequestID) {
			reply(t.Invalid(parsed), nil)
			return
		}
		c.send(reply, func(d *desk) { d.refuse(c, p, parsed, t.Invalid(parsed), reply) })
		return
	}
	prompt := c.prompt(t)
	c.unkept.Add(1)
	c.send(reply, func(d *desk) {
		if !d.ask(c, p, parsed, prompt, reply) {
			c.unkept.Add(-1)
		}
	})
}

// unasked reports whether a call with this id certainly was not put before. Then what is at fault in its arguments is all
// there is to say, and it need not come on the desk. It may be called where Call may.
func (c *Client) unasked(requestID string) bool {
	a := c.asker.Load()
	if requestID == "" || a == nil {
		return true
	}
	if c.unkept.Load() > 0 {
		return false // the store does not have that one yet
	}
	_, known, err := c.b.o.Store.Find(ask.Key{Session: a.session, Request: requestID})
	return err == nil && !known
}

// refuse answers a call whose arguments are at fault now. They may have been good when they were asked first: a context
// file can be gone by the time the call is repeated.
func (d *desk) refuse(c *Client, p CallParams, parsed *tool.Parsed, invalid *tool.Outcome, reply Reply) {
	if c.session != nil && p.RequestID != "" && d.repeat(c, p, parsed, reply) {
		return
	}
	reply(invalid, nil)
}

// paramError tells a client which argument has the wrong type.
func paramError(err error) error {
	var pe *tool.ParamError
	if errors.As(err, &pe) {
		return &Error{Kind: InvalidParams, Path: pe.Path, Message: pe.Error()}
	}
	return &Error{Kind: InvalidParams, Message: err.Error()}
}

// ask puts a call on the desk; prompt is nil for tools that have no settings of their own. True means that it is on its way
// to the disk.
func (d *desk) ask(c *Client, p CallParams, parsed *tool.Parsed, prompt *prompt, reply Reply) bool {
	if c.session == nil {
		reply(nil, errNoSession)
		return false
	}
	anew := p.RequestID == ""
	if anew {
		p.RequestID = d.b.o.NewID()
	}
	if n := len(p.ToolCallID); n > 0 && n <= config.MaxID {
		c.called.note(p.ToolCallID, p.RequestID)
	}
	if !anew && d.repeat(c, p, parsed, reply) {
		return false
	}
	parsed.Background = parsed.Background || queues(p.Tool) && d.backgroundOnly(c.session)
	it := &item{req: d.request(c, p, parsed), owner: c, receipt: parsed.QuestionIDs, calls: []call{{c, reply}}, began: p.came}
	it.draft = initialDraft(it.req, p.Initial)
	if prompt != nil {
		prompt.open(it.req)
		if prompt.warning != "" {
			c.peer.Notify("notify", notice{"warning", prompt.warning})
		}
	}
	it.noUI = parsed.Background && !it.req.Background
	d.put(it)
	if c.session.apart(c) {
		it.apart = c
	} else {
		c.session.branch.note(it.req)
	}
	c.session.lastAsked = it.req.CreatedAt
	c.keeping++
	d.b.o.Store.AppendRequest(it.req, func(err error) {
		d.b.post(func(d *desk) {
			c.keeping--
			d.committed(c, it, err)
			d.proceed(c)
		})
	})
	return true
}

var errNoSession = &Error{Kind: InvalidParams, Message: "no session is open on this connection", Hint: "send session.open first"}

// queues reports whether calls of a tool can be queued at all.
func queues(name string) bool {
	t, ok := tool.Lookup(name)
	return ok && t.Receipt != nil
}

// asksInPane reports whether the client's background calls may queue: one-shot modes keep the contract's fallback.
func (c *Client) asksInPane() bool {
	return c.info.UI == "tui" || c.info.UI == "cli" || c.info.UI == "mcp"
}

// request is the call as it goes to the disk.
func (d *desk) request(c *Client, p CallParams, parsed *tool.Parsed) *ask.Request {
	i := c.info
	return &ask.Request{
		ID: p.RequestID, Session: c.session.id, Tool: p.Tool, ToolCallID: p.ToolCallID, ParentToolCallID: p.ParentToolCallID,
		Title: parsed.Title, Questions: parsed.Questions, Arguments: p.Arguments, CreatedAt: d.now().UTC(),
		Background: parsed.Background && c.asksInPane(),
		Asker:      ask.Asker{SessionName: i.Name, Cwd: i.Cwd, Host: i.Host, GitBranch: i.GitBranch, Agent: i.Agent.String(), UI: i.UI},
	}
}

// repeat handles a call whose id is known already (PROTOCOL: tool.call is idempotent by session and requestId).
func (d *desk) repeat(c *Client, p CallParams, parsed *tool.Parsed, reply Reply) bool {
	k := ask.Key{Session: c.session.id, Request: p.RequestID}
	it := d.items[k]
	if it == nil {
		rec, ok, err := d.b.o.Store.Find(k)
		if err != nil {
			reply(nil, storageError("look up request "+p.RequestID, err))
			return true
		}
		if !ok {
			return false
		}
		it = settledItem(rec)
	}
	if it.req.Tool != p.Tool || !sameJSON(it.req.Arguments, p.Arguments) {
		reply(nil, &Error{Kind: Conflict, Path: "requestId", Message: "request " + p.RequestID + " was asked with other arguments", Hint: "use a new id for a new question"})
		return true
	}
	it.receipt = parsed.QuestionIDs
	d.join(c, it, reply)
	return true
}

// join waits for an item on behalf of a client, or gives its outcome when there is one.
func (d *desk) join(c *Client, it *item, reply Reply) {
	if it.req.Background && it.state != committing {
		reply(d.receiptOf(it), nil)
		c.answered.note(it.req.ID, saidOutcome)
		c.session.closeCall(it.req.ID)
		d.deliverAll(c.session, d.undelivered(c.session))
		return
	}
	if it.state == ended {
		it.claim = &claim{client: c, instance: c.info.Instance, epoch: c.info.Epoch, call: true}
		reply(it.outcomeFor(), nil)
		c.answered.note(it.req.ID, it.said(nil))
		c.session.closeCall(it.req.ID)
		if d.items[it.req.Key()] == it && d.quiet(it, c.session, true) {
			d.deliver(it)
		}
		return
	}
	c.answered.note(it.req.ID, saidNothing)
	it.calls = append(it.calls, call{c, reply})
	it.owner, it.orphan, it.entry = c, false, nil
	if it.state == pending && !d.servable(c) {
		it.offered = true
		d.offer(c, it) // whoever showed it has gone, with the connection that asked, the pane or the askd before
	}
	if c.session.apart(c) {
		it.apart = c
		d.park(it, false)
	}
	d.dirty = true
	d.touched[c.session] = struct{}{}
}

func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// committed is the moment a request is on disk, or certainly is not.
func (d *desk) committed(c *Client, it *item, err error) {
	c.unkept.Add(-1)
	if err != nil {
		d.remove(it)
		it.resolve(nil, storageError("the question could not be stored", err))
		it.finishAborts("unknown")
		d.failed("a question could not be stored", it, err)
		return
	}
	d.worked()
	it.state, it.parked = pending, false // placeLate parks it where it has to be
	if it.draft != nil {
		d.keepDraft(it, it.draft, func(error) {})
	}
	it.offered = !it.noUI && !d.servable(c)
	d.enqueue(it)
	d.accept(c, it)
	if len(it.aborts) > 0 {
		d.interrupt(it, it.abortKind)
		return
	}
	if it.noUI {
		d.settle(it, ending{kind: ask.NoUI, via: ask.ViaAskd})
		return
	}
	if it.offered {
		d.offer(c, it)
	}
	d.placeLate(it)
	if s := d.session(it.req.Session); s.primary != nil && s.info.ParentSession != "" {
		d.parkForks() // placeLate has done it for a session that was left
	}
	if it.req.Background {
		s := d.session(it.req.Session)
		if it.resolve(d.receiptOf(it), nil) > 0 {
			s.closeCall(it.req.ID)
		}
		it.owner = nil
		if s.wait != nil && s.covers(s.wait.client, it) {
			s.wait.join(it)
		}
		d.withdrawEphemeral(s) // its process may have gone meanwhile
	}
}

// receiptOf is the receipt of a background request: never its answer, and the same one each time.
func (d *desk) receiptOf(it *item) *tool.Outcome {
	t, _ := tool.Lookup(it.req.Tool)
	s := d.session(it.req.Session)
	if it.beside == 0 {
		it.beside = max(1, s.background)
	}
	return t.Receipt(it.req, it.receipt, it.beside, d.backgroundOnly(s))
}

// accept tells the asker that its question is kept, and then that it has started.
func (d *desk) accept(c *Client, it *item) {
	r := it.req
	until := d.hushed(r.Session)
	if it.offered && !it.told() && !c.hasDialogs() {
		return // its call fails as if it had never been put
	}
	c.peer.Notify("ask.accepted", Accepted{
		Session: r.Session, Epoch: c.info.Epoch, RequestID: r.ID, ToolCallID: r.ToolCallID, Background: r.Background,
		Position: d.queue.position(it), PendingRequests: d.session(r.Session).pending, Deadline: deadlineOf(r),
		QuietUntil: timeOrNil(until),
	})
	d.accepted.stop(it.began)
	it.began = time.Time{}
	if it.noUI || it.offered {
		return
	}
	if !until.IsZero() {
		d.tellQuiet(c, it, until)
	}
	if !r.Background {
		d.announce(it)
	}
	d.tellStarted(c, it)
}

// servable reports whether a client's question can reach a person (DESIGN, non-TUI modes).
func (d *desk) servable(c *Client) bool {
	switch c.info.UI {
	case "rpc":
		return d.pane.Attached
	case "json", "print":
		return d.pane.Attached && d.b.o.Settings().ServeNonTui
	default:
		return true
	}
}
