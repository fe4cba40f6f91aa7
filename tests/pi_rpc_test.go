package tests

import (
	"strings"
	"testing"
)

// startRPC runs the agent in RPC mode, gives it a message and gives what ends it.
func (r *rig) startRPC(message string) (end func()) {
	r.t.Helper()
	end, _ = r.startRPCWithOutput(message)
	return end
}

// startRPCWithOutput also gives what the agent writes.
func (r *rig) startRPCWithOutput(message string) (end func(), out *lockedBuffer) {
	r.t.Helper()
	a := r.runRPC()
	a.send(`{"type":"prompt","message":"` + message + `"}`)
	return a.end, a.out
}

// An attached pane serves RPC mode, which has no terminal of its own.
func TestPiRPCIsServedByThePane(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := person{r.startAskd()}
	end := r.startRPC("go")
	askd.WaitFor("Which database?")
	askd.pick("2")
	r.wantResult("call_1", answer("Database: SQLite"))
	end()
}

func TestPiRPCWithoutAskdNeedsUserInput(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	end := r.startRPC("go")
	if got := r.model.WaitToolResult(t, "call_1"); !strings.Contains(got, "\nNeeds user input: ") {
		t.Errorf("the model was sent %q", got)
	}
	end()
}

// Losing askd with the form open is a failure that is told, and neither a cancel nor a hang.
func TestPiRPCLosesAskd(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	end := r.startRPC("go")
	askd.WaitFor("Which database?")
	kill(t, askd)
	got := r.model.WaitToolResult(t, "call_1")
	if !strings.HasPrefix(got, "askd went away while the question was open") {
		t.Errorf("the model was sent %q", got)
	}
	end()
}
