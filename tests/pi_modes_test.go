package tests

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

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
	connected := make(chan struct{})
	r := newRig(t, modelserver.Rule{
		Match: modelserver.User("go"), Reply: modelserver.Reply{Text: "nothing to ask", Hold: connected},
	})
	serve(t, r.place)
	go func() {
		defer close(connected)
		poll(t.Context(), func() bool { return r.count("connected") > 0 })
	}()
	out, err := r.runPi("-p", "go")
	if err != nil || !strings.Contains(out, "nothing to ask") {
		t.Fatalf("pi: %v\n%s", err, out)
	}
	if r.count("connected") == 0 {
		t.Error("the extension never connected")
	}
}

// poll looks until ok, or until the context or the patience is at an end.
func poll(ctx context.Context, ok func() bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
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
