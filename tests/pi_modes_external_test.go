package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"askd/tests/modelserver"
)

// turn is a model that asks when the person says this word.
func turn(word string, calls ...modelserver.Call) modelserver.Rule {
	return modelserver.Rule{Match: modelserver.User(word), Reply: modelserver.Reply{Calls: calls}}
}

// fallback is the contract's text for a form that nobody could be shown.
var fallback = regexp.MustCompile(`^ask_user \[[0-9a-f-]{36}\]\n` + regexp.QuoteMeta(`Needs user input: ask_user requires interactive TUI mode.
Run same tool call in interactive TUI mode, or ask user these questions manually:
1. Database: Which database?
   - Postgres [pg]
   - SQLite [lite]
   - Type your own [custom]
details.questions contains normalized pending questions. details.answers stays empty until user responds.`) + `$`)

const databaseQuestions = `[{"id":"db","label":"Database","prompt":"Which database?","type":"single","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]}]`

const sqlite = `{"kind":"answer","answers":{"db":{"values":["lite"]}}}`

// The contract's "Non-TUI and non-interactive modes", sentence by sentence, in one run of RPC mode.
func TestPiExternalUI(t *testing.T) {
	context := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(context, []byte("measured twice\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	withFile := database()
	withFile["questions"].([]any)[0].(map[string]any)["context"] = context
	r := newRig(t,
		turn("first", askUser("call_1", database())), turn("rejects", askUser("call_2", database())), turn("malformed", askUser("call_3", database())),
		turn("cancels", askUser("call_4", database())), turn("aborts", askUser("call_5", database())), turn("background", askUser("call_6", queued(database()))),
		turn("invalid", askUser("call_7", map[string]any{"questions": []any{}})), turn("bus", askUser("call_8", database())),
		turn("nobody", askUser("call_9", database())), turn("settings", askUser("call_10", withFile)),
		turn("without", askUser("call_11", database())),
	)
	b := r.installBridge()
	askd := serve(t, r.place)
	pi := r.runRPC()

	// "A non-TUI foreground ask_user can instead wait for an explicitly connected external UI." It is offered once, the first
	// valid provider is taken, and the form is the normal one.
	pi.say("first", 0)
	b.want(b.nth("offer", 1), `{"version":1,"mode":"rpc","toolCallId":"call_1","connected":[false,true,false]}`)
	b.want(b.nth("open", 1), `{"version":1,"flowId":"tool:call_1","toolCallId":"call_1","title":"Storage","questions":`+databaseQuestions+`}`)
	b.want(b.without(b.nth("started", 1), "createdAt"), `{"version":1,"flowId":"tool:call_1","toolCallId":"call_1","title":"Storage","questions":`+databaseQuestions+`,"source":"tool"}`)
	b.do(`{"resolve":` + sqlite + `}`)
	r.wantResult("call_1", answer("Database: SQLite"))
	var done struct {
		FlowID, Source string
		Result         struct {
			RequestID string
			Answers   map[string]struct{ Labels []string }
		}
	}
	if err := json.Unmarshal([]byte(b.nth("completed", 1)), &done); err != nil {
		t.Fatal(err)
	}
	if a := done.Result.Answers["db"]; done.FlowID != "tool:call_1" || done.Source != "tool" || done.Result.RequestID != "" || strings.Join(a.Labels, " ") != "SQLite" {
		t.Errorf("completed %+v", done)
	}
	// "All terminal paths remove the active flow and abort the provider's signal."
	b.want(b.nth("closed", 1), `"tool:call_1"`)

	// "UI disconnection, rejection …"
	pi.say("rejects", 1)
	b.nth("open", 2)
	b.do(`{"reject":"the window was closed"}`)
	r.wantResult("call_2", regexp.MustCompile(`^the window was closed$`))
	b.want(b.nth("closed", 2), `"tool:call_2"`)
	b.do(`{"submit":{"version":1,"requestId":"late","flowId":"tool:call_2","response":` + sqlite + `}}`)
	b.want(b.nth("submit-result", 1), `{"version":1,"requestId":"late","flowId":"tool:call_2","ok":false,"error":"flow_not_found","message":"Ask flow is not active."}`)

	// "… or a malformed returned response is a tool error."
	pi.say("malformed", 2)
	b.nth("open", 3)
	b.do(`{"resolve":{"kind":"answer","answers":{"db":{"values":["oracle"]}}}}`)
	r.wantResult("call_3", regexp.MustCompile(`^External ask UI returned an invalid response: Unknown option value "oracle" for question "db"\.$`))
	b.count("completed", 1)

	externalUIEnds(r, b, pi)
	externalUIOnTheBus(r, b, pi)

	// An askd that dies takes the form with it: a failed call, and the provider closes.
	pi.say("without", 10)
	b.nth("open", 8)
	askd.stop(t, syscall.SIGKILL)
	r.wantResult("call_11", regexp.MustCompile("^askd went away while the question was open; start `askd` and ask again\\.$"))
	b.want(b.nth("closed", 8), `"tool:call_11"`)
	pi.settled(11)
	// "Non-interactive execution does not emit this lifecycle" (Herdr).
	b.count("blocked", 0)
	pi.end()
}

// externalUIEnds: cancels, aborts, and the calls that open nothing.
func externalUIEnds(r *rig, b *bridge, pi *rpcAgent) {
	t := r.t
	t.Helper()
	// "Cancel stops the current agent operation, as in TUI mode."
	pi.say("cancels", 3)
	b.nth("open", 4)
	b.do(`{"resolve":{"kind":"cancel"}}`)
	pi.settled(4)
	if !strings.Contains(b.nth("completed", 2), `"cancelled":true`) {
		t.Errorf("completed %s", b.nth("completed", 2))
	}

	// "Operation abort closes the external form; late responses cannot change the result."
	pi.say("aborts", 4)
	r.wantResult("call_4", answer("User cancelled the ask flow"))
	b.nth("open", 5)
	pi.send(`{"type":"abort"}`)
	b.want(b.nth("closed", 5), `"tool:call_5"`)
	b.do(`{"resolve":` + sqlite + `}`)

	// "Non-TUI background calls always keep that fallback and never open the external UI."
	pi.say("background", 5)
	r.wantResult("call_5", regexp.MustCompile(`^Question form interrupted$`))
	r.wantResult("call_6", fallback)

	// A refused payload opens nothing either.
	pi.say("invalid", 6)
	r.wantResult("call_7", regexp.MustCompile(`^Invalid ask_user payload:\n- questions: At least one question is required$`))
	b.count("offer", 5)
	b.count("completed", 2)
}

// externalUIOnTheBus: answers that come on the bus, nobody there, and settings and files that count as in the pane.
func externalUIOnTheBus(r *rig, b *bridge, pi *rpcAgent) {
	t := r.t
	t.Helper()
	// The flow is active: what is submitted on the bus counts, and closes the provider's form.
	pi.say("bus", 7)
	b.nth("open", 6)
	b.do(`{"submit":{"version":1,"requestId":"bus","flowId":"tool:call_8","response":` + sqlite + `}}`)
	b.want(b.nth("submit-result", 2), `{"version":1,"requestId":"bus","flowId":"tool:call_8","ok":true}`)
	r.wantResult("call_8", answer("Database: SQLite"))
	b.want(b.nth("closed", 6), `"tool:call_8"`)

	// "Without a supported connection … calls keep the Needs user input message and cancelled result."
	b.away(true)
	pi.say("nobody", 8)
	r.wantResult("call_9", fallback)
	b.count("started", 6)
	b.away(false)

	// "pi-agent-ask loads file contexts, applies presentSingleAsMulti, validates …, and builds the normal result with locally
	// computed labels and indices."
	dialRaw(t, r.place.socket).hello().must("settings.set", `{"key":"behaviour.presentSingleAsMulti","value":true}`, nil)
	pi.say("settings", 9)
	form := b.nth("open", 7)
	if !strings.Contains(form, `"context":"measured twice"`) || !strings.Contains(form, `"type":"multi"`) {
		t.Errorf("opened %s", form)
	}
	b.do(`{"resolve":{"kind":"answer","answers":{"db":{"values":["lite","pg"],"customText":"both"}}}}`)
	r.wantResult("call_10", answer("Database: Postgres, SQLite, both\nNote: Some questions were presented as multi-select by user preference."))
}

// The same in print and JSON mode, each run to its end.
func TestPiExternalUIInOneShotModes(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	b := r.installBridge()
	b.write(filepath.Join(b.dir, "auto"), sqlite)
	serve(t, r.place)
	for i, mode := range [][]string{{"-p"}, {"--mode", "json"}} {
		if out, err := r.runPi(append(mode, "go")...); err != nil {
			t.Fatalf("pi: %v\n%s", err, out)
		}
		want := []string{"print", "json"}[i]
		b.want(b.nth("offer", i+1), `{"version":1,"mode":"`+want+`","toolCallId":"call_1","connected":[false,true,false]}`)
		b.nth("completed", i+1)
	}
	r.wantResult("call_1", answer("Database: SQLite"))
	if n := len(r.model.Requests()); n != 4 {
		t.Errorf("the model was asked %d times", n)
	}
}
