package tests

import (
	"strings"
	"testing"

	"askd/tests/pienv"
)

// oldRig runs the oldest supported agent instead of the current one.
func oldRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, asking(askUser("call_1", database())))
	r.pi = pienv.Old(t)
	return r
}

func TestOldPiLoadsTheExtensionAndStaysAbortable(t *testing.T) {
	r := oldRig(t)
	pi := r.startPi()
	r.say("go")
	screen := pi.WaitFor("Start it by running `askd` in another pane")
	if strings.Contains(screen, "Failed to load") {
		t.Errorf("the extension was not loaded:\n%s", screen)
	}
	pi.Keys("Escape")
	pi.WaitFor("Question form interrupted")
}

func TestOldPiAsks(t *testing.T) {
	r := oldRig(t)
	askd := person{r.startAskd()}
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	askd.pick("1")
	r.wantResult("call_1", answer("Database: Postgres"))
	pi.WaitFor("✓ Database: Postgres")
	r.waitStep("acked", 1)
}
