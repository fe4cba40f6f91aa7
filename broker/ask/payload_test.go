package ask_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"askd/broker/ask"

	"github.com/google/go-cmp/cmp"
)

func TestReadPayloadRefusesWrongTypes(t *testing.T) {
	option := func(o string) string { return `{"questions":[{"id":"a","prompt":"A?","options":[` + o + `]}]}` }
	for _, c := range []struct{ arguments, path, says string }{
		{`[]`, "arguments", "expected an object, found a list"},
		{`"{\"questions\":[]}"`, "arguments", "not its text"},
		{`{`, "arguments", "not valid JSON"},
		{`{"title":7}`, "title", "expected a string, found a number"},
		{`{"background":"yes","questions":[]}`, "background", "expected true or false, found a string"},
		{`{"questions":{}}`, "questions", "expected a list, found an object"},
		{`{"questions":null}`, "questions", "expected a list, found null"},
		{`{"questions":"[{\"id\":1}]"}`, "questions", "not its text"},
		{`{"questions":["a"]}`, "questions[0]", "expected an object"},
		{`{"questions":[{"id":1}]}`, "questions[0].id", "expected a string, found a number"},
		{`{"questions":[{"id":null}]}`, "questions[0].id", "found null"},
		{`{"questions":[{"label":[]}]}`, "questions[0].label", "found a list"},
		{`{"questions":[{},{"prompt":{}}]}`, "questions[1].prompt", "found an object"},
		{`{"questions":[{"type":7}]}`, "questions[0].type", "found a number"},
		{`{"questions":[{"context":true}]}`, "questions[0].context", "found true or false"},
		{`{"questions":[{"options":"[]"}]}`, "questions[0].options", "not its text"},
		{option(`{"value":"a"},null`), "questions[0].options[1]", "found null"},
		{option(`{"value":"a"},{"value":2}`), "questions[0].options[1].value", "found a number"},
		{option(`{"value":"a","label":null}`), "questions[0].options[0].label", "found null"},
		{option(`{"value":"a","description":1}`), "questions[0].options[0].description", "found a number"},
		{option(`{"value":"a","recommended":"yes"}`), "questions[0].options[0].recommended", "found a string"},
		{`{"questions":[` + strings.Repeat(`{},`, 10_000) + `{}]}`, "questions", "too many"},
	} {
		_, err := ask.ReadPayload(json.RawMessage(c.arguments))
		var refused *ask.ParamError
		if !errors.As(err, &refused) {
			t.Errorf("%.60s: err = %v", c.arguments, err)
			continue
		}
		if refused.Path != c.path || !strings.Contains(refused.Error(), c.path+": ") || !strings.Contains(refused.Message, c.says) {
			t.Errorf("%.60s: %v", c.arguments, err)
		}
	}
}

func TestReadPayloadAcceptsWhatIsMissing(t *testing.T) {
	for _, arguments := range []string{``, `null`, `{}`, `{"title":null,"background":null}`, `{"questions":[],"extra":{"deep":[[[1]]]}}`} {
		p, err := ask.ReadPayload(json.RawMessage(arguments))
		if err != nil {
			t.Errorf("%s: %v", arguments, err)
			continue
		}
		if diff := cmp.Diff([]ask.Issue{{Path: "questions", Message: "At least one question is required"}}, p.Validate()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestValidateOrder(t *testing.T) {
	p := read(t, `{"questions":[
		{"type":"radio<\u2028>","options":[{"value":"---"},{"value":"x"},{"value":" x "},{"value":"x","label":"\ufeff"}]},
		{"id":"a","prompt":"\u00a0"},
		{"id":"a","type":"","prompt":"P","options":[{"value":"__other__"}]},
		{"id":"b","type":"preview","prompt":"P","options":[{"value":"v"}]},
		{"id":"c","type":null,"label":null,"context":null,"prompt":"P","options":[{"value":"v","description":null,"recommended":null}]}]}`)
	want := []ask.Issue{
		{Path: "questions[0].type", Message: "Question 1: invalid type \"radio<\u2028>\"; expected \"single\" or \"multi\""},
		{Path: "questions[0].id", Message: "Question 1: id is required"},
		{Path: "questions[0].prompt", Message: "Question 1: prompt is required"},
		{Path: "questions[0].options[0].label", Message: "Question 1, option 1: label is required"},
		{Path: "questions[0].options[2].value", Message: `Question 1, option 3: duplicate option value "x"`},
		{Path: "questions[0].options[3].value", Message: `Question 1, option 4: duplicate option value "x"`},
		{Path: "questions[1].prompt", Message: "Question 2: prompt is required"},
		{Path: "questions[1].options", Message: "Question 2: at least one option is required"},
		{Path: "questions[2].type", Message: `Question 3: invalid type ""; expected "single" or "multi"`},
		{Path: "questions[2].id", Message: `Question 3: duplicate question id "a"`},
	}
	if diff := cmp.Diff(want, p.Validate()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPrepareLabels(t *testing.T) {
	for value, want := range map[string]string{
		"API_key": "API key", "oauth2-pkce": "Oauth2 pkce", "élan": "Élan", "ßtraße": "SStraße", "𐐨x": "𐐨x", "ǆ": "Ǆ",
		"\ufeffa\u2028b": "A b", "42": "42", "éa": "Éa",
	} {
		q, err := ask.Stringify(value)
		if err != nil {
			t.Fatal(err)
		}
		in := `{"x": 1,"questions":[{"options":[{"value":` + string(q) + `, "k":[1, 2]}]}]}`
		label, err := ask.Stringify(want)
		if err != nil {
			t.Fatal(err)
		}
		prepared := `{"x":1,"questions":[{"options":[{"value":` + string(q) + `,"k":[1, 2],"label":` + string(label) + `}]}]}`
		if got := string(ask.PrepareLabels(json.RawMessage(in))); got != prepared {
			t.Errorf("prepared = %s, want %s", got, prepared)
		}
	}
}

func TestPrepareLabelsLeavesTheRest(t *testing.T) {
	for _, in := range []string{
		`{"questions": [ {"options": {"value":"a"}} , 7, null, {"options":["a", null, {"value":3}, {"value":"a","label":0}]} ]}`,
		`{"questions":"x"}`, `[]`, `7`, `{bad`, ``, ` {"questions":[{"options":[{"value":"a","label":"A"}]}]} `,
	} {
		if got := string(ask.PrepareLabels(json.RawMessage(in))); strings.TrimSpace(got) != strings.TrimSpace(in) {
			t.Errorf("%s became %s", in, got)
		}
	}
}

func TestArgumentsKeepOrderAndForeignParts(t *testing.T) {
	p := read(t, ` {"z": 1, "questions": [ {"prompt":"P","id":" a ","extra": {"b":1, "a":2},"options":[{"note":[ 1 ],"value":"b-c"}]} ], "title": " T "}`)
	want := `{"z":1,"questions":[{"prompt":"P","id":" a ","extra":{"b":1, "a":2},"options":[{"note":[ 1 ],"value":"b-c","label":"B c"}]}],"title":" T "}`
	if got := string(p.Arguments()); got != want {
		t.Errorf("arguments = %s", got)
	}
	if diff := cmp.Diff([]string{" a "}, p.QuestionIDs()); diff != "" || p.RawTitle != " T " {
		t.Error(diff, p.RawTitle)
	}
	untouched := ` {"questions": [ {"id":"a" , "options": [ {"value":"a","label":"A"} ] } ] } `
	if got := string(read(t, untouched).Arguments()); got != strings.TrimSpace(untouched) {
		t.Errorf("arguments = %s", got)
	}
}

func TestRepeatedKeysCountLast(t *testing.T) {
	p := read(t, `{"title":"a","questions":7,"title":"b","questions":[{"id":"x","\u0069d":"y"}]}`)
	if p.RawTitle != "b" || p.QuestionIDs()[0] != "y" {
		t.Errorf("title %q, ids %q", p.RawTitle, p.QuestionIDs())
	}
}

// Megabytes of escapes must cost what megabytes of letters cost: searched anew for each escape they take minutes.
func TestReadPayloadOfManyEscapes(t *testing.T) {
	for _, escape := range []string{"\n", "\"", "\\"} {
		prompt := strings.Repeat(escape, 3<<20)
		arguments, err := json.Marshal(map[string]any{"questions": []any{map[string]any{"id": "a", "prompt": "x" + prompt + "x"}}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := ask.ReadPayload(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if _, questions := p.Normalise(false); len(questions) != 1 || questions[0].Prompt != "x"+prompt+"x" {
			t.Errorf("the prompt of %q came out changed", escape)
		}
	}
}

func TestNormalise(t *testing.T) {
	p := read(t, `{"title":"\ufeff","questions":[
		{"id":" a\u00a0","label":" ","prompt":" P? ","context":" \n","options":[{"value":" v ","label":" L ","description":" "}]},
		{"id":"b","label":" Lab ","prompt":"P","type":"multi","context":"  text ","options":[{"value":"v","label":"L","description":" d ","recommended":false}]}]}`)
	no := false
	title, got := p.Normalise(true)
	want := []ask.Question{
		{ID: "a", Label: "Q1", Prompt: "P?", Type: ask.Multi, RequestedType: ask.Single, PresentedType: ask.Multi, Options: []ask.Option{{Value: "v", Label: "L"}}},
		{ID: "b", Label: "Lab", Prompt: "P", Type: ask.Multi, Context: "text", Options: []ask.Option{{Value: "v", Label: "L", Description: "d", Recommended: &no}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || title != "" {
		t.Errorf("title %q (-want +got):\n%s", title, diff)
	}
	_, got = p.Normalise(false)
	if got[0].Type != ask.Single || got[0].Requested() != ask.Single || got[0].PresentedType != "" {
		t.Errorf("plain: %+v", got[0])
	}
}

func TestTrim(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " a ": "a", "\u00a0\ufeff\u2028\u2029\u3000\v\fa\u1680": "a", "\u0085a": "\u0085a", "\u200ba": "\u200ba", "é": "é", "\u180ea": "\u180ea",
	} {
		if got := ask.Trim(in); got != want {
			t.Errorf("Trim(%q) = %q", in, got)
		}
	}
}

func TestStringify(t *testing.T) {
	got, err := ask.Stringify("<a>&\u2028\u2029\\u2028\\\x7f\x01\"")
	if want := "\"<a>&\u2028\u2029\\\\u2028\\\\\x7f\\u0001\\\"\""; err != nil || string(got) != want {
		t.Errorf("got %s, want %s, err %v", got, want, err)
	}
	if _, err := ask.Stringify(func() {}); err == nil {
		t.Error("a function has no JSON")
	}
}

func FuzzReadPayload(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `{"questions":[{"id":"a","prompt":"p","type":"preview","context":"c","options":[{"value":"a-b","preview":"x"},{"value":"c"}]}]}`,
		`{"questions":[{"options":[]}],"questions":[]}`, `{"a\\":"\"}","questions":[[{}]]}`, ` { "title" : "\ud800" } `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if prepared := ask.PrepareLabels(data); json.Valid(data) && !json.Valid(prepared) {
			t.Fatalf("%q prepared as %q", data, prepared)
		}
		p, err := ask.ReadPayload(data)
		if err != nil {
			var refused *ask.ParamError
			if !errors.As(err, &refused) || refused.Path == "" {
				t.Fatalf("err = %v", err)
			}
			return
		}
		if len(data) > 0 && !json.Valid(p.Arguments()) {
			t.Fatalf("arguments of %q: %q", data, p.Arguments())
		}
		p.KeepContexts()
		title, questions := p.Normalise(true)
		again, err := ask.ReadPayload(p.Arguments())
		if err != nil {
			t.Fatalf("arguments are not accepted again: %v", err)
		}
		again.KeepContexts()
		title2, questions2 := again.Normalise(true)
		if diff := cmp.Diff(questions, questions2); diff != "" || title != title2 {
			t.Fatalf("read again (-first +second):\n%s", diff)
		}
		if diff := cmp.Diff(p.Validate(), again.Validate()); diff != "" {
			t.Fatalf("issues (-first +second):\n%s", diff)
		}
	})
}
