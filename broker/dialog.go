package broker

import "time"

// DialogMethod is a kind of dialog that agents' programs have (PROTOCOL, dialog.show).
type DialogMethod string

// The kinds of dialog.
const (
	DialogSelect DialogMethod = "select" // one of Options, or whatever else the program gives back
	DialogInput  DialogMethod = "input"  // a line of text
)

// Dialog is one question that the asking client puts to the person through its program's own dialogs, where no form can be
// shown. Texts go out as they are; who draws them cleans them.
type Dialog struct {
	Method      DialogMethod
	Title       string
	Options     []string      // of a select
	Placeholder string        // of an input; empty for none
	Timeout     time.Duration // after which the client closes it by itself; zero for never
}

// DialogShow is the payload of dialog.show.
type DialogShow struct {
	DialogID    string       `json:"dialogId"`
	RequestID   string       `json:"requestId"`
	Method      DialogMethod `json:"method"`
	Title       string       `json:"title"`
	Options     []string     `json:"options,omitempty"`
	Placeholder string       `json:"placeholder,omitempty"`
	TimeoutMs   int64        `json:"timeoutMs,omitempty"`
}

// DialogClose is the payload of dialog.close: the dialog is answered, or nobody waits for it any more.
type DialogClose struct {
	DialogID string `json:"dialogId"`
}

// dialogue is a dialog that a client shows.
type dialogue struct {
	id       string
	client   *Client
	item     *item
	answered func(value *string)
}

// showDialog has the client that holds an item's call put a dialog to the person. answered runs on the broker's goroutine,
// at most once and only while the item is pending: with what the person gave, or nil when they dismissed it, its time ran
// out, or the client has no dialogs. It is never called once the item has ended, its operation was aborted or the client
// has left; the dialog is closed then. What is shown for the item already is closed first: there is one at a time.
func (d *desk) showDialog(c *Client, it *item, dialog Dialog, answered func(value *string)) {
	d.closeDialogs(func(open *dialogue) bool { return open.item == it })
	open := &dialogue{id: d.b.o.NewID(), client: c, item: it, answered: answered}
	d.dialogs[open.id] = open
	c.peer.Notify("dialog.show", DialogShow{
		DialogID: open.id, RequestID: it.req.ID, Method: dialog.Method, Title: dialog.Title, Options: dialog.Options,
		Placeholder: dialog.Placeholder, TimeoutMs: timeoutMs(dialog.Timeout),
	})
}

// timeoutMs rounds up: a dialog that has some time left is not one without a limit.
func timeoutMs(t time.Duration) int64 {
	return int64((t + time.Millisecond - 1) / time.Millisecond)
}

// closeDialogs takes back the dialogs that fit. Their answers, should they be on the way, count no more.
func (d *desk) closeDialogs(fits func(*dialogue) bool) {
	for id, open := range d.dialogs {
		if !fits(open) {
			continue
		}
		delete(d.dialogs, id)
		if !open.client.closed {
			open.client.peer.Notify("dialog.close", DialogClose{DialogID: id})
		}
	}
}

// DialogReply are the parameters of dialog.reply; a nil Value is a dialog that was dismissed.
type DialogReply struct {
	DialogID string  `json:"dialogId"`
	Value    *string `json:"value"`
}

// AnswerDialog takes what the person gave to a dialog (PROTOCOL, dialog.reply). A late answer, one to a dialog of another
// client and one to no dialog at all change nothing and are no errors: the client cannot know.
func (c *Client) AnswerDialog(p DialogReply, reply Reply) {
	c.send(reply, func(d *desk) {
		open := d.dialogs[p.DialogID]
		if open == nil || open.client != c {
			reply(struct{}{}, nil)
			return
		}
		delete(d.dialogs, open.id)
		if open.item.state == pending && !open.item.parked {
			open.answered(p.Value)
		}
		reply(struct{}{}, nil)
	})
}
