package tests

import (
	"strings"
	"syscall"
	"testing"

	"askd/tests/modelserver"
)

// waiting is an agent that asks twice in the background and then waits.
func waiting() []modelserver.Rule {
	return []modelserver.Rule{
		asking(askUser("call_1", queued(database())), askUser("call_2", queued(tone()))),
		then("call_2", waitCall("wait_1")),
	}
}

// The wait brings both answers at once, and nothing brings them a second time. Their cards stand at their calls.
func TestPiWaitBringsAllAnswers(t *testing.T) {
	r := newRig(t, waiting()...)
	askd := person{r.startAskd()}
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Waiting in askd for 2 form(s).")
	askd.WaitFor("Which database?")
	askd.PressUntil("1", "1. Submit")
	askd.PressUntil("Enter", "Which tone?")
	askd.PressUntil("2", "1. Submit")
	askd.PressUntil("Enter", idle)
	got := r.model.WaitToolResult(t, "wait_1")
	if strings.Count(got, "Background answer [") != 2 || !strings.Contains(got, "Database [db]: Postgres") || !strings.Contains(got, "Tone [tone]: Warm") {
		t.Errorf("the model was sent %q", got)
	}
	screen := pi.WaitFor("Received 2 answer(s).")
	if strings.Count(screen, "✓ Answers received") != 2 || strings.Count(screen, "→ Postgres") != 1 {
		t.Errorf("the cards are wrong:\n%s", screen)
	}
	r.waitStep("acked", 2)
	r.waitDelivered()
	r.wantEntries(map[string]int{"ask:completed": 2, "ask:background-answer": 0})
	pi.Keys("C-d")
	pi.WaitDead()
	pi = r.startPi("--continue")
	if screen := pi.WaitFor("Received 2 answer(s)."); strings.Count(screen, "✓ Answers received") != 2 {
		t.Errorf("the cards are gone:\n%s", screen)
	}
	r.say("hello again")
	r.once("Database [db]: Postgres")
}

func TestPiWaitWithNothingPending(t *testing.T) {
	r := newRig(t, asking(waitCall("wait_1")))
	serve(t, r.place)
	r.startPi()
	r.say("go")
	want := "No outstanding background answers. Previously delivered answers are already in context."
	if got := r.model.WaitToolResult(t, "wait_1"); got != want {
		t.Errorf("the model was sent %q", got)
	}
}

// A message of the person's releases the wait, and both reach the model in one request. The questions are put aside, which
// the branch remembers.
func TestPiMessageReleasesTheWait(t *testing.T) {
	r := newRig(t, waiting()...)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Waiting in askd for 2 form(s).")
	r.answer("call_2", "tone", "dry")
	pi.WaitFor("Waiting in askd for 1 form(s).")
	r.say("never mind")
	request := r.waitTold("never mind")
	got := request.ToolResult("wait_1")
	if got == nil || !strings.Contains(got.Content, "Question wait deferred (the user sent a message). 1 form(s) still pending: ") ||
		!strings.Contains(got.Content, "Tone [tone]: Dry") {
		t.Errorf("the model was sent %+v", got)
	}
	pi.WaitFor("Deferred, 1 pending.")
	r.waitPending(1, "deferred")
	r.waitStep("acked", 1)
	if panels := r.ownEntries("ask:panel"); len(panels) != 1 || panels[0]["visible"] != false {
		t.Errorf("the branch keeps %v", panels)
	}
	// The mark outlives both programs.
	pi.Keys("C-d")
	pi.WaitDead()
	r.startPi("--continue")
	r.waitStep("connected", 2)
	r.waitPending(1, "deferred")
	r.say("/ask-queue")
	r.waitPending(1, "waiting")
	r.answer("call_1", "db", "lite")
	r.once("Database [db]: SQLite")
	r.once("Tone [tone]: Dry")
}

// Putting the questions aside releases the wait too.
func TestPiDeferReleasesTheWait(t *testing.T) {
	r := newRig(t, waiting()...)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Waiting in askd for 2 form(s).")
	r.say("/ask-defer")
	got := r.model.WaitToolResult(t, "wait_1")
	if !strings.HasPrefix(got, "Question wait deferred (hidden by the user). 2 form(s) still pending: ") {
		t.Errorf("the model was sent %q", got)
	}
	pi.WaitFor("Deferred, 2 pending.")
	r.waitPending(2, "deferred")
}

// An aborted wait leaves the forms queued, and their answers come as messages.
func TestPiAbortedWait(t *testing.T) {
	r := newRig(t, waiting()...)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Waiting in askd for 2 form(s).")
	r.answer("call_2", "tone", "dry")
	pi.WaitFor("Waiting in askd for 1 form(s).")
	before := len(r.model.Requests())
	pi.Keys("Escape")
	pi.WaitFor("Question wait interrupted")
	r.waitStep("acked", 1)
	if n := len(r.model.Requests()); n != before {
		t.Errorf("an answer that was there before the stop set the agent going: %d requests more", n-before)
	}
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.once("Tone [tone]: Dry")
	r.once("Question wait interrupted")
	r.waitDelivered()
}

// A wait outlives askd. A message while askd is away releases it all the same, and askd puts the forms aside when it is
// back.
func TestPiWaitLosesAskd(t *testing.T) {
	r := newRig(t, waiting()...)
	askd := serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Waiting in askd for 2 form(s).")
	askd.stop(t, syscall.SIGKILL)
	pi.WaitFor("askd: not running")
	askd = serve(t, r.place)
	r.answer("call_2", "tone", "dry")
	pi.WaitFor("Waiting in askd for 1 form(s).")
	askd.stop(t, syscall.SIGKILL)
	r.say("never mind")
	got := r.model.WaitToolResult(t, "wait_1")
	if !strings.HasPrefix(got, "Question wait deferred (the user sent a message). 1 form(s) still pending: ") {
		t.Errorf("the model was sent %q", got)
	}
	r.waitTold("never mind")
	serve(t, r.place)
	r.once("Tone [tone]: Dry")
	r.waitPending(1, "deferred")
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitDelivered()
}

func TestPiWaitNeedsATerminal(t *testing.T) {
	r := newRig(t, asking(waitCall("wait_1")))
	if out, err := r.runPi("-p", "go"); err != nil {
		t.Fatalf("pi: %v\n%s", err, out)
	}
	serve(t, r.place)
	end := r.startRPC("go")
	for range 2 {
		if got := r.model.WaitToolResult(t, "wait_1"); got != "wait_for_answers requires interactive TUI mode." {
			t.Errorf("the model was sent %q", got)
		}
	}
	end()
}

// A message that was sent just before the wait began would not be read until it ends, so it releases it as well.
func TestPiMessageBeforeTheWait(t *testing.T) {
	typed := make(chan struct{})
	r := newRig(t,
		asking(askUser("call_1", queued(database()))),
		modelserver.Rule{
			Match: result("call_1"),
			Reply: modelserver.Reply{Text: "working", Hold: typed, Calls: []modelserver.Call{waitCall("wait_1")}},
		},
	)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("working")
	r.say("never mind")
	pi.WaitFor("Steering: never mind")
	close(typed)
	request := r.waitTold("never mind")
	if got := request.ToolResult("wait_1"); got == nil || !strings.HasPrefix(got.Content, "Question wait deferred (the user sent a message). 1 form(s)") {
		t.Errorf("the model was sent %+v", got)
	}
	r.waitPending(1, "deferred")
}
