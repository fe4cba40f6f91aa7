package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"askd/tests/modelserver"
	"askd/tests/tmuxtest"
)

// submit is an order to the bridge: a submit event with this response.
func submit(id, flow, response string) string {
	return fmt.Sprintf(`{"submit":{"version":1,"requestId":%q,"flowId":%q,"response":%s}}`, id, flow, response)
}

// refusal is what a submitter is told of a response that does not count.
func refusal(id, flow, code, message string) string {
	return fmt.Sprintf(`{"version":1,"requestId":"%s","flowId":"%s","ok":false,"error":"%s","message":"%s"}`, id, flow, code, strings.ReplaceAll(message, `"`, `\"`))
}

func accepted(id, flow string) string {
	return fmt.Sprintf(`{"version":1,"requestId":"%s","flowId":"%s","ok":true}`, id, flow)
}

// eventFault is a submit event that is refused, and what its submitter is told.
type eventFault struct{ event, result string }

// eventFaults are the faults that a submit event for flow tool:call_1 can have.
func eventFaults() []eventFault {
	// The envelope is checked first, in order; what cannot be echoed is empty.
	good := `"version":1,"requestId":"r","flowId":"tool:call_1"`
	faults := []eventFault{
		{`null`, refusal("", "", "invalid_request", "Submit event must be an object.")},
		{`[]`, refusal("", "", "invalid_request", "Submit event must be an object.")},
		{`{}`, refusal("", "", "invalid_request", "Submit event version must be 1.")},
		{`{"version":2,"requestId":"r","flowId":"f"}`, refusal("r", "f", "invalid_request", "Submit event version must be 1.")},
		{`{"version":1,"requestId":7,"flowId":"f"}`, refusal("", "f", "invalid_request", "Submit event requestId is required.")},
		{`{"version":1,"requestId":"r","flowId":""}`, refusal("r", "", "invalid_request", "Submit event flowId is required.")},
		{`{` + good + `}`, refusal("r", "tool:call_1", "invalid_request", "Submit response must be an object.")},
		{`{` + good + `,"response":{}}`, refusal("r", "tool:call_1", "invalid_request", `Submit response kind must be "answer" or "cancel".`)},
		{`{"version":1,"requestId":"r","flowId":"tool:none","response":{"kind":"elaborate"}}`, refusal("r", "tool:none", "invalid_request", `Submit response kind must be "answer" or "cancel".`)},
		{`{"version":1,"requestId":"r","flowId":"tool:none","response":{"kind":"answer"}}`, refusal("r", "tool:none", "flow_not_found", "Ask flow is not active.")},
	}
	// Then the answers: ids and values are those of the started event.
	for _, f := range []struct{ response, message string }{
		{`{"kind":"answer"}`, "Answer response must include an answers object."},
		{`{"kind":"answer","answers":{"x":{}}}`, `Unknown question id "x".`},
		{`{"kind":"answer","answers":{"db":7}}`, `Answer for question "db" must be an object.`},
		{`{"kind":"answer","answers":{"db":{"values":"pg"}}}`, `Answer values for question "db" must be strings.`},
		{`{"kind":"answer","answers":{"db":{"values":["pg","pg"]}}}`, `Answer values for question "db" must be unique.`},
		{`{"kind":"answer","answers":{"db":{"values":["pg","lite"]}}}`, `Question "db" accepts only one selected value.`},
		{`{"kind":"answer","answers":{"db":{"customText":7}}}`, `Custom text for question "db" must be a string.`},
		{`{"kind":"answer","answers":{"db":{"values":["pg"],"customText":"x"}}}`, `Question "db" cannot combine a selected value and custom text.`},
		{`{"kind":"answer","answers":{"db":{"note":7}}}`, `Note for question "db" must be a string.`},
		{`{"kind":"answer","answers":{"db":{"optionNotes":{"pg":7}}}}`, `Option notes for question "db" must be string values.`},
		{`{"kind":"answer","answers":{"db":{"values":["Postgres"]}}}`, `Unknown option value "Postgres" for question "db".`},
		{`{"kind":"answer","answers":{"db":{"optionNotes":{"x":"y"}}}}`, `Unknown option note value "x" for question "db".`},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":["x"]}`, `Unknown skipped question id "x".`},
	} {
		faults = append(faults, eventFault{`{` + good + `,"response":` + f.response + `}`, refusal("r", "tool:call_1", "invalid_answer", f.message)})
	}
	return faults
}

// The contract's "Remote inter-extension events" and "Herdr blocked lifecycle", sentence by sentence, in one run of the TUI:
// what starts and ends, what is submitted well, badly, late and twice.
func TestPiRemoteEvents(t *testing.T) {
	r := newRig(t,
		turn("first", askUser("call_1", database())), turn("cancels", askUser("call_2", database())), turn("aborts", askUser("call_3", database())),
		turn("background", askUser("call_4", queued(database()))), turn("resumes", askUser("call_5", database())),
	)
	b := r.installBridge()
	serve(t, r.place)
	pi := r.startPi()

	// A form starts, and blocks the agent; "the native TUI never negotiates an external surface".
	r.say("first")
	b.want(b.without(b.nth("started", 1), "createdAt"), `{"version":1,"flowId":"tool:call_1","toolCallId":"call_1","source":"tool","title":"Storage","questions":`+databaseQuestions+`}`)
	b.want(b.nth("blocked", 1), `{"active":true,"label":"Waiting for user response"}`)

	faults := eventFaults()
	for i, f := range faults {
		b.do(`{"submit":` + f.event + `}`)
		b.want(b.nth("submit-result", i+1), f.result)
	}
	b.count("completed", 0)

	// Two submit in the same moment: the first counts, the second is late, and so is a third.
	n := len(faults)
	b.do(submit("one", "tool:call_1", sqlite), submit("two", "tool:call_1", choosePG))
	b.nth("submit-result", n+2)
	told := b.of("submit-result")[n : n+2]
	slices.Sort(told) // the refusal needs no disk and may come first
	b.want(told[0], accepted("one", "tool:call_1"))
	b.want(told[1], refusal("two", "tool:call_1", "flow_not_found", "Ask flow is not active."))
	r.wantResult("call_1", answer("Database: SQLite"))
	b.want(b.without(b.nth("completed", 1), "completedAt"), `{"version":1,"flowId":"tool:call_1","toolCallId":"call_1","source":"tool","result":{"title":"Storage","cancelled":false,`+
		`"questions":[{"id":"db","label":"Database","prompt":"Which database?","type":"single"}],"answers":{"db":{"values":["lite"],"labels":["SQLite"],"indices":[2]}}}}`)
	b.want(b.nth("blocked", 2), `{"active":false}`)
	b.do(submit("three", "tool:call_1", sqlite))
	b.want(b.nth("submit-result", n+3), refusal("three", "tool:call_1", "flow_not_found", "Ask flow is not active."))

	// A cancel is explicit too. It stops the agent's operation, releases it, and is told as what it is.
	r.say("cancels")
	b.nth("blocked", 3)
	b.do(submit("c", "tool:call_2", `{"kind":"cancel"}`))
	b.want(b.nth("submit-result", n+4), accepted("c", "tool:call_2"))
	b.want(b.nth("blocked", 4), `{"active":false}`)
	if e := b.nth("completed", 2); !strings.Contains(e, `"cancelled":true`) {
		t.Errorf("completed %s", e)
	}

	remoteEventsAfterwards(r, b, pi, n)
	b.count("offer", 0)
}

// remoteEventsAfterwards goes on where the person has answered and cancelled: abort, background, resume. n is the number of
// refusals before.
func remoteEventsAfterwards(r *rig, b *bridge, pi *tmuxtest.Pane, n int) {
	t := r.t
	t.Helper()
	// An aborted form ends without an event and releases the agent.
	r.say("aborts")
	b.nth("started", 3)
	b.nth("blocked", 5)
	pi.Keys("Escape")
	b.want(b.nth("blocked", 6), `{"active":false}`)
	b.do(submit("late", "tool:call_3", sqlite))
	b.want(b.nth("submit-result", n+5), refusal("late", "tool:call_3", "flow_not_found", "Ask flow is not active."))
	b.count("completed", 2)

	// A queued form goes by its original call's id. No pane shows it, so it does not block.
	r.say("background")
	b.nth("started", 4)
	b.do(submit("b", "tool:call_4", `{"kind":"answer","answers":{},"skippedQuestionIds":["db"]}`))
	b.want(b.nth("submit-result", n+6), accepted("b", "tool:call_4"))
	if e := b.nth("completed", 3); !strings.Contains(e, `"skippedQuestionIds":["db"]`) || !strings.Contains(e, `"toolCallId":"call_4"`) {
		t.Errorf("completed %s", e)
	}
	r.once("Database [db]: (skipped)")
	b.count("blocked", 6)

	// "Recovered flows emit remote lifecycle events with source ask:resume."
	r.say("resumes")
	b.nth("started", 5)
	r.waitStep("accepted-noted", 5)
	kill(t, pi)
	b.restart()
	r.startPi("--continue")
	if e := b.nth("started", 6); !strings.Contains(e, `"flowId":"tool:call_5","toolCallId":"call_5","source":"ask:resume"`) {
		t.Errorf("started %s", e)
	}
	b.do(submit("again", "tool:call_5", choosePG))
	b.want(b.nth("submit-result", n+7), accepted("again", "tool:call_5"))
	if e := b.nth("completed", 4); !strings.Contains(e, `"source":"ask:resume"`) {
		t.Errorf("completed %s", e)
	}
	r.model.Wait(t, "the follow-up", func(q modelserver.Request) bool {
		return q.Last().Role == "user" && q.Last().Content == "Database: Postgres"
	})
}

const choosePG = `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`

// A form of a second flow and a wait each hold the agent blocked by themselves, and only the last releases it: see TestPiBlocked
// for the visible panel and the wait. Here the panel's pane goes and comes, and the session is left.
func TestPiBlockedByAPanel(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	b := r.installBridge()
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	b.want(b.nth("blocked", 1), `{"active":true,"label":"Waiting for user response"}`)
	// "Hiding or deferring the panel releases this indication while preserving queued questions": Esc in the pane.
	askd.WaitFor("Which database?")
	person{askd}.PressUntil("Escape", "deferred")
	b.want(b.nth("blocked", 2), `{"active":false}`)
	r.waitPending(1, "deferred")
	// "Reopening the panel restores it."
	r.say("/ask-queue")
	b.want(b.nth("blocked", 3), `{"active":true,"label":"Waiting for user response"}`)
	// "Session changes release the panel's ownership."
	r.say("/new")
	b.want(b.nth("blocked", 4), `{"active":false}`)
	pi.WaitFor("scripted")
}
