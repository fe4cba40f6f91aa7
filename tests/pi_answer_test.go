package tests

import (
	"regexp"
	"strings"
	"testing"

	"askd/tests/modelserver"
	"askd/tests/tmuxtest"
)

// person answers in askd's pane.
type person struct{ *tmuxtest.Pane }

// pick takes an option of the form's last open question and submits.
func (p person) pick(number string) {
	p.PressUntil(number, "1. Submit")
	p.Keys("Enter")
}

const idle = "nothing is waiting"

// answer is what the model is told of a form with this body.
func answer(body string) *regexp.Regexp {
	return regexp.MustCompile(`^ask_user \[[0-9a-f-]{36}\]\n` + regexp.QuoteMeta(body) + `$`)
}

func (r *rig) wantResult(callID string, want *regexp.Regexp) {
	r.t.Helper()
	if got := r.model.WaitToolResult(r.t, callID); !want.MatchString(got) {
		r.t.Errorf("the model was sent %q for %s, want %s", got, callID, want)
	}
}

func TestPiAnswer(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := person{r.startAskd()}
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	pi.WaitFor("Waiting for your answer in askd.")
	askd.pick("1")
	r.wantResult("call_1", answer("Database: Postgres"))
	pi.WaitFor("✓ Database: Postgres")
	askd.WaitFor(idle)
	r.waitStep("acked", 1)
	checkEntries(t, r)

	// The rows draw from the session file, with no askd there.
	pi.Keys("C-d")
	pi.WaitDead()
	kill(t, askd.Pane)
	pi = r.startPi("--continue")
	screen := pi.WaitFor("✓ Database: Postgres")
	if !strings.Contains(screen, "ask_user 1 question(s) (Database)") {
		t.Errorf("the row of the call is not drawn:\n%s", screen)
	}
}

// checkEntries checks what the session keeps of an answered call: the request before the result, and the ids that tell
// askd that it is delivered.
func checkEntries(t *testing.T, r *rig) {
	t.Helper()
	var request string
	for _, entry := range r.sessionEntries() {
		if entry["customType"] == "ask:request" {
			request, _ = entry["data"].(map[string]any)["requestId"].(string)
		}
		message, _ := entry["message"].(map[string]any)
		if message["role"] != "toolResult" {
			continue
		}
		details, _ := message["details"].(map[string]any)
		if request == "" || details["requestId"] != request || details["outcomeId"] == nil || details["transcript"] == nil {
			t.Errorf("request %q, details of the result %v", request, details)
		}
		return
	}
	t.Error("the session holds no result")
}

func TestPiCustomAnswer(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	askd.PressUntil("3", "Type answer...")
	askd.Type("neither, 日本")
	askd.WaitFor("neither, 日本")
	askd.Keys("Enter")
	askd.WaitFor("1. Submit")
	askd.PressUntil("Enter", idle) // a key that is still held down counts once
	r.wantResult("call_1", answer("Database: neither, 日本"))
	r.piPane.WaitFor("✓ Database: (wrote) neither, 日本")
}

// A cancel is no answer: the result says so, and the agent stops.
func TestPiCancel(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	askd.PressUntil("Escape", idle)
	pi.WaitFor("Cancelled")
	r.waitStep("acked", 1)
	if n := len(r.model.Requests()); n != 1 {
		t.Errorf("the agent went on after the cancel: %d requests", n)
	}
	r.say("hello again")
	r.wantResult("call_1", answer("User cancelled the ask flow"))
}

func TestPiInvalidPayload(t *testing.T) {
	args := database()
	args["questions"].([]any)[0].(map[string]any)["options"] = []any{}
	r := newRig(t, asking(askUser("call_1", args)))
	askd := r.startAskd()
	r.startPi()
	r.say("go")
	got := r.model.WaitToolResult(t, "call_1")
	want := "Invalid ask_user payload:\n- questions[0].options: Question 1: at least one option is required"
	if got != want {
		t.Errorf("the model was sent %q, want %q", got, want)
	}
	r.piPane.WaitFor("Invalid tool payload")
	askd.WaitFor(idle)
}

// Labels are derived and previews converted before Pi looks at the schema.
func TestPiOldShapes(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", map[string]any{"questions": []any{map[string]any{
		"id": "plan", "prompt": "Which plan?", "type": "preview",
		"options": []any{map[string]any{"value": "blue-green", "preview": "two of everything"}, map[string]any{"value": "in_place"}},
	}}})))
	askd := person{r.startAskd()}
	r.startPi()
	r.say("go")
	screen := askd.WaitFor("2. In place")
	if !strings.Contains(screen, "1. Blue green") || !strings.Contains(screen, "two of everything") {
		t.Errorf("the form lacks a label or the preview:\n%s", screen)
	}
	askd.pick("1")
	r.wantResult("call_1", answer("Q1: Blue green"))
}

// Both calls of one message are asked, one after the other, and each gets its own answer.
func TestPiTwoAsksInOneTurn(t *testing.T) {
	second := map[string]any{"questions": []any{map[string]any{
		"id": "tone", "label": "Tone", "prompt": "Which tone?",
		"options": []any{map[string]any{"value": "dry", "label": "Dry"}, map[string]any{"value": "warm", "label": "Warm"}},
	}}}
	r := newRig(t, asking(askUser("call_1", database()), askUser("call_2", second)))
	askd := person{r.startAskd()}
	r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	askd.pick("2")
	askd.WaitFor("Which tone?")
	askd.pick("1")
	r.wantResult("call_1", answer("Database: SQLite"))
	r.wantResult("call_2", answer("Tone: Dry"))
	r.waitStep("acked", 2)
}

func TestPiAbort(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	pi.Keys("Escape")
	pi.WaitFor("Question form interrupted")
	askd.WaitFor(idle)
	r.say("hello again")
	if got := r.model.WaitToolResult(t, "call_1"); got != "Question form interrupted" {
		t.Errorf("the model was sent %q", got)
	}
}

// In codemode the call is the script's: its result reaches the model through the script, and counts as delivered with it.
func TestPiCodemode(t *testing.T) {
	script := `const r = await tools.ask_user({questions: [{id: "db", label: "Database", prompt: "Which database?",
		options: [{value: "pg", label: "Postgres"}, {value: "lite", label: "SQLite"}]}]}); return r.answers.db.values;`
	r := newRig(t, asking(modelserver.Call{ID: "call_1", Name: "codemode", Args: map[string]any{"code": script}}))
	askd := person{r.startAskd()}
	r.startPi("--tools", "+codemode")
	r.say("go")
	askd.WaitFor("Which database?")
	askd.pick("2")
	if got := r.model.WaitToolResult(t, "call_1"); !strings.Contains(got, "lite") {
		t.Errorf("the model was sent %q", got)
	}
	r.waitStep("acked", 1)
}
