package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"askd/tests/modelserver"
)

// interfaceOf says which of our tools a request declared: whether ask_user can queue, and whether there is a wait.
func interfaceOf(t *testing.T, r modelserver.Request) (background, wait bool) {
	t.Helper()
	var body struct {
		Tools []struct {
			Function struct {
				Name       string
				Parameters struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.Tools, "ask_user") {
		t.Errorf("ask_user is not offered: %v", r.Tools)
	}
	for _, tool := range body.Tools {
		if tool.Function.Name == "ask_user" {
			_, background = tool.Function.Parameters.Properties["background"]
		}
	}
	return background, slices.Contains(r.Tools, "wait_for_answers")
}

// sayAndGet gives the agent a message and the request that it came in.
func (r *rig) sayAndGet(text string) modelserver.Request {
	r.t.Helper()
	r.say(text)
	request := r.model.Wait(r.t, text, modelserver.User(text))
	r.waitIdle()
	return request
}

// waitIdle waits until the agent has said that it is done.
func (r *rig) waitIdle() {
	r.t.Helper()
	r.piPane.Wait("the agent to be idle", func(screen string) bool { return !strings.Contains(screen, "Working") })
}

func (r *rig) wantInterface(request modelserver.Request, background, wait bool) {
	r.t.Helper()
	if b, w := interfaceOf(r.t, request); b != background || w != wait {
		r.t.Errorf("background %v and wait %v are offered, want %v and %v", b, w, background, wait)
	}
}

// startConnectedPi starts the agent and waits until askd knows it.
func (r *rig) startConnectedPi(args ...string) {
	r.t.Helper()
	before := r.count("connected")
	r.startPi(args...)
	r.waitStep("connected", before+1)
}

func (r *rig) globalSettings() string { return filepath.Join(r.home.Extensions(), "pi-agent-ask.json") }

// Before the first request the mode changes at once; after it only with consent, and refusing leaves setting and tools.
func TestPiAskMode(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	serve(t, r.place)
	r.startConnectedPi()
	pi := r.piPane
	r.say("/ask-mode")
	pi.WaitFor("Question mode: normal, by the global setting.")
	r.wantInterface(r.sayAndGet("first"), true, true)

	r.say("/ask-mode background")
	pi.WaitFor("Switch to background-only questions?")
	pi.Keys("Escape")
	pi.WaitFor("Question mode unchanged.")
	r.wantInterface(r.sayAndGet("second"), true, true)
	if data, err := os.ReadFile(r.globalSettings()); err == nil && strings.Contains(string(data), `"backgroundOnly": true`) {
		t.Errorf("the refused mode was saved:\n%s", data)
	}

	r.say("/ask-mode background")
	pi.WaitFor("Switch to background-only questions?")
	pi.Keys("Enter")
	pi.WaitFor("Question mode: background-only, by the global setting.")
	r.wantInterface(r.sayAndGet("third"), false, false)
	if data, err := os.ReadFile(r.globalSettings()); err != nil || !strings.Contains(string(data), `"backgroundOnly": true`) {
		t.Errorf("the mode was not saved: %v\n%s", err, data)
	}

	// Every call is queued now, also one that knows nothing of it.
	r.say("go")
	got := r.model.WaitToolResult(t, "call_1")
	if !strings.HasPrefix(got, "Queued ask_user [") || strings.Contains(got, "wait_for_answers") {
		t.Errorf("the model was sent %q", got)
	}
	r.waitIdle()
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
	r.waitIdle()

	// A branch that was recorded without the wait gets it back with the mode.
	pi.Keys("C-d")
	pi.WaitDead()
	if err := os.Remove(r.globalSettings()); err != nil {
		t.Fatal(err)
	}
	r.startConnectedPi("--continue")
	r.wantInterface(r.sayAndGet("fourth"), true, true)
}

// A trusted project's own word goes before the global setting.
func TestPiProjectMode(t *testing.T) {
	r := newRig(t)
	serve(t, r.place)
	r.startConnectedPi()
	pi := r.piPane
	file := filepath.Join(r.home.Project, ".pi", "extensions", "pi-agent-ask.json")
	r.say("/ask-mode background --project")
	pi.WaitFor("Question mode: background-only, by this project's setting.")
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), `"backgroundOnly": true`) {
		t.Errorf("%s: %v\n%s", file, err, data)
	}
	r.wantInterface(r.sayAndGet("first"), false, false)
	pi.Keys("C-d")
	pi.WaitDead()
	r.startConnectedPi()
	pi = r.piPane
	r.wantInterface(r.sayAndGet("second"), false, false)
	r.say("/ask-mode inherit --project")
	pi.WaitFor("Switch to normal questions?")
	pi.Keys("Enter")
	pi.WaitFor("Question mode: normal, by the global setting.")
	r.wantInterface(r.sayAndGet("third"), true, true)
	r.say("/ask-mode sideways")
	pi.WaitFor("Usage: /ask-mode [normal|background|inherit] [--project]")
}

// A project that is not trusted has no say.
func TestPiUntrustedProjectMode(t *testing.T) {
	r := newRig(t)
	dir := filepath.Join(r.home.Project, ".pi", "extensions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pi-agent-ask.json"), []byte(`{"behaviour":{"backgroundOnly":true}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	serve(t, r.place)
	r.startConnectedPi("--no-approve")
	r.wantInterface(r.sayAndGet("first"), true, true)
	r.say("/ask-mode background --project")
	r.piPane.WaitFor("This project is not trusted")
}

// An edit of the settings file reaches the tools through the same question; yes ends a running wait, whose forms stay.
func TestPiModeChangedFromOutside(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", queued(database())), waitCall("wait_1")))
	serve(t, r.place)
	r.startConnectedPi()
	pi := r.piPane
	r.say("go")
	pi.WaitFor("Waiting in askd for 1 form(s).")
	c := dialRaw(t, r.place.socket).hello()
	c.must("settings.set", `{"key":"behaviour.backgroundOnly","value":true}`, &struct{}{})
	pi.WaitFor("Switch to background-only questions?")
	pi.Keys("Enter")
	if got := r.model.WaitToolResult(t, "wait_1"); got != "Question wait interrupted" {
		t.Errorf("the model was sent %q", got)
	}
	r.waitIdle()
	r.waitPending(1, "waiting")
	r.wantInterface(r.sayAndGet("more"), false, false)
	c.must("settings.set", `{"key":"behaviour.backgroundOnly","value":false}`, &struct{}{})
	pi.WaitFor("Switch to normal questions?")
	pi.Keys("Escape")
	pi.WaitGone("Switch to normal questions?")
	r.wantInterface(r.sayAndGet("and more"), false, false)
	r.answer("call_1", "db", "pg")
	r.once("Database [db]: Postgres")
}
