package tests

import (
	"strings"
	"testing"
)

func TestPiAnswer(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	t.Log(askd.Screen())
	t.Log(r.piPane.Screen())
	askd.PressUntil("1", "Review answers")
	t.Log(askd.Screen())
	askd.PressUntil("Enter", "Nothing")
	got := r.model.WaitToolResult(t, "call_1")
	if !strings.HasSuffix(got, "\nDatabase: Postgres") {
		t.Errorf("the model was sent %q", got)
	}
	t.Log(askd.Screen())
	t.Log(r.piPane.Screen())
}
