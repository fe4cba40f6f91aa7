package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"askd/broker/ask"

	"github.com/google/go-cmp/cmp"
)

func names(i Interface) []string {
	var out []string
	for _, d := range Definitions(i) {
		if d.Name == ask.ToolAskUser || d.Name == ask.ToolWait {
			out = append(out, d.Name)
		}
	}
	return out
}

func TestDefinitionsOfEachInterface(t *testing.T) {
	both := []string{"ask_user", "wait_for_answers"}
	for _, c := range []struct {
		i    Interface
		want []string
	}{
		{Interface{}, both[:1]},
		{Interface{Background: true}, both},
		{Interface{Background: true, BackgroundOnly: true}, both[:1]},
		{Interface{BackgroundOnly: true}, both[:1]},
	} {
		if diff := cmp.Diff(c.want, names(c.i)); diff != "" {
			t.Errorf("%+v: %s", c.i, diff)
		}
		_, has := Definitions(c.i)[0].Parameters.Properties.Get("background")
		if want := len(c.want) == 2; has != want {
			t.Errorf("%+v: background in the schema is %v", c.i, has)
		}
	}
}

func TestAskUserSchema(t *testing.T) {
	d := Definitions(Interface{Background: true})[0]
	questions, _ := d.Parameters.Properties.Get("questions")
	question := questions.Items
	options, _ := question.Properties.Get("options")
	kind, _ := question.Properties.Get("type")
	got := [][]string{d.Parameters.Required, question.Required, options.Items.Required, kind.Enum}
	want := [][]string{{"questions"}, {"id", "prompt", "options"}, {"value", "label"}, {"single", "multi"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d.Label != "Ask User" || d.ExecutionMode != "sequential" || d.Exposure != "" || d.PromptGuidelines != nil || strings.Contains(d.PromptSnippet, "\n") {
		t.Errorf("definition = %+v", d)
	}
	raw, err := json.Marshal(d.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"minItems", "minLength", "additionalProperties"} {
		if strings.Contains(string(raw), word) {
			t.Errorf("parameters restrict: %s", word)
		}
	}
}

func TestEveryParameterIsDescribed(t *testing.T) {
	var visit func(name string, s *Schema)
	visit = func(name string, s *Schema) {
		if s.Items != nil {
			visit(name+"[]", s.Items)
		}
		if s.Properties == nil {
			return
		}
		for key, property := range s.Properties.All() {
			if property.Description == "" {
				t.Errorf("%s.%s has no description", name, key)
			}
			visit(name+"."+key, property)
		}
	}
	for _, d := range Definitions(Interface{Background: true, AskUserQuestion: true}) {
		visit(d.Name, d.Parameters)
	}
}

func TestWaitDefinition(t *testing.T) {
	d := Definitions(Interface{Background: true})[1]
	raw, err := json.Marshal(d.Parameters)
	if err != nil || string(raw) != `{"type":"object","properties":{}}` {
		t.Errorf("parameters = %s, %v", raw, err)
	}
	if d.Label != "Wait for Answers" || d.Exposure != "model-only" || d.ExecutionMode != "sequential" {
		t.Errorf("definition = %+v", d)
	}
}

func TestDefinitionsMarshalAlike(t *testing.T) {
	everything := Interface{Background: true, HistoryTools: true, AskUserQuestion: true}
	first, err := json.Marshal(Definitions(everything))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := json.Marshal(Definitions(everything)); err != nil || string(again) != string(first) {
			t.Fatalf("differs, err %v", err)
		}
	}
}
