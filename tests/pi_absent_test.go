package tests

import (
	"strings"
	"testing"
)

func TestPiWithoutAskdSaysHowToStartItAndStaysAbortable(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	pi := r.startPi()
	r.say("go")
	screen := pi.WaitFor("Start it by running `askd` in another pane")
	if !strings.Contains(screen, "askd: not running") {
		t.Errorf("the status line does not say that askd is not running:\n%s", screen)
	}
	if !strings.Contains(screen, "ask_user 1 question(s) (Database)") {
		t.Errorf("the row of the call is not drawn:\n%s", screen)
	}
	pi.Keys("Escape")
	pi.WaitGone("askd: not running")
	pi.WaitFor("Question form interrupted")
	r.say("hello again")
	if got := r.model.WaitToolResult(t, "call_1"); got != "Question form interrupted" {
		t.Errorf("the model was sent %q", got)
	}
	if n := strings.Count(pi.Screen(), "Start it by running"); n > 1 {
		t.Errorf("the notice was shown %d times", n)
	}
}
