package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"askd/tests/tmuxtest"
)

// paneSteps are the steps that a person at the pane comes to, in their order.
var paneSteps = []string{
	"before-shown", "shown", "before-draft-committed", "draft-committed", "draft-committed#2", "before-draft-committed#3",
	"submitted", "before-outcome-committed", "outcome-committed", "before-outcome-sent",
}

// dying is a pane whose askd dies while a person answers in it.
type dying struct {
	*tmuxtest.Pane
	t testing.TB
}

// press presses a key again and again until the screen shows a text; false when askd has died.
func (d dying) press(key, text string) bool {
	d.t.Helper()
	alive, pressed := true, 0
	within(d.t, fmt.Sprintf("%q on the screen, or the end", text), func() bool {
		if alive = !d.Dead(); !alive || strings.Contains(d.Screen(), text) {
			return true
		}
		if pressed++; key != "" && pressed%15 == 1 { // a form that has just taken the screen does not listen yet
			d.Keys(key)
		}
		return false
	})
	return alive
}

// typeAtMost is how long a text becomes of which only the drafts are of interest. It fits into one row.
const typeAtMost = 110

// answer goes through the form as a person does and gives what was typed into it before the end. Who waits for a draft to be
// written goes on typing.
func (d dying) answer(step string) (typed string) {
	if !d.press("", "Which database?") || !d.press("3", "Type answer...") {
		return ""
	}
	for len(typed) < 8 || strings.Contains(step, "draft") && len(typed) < typeAtMost {
		key := string(rune('a' + len(typed)%26))
		d.Keys(key)
		if typed += key; !d.press("", typed) {
			return typed
		}
	}
	_ = d.press("Enter", "1. Submit") && d.press("Enter", "nothing is waiting")
	return typed
}

// TestPaneDiesAtEachStep kills askd at every step to which only a person at its pane comes: what was typed is there as far
// as it had been written, nothing is an answer that was not submitted, and an answer that was stored stays and reaches its
// agent.
func TestPaneDiesAtEachStep(t *testing.T) {
	server := tmuxtest.Start(t)
	for _, step := range paneSteps {
		t.Run(step, func(t *testing.T) {
			p := newPlace(t)
			pane := dying{server.For(t).Run(tmuxtest.Program{
				Dir: p.dir, Env: p.env("ASKD_HALT=" + step), Argv: []string{program(t, "askd")},
			}), t}
			pane.Resize(180, 24)
			pane.WaitFor("nothing is waiting")
			c := connect(t, p, "s1")
			c.start("tool.call", askParams(1, dbQuestion))
			typed := pane.answer(step)
			pane.WaitDead()
			serve(t, p)
			checkDied(t, connect(t, p, "s1"), step, typed)
		})
	}
}

// stored is what request.get gives of a form with one question.
type stored struct {
	Draft *struct {
		Questions []struct{ CustomText string }
		Editor    *struct{ Text string } // open while it was typed into
	}
	Outcome *struct{ ID, Kind string }
}

func checkDied(t *testing.T, c *raw, step, typed string) {
	t.Helper()
	var got stored
	c.must("request.get", fmt.Sprintf(`{"requestId":%q}`, requestID(1)), &got)
	draft := ""
	if got.Draft != nil && len(got.Draft.Questions) > 0 {
		draft = got.Draft.Questions[0].CustomText
	}
	// The first draft may be that of the key that opened the editor.
	written := strings.HasSuffix(step, "#2") || strings.HasSuffix(step, "#3")
	if got.Draft != nil && got.Draft.Editor != nil {
		draft = got.Draft.Editor.Text
	}
	switch ended := step == "outcome-committed" || step == "before-outcome-sent"; {
	case ended != (got.Outcome != nil):
		t.Errorf("outcome %+v", got.Outcome)
	case !strings.HasPrefix(typed, draft):
		t.Errorf("%q was typed, the draft is %q", typed, draft)
	case written && draft == "" || step == "draft-committed" && got.Draft == nil:
		t.Errorf("the draft is lost; %q was typed", typed)
	}
	call := c.start("tool.await", fmt.Sprintf(`{"requestId":%q}`, requestID(1)))
	if got.Outcome == nil {
		c.respond(1, choosePostgres)
		typed = "Postgres"
	}
	if o := c.ended(call); !strings.Contains(o.text(), typed) || got.Outcome != nil && o.OutcomeID != got.Outcome.ID {
		t.Errorf("the agent is told %+v, stored was %+v, typed %q", o, got.Outcome, typed)
	}
	var report struct{ Problems []json.RawMessage }
	if c.must("journal.check", `{}`, &report); len(report.Problems) > 0 {
		t.Errorf("the data file: %s", report.Problems)
	}
}
