package broker

import (
	"errors"

	"askd/broker/ask"
	"askd/config"
)

// Forms that no pane serves: their client is asked to find another surface (contract, "Non-TUI and non-interactive modes").

// Surface is the payload of ask.surface: a validated form, as another surface is to show it.
type Surface struct {
	Session    string         `json:"session"`
	Epoch      int            `json:"epoch"`
	RequestID  string         `json:"requestId"`
	FlowID     string         `json:"flowId"`
	ToolCallID string         `json:"toolCallId"`
	Title      string         `json:"title,omitempty"`
	Questions  []ask.Question `json:"questions"`
	CreatedAt  int64          `json:"createdAt"` // milliseconds
}

// offer has the client look for a surface for a form that the pane does not serve. Only ask_user is offered to other
// extensions; ask_user_question has its program's own dialogs.
func (d *desk) offer(c *Client, it *item) {
	if !it.told() {
		d.askByDialogs(c, it)
		return
	}
	r := it.req
	if !c.info.Surfaces {
		d.doubtSurface(c, it)
	}
	c.peer.Notify("ask.surface", Surface{
		Session: r.Session, Epoch: c.info.Epoch, RequestID: r.ID, FlowID: r.FlowID(), ToolCallID: r.ToolCallID, Title: r.Title, Questions: r.Questions,
		CreatedAt: r.CreatedAt.UnixMilli(),
	})
}

// doubtSurface gives a client that has not said that it answers ask.surface a moment to do so. One that does not know the
// notification, for instance an older release of the extension, would hold its call open for ever.
func (d *desk) doubtSurface(c *Client, it *item) {
	d.b.o.After(config.SurfaceWait, func() {
		d.b.post(func(d *desk) {
			if d.items[it.req.Key()] == it && it.offeredTo(c) && d.elsewhere(it) {
				d.settle(it, ending{kind: ask.NoUI, via: ask.ViaAskd})
			}
		})
	})
}

// elsewhere reports whether a form is another surface's alone. The pane does not show it; a pane that comes later and may
// serve its client does, and then the first answer counts.
func (d *desk) elsewhere(it *item) bool {
	return it.offered && it.owner != nil && !d.servable(it.owner)
}

// FailParams are the parameters of form.fail.
type FailParams struct {
	FlowID    string `json:"flowId"`
	RequestID string `json:"requestId"`
	Session   string `json:"session"`
	Error     string `json:"error"` // what went wrong, as the agent reads it
	Kind      string `json:"kind"`  // error, which is the default, or no_ui
}

// failKinds says how each kind of form.fail ends a form.
var failKinds = map[string]ending{
	"":      {kind: ask.Failed, via: ask.ViaExternal},
	"error": {kind: ask.Failed, via: ask.ViaExternal},
	"no_ui": {kind: ask.NoUI, via: ask.ViaAskd},
}

// Fail ends a form whose surface broke or was not found (PROTOCOL, form.fail). It never makes an answer. Only the client
// that was asked for the surface may say so; once the form has ended, by whatever outcome, it changes nothing.
func (c *Client) Fail(p FailParams, reply Reply) {
	e, ok := failKinds[p.Kind]
	if !ok {
		reply(nil, &Error{Kind: InvalidParams, Path: "kind", Message: "kind: unknown value \"" + p.Kind + "\"", Hint: "use error or no_ui"})
		return
	}
	c.sendKept(reply, func(d *desk) {
		it, err := d.find(c, RespondParams{FlowID: p.FlowID, RequestID: p.RequestID, Session: p.Session})
		switch {
		case err != nil:
			reply(nil, err)
			return
		case it == nil:
			reply(struct{}{}, nil)
			return
		case !it.offeredTo(c):
			reply(nil, &Error{Kind: Conflict, Message: "request " + it.req.ID + " is not shown by a surface of this client", Hint: "form.fail is for who was sent ask.surface"})
			return
		}
		if e.kind == ask.Failed {
			e.err, e.client = orText(p.Error, surfaceBroke), c.name
		}
		e.done = func(err error) {
			if err != nil && !errors.Is(err, ErrNotPending) {
				reply(nil, storageError("the failure could not be stored", err))
				return
			}
			reply(struct{}{}, nil)
		}
		d.settle(it, e)
	})
}

// surfaceBroke stands for a failure that nobody described.
const surfaceBroke = "The external ask UI failed; no answer was given."

func orText(text, other string) string {
	if ask.Blank(text) {
		return other
	}
	return text
}

// offeredTo reports whether a client was asked to find a surface for the form.
func (it *item) offeredTo(c *Client) bool { return it.offered && it.owner == c }
