package tests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"askd/tests/modelserver"
)

// randomSteps is how long a random history is; each step takes about a second.
const randomSteps = 30

// history is a random life of one session: questions, answers, waits, and deaths of both programs.
type history struct {
	*rig
	random *rand.Rand
	askd   *process
	asked  int
	said   int
	log    []string
}

// steps are what may happen next; what happens more often stands more often.
var steps = []func(*history){
	(*history).ask, (*history).ask, (*history).ask, (*history).wait, (*history).chat,
	(*history).settle, (*history).settle, (*history).settle, (*history).killPi, (*history).haltPi, (*history).haltPi, (*history).killAskd,
}

// Whatever dies and in whatever order, each question of the session is answered once in its transcript.
func TestPiRandomHistory(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	var rules []modelserver.Rule
	for i := range randomSteps + 1 {
		form := queued(database())
		form["title"] = fmt.Sprintf("Form %d", i)
		rules = append(
			rules,
			modelserver.Rule{
				Match: modelserver.User(fmt.Sprintf("ask %d.", i)),
				Reply: modelserver.Reply{Calls: []modelserver.Call{askUser(fmt.Sprintf("call_%d", i), form)}},
			},
			modelserver.Rule{
				Match: modelserver.User(fmt.Sprintf("wait %d.", i)),
				Reply: modelserver.Reply{Calls: []modelserver.Call{waitCall(fmt.Sprintf("wait_%d", i))}},
			},
		)
	}
	h := &history{rig: newRig(t, rules...), random: rand.New(rand.NewPCG(seed, 0))}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d, steps %s", seed, strings.Join(h.log, ", "))
		}
	})
	h.askd = serve(t, h.place)
	h.startConnectedPi()
	h.ask()
	for range randomSteps {
		steps[h.random.IntN(len(steps))](h)
	}
	h.end()
}

func (h *history) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// tell gives the agent a message, if it lives that long.
func (h *history) tell(text string) {
	h.t.Helper()
	h.note("%s", text)
	h.revive()
	h.piPane.Type(text) // tmux itself may die of pasting into a pane whose program ends
	within(h.t, text+" on the screen", func() bool { return h.piPane.Dead() || strings.Contains(h.piPane.Screen(), text) })
	h.piPane.Keys("Enter")
	if h.random.IntN(4) > 0 { // else the next step comes in the middle of it
		within(h.t, "the model to be told "+text, func() bool { return h.piPane.Dead() || h.heard(text) })
	}
}

// heard reports whether the model has been sent a text.
func (h *history) heard(text string) bool {
	n, _ := h.told(text)
	return n > 0
}

func (h *history) ask() {
	h.asked++
	h.tell(fmt.Sprintf("ask %d.", h.asked))
}

func (h *history) wait() {
	h.said++
	h.tell(fmt.Sprintf("wait %d.", h.said))
}

func (h *history) chat() {
	h.said++
	h.tell(fmt.Sprintf("chat %d.", h.said))
}

// settle answers or cancels one of the open forms.
func (h *history) settle() {
	open := h.pending()
	if len(open) == 0 {
		return
	}
	form := open[h.random.IntN(len(open))]
	response := `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`
	if h.random.IntN(4) == 0 {
		response = `{"kind":"cancel"}`
	}
	h.note("settle %s", form.FlowID)
	c := dialRaw(h.t, h.place.socket).hello()
	defer c.conn.Close()
	var got struct{ OK bool }
	c.must("form.respond", `{"requestId":"`+form.RequestID+`","session":"`+form.Session+`","response":`+response+`}`, &got)
}

// revive starts the agent again when it has halted.
func (h *history) revive() {
	if !h.piPane.Dead() {
		return
	}
	h.note("revive")
	h.extra = nil
	h.startPi("--continue")
}

func (h *history) killPi() {
	h.note("kill pi")
	if !h.piPane.Dead() {
		_ = syscall.Kill(h.piPane.PID(), syscall.SIGKILL)
		h.piPane.WaitDead()
	}
	h.extra = nil
	h.startPi("--continue")
}

// haltPi lets the next process of the agent die at some step.
func (h *history) haltPi() {
	names := []string{"request-noted", "call-sent", "accepted-noted", "outcome-received", "placed", "seen-in-branch", "acked"}
	halt := fmt.Sprintf("%s#%d", names[h.random.IntN(len(names))], 1+h.random.IntN(3))
	h.note("halt at %s", halt)
	if !h.piPane.Dead() {
		_ = syscall.Kill(h.piPane.PID(), syscall.SIGKILL)
		h.piPane.WaitDead()
	}
	h.extra = []string{"ASKD_PI_HALT=" + halt}
	h.runInPane("--continue")
	within(h.t, "the agent's prompt or its end", func() bool {
		return h.piPane.Dead() || strings.Contains(h.piPane.Screen(), "scripted")
	})
}

func (h *history) killAskd() {
	h.note("kill askd")
	h.askd.stop(h.t, syscall.SIGKILL)
	h.askd = serve(h.t, h.place)
}

// end answers what is still open and reads the whole transcript.
func (h *history) end() {
	h.t.Helper()
	before := h.count("connected")
	h.killPi()
	h.waitStep("connected", before+1)
	h.waitIdle()
	h.say("ask 0.") // all others may have died before they were noted
	h.waitTold("ask 0.")
	within(h.t, "the last question to be noted", func() bool { // the model was told before it asked
		return slices.ContainsFunc(h.ownEntries("ask:request"), func(e map[string]any) bool { return e["toolCallId"] == "call_0" })
	})
	within(h.t, "every form to end and its outcome to be in the session", func() bool {
		h.settle()
		return h.everythingDelivered() && len(h.pending()) == 0 && h.undelivered() == 0
	})
	h.waitIdle()
	h.say("the end")
	last := h.waitTold("the end")
	h.waitIdle()
	requests := h.ownEntries("ask:request")
	if len(requests) == 0 {
		h.t.Fatal("nothing was asked")
	}
	text := asJSON(h.t, last.Messages)
	for _, request := range requests {
		id, _ := request["requestId"].(string)
		if n := strings.Count(text, "Background answer ["+id+"]"); n != 1 {
			h.t.Errorf("%s of %v was answered %d times", id, request["toolCallId"], n)
		}
	}
}

// everythingDelivered reports whether the session holds an outcome of each of its questions, however it came.
func (h *history) everythingDelivered() bool {
	var came strings.Builder
	came.WriteString(asJSON(h.t, h.ownEntries("ask:background-answer")))
	for _, entry := range h.sessionEntries() {
		message, _ := entry["message"].(map[string]any)
		if message["toolName"] == "wait_for_answers" {
			came.WriteString(asJSON(h.t, message["details"]))
		}
	}
	for _, request := range h.ownEntries("ask:request") {
		if !strings.Contains(came.String(), `"outcomeId":`) || !strings.Contains(came.String(), request["requestId"].(string)) {
			return false
		}
	}
	return true
}
