package broker

import (
	"errors"
	"fmt"
	"strings"

	"askd/broker/ask"
	"askd/broker/tool"
)

// ask_user_question where no pane serves it: its questions one after the other through the dialogs of the asking program.

// The published texts of the dialogs.
const (
	dialogOwnAnswer   = "✏️ Type custom response..."
	dialogAnswer      = "Type your answer..."
	dialogSelections  = "Type your selection(s)..."
	dialogSelectHints = "Options (select one or more):"
)

// questionDialogs is how far the dialogs of one call have come. There is no review: whatever is dismissed cancels the call.
type questionDialogs struct {
	d       *desk
	client  *Client
	item    *item
	choices []ask.Choice // of the questions so far
}

// askByDialogs begins with the first question. Programs without dialogs get to know that nobody can be asked.
func (d *desk) askByDialogs(c *Client, it *item) {
	if !c.hasDialogs() {
		d.settle(it, ending{kind: ask.NoUI, via: ask.ViaAskd})
		return
	}
	(&questionDialogs{d: d, client: c, item: it}).next()
}

// hasDialogs reports whether a client can show dialogs where it has no pane.
func (c *Client) hasDialogs() bool { return c.info.UI == "rpc" }

// next puts the first question that has no choice yet, or submits.
func (q *questionDialogs) next() {
	n, r := len(q.choices), q.item.req
	if n == len(r.Questions) {
		q.end(ending{response: ask.Response{Choices: q.choices}})
		return
	}
	question := &r.Questions[n]
	title := fmt.Sprintf("(%d/%d) %s", n+1, len(r.Questions), question.Prompt)
	if question.Type == ask.Multi {
		q.show(Dialog{Method: DialogInput, Title: listedTitle(title, question), Placeholder: dialogSelections}, q.several)
		return
	}
	options := make([]string, 0, len(question.Options)+1)
	for i := range question.Options {
		options = append(options, question.Options[i].Label)
	}
	q.show(Dialog{Method: DialogSelect, Title: title, Options: append(options, dialogOwnAnswer)}, func(value string) {
		if value == dialogOwnAnswer {
			q.show(Dialog{Method: DialogInput, Title: title, Placeholder: dialogAnswer}, func(value string) { q.take(ask.Choice{CustomText: ask.Trim(value)}) })
			return
		}
		q.take(literal(question, ask.Trim(value)))
	})
}

// show puts a dialog within the time that is left. One that is dismissed cancels the call.
func (q *questionDialogs) show(dialog Dialog, answered func(string)) {
	if at := q.item.req.Deadline; !at.IsZero() {
		if dialog.Timeout = at.Sub(q.d.now()); dialog.Timeout <= 0 {
			q.d.timeOut(q.item)
			return
		}
	}
	q.d.showDialog(q.client, q.item, dialog, func(value *string) {
		if value == nil {
			q.cancel()
			return
		}
		answered(*value)
	})
}

// take goes on with a question's choice; one that says nothing cancels the call.
func (q *questionDialogs) take(c ask.Choice) {
	if len(c.Selected) == 0 && len(c.Literal) == 0 && c.CustomText == "" {
		q.cancel()
		return
	}
	q.choices = append(q.choices, c)
	q.next()
}

func (q *questionDialogs) cancel() { q.end(ending{kind: ask.Cancelled}) }

// end settles the call. One that could not be stored has no dialog any more in which the person could try again, so that it
// begins anew; an answer that can never be sent fails it.
func (q *questionDialogs) end(e ending) {
	e.via, e.client = ask.ViaDialog, q.client.name
	e.done = func(err error) {
		if err != nil && !errors.Is(err, ErrNotPending) && !q.d.b.stopped() {
			q.again(err)
		}
	}
	q.d.settle(q.item, e)
}

func (q *questionDialogs) again(err error) {
	if q.item.state != pending || q.item.owner != q.client || q.client.closed {
		return // it has ended meanwhile, or whoever joins it begins anew
	}
	if errors.Is(err, ErrTooMuchText) || errors.Is(err, ErrTooLargeAnswer) {
		q.d.settle(q.item, ending{kind: ask.Failed, err: err.Error(), via: ask.ViaDialog, client: q.client.name})
		return
	}
	q.client.peer.Notify("notify", notice{"warning", "askd could not store your answer: " + err.Error() + ". Its questions are asked again."})
	q.choices = nil
	q.next()
}

// several takes a line of selections as it was typed: neither labels nor numbers are looked up.
func (q *questionDialogs) several(value string) {
	var c ask.Choice
	for piece := range strings.SplitSeq(value, ",") {
		if piece = ask.Trim(piece); piece != "" {
			c.Literal = append(c.Literal, piece)
		}
	}
	q.take(c)
}

// literal is the choice that a string makes, which need not be among the options.
func literal(question *ask.Question, text string) ask.Choice {
	for i := range question.Options {
		if question.Options[i].Label == text {
			return ask.Choice{Selected: []int{i}}
		}
	}
	if text == "" {
		return ask.Choice{}
	}
	return ask.Choice{Literal: []string{text}}
}

func listedTitle(title string, question *ask.Question) string {
	lines := []string{title, "", dialogSelectHints}
	for i := range question.Options {
		lines = append(lines, tool.ListedOption(i, &question.Options[i]))
	}
	return strings.Join(lines, "\n")
}
