package tests

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"askd/tests/modelserver"
	"askd/tests/tmuxtest"
)

// pictured is a rig whose askd has a clipboard with an image in it.
func pictured(t *testing.T, rules ...modelserver.Rule) (r *rig, image string) {
	t.Helper()
	r = newRig(t, rules...)
	d := newDesktop(t)
	r.desk = []string{d.env()}
	data := pngOf(t, 16, 1)
	d.copy("image/png", data)
	return r, base64Of(data)
}

// pasteAnswer answers the question db with a text and the image in the clipboard.
func pasteAnswer(askd *tmuxtest.Pane) {
	askd.WaitFor("Which database?")
	askd.PressUntil("3", "attach image")
	askd.Type("like this")
	askd.Keys("C-v")
	askd.WaitFor("[1 image]")
	askd.Keys("Enter")
	askd.WaitFor("→ like this [1 image]")
	askd.Keys("Enter")
}

// block is a piece of a message as it is sent to the model.
type block struct {
	Type     string
	Text     string
	ImageURL struct{ URL string } `json:"image_url"`
}

// blocks are all pieces of all messages of a request, in order; a message that is a text alone is one piece.
func blocks(t testing.TB, request modelserver.Request) []block {
	t.Helper()
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(request.Body, &body); err != nil {
		t.Fatal(err)
	}
	var out []block
	for _, m := range body.Messages {
		var text string
		var several []block
		if json.Unmarshal(m.Content, &text) == nil {
			several = []block{{Type: "text", Text: text}}
		} else if err := json.Unmarshal(m.Content, &several); err != nil && m.Content != nil {
			t.Fatal(err)
		}
		out = append(out, several...)
	}
	return out
}

// wantImage waits for a request with a text, and checks that it has the image once, as an image and behind the name of
// what it belongs to.
func (r *rig) wantImage(text, image string) {
	r.t.Helper()
	r.wantImageAs(r.waitTold(text), image, "Image for [db] Which database? — custom answer:")
}

func (r *rig) wantImageAs(request modelserver.Request, image, label string) {
	r.t.Helper()
	images, named := 0, false
	for _, b := range blocks(r.t, request) {
		named = named || strings.Contains(b.Text, label)
		if b.Type == "image_url" && b.ImageURL.URL == "data:image/png;base64,"+image {
			images++
			if !named {
				r.t.Errorf("the image comes before %q", label)
			}
		}
		if strings.Contains(b.Text, image[:64]) {
			r.t.Errorf("the bytes stand in a text: %.200q", b.Text)
		}
	}
	if images != 1 || !named {
		r.t.Errorf("the model was sent the image %d times, named %v", images, named)
	}
}

// An answer with an image reaches the model's next request as an image, once; also after a restart of everything.
func TestPiImageInAnswer(t *testing.T) {
	r, image := pictured(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	pasteAnswer(askd)
	r.wantImage("Database: like this [1 image]", image)
	pi.WaitFor("✓ Database: (wrote) like this [1 image]")
	r.waitDelivered()
	kill(t, pi)
	kill(t, askd)
	r.startAskd()
	r.startConnectedPi("--continue")
	r.say("hello again")
	r.wantImage("hello again", image)
}

// The message of a background answer carries it too.
func TestPiImageInBackgroundAnswer(t *testing.T) {
	r, image := pictured(t, asking(askUser("call_1", queued(database()))))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	pasteAnswer(askd)
	r.wantImage("Database [db]: like this [1 image]", image)
	pi.WaitFor("→ like this [1 image]")
	r.waitDelivered()
	r.say("hello again")
	r.wantImage("hello again", image)
}

// The result of a wait carries it.
func TestPiImageInWait(t *testing.T) {
	r, image := pictured(t, asking(askUser("call_1", queued(database()))), then("call_1", waitCall("wait_1")))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("Waiting in askd for 1 form(s).")
	pasteAnswer(askd)
	r.wantImage("Database [db]: like this [1 image]", image)
}

// The message with the answer of a form that outlived its agent carries it.
func TestPiImageInRecoveredAnswer(t *testing.T) {
	r, image := pictured(t, asking(askUser("call_1", database())))
	askd := r.startAskd()
	pi := r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	kill(t, pi)
	pi = r.startPi("--continue")
	pi.WaitFor("Reopening unanswered ask_user form: 1 question(s).")
	pasteAnswer(askd)
	r.wantImage("Database: like this [1 image]", image)
}

// A script gets it in structuredContent and can forward it; reading the history shows it to the model again.
func TestPiImageInCodemodeAndHistory(t *testing.T) {
	script := `const r = await tools.ask_user({questions: [{id: "db", label: "Database", prompt: "Which database?",
		options: [{value: "pg", label: "Postgres"}, {value: "lite", label: "SQLite"}]}]});
		const a = r.answers.db.images[0]; image({type: "image", data: a.data, mimeType: a.mimeType}); return r.requestId + " forwarded";`
	var requestID string
	lookup := func(req modelserver.Request) bool {
		said, ok := strings.CutPrefix(req.Last().Content, "look it up ")
		requestID = word36(said)
		return ok
	}
	read := modelserver.Call{ID: "read_1", Name: "read_ask_history", Args: lateArgs(func() any { return map[string]any{"requestId": requestID, "questionId": "db"} })}
	r, image := pictured(t,
		asking(modelserver.Call{ID: "call_1", Name: "codemode", Args: map[string]any{"code": script}}),
		modelserver.Rule{Match: lookup, Reply: modelserver.Reply{Calls: []modelserver.Call{read}}})
	if err := os.MkdirAll(r.home.Extensions(), 0o755); err != nil {
		t.Fatal(err)
	}
	r.setHistoryTools(true)
	askd := r.startAskd()
	r.startPi("--tools", "+codemode")
	r.say("go")
	pasteAnswer(askd)
	request := r.waitTold("forwarded")
	r.wantImageAs(request, image, "")
	r.waitDelivered()
	r.say("look it up " + word36(request.ToolResult("call_1").Content))
	request = r.model.Wait(t, "the record", func(req modelserver.Request) bool { return req.ToolResult("read_1") != nil })
	if got := request.ToolResult("read_1").Content; !strings.Contains(got, "[image bytes in structuredContent]") {
		t.Errorf("the record is %.300q", got)
	}
	if n := strings.Count(string(request.Body), "data:image/png;base64,"+image); n != 2 {
		t.Errorf("the model has seen the image %d times, want twice", n)
	}
}

// word36 is the first word of a text that is as long as a request id.
func word36(text string) string {
	for word := range strings.FieldsSeq(text) {
		if word = strings.Trim(word, `"'`); len(word) == 36 {
			return word
		}
	}
	return ""
}
