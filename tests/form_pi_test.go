package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/modelserver"
	"askd/tests/tmuxtest"
)

// formCase is one prompt: what the agent asks, what the person does and what the model is told.
type formCase struct {
	name string
	form any
	do   func(*formDesk)
	want string // the answer without its first line
}

// formDesk is the rig while one case runs.
type formDesk struct {
	*rig
	*tmuxtest.Pane // askd's
}

// asked makes a form of questions.
func asked(questions ...any) any { return map[string]any{"questions": questions} }

// engine and checks are a question of each kind.
func engine() map[string]any {
	return map[string]any{"id": "engine", "label": "Engine", "prompt": "Which cache?", "options": []any{
		option("mem", "In-process"), option("redis", "Redis"),
	}}
}

func checks() map[string]any {
	return map[string]any{"id": "checks", "label": "Checks", "prompt": "Which checks must pass?", "type": "multi", "options": []any{
		option("unit", "Unit tests"), option("lint", "Linter"), option("e2e", "Browser run"),
	}}
}

func option(value, label string) any { return map[string]any{"value": value, "label": label} }

const asMulti = "\nNote: Some questions were presented as multi-select by user preference."

// formCases come in this order: the last ones leave askd's settings and process changed.
var formCases = []formCase{
	{"multi", asked(checks()), pressMulti, "Checks: Unit tests, Browser run"},
	{"notes", asked(engine()), pressNotes, "Engine: In-process\nEngine note: for now\nEngine / redis (not selected) note: small tier"},
	{"custom", asked(engine(), checks()), pressCustom, "Engine: ask ops first\nChecks: Linter, load test"},
	{"skip", asked(engine(), checks()), pressSkip, "Engine: (skipped)\nChecks: Linter"},
	{"type", asked(engine()), pressType, "Engine: In-process, Redis" + asMulti},
	{"paste", asked(engine()), pressPaste, "Engine: line one\nline two"},
	{"completion", asked(engine()), pressCompletion, "Engine: see @deployment-plan.md"},
	{"double press", asked(engine()), pressTwice, "Engine: Redis"},
	{"settings", asked(engine()), pressAutoSubmit, "Engine: In-process"},
}

// TestPiForm goes through what a person can do in a form, with one agent and one askd: a prompt each.
func TestPiForm(t *testing.T) {
	var rules []modelserver.Rule
	for _, c := range formCases {
		rules = append(rules, prompted(c.name, c.form))
	}
	snapshot := filepath.Join(t.TempDir(), "plan.md")
	withContext := engine()
	withContext["context"] = snapshot
	rules = append(rules, prompted("guard", asked(engine())), prompted("context", asked(withContext)))
	r := newRig(t, rules...)
	writeFile(t, filepath.Join(r.home.Project, "deployment-plan.md"), "blue, then green")
	desk := &formDesk{r, r.startAskd()}
	r.startPi()
	for _, c := range formCases {
		t.Run(c.name, func(t *testing.T) {
			desk.prompt(t, c.name)
			c.do(desk)
			desk.wantResult("call_"+c.name, answer(c.want))
			desk.settled()
		})
	}
	t.Run("guard", func(t *testing.T) { dirtyGuard(t, desk) })
	t.Run("context", func(t *testing.T) { contextFile(t, desk, snapshot) })
}

// prompted is a model that asks a form when the person says its name.
func prompted(name string, form any) modelserver.Rule {
	call := askUser("call_"+name, form)
	return modelserver.Rule{Match: modelserver.User("ask " + name), Reply: modelserver.Reply{Calls: []modelserver.Call{call}}}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// prompt has the agent ask; failures from here on are the case's.
func (d *formDesk) prompt(t *testing.T, name string) {
	t.Helper()
	d.t = t
	d.say("ask " + name)
	d.WaitFor("Which ")
}

// settled waits until the agent can be spoken to and askd has nothing on its screen.
func (d *formDesk) settled() {
	d.t.Helper()
	d.WaitFor(idle)
	d.waitIdle()
}

// submit goes through Review, whose first action has the focus.
func (d *formDesk) submit() {
	d.WaitFor("1. Submit")
	d.PressUntil("Enter", idle)
}

func pressMulti(d *formDesk) {
	d.PressUntil("1", "1. [x] Unit tests")
	d.Keys("Down", "Down")
	d.WaitFor("❯ 3. [ ] Browser run")
	d.Keys("Space")
	d.WaitFor("3. [x] Browser run")
	d.PressUntil("Enter", "1. Submit")
	d.submit()
}

func pressNotes(d *formDesk) {
	d.PressUntil("N", "Add a note...")
	d.Type("for now")
	d.Keys("Enter")
	d.WaitFor("Note: for now")
	d.Keys("Down", "n")
	d.WaitFor("Add a note...")
	d.Type("small tier")
	d.Keys("Enter")
	d.WaitFor("Note: small tier")
	d.PressUntil("1", "1. Submit")
	screen := d.WaitFor("Redis Note: small tier")
	if !strings.Contains(screen, "Note: for now") {
		d.t.Errorf("Review lacks the question's note:\n%s", screen)
	}
	d.submit()
}

func pressCustom(d *formDesk) {
	d.PressUntil("3", "Type answer...")
	d.Type("ask ops first")
	d.WaitFor("ask ops first")
	d.Keys("Enter")
	d.WaitFor("Which checks must pass?")
	d.Keys("2")
	d.WaitFor("2. [x] Linter")
	d.Keys("4")
	d.WaitFor("Type answer...")
	d.Type("load test")
	d.WaitFor("load test")
	d.Keys("Enter")
	d.submit()
}

func pressSkip(d *formDesk) {
	d.PressUntil("D", "Which checks must pass?")
	d.PressUntil("2", "2. [x] Linter")
	d.PressUntil("Enter", "1. Submit")
	d.WaitFor("→ skipped")
	d.submit()
}

// pressType turns the question into a multi-select one, back with the confirmation that drops two choices, and again.
func pressType(d *formDesk) {
	d.PressUntil("t", "Question type changed from single to multi.")
	d.toggleBoth()
	d.PressUntil("t", "Press the type key again to confirm.")
	d.WaitFor("2. [x] Redis")
	d.PressUntil("t", "Question type changed from multi to single.")
	d.WaitGone("[x]")
	d.PressUntil("t", "Question type changed from single to multi.")
	d.WaitFor("2. [ ] Redis")
	d.toggleBoth()
	d.PressUntil("Enter", "1. Submit")
	d.submit()
}

func (d *formDesk) toggleBoth() {
	d.PressUntil("1", "1. [x] In-process")
	d.PressUntil("2", "2. [x] Redis")
}

// A paste is text, whatever it ends with: the form waits for Enter.
func pressPaste(d *formDesk) {
	d.PressUntil("3", "Type answer...")
	d.Paste("line one\nline two\n")
	d.WaitFor("line two")
	d.Type("!")
	d.WaitFor("!")
	if pending := dialRaw(d.t, d.place.socket).hello().queue(`{}`); len(pending) != 1 {
		d.t.Errorf("after the paste there wait %+v", pending)
	}
	d.Keys("BSpace")
	d.WaitGone("!")
	d.Keys("Enter")
	d.submit()
}

func pressCompletion(d *formDesk) {
	d.PressUntil("3", "Type answer...")
	d.Type("see @depl")
	d.WaitFor("deployment-plan.md")
	d.Keys("Tab")
	d.WaitFor("see @deployment-plan.md")
	d.WaitFor("Enter submit") // the list is closed
	d.Keys("Enter")
	d.submit()
}

// A number on Review takes the same number again.
func pressTwice(d *formDesk) {
	d.PressUntil("2", "Press 1 or 2")
	d.Keys("2")
	d.WaitFor("Press 2 again")
	d.PressUntil("1", "Press 1 again")
	d.PressUntil("1", idle)
}

// A setting that is changed over an open form acts on it: everything is answered, so auto-submit ends it.
func pressAutoSubmit(d *formDesk) {
	d.PressUntil("1", "1. Submit")
	d.Keys("?")
	d.WaitFor("❯ Auto-submit when answered without notes")
	d.Keys("Enter")
	d.wantResult("call_settings", answer("Engine: In-process"))
	d.PressUntil("Escape", idle)
	var settings struct {
		Settings struct {
			Behaviour struct{ AutoSubmitWhenAnsweredWithoutNotes bool }
		}
	}
	c := dialRaw(d.t, d.place.socket).hello()
	c.must("settings.get", `{}`, &settings)
	if !settings.Settings.Behaviour.AutoSubmitWhenAnsweredWithoutNotes {
		d.t.Error("the setting was not kept")
	}
	c.must("settings.set", `{"key":"behaviour.autoSubmitWhenAnsweredWithoutNotes","value":false}`, nil)
}

// dirtyGuard: what was answered is not thrown away by one key; the second ends the form and the agent's operation.
func dirtyGuard(t *testing.T, d *formDesk) {
	d.prompt(t, "guard")
	d.PressUntil("1", "1. Submit")
	d.PressUntil("Escape", "Unsaved ask answers or drafts. Press cancel/dismiss again to discard.")
	d.PressUntil("Escape", idle)
	d.piPane.WaitFor("Cancelled")
	d.waitIdle()
	for _, request := range d.model.Requests() {
		if request.ToolResult("call_guard") != nil {
			t.Error("the agent went on after the cancel")
		}
	}
}

// contextFile: the form shows the file as it was when the agent asked, also after the file has gone and askd was killed.
// The next request tells the model of the cancelled form of the case before.
func contextFile(t *testing.T, d *formDesk, path string) {
	writeFile(t, path, "## Plan\nblue first, then green\n")
	d.prompt(t, "context")
	d.wantResult("call_guard", answer("User cancelled the ask flow"))
	d.WaitFor("blue first, then green")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	kill(t, d.Pane)
	d.Pane = d.startAskd()
	d.WaitFor("blue first, then green")
	d.piPane.WaitFor("Waiting for your answer in askd.")
	d.checkSnapshot("## Plan\nblue first, then green\n")
	person{d.Pane}.pick("2")
	d.wantResult("call_context", answer("Engine: Redis"))
	d.settled()
}

// checkSnapshot checks the context of the only form that waits.
func (d *formDesk) checkSnapshot(want string) {
	d.t.Helper()
	c := dialRaw(d.t, d.place.socket).hello()
	pending := c.queue(`{}`)
	if len(pending) != 1 {
		d.t.Fatalf("there wait %+v", pending)
	}
	var got struct {
		Request struct{ Questions []struct{ Context string } }
	}
	params, err := json.Marshal(map[string]string{"requestId": pending[0].RequestID, "session": pending[0].Session})
	if err != nil {
		d.t.Fatal(err)
	}
	c.must("request.get", string(params), &got)
	if context := got.Request.Questions[0].Context; strings.TrimSpace(context) != strings.TrimSpace(want) {
		d.t.Errorf("context %q, want %q", context, want)
	}
}
