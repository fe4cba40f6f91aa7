package tests

import (
	"io"
	"os/exec"
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
	out = &lockedBuffer{}
	cmd := exec.CommandContext(r.t.Context(), r.node, r.pi.Bin("pi"), "--mode", "rpc")
	cmd.Dir, cmd.Env = r.home.Project, r.env()
	cmd.Stdout, cmd.Stderr = out, out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, `{"type":"prompt","message":"`+message+`"}`+"\n"); err != nil {
		r.t.Fatal(err)
	}
	return func() {
		r.t.Helper()
		if err := stdin.Close(); err != nil {
			r.t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			r.t.Errorf("pi in RPC mode: %v\n%s", err, out.String())
		}
	}, out
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
