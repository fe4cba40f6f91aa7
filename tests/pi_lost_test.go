package tests

import (
	"strings"
	"testing"
)

// A call outlives askd: killed with the form open and started again, it shows the form again and the same call gets the
// answer.
func TestPiOutlivesAskd(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := person{r.startAskd()}
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	askd.Keys("Down")
	kill(t, askd.Pane)
	pi.WaitFor("askd: not running")
	askd = person{r.startAskd()}
	askd.WaitFor("Which database?")
	pi.WaitGone("askd: not running")
	askd.pick("1")
	r.wantResult("call_1", answer("Database: Postgres"))
	r.waitStep("acked", 1)
	if r.count("request-noted") != 1 || r.count("call-sent") != 1 {
		t.Errorf("the call was noted %d times and sent %d times", r.count("request-noted"), r.count("call-sent"))
	}
}

// askd may lose everything and the call is asked again.
func TestPiAsksAgainWhenTheDataFileIsGone(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := person{r.startAskd()}
	r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	kill(t, askd.Pane)
	r.place.data += ".new"
	askd = person{r.startAskd()}
	askd.WaitFor("Which database?")
	askd.pick("2")
	r.wantResult("call_1", answer("Database: SQLite"))
}

func TestPiBeforeAskd(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("askd: not running")
	askd := person{r.startAskd()}
	askd.WaitFor("Which database?")
	screen := pi.WaitGone("askd: not running")
	if !strings.Contains(screen, "Waiting for your answer in askd.") {
		t.Errorf("the row does not say that the question waits in askd:\n%s", screen)
	}
	askd.pick("1")
	r.wantResult("call_1", answer("Database: Postgres"))
}

// A killed agent cannot say goodbye: askd sees its connection end, keeps the form and says that nobody waits for it.
func TestPiKilled(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	kill(t, pi)
	askd.WaitFor("(asker") // "gone" is cut off where the inbox is narrow
}

// A clean exit ends the form: nobody is left who could take the answer.
func TestPiQuitsWhileAsking(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	pi.Keys("C-c", "C-c")
	pi.WaitDead()
	askd.WaitFor(idle)
}
