package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	piextension "askd/cmd/pi-extension"
	"askd/tests/modelserver"
)

// mcq is one question of ask_user_question, its options without descriptions.
func mcq(question, header string, multi bool, labels ...string) map[string]any {
	var options []any
	for _, label := range labels {
		options = append(options, map[string]any{"label": label, "description": label + " it is"})
	}
	return map[string]any{"question": question, "header": header, "options": options, "multiSelect": multi}
}

// questionCall is a call of ask_user_question.
func questionCall(id string, questions ...any) modelserver.Call {
	return modelserver.Call{ID: id, Name: "ask_user_question", Args: map[string]any{"questions": questions}}
}

func logs() map[string]any { return mcq("Which log format?", "Logs", false, "JSON", "Text") }

func gates() map[string]any {
	return mcq("Which checks gate a merge?", "Gates", true, "Unit", "Lint", "Fuzz")
}

// newQuestionRig is a rig whose agent has the tool.
func newQuestionRig(t *testing.T, rules ...modelserver.Rule) *rig {
	t.Helper()
	r := newRig(t, rules...)
	settings := `{"schemaVersion":5,"tools":{"askUserQuestion":true}}`
	if err := os.WriteFile(r.globalSettings(), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	return r
}

// exactly matches this text and no other.
func exactly(text string) *regexp.Regexp {
	return regexp.MustCompile(`^` + regexp.QuoteMeta(text) + `$`)
}

const questionsCancelled = "User cancelled the questions"

const blockedOn, blockedOff = `{"active":true,"label":"Waiting for user response"}`, `{"active":false}`

// questionDetails are the details of the result of a call, as the session keeps them.
func (r *rig) questionDetails(callID string) map[string]any {
	r.t.Helper()
	for _, entry := range r.sessionEntries() {
		if m, _ := entry["message"].(map[string]any); m["toolCallId"] == callID {
			details, _ := m["details"].(map[string]any)
			return details
		}
	}
	r.t.Errorf("the session has no result of %s", callID)
	return nil
}

// One question answered in askd's pane with keys, then what responses can say, in one session.
func TestPiQuestion(t *testing.T) {
	r := newQuestionRig(t,
		turn("single", questionCall("call_1", logs())),
		turn("batch", questionCall("call_2", logs(), gates(), mcq("Where do sessions live?", "Sessions", false, "Redis", "Postgres"), mcq("Cut a release?", "Release", false, "Yes", "No"))),
		turn("cancels", questionCall("call_3", gates())),
		turn("wrong", questionCall("call_4", mcq("Which?", "H", false, "A", "Other"))),
	)
	b := r.installBridge()
	askd := person{r.startAskd()}
	pi := r.startPi()
	r.say("single")
	askd.WaitFor("Which log format?")
	pi.WaitFor("Waiting for user input...")
	b.want(b.nth("blocked", 1), blockedOn)
	askd.PressUntil("Down", "→ 2. Text")
	askd.PressUntil("Enter", idle)
	r.wantResult("call_1", exactly("User answered 1 questions:\n1. Which log format? → Text"))
	b.want(b.nth("blocked", 2), blockedOff)
	screen := pi.WaitFor("✓ 1 answered")
	for _, row := range []string{"ask_user_question 1 questions", "  1. [Logs] Which log format? (2 option(s))", "1. Which log format? → Text"} {
		if !strings.Contains(screen, row) {
			t.Errorf("the row %q is not drawn:\n%s", row, screen)
		}
	}
	offered := r.model.Requests()[0]
	if !slices.Contains(offered.Tools, "ask_user_question") || !strings.Contains(string(offered.Body), "ask-before-acting") || !strings.Contains(string(offered.Body), "Put one decision into each question of ask_user_question") {
		t.Errorf("the model has no tool with its rules and its skill: %v", offered.Tools)
	}

	r.waitIdle()
	r.say("batch")
	r.respond("call_2", `{"kind":"answer","answers":{"q1":{"customText":" logfmt, as ever "},"q2":{"values":["Fuzz","Unit"],"customText":"licence scan"},"q3":{"values":["Redis"]}},"skippedQuestionIds":["q4"]}`)
	r.wantResult("call_2", exactly("User answered 3 questions:\n1. Which log format? → logfmt, as ever\n2. Which checks gate a merge? → Unit, Fuzz, licence scan\n3. Where do sessions live? → Redis"))
	pi.WaitFor("1. Which log format? → (wrote) logfmt, as ever")
	r.waitStep("acked", 2)
	want := `[{"answer":"logfmt, as ever","kind":"custom","question":"Which log format?"},{"answer":null,"kind":"multi","question":"Which checks gate a merge?",` +
		`"selected":["Unit","Fuzz","licence scan"]},{"answer":"Redis","kind":"option","question":"Where do sessions live?"}]`
	if d := r.questionDetails("call_2"); asJSON(t, d["answers"]) != want || d["cancelled"] != false {
		t.Errorf("details %s", asJSON(t, d))
	}

	r.waitIdle()
	r.say("cancels")
	r.cancel("call_3")
	r.wantResult("call_3", exactly(questionsCancelled)) // and the agent goes on
	pi.WaitFor("Cancelled")
	r.waitIdle()
	r.say("wrong")
	r.wantResult("call_4", exactly(`questions[0].options[1] uses the reserved label "Other". The prompt shows that row itself; pick a different label.`))
	pi.WaitFor("✗ questions[0].options[1] uses the reserved label")
	b.nth("blocked", 6)
	b.count("blocked", 6)
	for _, kind := range []string{"started", "completed", "offer"} {
		b.count(kind, 0)
	}
}

// Without the setting there is no tool; the installation alone brings it too, with askd away.
func TestPiQuestionIsOptional(t *testing.T) {
	r := newRig(t, turn("ask", questionCall("call_1", logs())))
	pi := r.startPi()
	first := r.sayAndGet("hello")
	if slices.Contains(first.Tools, "ask_user_question") || strings.Contains(string(first.Body), "ask-before-acting") {
		t.Errorf("the tool or its skill is there: %v", first.Tools)
	}
	pi.Keys("C-d")
	pi.WaitDead()
	mark := filepath.Join(r.home.Extensions(), "askd", piextension.QuestionMark)
	if err := os.WriteFile(mark, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	pi = r.startPi()
	if again := r.sayAndGet("hello again"); !slices.Contains(again.Tools, "ask_user_question") || !strings.Contains(string(again.Body), "ask-before-acting") {
		t.Errorf("the tool or its skill is missing: %v", again.Tools)
	}

	// As with ask_user, the call waits for askd.
	r.waitIdle()
	r.say("ask")
	pi.WaitFor("askd: not running")
	askd := person{r.startAskd()}
	askd.WaitFor("Which log format?")
	pi.WaitFor("Waiting for user input...")
	askd.PressUntil("Enter", idle)
	r.wantResult("call_1", exactly("User answered 1 questions:\n1. Which log format? → JSON"))
}

// The settings, in one line and by the menu, and what they do to the next question.
func TestPiQuestionSettings(t *testing.T) {
	r := newQuestionRig(t, turn("late", questionCall("call_1", logs(), gates())), turn("abort", questionCall("call_2", logs())))
	r.extra = append(r.extra, "PI_ASK_USER_SINGLE_SELECT_LAYOUT=list")
	b := r.installBridge()
	serve(t, r.place)
	pi := r.startPi()
	r.waitStep("connected", 1)
	file := filepath.Join(r.home.AgentDir, "ask-user-settings.json")
	const command = "/ask-user-question-settings"
	r.say(command + " timeout 700")
	pi.WaitFor("ask_user_question timeout: 700 — saved to")
	r.say(command + " timeout soon")
	pi.WaitFor("Error: timeout must be")
	r.say(command + " colour red")
	pi.WaitFor("Usage: /ask-user-question-settings <displayMode|")
	if data, err := os.ReadFile(file); err != nil || string(data) != "{\n  \"timeout\": 700\n}\n" {
		t.Errorf("the file is %s, %v", data, err)
	}

	r.say("late")
	r.wantResult("call_1", exactly(questionsCancelled))
	b.want(b.nth("blocked", 1), blockedOn)
	b.want(b.nth("blocked", 2), blockedOff)
	pi.WaitFor("Cancelled")
	r.waitIdle()

	r.say(command)
	pi.WaitFor("ask_user_question settings — saved globally")
	screen := pi.WaitFor("timeout: 700 (saved)")
	if !strings.Contains(screen, "displayMode: inline (environment/default)") || !strings.Contains(screen, "singleSelectLayout: list (environment/default)") {
		t.Errorf("the menu is\n%s", screen)
	}
	pi.Keys("Enter")
	pi.WaitFor("Configure displayMode (default restores")
	pi.Keys("Down", "Enter")
	pi.WaitFor("ask_user_question displayMode: overlay — saved to")
	pi.WaitFor("displayMode: overlay (saved)")
	pi.Keys("Down", "Down", "Down", "Enter")
	pi.WaitFor("Configure timeout in milliseconds (0 = no timeout)")
	pi.Paste("Default")
	pi.Keys("Enter")
	pi.WaitFor("ask_user_question timeout: Default — saved to")
	pi.WaitFor("timeout: 0 (environment/default)")
	pi.Keys("Escape")
	pi.WaitGone("ask_user_question settings — saved globally")

	r.say("abort")
	r.waitPending(1, "waiting")
	pi.WaitFor("Waiting for user input...")
	pi.Keys("Escape")
	b.want(b.nth("blocked", 4), blockedOff)
	r.waitPending(0, "")
	pi.WaitFor("Operation aborted")
	r.say("hello again")
	r.wantResult("call_2", exactly(questionsCancelled))

	// A file that is wrong is told of, not used and not touched.
	if err := os.WriteFile(file, []byte(`{"timeout": "soon"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r.waitIdle()
	r.say(command)
	pi.WaitFor("Error: Cannot update ask_user_question settings")
}

// An open prompt outlives askd, and the agent as well.
func TestPiQuestionOutlivesBoth(t *testing.T) {
	r := newQuestionRig(t, turn("one", questionCall("call_1", logs())), turn("two", questionCall("call_2", gates())))
	askd := person{r.startAskd()}
	pi := r.startPi()
	r.say("one")
	askd.WaitFor("Which log format?")
	askd.PressUntil("Down", "→ 2. Text")
	kill(t, askd.Pane)
	pi.WaitFor("askd: not running")
	askd = person{r.startAskd()}
	askd.WaitFor("Which log format?")
	r.answer("call_1", "q1", "JSON")
	r.wantResult("call_1", exactly("User answered 1 questions:\n1. Which log format? → JSON"))

	r.waitIdle()
	r.say("two")
	askd.WaitFor("Which checks gate a merge?")
	kill(t, pi)
	pi = r.startPi("--continue")
	pi.WaitFor("Reopening unanswered ask_user_question form: 1 question(s).")
	r.waitPending(1, "waiting")
	r.respond("call_2", `{"kind":"answer","answers":{"q1":{"values":["Lint"]}}}`)
	r.once("User answered 1 questions:\n1. Which checks gate a merge? → Lint")
	r.waitDelivered()
}

// In print mode nobody can be asked: the call fails and says what to ask.
func TestPiQuestionWithoutUI(t *testing.T) {
	r := newQuestionRig(t, turn("go", questionCall("call_1", logs())))
	b := r.installBridge()
	serve(t, r.place)
	want := exactly("ask_user_question requires interactive mode. Please answer these questions:\n\n1. Which log format?\n   Options:\n   1. JSON — JSON it is\n   2. Text — Text it is\n   You can also answer freely.")
	out, err := r.runPi("--mode", "json", "-p", "go")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.wantResult("call_1", want)
	if strings.Contains(out, "Waiting for user input...") {
		t.Error("there was a partial update")
	}
	b.count("blocked", 0)
}
