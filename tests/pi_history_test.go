package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"askd/tests/modelserver"
	"askd/tests/tmuxtest"
)

// historyTools are the tools that the setting brings.
var historyTools = []string{"list_ask_history", "read_ask_history", "export_ask_history"}

// lateArgs are arguments that the model makes up only when it calls.
type lateArgs func() any

func (f lateArgs) MarshalJSON() ([]byte, error) { return json.Marshal(f()) }

// offersHistory reports whether a request declares the tools over the history; all or none must be there.
func (r *rig) offersHistory(request modelserver.Request) bool {
	r.t.Helper()
	n := 0
	for _, name := range historyTools {
		if slices.Contains(request.Tools, name) {
			n++
		}
	}
	if n != 0 && n != len(historyTools) {
		r.t.Errorf("only some tools are offered: %v", request.Tools)
	}
	return n > 0
}

func (r *rig) setHistoryTools(on bool) {
	r.t.Helper()
	value := map[bool]string{true: "true", false: "false"}[on]
	settings := `{"schemaVersion":5,"behaviour":{"historyTools":` + value + `}}`
	if err := os.WriteFile(r.globalSettings(), []byte(settings), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// wantNoRows checks that nothing of the tools over the history is drawn.
func wantNoRows(t *testing.T, pi *tmuxtest.Pane) {
	t.Helper()
	screen := pi.Screen()
	for _, trace := range []string{"ask_history", "nextOffset", "not found on the current branch", `"records"`, "hasAnswer", "structuredContent", "answers.md"} {
		if strings.Contains(screen, trace) {
			t.Errorf("%q is drawn:\n%s", trace, screen)
		}
	}
}

// With the setting the model can look up, read and export what was asked; the person sees nothing of it.
func TestPiHistoryTools(t *testing.T) {
	var requestID string
	listed := func(req modelserver.Request) bool {
		var page struct{ Records []struct{ RequestID string } }
		if req.Last().Role != "tool" || req.Last().ToolCallID != "list_1" || json.Unmarshal([]byte(req.Last().Content), &page) != nil || len(page.Records) == 0 {
			return false
		}
		requestID = page.Records[0].RequestID
		return true
	}
	call := func(id, name string, args any) modelserver.Call {
		return modelserver.Call{ID: id, Name: name, Args: args}
	}
	r := newRig(t,
		asking(askUser("call_1", database())),
		modelserver.Rule{Match: modelserver.User("look it up"), Reply: modelserver.Reply{Calls: []modelserver.Call{call("list_1", "list_ask_history", map[string]any{"query": "which"})}}},
		modelserver.Rule{Match: listed, Reply: modelserver.Reply{Calls: []modelserver.Call{
			call("read_1", "read_ask_history", lateArgs(func() any { return map[string]any{"requestId": requestID, "questionId": "db"} })),
			call("read_2", "read_ask_history", map[string]any{"requestId": "none", "questionId": "db"}),
			call("export_1", "export_ask_history", map[string]any{"path": "answers.md"}),
		}}},
	)
	r.setHistoryTools(true)
	serve(t, r.place)
	pi := r.startPi()
	r.say("go")
	r.waitPending(1, "waiting")
	r.answer("call_1", "db", "pg")
	r.wantResult("call_1", answer("Database: Postgres"))
	r.waitIdle()
	if !r.offersHistory(r.sayAndGet("look it up")) {
		t.Error("the tools are not offered")
	}
	r.wantResult("list_1", regexp.MustCompile(`"prompt":"Which database\?","hasAnswer":true`))
	r.wantResult("read_1", regexp.MustCompile(`"labels":\["Postgres"\]`))
	r.wantResult("read_2", regexp.MustCompile(`^Question not found on the current branch: none / db$`))
	r.wantResult("export_1", regexp.MustCompile(`"path":"`+regexp.QuoteMeta(filepath.Join(r.home.Project, "answers.md"))+`"`))
	if data, err := os.ReadFile(filepath.Join(r.home.Project, "answers.md")); err != nil || !strings.Contains(string(data), "Postgres") {
		t.Errorf("exported %q: %v", data, err)
	}
	r.waitIdle()
	wantNoRows(t, pi)
	r.wantFailed("read_2")
	r.wantEntries(map[string]int{"ask:request": 1, "ask:history-tools": 1})

	// The rows of an opened session stay empty, also without the setting.
	kill(t, pi)
	r.setHistoryTools(false)
	r.startConnectedPi("--continue")
	r.piPane.WaitFor("✓ Database: Postgres")
	wantNoRows(t, r.piPane)
	if r.offersHistory(r.sayAndGet("and now")) {
		t.Error("the tools are offered without the setting")
	}
	// With it they are back, although the branch was recorded without them.
	kill(t, r.piPane)
	r.setHistoryTools(true)
	r.startConnectedPi("--continue")
	if !r.offersHistory(r.sayAndGet("and again")) {
		t.Error("the tools did not come back")
	}
}

// wantFailed checks that the session has the result of a call as a failure.
func (r *rig) wantFailed(callID string) {
	r.t.Helper()
	for _, entry := range r.sessionEntries() {
		if m, _ := entry["message"].(map[string]any); m["toolCallId"] == callID && m["isError"] != true {
			r.t.Errorf("the result of %s is no failure: %v", callID, m)
		}
	}
}

// After the first request the tools come and go with the person's consent alone.
func TestPiHistoryToolsChangedFromOutside(t *testing.T) {
	r := newRig(t)
	serve(t, r.place)
	r.startConnectedPi()
	pi := r.piPane
	if r.offersHistory(r.sayAndGet("first")) {
		t.Error("the tools are offered without the setting")
	}
	c := dialRaw(t, r.place.socket).hello()
	set := func(value string) {
		c.must("settings.set", `{"key":"behaviour.historyTools","value":`+value+`}`, &struct{}{})
	}
	set("true")
	pi.WaitFor("Give the model the tools over the question history?")
	pi.Keys("Escape")
	pi.WaitGone("Give the model the tools over the question history?")
	if r.offersHistory(r.sayAndGet("second")) {
		t.Error("the refused tools are offered")
	}
	r.say("/new") // a session of its own has them from the beginning
	pi.WaitGone("second")
	if !r.offersHistory(r.sayAndGet("third")) {
		t.Error("the tools are not offered")
	}
	set("false")
	pi.WaitFor("Take the tools over the question history away?")
	pi.Keys("Enter")
	pi.WaitGone("Take the tools over the question history away?")
	if r.offersHistory(r.sayAndGet("fourth")) {
		t.Error("the tools are still offered")
	}
	set("true")
	pi.WaitFor("Give the model the tools over the question history?")
	pi.Keys("Enter")
	pi.WaitGone("Give the model the tools over the question history?")
	if !r.offersHistory(r.sayAndGet("fifth")) {
		t.Error("the tools did not come back")
	}
}
