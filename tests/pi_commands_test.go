package tests

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The commands reach askd's pane; without a pane or without askd they say so.
func TestPiCommands(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database())), askUser("call_2", queued(tone()))))
	pi := r.startPi()
	for _, command := range []string{"/ask-queue", "/ask-settings"} {
		r.say(command)
		pi.WaitFor("askd is not running. Start it by running `askd` in another pane.")
	}
	headless := serve(t, r.place)
	r.waitStep("connected", 1)
	r.say("/ask-settings")
	pi.WaitFor("no pane is attached to askd: run askctl attach in a terminal")
	headless.stop(t, syscall.SIGTERM)
	r.waitStep("disconnected", 1)

	askd := person{r.startAskd()}
	r.waitStep("connected", 2)
	r.say("/ask-settings")
	askd.WaitFor("Present single-select as multi-select")
	askd.Keys("Escape")
	r.say("/ask-defer")
	pi.WaitFor("No question of this session waits.")
	r.say("go")
	askd.WaitFor("Which database?")
	r.waitPending(2, "waiting")
	r.say("/ask-defer")
	r.waitPending(2, "deferred")
	r.say("/ask-queue")
	r.waitPending(2, "waiting")
	askd.WaitFor("Which database?")
	r.say("/ask-defer")
	r.waitPending(2, "deferred")
	pi.Keys("M-q")
	r.waitPending(2, "waiting")
	askd.pick("1")
	r.once("Database [db]: Postgres")
	if panels := asJSON(t, r.ownEntries("ask:panel")); panels != `[{"visible":false},{"visible":true},{"visible":false},{"visible":true}]` {
		t.Errorf("the branch keeps %s", panels)
	}
}

func TestPiCommandsNeedATerminal(t *testing.T) {
	r := newRig(t)
	end, out := r.startRPCWithOutput("/ask-settings")
	within(t, "the error", func() bool {
		return strings.Contains(out.String(), `"/ask-settings requires interactive TUI mode."`) && strings.Contains(out.String(), `"error"`)
	})
	end()
}

// listener is another extension that writes down whether the agent stands still.
const listener = `
const fs = require("node:fs");
module.exports = (pi) => pi.events.on("herdr:blocked", (event) => fs.appendFileSync(process.env.EVENTS, JSON.stringify(event) + "\n"));
`

// A visible panel, a foreground form and a wait each hold the agent blocked by themselves.
func TestPiBlocked(t *testing.T) {
	r := newRig(t,
		asking(askUser("call_1", queued(database()))),
		then("call_1", waitCall("wait_1")),
	)
	events := filepath.Join(r.home.Dir, "events")
	r.extra = []string{"EVENTS=" + events}
	if err := os.WriteFile(filepath.Join(r.home.Extensions(), "listener.js"), []byte(listener), 0o644); err != nil {
		t.Fatal(err)
	}
	want := func(lines ...string) {
		t.Helper()
		text := ""
		for _, line := range lines {
			text += line + "\n"
		}
		within(t, "the events "+text, func() bool {
			data, _ := os.ReadFile(events)
			return string(data) == text
		})
	}
	on, off := `{"active":true,"label":"Waiting for user response"}`, `{"active":false}`
	headless := serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Waiting in askd for 1 form(s).")
	want(on) // the wait: no pane shows the form
	r.say("never mind")
	r.waitTold("never mind")
	want(on, off)
	headless.stop(t, syscall.SIGTERM)
	askd := person{r.startAskd()}
	r.waitStep("connected", 2)
	want(on, off) // put aside
	r.say("/ask-queue")
	want(on, off, on)
	askd.WaitFor("Which database?")
	r.say("/ask-defer")
	want(on, off, on, off)
	r.say("/ask-queue")
	want(on, off, on, off, on)
	askd.pick("1")
	want(on, off, on, off, on, off)
	r.once("Database [db]: Postgres")
}
