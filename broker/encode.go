package broker

import "askd/broker/ask"

// What is sent with every ask is written by hand, as encoding/json writes it: the types say so by AppendJSON, which appends
// the value with the escapes of json.Marshal; ok is false when only encoding/json knows what is wrong with it.

// AppendJSON appends the payload.
func (p Accepted) AppendJSON(b []byte) (out []byte, ok bool) {
	a := ask.Appender{B: append(b, '{'), HTML: true}
	a.Text(`"session":`, p.Session)
	a.Number(`"epoch":`, int64(p.Epoch))
	a.Text(`"requestId":`, p.RequestID)
	a.Some(`"toolCallId":`, p.ToolCallID)
	a.Flag(`"background":`, p.Background)
	a.Number(`"position":`, int64(p.Position))
	a.Number(`"pendingRequests":`, int64(p.PendingRequests))
	if p.Deadline != nil {
		a.Time(`"deadline":`, *p.Deadline)
	}
	if p.QuietUntil != nil {
		a.Time(`"quietUntil":`, *p.QuietUntil)
	}
	return append(a.B, '}'), !a.Wrong
}

// AppendJSON appends the payload.
func (p Started) AppendJSON(b []byte) (out []byte, ok bool) {
	a := ask.Appender{B: append(b, '{'), HTML: true}
	a.Number(`"version":`, int64(p.Version))
	a.Text(`"flowId":`, p.FlowID)
	a.Some(`"toolCallId":`, p.ToolCallID)
	a.Text(`"source":`, p.Source)
	a.Some(`"title":`, p.Title)
	a.Member(`"questions":`)
	a.B = ask.AppendQuestions(a.B, p.Questions, true)
	a.Number(`"createdAt":`, p.CreatedAt)
	return append(a.B, '}'), true
}

// AppendJSON appends the payload.
func (p SessionState) AppendJSON(b []byte) (out []byte, ok bool) {
	a := ask.Appender{B: append(b, '{'), HTML: true}
	a.Text(`"session":`, p.Session)
	a.Number(`"epoch":`, int64(p.Epoch))
	a.Number(`"pending":`, int64(p.Pending))
	a.Member(`"pendingRequestIds":`)
	a.Texts(p.PendingRequestIDs)
	a.Flag(`"panelVisible":`, p.PanelVisible)
	a.Flag(`"hidden":`, p.Hidden)
	a.Number(`"waiting":`, int64(p.Waiting))
	a.Number(`"foreground":`, int64(p.Foreground))
	if p.QuietUntil != nil {
		a.Time(`"quietUntil":`, *p.QuietUntil)
	}
	return append(a.B, '}'), !a.Wrong
}
