package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bridge is another extension: it answers the first form that starts, and writes down the events it sees.
const bridge = `
const fs = require("node:fs");
module.exports = (pi) => {
	const channels = ["pi-agent-ask:started", "pi-agent-ask:completed", "pi-agent-ask:submit-result", "herdr:blocked"];
	for (const channel of channels) {
		pi.events.on(channel, (event) => fs.appendFileSync(process.env.EVENTS, channel + " " + JSON.stringify(event) + "\n"));
	}
	pi.events.on("pi-agent-ask:started", ({ flowId }) => pi.events.emit("pi-agent-ask:submit", {
		version: 1, requestId: "bridge-1", flowId, response: { kind: "answer", answers: { db: { values: ["lite"] } } },
	}));
};
`

// Another extension may answer, and is told what starts and ends. No pane is needed.
func TestPiEventsForOtherExtensions(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	events := filepath.Join(r.home.Dir, "events")
	r.extra = []string{"EVENTS=" + events}
	if err := os.WriteFile(filepath.Join(r.home.Extensions(), "bridge.js"), []byte(bridge), 0o644); err != nil {
		t.Fatal(err)
	}
	serve(t, r.place)
	r.startPi()
	r.say("go")
	r.wantResult("call_1", answer("Database: SQLite"))
	seen := func(part string) func() bool {
		return func() bool {
			data, err := os.ReadFile(events)
			return err == nil && strings.Contains(string(data), part)
		}
	}
	for _, part := range []string{
		`pi-agent-ask:started {"version":1,"flowId":"tool:call_1"`,
		`herdr:blocked {"active":true,"label":"Waiting for user response"}`,
		`pi-agent-ask:submit-result {"version":1,"requestId":"bridge-1","flowId":"tool:call_1","ok":true}`,
		`pi-agent-ask:completed {"version":1,"flowId":"tool:call_1"`,
		`herdr:blocked {"active":false}`,
	} {
		within(t, "the event "+part, seen(part))
	}
}
