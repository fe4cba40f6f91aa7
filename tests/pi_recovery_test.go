package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"askd/tests/modelserver"
)

// recovered starts an agent again that was killed with a foreground form open.
func recovered(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, asking(askUser("call_1", database())))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	r.waitPending(1, "waiting")
	kill(t, pi)
	return r
}

// After a kill the newest form is shown again, and its answer goes in as a message of the person's.
func TestPiRecoversAnInterruptedForm(t *testing.T) {
	r := recovered(t)
	pi := r.startPi("--continue")
	pi.WaitFor("Reopening unanswered ask_user form: 1 question(s).")
	r.waitPending(1, "waiting")
	r.answer("call_1", "db", "pg")
	request := r.model.Wait(t, "the answer", modelserver.User("Database: Postgres"))
	if got := request.Last().Content; got != "Database: Postgres" {
		t.Errorf("the model was sent %q", got)
	}
	r.waitStep("acked", 1)
	r.waitDelivered()
	pi.WaitFor("done")
	r.wantEntries(map[string]int{"ask:request": 1, "ask:completed": 1, "ask:resume-sent": 1, "ask:pending-dismissed": 1})
	if got := r.ownEntries("ask:pending-dismissed")[0]; got["toolCallId"] != "call_1" {
		t.Errorf("dismissed %v", got)
	}
	// It is over: nothing opens again.
	kill(t, pi)
	r.startPi("--continue")
	r.waitStep("connected", 3)
	r.waitPending(0, "")
	r.say("hello again")
	r.once("Database: Postgres")
}

// The form may be answered while pi is away; the answer then waits for it.
func TestPiRecoversAnAnswerGivenMeanwhile(t *testing.T) {
	r := recovered(t)
	r.answer("call_1", "db", "lite")
	r.startPi("--continue")
	r.once("Database: SQLite")
	r.waitStep("acked", 1)
	r.waitDelivered()
	r.waitPending(0, "")
}

// A cancel closes the call and says nothing to the agent.
func TestPiRecoveredFormIsCancelled(t *testing.T) {
	r := recovered(t)
	pi := r.startPi("--continue")
	pi.WaitFor("Reopening unanswered ask_user form: 1 question(s).")
	before := len(r.model.Requests())
	r.cancel("call_1")
	pi.WaitFor("Unanswered ask_user form dismissed.")
	r.waitStep("acked", 1)
	r.waitDelivered()
	r.wantEntries(map[string]int{"ask:pending-dismissed": 1, "ask:resume-sent": 0})
	if n := len(r.model.Requests()); n != before {
		t.Errorf("the model was asked %d times", n-before)
	}
	kill(t, pi)
	r.startPi("--continue")
	r.waitStep("connected", 3)
	r.waitPending(0, "")
}

// The journal may have gone as well: the form is made of the call's own arguments.
func TestPiRecoversFromTheCallAlone(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	r.waitPending(1, "waiting")
	kill(t, pi)
	askd.stop(t, syscall.SIGKILL)
	r.place.data += ".new"
	serve(t, r.place, "--data", r.place.data)
	r.startPi("--continue")
	r.waitPending(1, "waiting")
	r.answer("call_1", "db", "pg")
	r.once("Database: Postgres")
	r.waitStep("acked", 1)
}

// A marker whose message never came must not take the person's next message for it.
func TestPiMarkerWithoutMessage(t *testing.T) {
	r := recovered(t)
	r.answer("call_1", "db", "pg")
	r.extra = []string{"ASKD_PI_HALT=placed"}
	r.startHalting("--continue")
	r.extra = []string{"ASKD_SOCKET=" + r.place.socket + ".none"} // askd is not there for a while
	pi := r.startPi("--continue")
	r.say("hello again")
	pi.WaitFor("done")
	kill(t, pi)
	r.extra = nil
	r.startPi("--continue")
	r.once("Database: Postgres")
	r.waitStep("acked", 1)
	r.wantEntries(map[string]int{"ask:resume-sent": 2, "ask:resume-void": 1, "ask:pending-dismissed": 1})
}

// startHalting runs an agent that halts by itself, perhaps before its prompt is drawn.
func (r *rig) startHalting(args ...string) {
	r.t.Helper()
	r.runInPane(args...)
	r.piPane.WaitDead()
}

// A fork takes the question along: it is asked once, in the fork, and answered there.
func TestPiForkTakesTheQuestionAlong(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	parent := r.waitPending(1, "waiting")[0]
	pi.Keys("C-d")
	pi.WaitDead()
	pi = r.startPi("--fork", r.sessionFile())
	var fork openForm
	within(t, "the fork's own copy", func() bool {
		all := r.pending()
		if len(all) != 1 || all[0].Session == parent.Session {
			return false
		}
		fork = all[0]
		return true
	})
	if fork.RequestID != parent.RequestID {
		t.Errorf("the fork asks %s, its parent asked %s", fork.RequestID, parent.RequestID)
	}
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitStep("acked", 1)
	pi.WaitFor("✓ Answers received")
	// The parent still waits for its own answer.
	pi.Keys("C-d")
	pi.WaitDead()
	if got := r.waitPending(1, "waiting")[0]; got.Session != parent.Session {
		t.Errorf("%+v waits", got)
	}
}

// sessionFile is the agent's oldest session file.
func (r *rig) sessionFile() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.home.AgentDir, "sessions", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		r.t.Fatalf("session files %v: %v", files, err)
	}
	slices.Sort(files)
	return files[0]
}

// Going back to before the question parks it; the answer of an abandoned branch does not come along.
func TestPiTreeParksTheQuestion(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	if err := os.WriteFile(filepath.Join(r.home.Extensions(), "mover.js"), []byte(mover), 0o644); err != nil {
		t.Fatal(err)
	}
	serve(t, r.place)
	pi := r.startPi()
	r.say("hello first")
	pi.WaitFor("done")
	r.say("go")
	r.waitPending(1, "waiting")
	r.say("/back 1") // to before "go"
	r.waitPending(0, "")
	r.say("on another branch")
	r.model.Wait(t, "the other branch", modelserver.User("on another branch"))
	r.say("/ahead")
	r.waitPending(1, "waiting")
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitStep("acked", 1)
	// Back before the answer it waits again, and a second answer is this branch's own.
	pi.WaitFor("✓ Answers received")
	r.say("/before-answer")
	r.waitPending(1, "waiting")
	pi.WaitGone("✓ Answers received")
	r.answer("call_1", "db", "lite")
	r.once("Database [db]: SQLite")
	if n, _ := r.told("Database [db]: Postgres"); n != 1 {
		t.Errorf("the first answer reached the model in %d requests", n)
	}
	r.waitDelivered()
}

// mover walks through the session's tree by commands.
const mover = `
module.exports = (pi) => {
	const role = (entry) => (entry.type === "message" ? entry.message.role : undefined);
	const receipt = (entry) => role(entry) === "toolResult";
	pi.registerCommand("back", { handler: async (args, ctx) => {
		const users = ctx.sessionManager.getBranch().filter((entry) => role(entry) === "user");
		await ctx.navigateTree(users[Number(args)].id, { summarize: false });
		ctx.ui.setEditorText("");
	}});
	pi.registerCommand("ahead", { handler: async (_args, ctx) => {
		await ctx.navigateTree(ctx.sessionManager.getEntries().findLast(receipt).id, { summarize: false });
	}});
	pi.registerCommand("before-answer", { handler: async (_args, ctx) => {
		await ctx.navigateTree(ctx.sessionManager.getBranch().findLast(receipt).id, { summarize: false });
	}});
};
`

// The answer's hidden message may be chosen in the tree, which puts its text into the editor: it must not stay there while
// the answer is delivered again.
func TestPiTextOfADeliveryLeavesTheEditor(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	if err := os.WriteFile(filepath.Join(r.home.Extensions(), "chooser.js"), []byte(chooser), 0o644); err != nil {
		t.Fatal(err)
	}
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	r.answer("call_1", "db", "pg")
	r.waitStep("acked", 1)
	before := len(r.model.Requests())
	r.say("/choose")
	r.waitStep("acked", 2)
	screen := pi.WaitGone("Background answer [")
	if n := len(r.model.Requests()); n != before+1 {
		t.Errorf("the model was asked %d times\n%s", n-before, screen)
	}
	r.once("Database [db]: Postgres")
}

// chooser moves to before the delivered answer as the tree does.
const chooser = `
module.exports = (pi) => pi.registerCommand("choose", { handler: async (_args, ctx) => {
	const entry = ctx.sessionManager.getBranch().findLast((entry) => entry.type === "custom_message");
	const { cancelled, editorText } = await ctx.navigateTree(entry.id, { summarize: false });
	if (!cancelled) ctx.ui.setEditorText(editorText ?? entry.content);
}});
`

// A prompt of another kind than ours must survive: only the text of a delivery is taken away.
func TestPiTypedTextSurvivesADelivery(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database()))))
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("done")
	pi.Paste("half a sentence")
	pi.WaitFor("half a sentence")
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitStep("acked", 1)
	if !strings.Contains(pi.Screen(), "half a sentence") {
		t.Errorf("what was typed is gone:\n%s", pi.Screen())
	}
}
