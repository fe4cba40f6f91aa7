package tests

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"askd/tests/modelserver"
	"askd/tests/pienv"
)

// Another session has another queue; coming back brings the first one's again.
func TestPiNewSessionAndBack(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Questions pending: 1")
	r.waitIdle()
	r.say("/new")
	pi.WaitGone("Questions pending")
	pi.WaitFor("New session started") // what is typed before that goes with the old one
	r.waitStep("connected", 2)
	r.answer("call_1", "db", "pg") // its session is away
	r.say("hello new session")
	r.model.Wait(t, "the new session", modelserver.User("hello new session"))
	r.waitIdle()
	if n, _ := r.told("Database [db]: Postgres"); n != 0 {
		t.Error("the answer went into another session")
	}
	pi.Keys("C-d")
	pi.WaitDead()
	r.startPi("--session", r.sessionFile())
	r.once("Database [db]: Postgres")
	r.waitDelivered()
}

// A reload makes the extension anew and loses nothing.
func TestPiReload(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database())), askUser("call_2", queued(tone()))))
	serve(t, r.place)
	r.startConnectedPi()
	r.say("go")
	r.piPane.WaitFor("Questions pending: 2")
	r.waitIdle()
	r.say("/reload")
	r.waitStep("connected", 2)
	r.waitPending(2, "waiting")
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitIdle()
	r.answer("call_2", "tone", "dry")
	r.once("Tone [tone]: Dry")
	r.once("Database [db]: Postgres")
	r.piPane.WaitGone("Questions pending")
	r.piPane.Wait("both cards", func(screen string) bool { return strings.Count(screen, "✓ Answers received") == 2 })
}

// A clone made while a form waits shows the form again; the answer goes into the clone.
func TestPiCloneWhileAsking(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	parent := r.waitPending(1, "waiting")[0]
	r.say("/clone")
	pi.WaitFor("Reopening unanswered ask_user form: 1 question(s).")
	if got := r.waitPending(1, "waiting")[0]; got.Session == parent.Session || got.RequestID != parent.RequestID {
		t.Errorf("%+v waits, the parent was %+v", got, parent)
	}
	r.answer("call_1", "db", "lite")
	r.once("Database: SQLite")
	r.waitDelivered()
}

// Two processes on one session: the second hears of nothing until the first has gone.
func TestPiSecondProcessTakesOver(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	serve(t, r.place)
	r.startConnectedPi()
	r.say("go")
	r.piPane.WaitFor("Questions pending: 1")
	r.waitIdle()
	first := r.piPane
	r.startConnectedPi("--continue")
	kill(t, first)
	r.piPane.WaitFor("Questions pending: 1")
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitDelivered()
	r.wantEntries(map[string]int{"ask:background-answer": 1})
}

// A wait takes over what is on its way: it is not delivered as a message as well.
func TestPiWaitTakesOverADelivery(t *testing.T) {
	answered := make(chan struct{})
	r := newRig(t,
		asking(askUser("call_1", queued(database())), askUser("call_2", queued(tone()))),
		modelserver.Rule{
			Match: result("call_2"),
			Reply: modelserver.Reply{Text: "working", Hold: answered, Calls: []modelserver.Call{waitCall("wait_1")}},
		},
	)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("working")
	r.answer("call_2", "tone", "dry")
	r.waitStep("outcome-received", 3)
	close(answered)
	pi.WaitFor("Waiting in askd for 1 form(s).")
	r.answer("call_1", "db", "pg")
	if got := r.model.WaitToolResult(t, "wait_1"); !strings.Contains(got, "Tone [tone]: Dry") || !strings.Contains(got, "Database [db]: Postgres") {
		t.Errorf("the model was sent %q", got)
	}
	r.waitDelivered()
	r.waitIdle()
	r.say("hello again")
	r.waitTold("hello again")
	r.once("Tone [tone]: Dry")
	r.once("Database [db]: Postgres")
	r.wantEntries(map[string]int{"ask:background-answer": 0, "ask:completed": 2})
}

// The oldest agent has no boundaries between turns: what comes during its work waits until it is idle.
func TestOldPiBackground(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	r.pi = pienv.Old(t)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	r.wantResult("call_1", receipt("1"))
	pi.WaitFor("done")
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitStep("acked", 1)
	r.waitDelivered()
	pi.WaitFor("✓ Answers received")
}

// A question holds back what stands behind it in the same message; a queued one does not.
func TestPiQuestionIsABarrier(t *testing.T) {
	touch := func(id, name string) modelserver.Call {
		return modelserver.Call{ID: id, Name: "bash", Args: map[string]any{"command": "touch " + name}}
	}
	r := newRig(t, asking(
		askUser("call_1", queued(tone())), touch("bash_1", "early"), askUser("call_2", database()), touch("bash_2", "late"),
	))
	early, late := filepath.Join(r.home.Project, "early"), filepath.Join(r.home.Project, "late")
	serve(t, r.place)
	r.startPi()
	r.say("go")
	r.waitPending(2, "waiting")
	if !exists(early) || exists(late) {
		t.Errorf("while the form is open: early %v, late %v", exists(early), exists(late))
	}
	r.answer("call_2", "db", "pg")
	r.wantResult("call_2", answer("Database: Postgres"))
	if !exists(late) {
		t.Error("the command behind the question never ran")
	}
}

// A fork of a fork still finds what its grandparent asked, and its draft.
func TestPiForkOfAFork(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	first := r.waitPending(1, "waiting")[0]
	quit := func() {
		r.piPane.Keys("C-d")
		r.piPane.WaitDead()
	}
	quit()
	r.startConnectedPi("--fork", r.sessionFile())
	quit()
	r.startConnectedPi("--fork", r.newestSessionFile())
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitDelivered()
	quit()
	for _, left := range r.pending() {
		if left.RequestID != first.RequestID {
			t.Errorf("%+v waits", left)
		}
	}
}

// newestSessionFile is the agent's newest session file.
func (r *rig) newestSessionFile() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.home.AgentDir, "sessions", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		r.t.Fatalf("session files %v: %v", files, err)
	}
	return slices.Max(files)
}
