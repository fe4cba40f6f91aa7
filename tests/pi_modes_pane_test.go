package tests

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/modelserver"
	"askd/tests/tmuxtest"
)

// An attached pane comes before other surfaces in RPC mode. Print and JSON mode it serves only where the person has set so,
// and otherwise shows nothing of them: a scheduled run must not hang.
func TestPiPaneAndOneShotModes(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	b := r.installBridge()
	b.write(filepath.Join(b.dir, "auto"), sqlite)
	askd := person{r.startAskd()}
	rpc := r.runRPC()
	rpc.say("go", 0)
	askd.WaitFor("Which database?")
	askd.pick("1")
	r.wantResult("call_1", answer("Database: Postgres"))
	rpc.settled(1)
	rpc.end()
	b.count("offer", 0)

	askd.WaitFor(idle)
	if out, err := r.runPi("-p", "go"); err != nil {
		t.Fatalf("pi: %v\n%s", err, out)
	}
	b.count("offer", 1)
	if screen := askd.Screen(); !strings.Contains(screen, idle) {
		t.Errorf("the pane shows\n%s", screen)
	}

	dialRaw(t, r.place.socket).hello().must("settings.set", `{"key":"behaviour.serveNonTui","value":true}`, nil)
	for i, mode := range [][]string{{"-p"}, {"--mode", "json"}} {
		done := make(chan error, 1)
		go func() {
			out, err := r.runPi(append(mode, "go")...)
			if err != nil {
				err = fmt.Errorf("%w\n%s", err, out)
			}
			done <- err
		}()
		askd.WaitFor("Which database?")
		askd.pick("2")
		if err := <-done; err != nil {
			t.Errorf("pi %v: %v", mode, err)
		}
		askd.WaitFor(idle)
		if n := len(r.model.Requests()); n != 6+2*i {
			t.Errorf("%v: the model was asked %d times", mode, n)
		}
	}
	b.count("offer", 1)
	if last := r.model.Requests()[7].Last(); !answer("Database: SQLite").MatchString(last.Content) {
		t.Errorf("the model was sent %q", last.Content)
	}
}

// Alt+Q goes from Pi to askd's pane, and from the inbox back to Pi, in a tmux that somebody looks at. Asking moves nothing.
func TestPiAltQThereAndBack(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	r.tmux.Attach()
	askd := person{r.startAskd()}
	pi := r.startPi()
	pi.Show()
	pi.WaitShown()
	r.waitStep("connected", 1)
	r.say("go")
	askd.WaitFor("Which database?")
	if !pi.Shown() {
		t.Fatal("asking has moved the focus")
	}
	pi.Keys("M-q")
	askd.WaitShown()
	askd.Keys("M-q")
	askd.WaitFor("Alt+Q agent")
	askd.Keys("M-q")
	pi.WaitShown()
	pi.Keys("M-q")
	askd.WaitShown()
	askd.WaitFor("Enter confirm")
	askd.pick("2")
	r.wantResult("call_1", answer("Database: SQLite"))
}

// In codemode a script gets the structured content and nothing else, of every kind of result.
func TestPiCodemodeResults(t *testing.T) {
	form := `questions: [{id: "db", label: "Database", prompt: "Which database?", options: [{value: "pg", label: "Postgres"}, {value: "lite", label: "SQLite"}]}]`
	script := func(code string) modelserver.Call {
		return modelserver.Call{ID: "call_1", Name: "codemode", Args: map[string]any{"code": code}}
	}
	r := newRig(t, asking(script(`
		const all = [];
		all.push(await tools.ask_user({`+form+`}));
		all.push(await tools.ask_user({`+form+`}));
		all.push(await tools.ask_user({questions: []}));
		for (const each of all) if (each.requestId) each.requestId = "an id";
		return all;`)))
	serve(t, r.place)
	r.startPi("--tools", "+codemode")
	r.say("go")
	r.respond("call_1/1", `{"kind":"answer","answers":{"db":{"values":["lite"],"note":"for now","optionNotes":{"pg":"later"}}}}`)
	r.respond("call_1/2", `{"kind":"answer","answers":{},"skippedQuestionIds":["db"]}`)
	got := strings.Join(strings.Fields(r.model.WaitToolResult(t, "call_1")), "")
	want := strings.Join(strings.Fields(`[
		{"requestId":"an id","cancelled":false,"answers":{"db":{"values":["lite"],"labels":["SQLite"],"note":"for now","optionNotes":{"pg":"later"}}}},
		{"requestId":"an id","cancelled":false,"answers":{},"skippedQuestionIds":["db"]},
		{"cancelled":true,"answers":{},"error":{"issues":[{"path":"questions","message":"At least one question is required"}]}}]`), "")
	if !strings.Contains(got, want) {
		t.Errorf("the script was given\n%s, want\n%s", got, want)
	}
}

// A script can forward an image of an answer, so that the model sees it.
func TestPiCodemodeForwardsImages(t *testing.T) {
	script := `const r = await tools.ask_user({questions: [{id: "db", label: "Database", prompt: "Which database?", options: [{value: "pg", label: "Postgres"}]}]});
		for (const a of r.answers.db.images) image({type: "image", data: a.data, mimeType: a.mimeType});
		return r.answers.db.images.length;`
	r := newRig(t, asking(modelserver.Call{ID: "call_1", Name: "codemode", Args: map[string]any{"code": script}}))
	bin := t.TempDir()
	picture, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	paste := "#!/bin/sh\ncase $1 in --list-types) echo image/png;; *) cat '" + bin + "/pixel.png';; esac\n"
	for name, data := range map[string][]byte{"wl-paste": []byte(paste), "pixel.png": picture} {
		if err := os.WriteFile(filepath.Join(bin, name), data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	askd := person{r.tmux.Run(tmuxtest.Program{
		Dir: r.home.Project, Env: r.place.env("PATH="+bin+":"+os.Getenv("PATH"), "WAYLAND_DISPLAY=wayland-0"), Argv: []string{program(t, "askd")},
	})}
	askd.WaitFor(idle)
	r.startPi("--tools", "+codemode")
	r.say("go")
	askd.WaitFor("Which database?")
	askd.PressUntil("2", "attach image")
	askd.Keys("C-v")
	askd.WaitFor("[1 image]")
	askd.PressUntil("Enter", "1. Submit")
	askd.Keys("Enter")
	r.model.Wait(t, "the image", func(q modelserver.Request) bool { return strings.Contains(string(q.Body), pixel) })
}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
