package tests

import (
	"encoding/json"
	"testing"

	"askd/tests/modelserver"
)

// respond ends the form of a tool call from outside the pane, as soon as the form is there.
func (r *rig) respond(callID, response string) {
	r.t.Helper()
	c := dialRaw(r.t, r.place.socket).hello()
	defer c.conn.Close()
	within(r.t, "the form of "+callID, func() bool {
		var got struct{ OK bool }
		c.must("form.respond", `{"flowId":"tool:`+callID+`","response":`+response+`}`, &got)
		return got.OK
	})
}

// answer chooses one value of one question.
func (r *rig) answer(callID, question, value string) {
	r.t.Helper()
	r.respond(callID, `{"kind":"answer","answers":{"`+question+`":{"values":["`+value+`"]}}}`)
}

// cancel ends a form without an answer.
func (r *rig) cancel(callID string) {
	r.t.Helper()
	r.respond(callID, `{"kind":"cancel"}`)
}

// openForm is a pending request as askd lists it.
type openForm struct {
	RequestID, FlowID, Session, Status string
}

// pending lists what waits in askd.
func (r *rig) pending() []openForm {
	r.t.Helper()
	c := dialRaw(r.t, r.place.socket).hello()
	defer c.conn.Close()
	var got struct{ Requests []openForm }
	c.must("queue.list", `{}`, &got)
	return got.Requests
}

// waitPending waits until askd lists so many requests with a status, and nothing else.
func (r *rig) waitPending(n int, status string) []openForm {
	r.t.Helper()
	var got []openForm
	within(r.t, status+" requests", func() bool {
		got = r.pending()
		for _, s := range got {
			if s.Status != status {
				return false
			}
		}
		return len(got) == n
	})
	return got
}

// undelivered counts the outcomes that askd still has to bring into a transcript.
func (r *rig) undelivered() int {
	r.t.Helper()
	c := dialRaw(r.t, r.place.socket).hello()
	defer c.conn.Close()
	var got struct{ Counts struct{ Undelivered int } }
	c.must("daemon.status", `{}`, &got)
	return got.Counts.Undelivered
}

// waitDelivered waits until askd knows of everything that it is in its transcript.
func (r *rig) waitDelivered() {
	r.t.Helper()
	within(r.t, "everything to be delivered", func() bool { return r.undelivered() == 0 })
}

// result matches a request whose newest message is the result of a tool call.
func result(callID string) func(modelserver.Request) bool {
	return func(r modelserver.Request) bool { return r.Last().Role == "tool" && r.Last().ToolCallID == callID }
}

// then is a model that goes on with the given calls after the result of another.
func then(callID string, calls ...modelserver.Call) modelserver.Rule {
	return modelserver.Rule{Match: result(callID), Reply: modelserver.Reply{Calls: calls}}
}

// asJSON is a value as text, for failures.
func asJSON(t testing.TB, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
