package ask_test

import (
	"encoding/json"
	"errors"
	"testing"

	"askd/broker/ask"

	"github.com/google/go-cmp/cmp"
)

func TestParseRemoteRefusals(t *testing.T) {
	answers := func(s string) string { return `{"kind":"answer","answers":{` + s + `}}` }
	for _, c := range []struct{ response, code, message string }{
		{`7`, "invalid_request", `Submit response must be an object.`},
		{`[]`, "invalid_request", `Submit response must be an object.`},
		{`{bad`, "invalid_request", `Submit response must be an object.`},
		{``, "invalid_request", `Submit response must be an object.`},
		{`{}`, "invalid_request", `Submit response kind must be "answer" or "cancel".`},
		{`{"kind":1}`, "invalid_request", `Submit response kind must be "answer" or "cancel".`},
		{`{"kind":"elaborate","answers":{}}`, "invalid_request", `Submit response kind must be "answer" or "cancel".`},
		{`{"kind":"answer"}`, "invalid_answer", `Answer response must include an answers object.`},
		{`{"kind":"answer","answers":null}`, "invalid_answer", `Answer response must include an answers object.`},
		{answers(`"constructor":{}`), "invalid_answer", `Unknown question id "constructor".`},
		{answers(`"engine":[]`), "invalid_answer", `Answer for question "engine" must be an object.`},
		{answers(`"engine":{"values":"mem"}`), "invalid_answer", `Answer values for question "engine" must be strings.`},
		{answers(`"engine":{"values":["mem",1]}`), "invalid_answer", `Answer values for question "engine" must be strings.`},
		{answers(`"engine":{"values":["mem","mem"]}`), "invalid_answer", `Answer values for question "engine" must be unique.`},
		{answers(`"engine":{"values":["x","y"],"customText":1}`), "invalid_answer", `Question "engine" accepts only one selected value.`},
		{answers(`"engine":{"values":["x"],"customText":1}`), "invalid_answer", `Custom text for question "engine" must be a string.`},
		{answers(`"engine":{"values":["x"],"customText":"y","note":1}`), "invalid_answer", `Question "engine" cannot combine a selected value and custom text.`},
		{answers(`"engine":{"values":["x"],"note":1,"optionNotes":[]}`), "invalid_answer", `Note for question "engine" must be a string.`},
		{answers(`"engine":{"values":["x"],"optionNotes":[]}`), "invalid_answer", `Option notes for question "engine" must be string values.`},
		{answers(`"engine":{"optionNotes":{"mem":null}}`), "invalid_answer", `Option notes for question "engine" must be string values.`},
		{answers(`"engine":{"values":["x"],"optionNotes":{"y":"n"}}`), "invalid_answer", `Unknown option value "x" for question "engine".`},
		{answers(`"engine":{"values":["mem"],"optionNotes":{"z":" ","y":"n"}}`), "invalid_answer", `Unknown option note value "y" for question "engine".`},
		{answers(`"zz":{},"aa":{}`), "invalid_answer", `Unknown question id "zz".`},
		{answers(`"zz":{},"7":{}`), "invalid_answer", `Unknown question id "7".`},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":"engine"}`, "invalid_answer", `Skipped question ids must be an array of strings.`},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":["engine",1]}`, "invalid_answer", `Skipped question ids must be an array of strings.`},
		{`{"kind":"answer","answers":{},"skippedQuestionIds":["x"]}`, "invalid_answer", `Unknown skipped question id "x".`},
		{`{"kind":"answer","answers":{"engine":{"values":["mem"]}},"skippedQuestionIds":["engine"]}`, "invalid_answer", `Question "engine" cannot be both answered and skipped.`},
		{`{"kind":"answer","answers":{"engine":{"note":"n"}},"skippedQuestionIds":["engine"]}`, "invalid_answer", `Question "engine" cannot be both answered and skipped.`},
	} {
		_, _, err := ask.ParseRemote(release(t), json.RawMessage(c.response))
		var refused *ask.RemoteError
		if !errors.As(err, &refused) {
			t.Errorf("%s: err = %v", c.response, err)
			continue
		}
		if diff := cmp.Diff([]string{c.code, c.message}, []string{refused.Code, err.Error()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.response, diff)
		}
	}
}

func TestParseRemoteAnswers(t *testing.T) {
	r := release(t)
	for _, c := range []struct{ response, want string }{
		{`{"kind":"answer","answers":{}}`, "Engine: (no answer)\nChecks: (no answer)\nQ3: (no answer)"},
		{
			`{"kind":"answer","answers":{"checks":{"values":["2","9"],"customText":"  more "},"engine":{"values":["redis"],"customText":" ","note":" ","optionNotes":{"mem":"no","gone":""}}}}`,
			"Engine: Redis\nEngine / mem (not selected) note: no\nChecks: Nine, Two,   more \nQ3: (no answer)",
		},
		{
			`{"kind":"answer","answers":{"engine":{},"checks":{"values":null,"customText":null,"note":"hm","optionNotes":null}},"skippedQuestionIds":["when","engine"]}`,
			"Engine: (skipped)\nChecks: (no answer)\nChecks note: hm\nQ3: (skipped)",
		},
		{`{"kind":"answer","answers":{"engine":{"customText":"other"}},"skippedQuestionIds":null}`, "Engine: other\nChecks: (no answer)\nQ3: (no answer)"},
	} {
		kind, response, err := ask.ParseRemote(r, json.RawMessage(c.response))
		if err != nil || kind != ask.RemoteAnswer {
			t.Errorf("%s: %v", c.response, err)
			continue
		}
		if diff := cmp.Diff(c.want, ask.Summary(ask.BuildResult(r, response, false))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestParseRemoteJudgesThePresentedType(t *testing.T) {
	p := read(t, `{"questions":[{"id":"a","prompt":"P","options":[{"value":"x"},{"value":"y"}]}]}`)
	r := &ask.Request{ID: "r"}
	_, r.Questions = p.Normalise(true)
	_, response, err := ask.ParseRemote(r, json.RawMessage(`{"kind":"answer","answers":{"a":{"values":["y","x"],"customText":"z"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := ask.Summary(ask.BuildResult(r, response, false)); got != "Q1: X, Y, z\n"+ask.TextPresented {
		t.Errorf("summary = %q", got)
	}
}

func TestParseRemoteCancel(t *testing.T) {
	kind, response, err := ask.ParseRemote(release(t), json.RawMessage(`{"kind":"cancel","answers":7}`))
	if kind != ask.RemoteCancel || len(response.Choices) != 0 || err != nil {
		t.Errorf("%v %v %v", kind, response, err)
	}
	if kind, err := ask.ParseRemoteKind(json.RawMessage(`{"kind":"cancel"}`)); kind != ask.RemoteCancel || err != nil {
		t.Errorf("%v %v", kind, err)
	}
}
