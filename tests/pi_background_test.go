package tests

import (
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"askd/tests/modelserver"
)

// queued makes a form wait in the background.
func queued(form map[string]any) map[string]any {
	form["background"] = true
	return form
}

// tone is another form with one question and two options.
func tone() map[string]any {
	return map[string]any{"questions": []any{map[string]any{
		"id": "tone", "label": "Tone", "prompt": "Which tone?",
		"options": []any{map[string]any{"value": "dry", "label": "Dry"}, map[string]any{"value": "warm", "label": "Warm"}},
	}}}
}

// waitCall is a call of wait_for_answers.
func waitCall(id string) modelserver.Call {
	return modelserver.Call{ID: id, Name: "wait_for_answers", Args: map[string]any{}}
}

// receipt is what the model is told of a queued form.
func receipt(pending string) *regexp.Regexp {
	return regexp.MustCompile(`^Queued ask_user \[[0-9a-f-]{36}\]\. ` + pending + ` form\(s\) pending\. This is not an answer\. `)
}

// told gives the requests whose messages hold a text, and how many messages of the last of them do.
func (r *rig) told(text string) (requests, times int) {
	for _, request := range r.model.Requests() {
		n := 0
		for _, m := range request.Messages {
			n += strings.Count(m.Content, text)
		}
		if n > 0 {
			requests++
			times = n
		}
	}
	return requests, times
}

// waitTold waits until the model has been sent a text.
func (r *rig) waitTold(text string) modelserver.Request {
	r.t.Helper()
	return r.model.Wait(r.t, text, func(request modelserver.Request) bool {
		return slices.ContainsFunc(request.Messages, func(m modelserver.Message) bool { return strings.Contains(m.Content, text) })
	})
}

// once checks that a text stands exactly once in everything the model has been sent last, and that it was waited for.
func (r *rig) once(text string) {
	r.t.Helper()
	r.waitTold(text)
	requests := r.model.Requests()
	n := 0
	for _, m := range requests[len(requests)-1].Messages {
		n += strings.Count(m.Content, text)
	}
	if n != 1 {
		r.t.Errorf("the model was sent %q %d times", text, n)
	}
}

// ownEntries gives the data or details of the session's entries of one kind.
func (r *rig) ownEntries(kind string) []map[string]any {
	r.t.Helper()
	var found []map[string]any
	for _, entry := range r.sessionEntries() {
		if entry["customType"] != kind {
			continue
		}
		for _, field := range []string{"data", "details"} {
			if data, ok := entry[field].(map[string]any); ok {
				found = append(found, data)
			}
		}
	}
	return found
}

// wantEntries checks how many entries of each kind the session holds.
func (r *rig) wantEntries(want map[string]int) {
	r.t.Helper()
	for kind, n := range want {
		if got := len(r.ownEntries(kind)); got != n {
			r.t.Errorf("the session holds %d entries %s, want %d", got, kind, n)
		}
	}
}

// A queued form returns at once; its answer wakes the idle agent, and its card stands in the row of the call.
func TestPiBackgroundAnswerWakesTheIdleAgent(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	askd := person{r.startAskd()}
	pi := r.startPi()
	r.say("go")
	r.wantResult("call_1", receipt("1"))
	pi.WaitFor("Questions pending: 1")
	pi.WaitFor("done")
	askd.WaitFor("Which database?")
	askd.pick("1")
	request := r.waitTold("Background answer [")
	if got := request.Last(); got.Role != "user" || !strings.Contains(got.Content, "— Storage:\nQuestions:\n- [db] Database: Which database?\nResponse:\nDatabase [db]: Postgres") {
		t.Errorf("the answer came as %+v", got)
	}
	r.waitStep("acked", 1)
	pi.WaitGone("Questions pending")
	screen := pi.WaitFor("✓ Answers received")
	if !strings.Contains(screen, "Storage · ✓ Answers received") || !strings.Contains(screen, "→ Postgres") || strings.Contains(screen, "Background answer") {
		t.Errorf("the card is wrong:\n%s", screen)
	}
	r.wantEntries(map[string]int{"ask:request": 1, "ask:completed": 1, "ask:background-answer": 1})
	r.once("Background answer [")
	askd.WaitFor(idle)

	// The card draws from the session file, and nothing is delivered again.
	pi.Keys("C-d")
	pi.WaitDead()
	kill(t, askd.Pane)
	pi = r.startPi("--continue")
	pi.WaitFor("Storage · ✓ Answers received")
	r.startAskd()
	r.waitStep("connected", 2)
	r.say("hello again")
	r.model.Wait(t, "hello again", modelserver.User("hello again"))
	r.once("Background answer [")
	r.wantEntries(map[string]int{"ask:background-answer": 1})
}

// What is answered while the agent works enters the context between two turns, all of it, and the run goes on.
func TestPiBackgroundAnswersDuringWork(t *testing.T) {
	answered := make(chan struct{})
	r := newRig(t,
		asking(askUser("call_1", queued(database())), askUser("call_2", queued(tone()))),
		modelserver.Rule{Match: result("call_2"), Reply: modelserver.Reply{Text: "working", Hold: answered}},
	)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("working")
	r.answer("call_2", "tone", "warm")
	r.answer("call_1", "db", "lite")
	r.waitStep("outcome-received", 4) // two receipts, two answers
	close(answered)
	request := r.waitTold("Tone [tone]: Warm")
	n := len(request.Messages)
	if n < 2 || !strings.Contains(request.Messages[n-2].Content, "Tone [tone]: Warm") || !strings.Contains(request.Messages[n-1].Content, "Database [db]: SQLite") {
		t.Errorf("the model was sent %+v", request.Messages)
	}
	r.waitStep("acked", 2)
	pi.WaitFor("done")
	if n := len(r.model.Requests()); n != 3 {
		t.Errorf("the model was asked %d times, want 3", n)
	}
	screen := pi.Screen()
	if strings.Count(screen, "✓ Answers received") != 2 {
		t.Errorf("not both calls show their cards:\n%s", screen)
	}
	r.wantEntries(map[string]int{"ask:completed": 2, "ask:background-answer": 2})
}

// A cancel is kept for the agent but starts nothing.
func TestPiBackgroundCancelDoesNotWake(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	r.cancel("call_1")
	r.waitStep("acked", 1)
	pi.WaitFor("? Questions cancelled")
	pi.WaitFor("No approval given.")
	r.waitDelivered()
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times, want 2", n)
	}
	r.say("hello again")
	r.once("User cancelled the ask flow")
}

// Answers that came while pi was away: the cancel goes in quietly, the first answer wakes the agent, the second rides.
func TestPiAnswersThatCameWhileItWasAway(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database())), askUser("call_2", queued(tone())), askUser("call_3", queued(database()))))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	kill(t, pi)
	r.cancel("call_1")
	r.answer("call_2", "tone", "dry")
	r.answer("call_3", "db", "pg")
	before := len(r.model.Requests())
	pi = r.startPi("--continue")
	r.waitStep("acked", 3)
	pi.WaitFor("Storage · ✓ Answers received")
	first := r.model.Requests()[before]
	if got := asJSON(t, first.Messages); !strings.Contains(got, "User cancelled the ask flow") || !strings.Contains(got, "Tone [tone]: Dry") || strings.Contains(got, "Database [db]: Postgres") {
		t.Errorf("the first request is %s", got)
	}
	for _, text := range []string{"User cancelled the ask flow", "Tone [tone]: Dry", "Database [db]: Postgres"} {
		r.once(text)
	}
	if n := len(r.model.Requests()); n != before+2 {
		t.Errorf("the model was asked %d times after the restart, want 2", n-before)
	}
	r.wantEntries(map[string]int{"ask:completed": 3, "ask:background-answer": 3})
}

// The person has stopped the agent: what was ready by then does not set it going again, but is there for the next run.
func TestPiStoppedAgentStaysStopped(t *testing.T) {
	never := make(chan struct{})
	r := newRig(t,
		asking(askUser("call_1", queued(database())), askUser("call_2", queued(tone()))),
		modelserver.Rule{Match: result("call_2"), Reply: modelserver.Reply{Text: "working", Hold: never}},
	)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("working")
	r.answer("call_1", "db", "pg")
	r.waitStep("outcome-received", 3)
	pi.Keys("Escape")
	r.waitStep("acked", 1)
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("the stopped agent was asked again: %d requests", n)
	}
	r.say("hello again")
	if request := r.waitTold("hello again"); !strings.Contains(asJSON(t, request.Messages), "Database [db]: Postgres") {
		t.Errorf("the next run does not have the answer: %+v", request.Messages)
	}
	r.once("Database [db]: Postgres")
	// What comes later wakes it as ever.
	pi.WaitFor("done")
	r.answer("call_2", "tone", "dry")
	r.once("Tone [tone]: Dry")
}

// While the person compacts the conversation nothing is placed: it would be left out of the compacted context.
func TestPiNothingIsPlacedDuringCompaction(t *testing.T) {
	compacting := make(chan struct{})
	summarise := func(r modelserver.Request) bool {
		return strings.Contains(r.Messages[0].Content, "summarization assistant")
	}
	r := newRig(t,
		modelserver.Rule{Match: summarise, Reply: modelserver.Reply{Text: "a summary", Hold: compacting}},
		asking(askUser("call_1", queued(database()))),
	)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	r.say("and more")
	r.model.Wait(t, "more", modelserver.User("and more"))
	r.say("/compact")
	r.model.Wait(t, "the conversation to summarise", summarise)
	r.answer("call_1", "db", "pg")
	r.waitStep("outcome-received", 2)
	before := len(r.model.Requests())
	if r.count("placed") != 0 {
		t.Error("the answer was placed during the compaction")
	}
	close(compacting)
	r.once("Database [db]: Postgres")
	r.waitStep("acked", 1)
	if n := len(r.model.Requests()); n != before+1 {
		t.Errorf("the model was asked %d times after the compaction, want once", n-before)
	}
	pi.WaitFor("done")
}

// A background call of a refused form ends with its result; it is never asked again.
func TestPiBackgroundInvalidPayload(t *testing.T) {
	form := queued(database())
	form["questions"].([]any)[0].(map[string]any)["options"] = []any{}
	r := newRig(t, asking(askUser("call_1", form)))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	if got := r.model.WaitToolResult(t, "call_1"); !strings.HasPrefix(got, "Invalid ask_user payload:") {
		t.Errorf("the model was sent %q", got)
	}
	pi.WaitFor("Invalid tool payload")
	pi.Keys("C-d")
	pi.WaitDead()
	r.startPi("--continue")
	r.waitStep("connected", 2)
	if n := r.count("call-sent"); n != 1 {
		t.Errorf("the call was sent %d times", n)
	}
	r.waitPending(0, "")
}

// Without askd a background call does not wait for ever: its agent has other work.
func TestPiBackgroundWithoutAskd(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	pi := r.startPi()
	r.say("go")
	got := r.model.WaitToolResult(t, "call_1")
	if !strings.HasPrefix(got, "Background question queue is unavailable. Start askd by running `askd`") {
		t.Errorf("the model was sent %q", got)
	}
	pi.WaitFor("Background question queue is unavailable.")
	serve(t, r.place)
	r.waitStep("connected", 1)
	r.waitPending(0, "")
}

// An askd that dies with the call and stays away is told later that nobody wants the form any more.
func TestPiBackgroundGivesUpAnAskdThatStaysAway(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	askd := serve(t, r.place)
	r.startConnectedPi()
	pi := r.piPane
	askd.signal(syscall.SIGSTOP) // it gets the call and never says so
	r.say("go")
	r.waitStep("call-sent", 1)
	askd.stop(t, syscall.SIGKILL)
	if got := r.model.WaitToolResult(t, "call_1"); !strings.HasPrefix(got, "Background question queue is unavailable.") {
		t.Errorf("the model was sent %q", got)
	}
	pi.WaitFor("done")
	serve(t, r.place)
	r.waitStep("connected", 2)
	r.waitPending(0, "")
	r.waitDelivered()
}

// A journal that has gone is filled again from the branch: the form is asked under its own id.
func TestPiBackgroundQuestionIsAskedAgainWhenTheDataFileIsGone(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	askd := serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	id := r.waitPending(1, "waiting")[0].RequestID
	askd.stop(t, syscall.SIGKILL)
	r.place.data += ".new"
	serve(t, r.place, "--data", r.place.data)
	if got := r.waitPending(1, "waiting")[0].RequestID; got != id {
		t.Errorf("asked again as %s, was %s", got, id)
	}
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.wantEntries(map[string]int{"ask:request": 1, "ask:background-answer": 1})
}

// In codemode the script gets the receipt; the card stands below the script's row.
func TestPiBackgroundInCodemode(t *testing.T) {
	script := `const r = await tools.ask_user({background: true, questions: [{id: "db", label: "Database", prompt: "Which database?",
		options: [{value: "pg", label: "Postgres"}, {value: "lite", label: "SQLite"}]}]}); return r.status;`
	r := newRig(t, asking(modelserver.Call{ID: "call_1", Name: "codemode", Args: map[string]any{"code": script}}))
	serve(t, r.place)
	pi := r.startPi("--tools", "+codemode")
	r.say("go")
	if got := r.model.WaitToolResult(t, "call_1"); !strings.Contains(got, "queued") {
		t.Errorf("the model was sent %q", got)
	}
	pi.WaitFor("done")
	r.answer("call_1/1", "db", "lite")
	r.once("Database [db]: SQLite")
	r.waitStep("acked", 1)
	pi.WaitFor("✓ Answers received")
	pi.Keys("C-o") // every row is drawn anew
	pi.Wait("the row with its script whole and its card", func(screen string) bool {
		return strings.Contains(screen, "✓ Answers received") && strings.Contains(screen, "✓ ask_user") && !strings.Contains(screen, "Wall time")
	})
	details := r.ownEntries("ask:background-answer")[0]
	if details["parentToolCallId"] != "call_1" || details["result"] == nil || details["outcomeId"] == nil {
		t.Errorf("the message's details are %v", details)
	}
	pi.Keys("C-d")
	pi.WaitDead()
	r.startPi("--continue").WaitFor("✓ Answers received")
}
