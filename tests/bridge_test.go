package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bridgeSource is another extension of the same Pi. It writes down every event of the ask tools, offers itself as an external
// UI while the folder has no file "away". It answers with what a file "auto" holds, or else does what files named do-1, do-2 …
// tell it, in that order: settle what the last open form waits for, or submit on the bus.
const bridgeSource = `
const fs = require("node:fs");
const path = require("node:path");
const dir = process.env.BRIDGE;
const note = (what, about) => fs.appendFileSync(path.join(dir, "events"), what + " " + JSON.stringify(about) + "\n");
module.exports = (pi) => {
	for (const channel of ["started", "completed", "submit-result"]) pi.events.on("pi-agent-ask:" + channel, (event) => note(channel, event));
	pi.events.on("herdr:blocked", (event) => note("blocked", event));
	let last;
	const open = async ({ signal, ...request }) => {
		note("open", request);
		signal.addEventListener("abort", () => note("closed", request.flowId));
		const auto = path.join(dir, "auto");
		if (fs.existsSync(auto)) return JSON.parse(fs.readFileSync(auto, "utf8"));
		return new Promise((resolve, reject) => { last = { resolve, reject: (text) => reject(new Error(text)) }; });
	};
	pi.events.on("pi-agent-ask:external-ui", ({ connect, ...offer }) => {
		if (fs.existsSync(path.join(dir, "away"))) return note("offer", offer);
		const provider = { version: 1, id: "bridge", open };
		note("offer", { ...offer, connected: [connect({ ...provider, version: 2 }), connect(provider), connect(provider)] });
	});
	let turn = 1;
	setInterval(() => {
		const file = path.join(dir, "do-" + turn);
		if (!fs.existsSync(file)) return;
		turn++;
		const orders = JSON.parse(fs.readFileSync(file, "utf8"));
		for (const { resolve, reject, submit } of orders) {
			if (submit !== undefined) pi.events.emit("pi-agent-ask:submit", submit);
			else if (reject !== undefined) last.reject(reject);
			else last.resolve(resolve);
		}
	}, 10).unref();
};
`

// bridge is that extension as a test sees it.
type bridge struct {
	t     testing.TB
	dir   string
	turns int
}

// installBridge gives the agent the bridge. Call it before the agent starts.
func (r *rig) installBridge() *bridge {
	r.t.Helper()
	b := &bridge{t: r.t, dir: filepath.Join(r.home.Dir, "bridge")}
	r.extra = append(r.extra, "BRIDGE="+b.dir)
	b.write(filepath.Join(r.home.Extensions(), "bridge.js"), bridgeSource)
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Logf("events:\n%s", strings.Join(b.events(), "\n"))
		}
	})
	return b
}

func (b *bridge) write(file, text string) {
	b.t.Helper()
	if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		b.t.Fatal(err)
	}
}

// do gives the bridge orders, in JSON, each an object with resolve, reject or submit.
func (b *bridge) do(orders ...string) {
	b.t.Helper()
	b.turns++
	b.write(filepath.Join(b.dir, fmt.Sprintf("do-%d", b.turns)), "["+strings.Join(orders, ",")+"]")
}

// restart is for an agent that starts anew: its bridge counts orders from one again.
func (b *bridge) restart() {
	b.t.Helper()
	for ; b.turns > 0; b.turns-- {
		if err := os.Remove(filepath.Join(b.dir, fmt.Sprintf("do-%d", b.turns))); err != nil {
			b.t.Fatal(err)
		}
	}
}

// away has the bridge offer itself no more, or again.
func (b *bridge) away(on bool) {
	b.t.Helper()
	file := filepath.Join(b.dir, "away")
	if on {
		b.write(file, "")
	} else if err := os.Remove(file); err != nil {
		b.t.Fatal(err)
	}
}

// events are what the bridge has written down.
func (b *bridge) events() []string {
	data, err := os.ReadFile(filepath.Join(b.dir, "events"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

// of gives the events of one kind.
func (b *bridge) of(what string) []string {
	var out []string
	for _, e := range b.events() {
		if kind, about, _ := strings.Cut(e, " "); kind == what {
			out = append(out, about)
		}
	}
	return out
}

// nth waits for the n-th event of a kind and gives what it says.
func (b *bridge) nth(what string, n int) string {
	b.t.Helper()
	within(b.t, fmt.Sprintf("event %d of %s", n, what), func() bool { return len(b.of(what)) >= n })
	return b.of(what)[n-1]
}

// count fails the test unless there were that many events of a kind so far.
func (b *bridge) count(what string, want int) {
	b.t.Helper()
	if got := len(b.of(what)); got != want {
		b.t.Errorf("%d events of %s, want %d", got, what, want)
	}
}

// want compares an event with what it must be, as JSON.
func (b *bridge) want(got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("the event is\n%s, want\n%s", got, want)
	}
}

// without gives a JSON object without one key, which must be a number above zero: a time.
func (b *bridge) without(event, key string) string {
	b.t.Helper()
	var all map[string]json.RawMessage
	var at float64
	if err := json.Unmarshal([]byte(event), &all); err != nil {
		b.t.Fatal(err)
	}
	if err := json.Unmarshal(all[key], &at); err != nil || at <= 1.6e12 {
		b.t.Errorf("%s of %s is no time in milliseconds", key, event)
	}
	return strings.Replace(event, fmt.Sprintf(`,"%s":%s`, key, all[key]), "", 1)
}

// rpcAgent is an agent in RPC mode.
type rpcAgent struct {
	r   *rig
	cmd *exec.Cmd
	in  io.WriteCloser
	out *lockedBuffer
}

// runRPC starts the agent in RPC mode.
func (r *rig) runRPC(args ...string) *rpcAgent {
	r.t.Helper()
	a := &rpcAgent{r: r, out: &lockedBuffer{}}
	a.cmd = exec.CommandContext(r.t.Context(), r.node, append([]string{r.pi.Bin("pi"), "--mode", "rpc"}, args...)...)
	a.cmd.Dir, a.cmd.Env = r.home.Project, r.env()
	a.cmd.Stdout, a.cmd.Stderr = a.out, a.out
	in, err := a.cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	a.in = in
	if err := a.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return a
}

// send writes one command.
func (a *rpcAgent) send(command string) {
	a.r.t.Helper()
	if _, err := io.WriteString(a.in, command+"\n"); err != nil {
		a.r.t.Fatal(err)
	}
}

// say gives the agent a message once it has settled for the n-th time.
func (a *rpcAgent) say(text string, settled int) {
	a.r.t.Helper()
	a.settled(settled)
	a.send(`{"type":"prompt","message":"` + text + `"}`)
}

// settled waits until the agent has come to rest for the n-th time.
func (a *rpcAgent) settled(n int) {
	a.r.t.Helper()
	within(a.r.t, fmt.Sprintf("the agent to settle for the %d. time:\n%s", n, a.out), func() bool {
		return strings.Count(a.out.String(), `"type":"agent_settled"`) >= n
	})
}

// end closes the agent's input and waits for its end.
func (a *rpcAgent) end() {
	a.r.t.Helper()
	if err := a.in.Close(); err != nil {
		a.r.t.Error(err)
	}
	if err := a.cmd.Wait(); err != nil {
		a.r.t.Errorf("pi in RPC mode: %v\n%s", err, a.out)
	}
}
