package tests

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"askd/tests/modelserver"
)

// crash is one way of asking, seen through crashes at each step: whatever dies, the answer enters the transcript once.
type crash struct {
	name       string
	background bool
	answer     string // how the model reads it
	steps      []string
}

// crashes names the steps in the order in which they are taken. The answer of a queued form is the second outcome. A
// background call that died before it was noted has promised nothing, and the model sees that it has no result.
var crashes = []crash{
	{
		name: "foreground", answer: "Database: Postgres",
		steps: []string{"before-request-noted", "request-noted", "before-call-sent", "call-sent", "accepted-noted", "outcome-received", "placed", "seen-in-branch", "acked"},
	},
	{
		name: "background", background: true, answer: "Database [db]: Postgres",
		steps: []string{
			"request-noted", "before-call-sent", "call-sent", "accepted-noted", "outcome-received", "outcome-received#2", "placed", "seen-in-branch", "acked",
		},
	},
}

func (c crash) rig(t *testing.T) *rig {
	form := database()
	if c.background {
		form = queued(form)
	}
	return newRig(t, asking(askUser("call_1", form)))
}

// check makes the agent read its whole transcript once more, and again after a last restart.
func (c crash) check(r *rig) {
	r.t.Helper()
	r.waitDelivered()
	r.waitIdle()
	r.say("hello again")
	r.waitTold("hello again")
	r.once(c.answer)
	r.waitIdle()
	kill(r.t, r.piPane)
	r.startConnectedPi("--continue")
	r.say("and again")
	r.waitTold("and again")
	r.once(c.answer)
	r.waitPending(0, "")
	r.waitDelivered()
	r.wantEntries(map[string]int{"ask:request": min(1, r.count("request-noted"))}) // what died before it was noted is known by its call
	if n := len(r.ownEntries("ask:background-answer")); n > 1 {
		r.t.Errorf("the session holds the answer %d times", n)
	}
}

// The agent dies at a step, before the next thing can happen, and is started again.
func TestPiDiesAtEachStep(t *testing.T) {
	for _, c := range crashes {
		for _, step := range c.steps {
			t.Run(c.name+" "+step, func(t *testing.T) {
				r := c.rig(t)
				serve(t, r.place)
				r.extra = []string{"ASKD_PI_HALT=" + step}
				pi := r.startPi()
				r.say("go")
				answered := r.answerUnlessDead(pi.Dead)
				pi.WaitDead()
				r.extra = nil
				r.startConnectedPi("--continue")
				if !answered {
					r.answer("call_1", "db", "pg")
				}
				c.check(r)
			})
		}
	}
}

// answerUnlessDead answers the form of call_1 as soon as it is there, and says whether it came to that.
func (r *rig) answerUnlessDead(dead func() bool) bool {
	r.t.Helper()
	answered := false
	within(r.t, "the form or the end", func() bool {
		if len(r.pending()) > 0 {
			answered = true
			r.answer("call_1", "db", "pg")
		}
		return answered || dead()
	})
	return answered
}

// askd dies while the agent stands still at a step, and is started again.
func TestAskdDiesAtEachStepOfPi(t *testing.T) {
	for _, c := range crashes {
		for _, step := range c.steps {
			t.Run(c.name+" "+step, func(t *testing.T) {
				r := c.rig(t)
				askd := serve(t, r.place)
				halt := filepath.Join(r.home.Dir, "halt")
				r.extra = []string{"ASKD_PI_HALT=" + step + "=" + halt}
				r.startPi()
				r.say("go")
				answered := r.answerUnlessDead(func() bool { return exists(halt) })
				within(t, "the step "+step, func() bool { return exists(halt) })
				askd.stop(t, syscall.SIGKILL)
				if err := os.Remove(halt); err != nil {
					t.Fatal(err)
				}
				serve(t, r.place)
				if !answered {
					r.answer("call_1", "db", "pg")
				}
				r.waitTold(c.answer)
				c.check(r)
			})
		}
	}
}

// A recovered answer, and one that a wait took, die on their way too.
func TestPiDiesWithARecoveredAnswer(t *testing.T) {
	for _, step := range []string{"outcome-received", "placed", "seen-in-branch", "acked"} {
		t.Run(step, func(t *testing.T) {
			r := recovered(t)
			r.answer("call_1", "db", "pg")
			r.extra = []string{"ASKD_PI_HALT=" + step}
			r.startHalting("--continue")
			r.extra = nil
			r.startConnectedPi("--continue")
			crash{answer: "Database: Postgres"}.check(r)
			r.wantEntries(map[string]int{"ask:pending-dismissed": 1})
		})
	}
}

func TestPiDiesWithTheAnswersOfAWait(t *testing.T) {
	for _, step := range []string{"outcome-received#3", "placed", "placed#2", "seen-in-branch", "seen-in-branch#2", "acked"} {
		t.Run(step, func(t *testing.T) {
			r := newRig(t, waiting()...)
			serve(t, r.place)
			r.extra = []string{"ASKD_PI_HALT=" + step}
			pi := r.startPi()
			r.say("go")
			pi.WaitFor("Waiting in askd for 2 form(s).")
			r.answer("call_2", "tone", "dry")
			r.answer("call_1", "db", "pg")
			pi.WaitDead()
			r.extra = nil
			r.startConnectedPi("--continue")
			r.waitDelivered()
			r.waitIdle()
			r.say("hello again")
			r.waitTold("hello again")
			r.once("Database [db]: Postgres")
			r.once("Tone [tone]: Dry")
		})
	}
}

// The agent dies while it hands an answer over between two turns.
func TestPiDiesBetweenTurns(t *testing.T) {
	for _, step := range []string{"placed", "seen-in-branch", "acked"} {
		t.Run(step, func(t *testing.T) {
			answered := make(chan struct{})
			r := newRig(t,
				asking(askUser("call_1", queued(database()))),
				modelserver.Rule{Match: result("call_1"), Reply: modelserver.Reply{Text: "working", Hold: answered}},
			)
			serve(t, r.place)
			r.extra = []string{"ASKD_PI_HALT=" + step}
			pi := r.startPi()
			r.say("go")
			pi.WaitFor("working")
			r.answer("call_1", "db", "pg")
			r.waitStep("outcome-received", 2)
			close(answered)
			pi.WaitDead()
			r.extra = nil
			r.startConnectedPi("--continue")
			crash{answer: "Database [db]: Postgres"}.check(r)
			r.wantEntries(map[string]int{"ask:background-answer": 1, "ask:completed": 1})
		})
	}
}
