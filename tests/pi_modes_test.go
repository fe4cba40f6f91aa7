package tests

import (
	"os/exec"
	"strings"
	"testing"

	"askd/tests/modelserver"
)

// Without a terminal and without askd a question must neither hang the agent nor look like an answer.
func TestPiPrintModeWithoutAskdNeedsUserInput(t *testing.T) {
	for _, mode := range [][]string{{"-p"}, {"--mode", "json"}} {
		t.Run(strings.Join(mode, " "), func(t *testing.T) {
			r := newRig(t, asking(askUser("call_1", database())))
			if out, err := r.runPi(append(mode, "go")...); err != nil {
				t.Fatalf("pi: %v\n%s", err, out)
			}
			got := r.model.WaitToolResult(t, "call_1")
			for _, want := range []string{
				"ask_user [", "\nNeeds user input: ask_user requires interactive TUI mode.\n",
				"\n1. Database: Which database?\n   - Postgres [pg]\n   - SQLite [lite]\n   - Type your own [custom]\n",
			} {
				if !strings.Contains(got, want) {
					t.Errorf("the model was not told %q but\n%s", want, got)
				}
			}
		})
	}
}

// With nothing to ask, the open connection must not keep a finished agent alive.
func TestPiPrintModeEndsBesideAskd(t *testing.T) {
	r := newRig(t, modelserver.Rule{Match: modelserver.User("go"), Reply: modelserver.Reply{Text: "nothing to ask"}})
	serve(t, r.place)
	out, err := r.runPi("-p", "go")
	if err != nil || !strings.Contains(out, "nothing to ask") {
		t.Fatalf("pi: %v\n%s", err, out)
	}
	if r.count("connected") != 1 {
		t.Errorf("the extension connected %d times", r.count("connected"))
	}
}

// runPi runs the agent without a terminal to its end.
func (r *rig) runPi(args ...string) (string, error) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), r.node, append([]string{r.pi.Bin("pi")}, args...)...)
	cmd.Dir, cmd.Env = r.home.Project, r.env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}
