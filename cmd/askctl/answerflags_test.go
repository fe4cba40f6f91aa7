package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"askd/broker/ask"
)

func testRequest(questions ...ask.Question) *ask.Request {
	return &ask.Request{ID: "8f14e45f-ceea-467f-a8d3-000000000001", Session: "s", Tool: ask.ToolAskUser, CreatedAt: testNow, Questions: questions}
}

func question(id string, t ask.Type, values ...string) ask.Question {
	q := ask.Question{ID: id, Label: strings.ToUpper(id), Prompt: "Which " + id + "?", Type: t}
	for _, v := range values {
		q.Options = append(q.Options, ask.Option{Value: v, Label: "label " + v})
	}
	return q
}

func parseFlags(args ...string) (*answerFlags, error) {
	f := &answerFlags{}
	set := pflag.NewFlagSet("answer", pflag.ContinueOnError)
	f.add(set)
	err := set.Parse(args)
	if err == nil {
		err = f.check()
	}
	return f, err
}

// TestAnswerFlags: each flag belongs to the question before it, in whatever order the flags of one question stand.
func TestAnswerFlags(t *testing.T) {
	one := testRequest(question("db", ask.Single, "pg", "lite"))
	two := testRequest(question("db", ask.Single, "pg"), question("keep", ask.Multi, "2y", "7y"))
	for _, row := range []struct {
		name string
		r    *ask.Request
		args []string
		want string
	}{
		{"one question needs no name", one, []string{"--value", "pg"}, `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`},
		{"but may have one", one, []string{"--question", "db", "--text", " own "}, `{"kind":"answer","answers":{"db":{"customText":" own "}}}`},
		{
			"groups", two,
			[]string{"--question", "keep", "--note", "n", "--value", "2y", "--value", "7y", "--question", "db", "--value", "pg"},
			`{"kind":"answer","answers":{"keep":{"values":["2y","7y"],"note":"n"},"db":{"values":["pg"]}}}`,
		},
		{
			"option notes keep what follows the first =", two,
			[]string{"--question", "db", "--option-note", "pg=a=b"},
			`{"kind":"answer","answers":{"db":{"optionNotes":{"pg":"a=b"}}}}`,
		},
		{"commas are not split", one, []string{"--value", "a,b"}, `{"kind":"answer","answers":{"db":{"values":["a,b"]}}}`},
		{"skips alone", two, []string{"--skip", "db", "--skip", "keep"}, `{"kind":"answer","answers":{},"skippedQuestionIds":["db","keep"]}`},
		{
			"a skip does not end a group", two,
			[]string{"--question", "db", "--skip", "keep", "--value", "pg"},
			`{"kind":"answer","answers":{"db":{"values":["pg"]}},"skippedQuestionIds":["keep"]}`,
		},
		{"an empty text is a text", one, []string{"--text", ""}, `{"kind":"answer","answers":{"db":{}}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, err := parseFlags(row.args...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.response(row.r)
			got, _ := json.Marshal(r)
			if err != nil || string(got) != row.want {
				t.Errorf("%s, %v, want %s", got, err, row.want)
			}
		})
	}
}

func TestAnswerFlagsRefused(t *testing.T) {
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"--question", "db"}, "nothing is said about question db"},
		{[]string{"--question", ""}, "a question has an id"},
		{[]string{"--question", "a", "--value", "x", "--question", "a", "--value", "y"}, "answered twice"},
		{[]string{"--value", "x", "--question", "a", "--value", "y"}, "belongs to no question"},
		{[]string{"--text", "x", "--text", "y"}, "one text"},
		{[]string{"--note", "x", "--note", "y"}, "one note"},
		{[]string{"--option-note", "=x"}, "VALUE=TEXT"},
		{[]string{"--option-note", "x"}, "VALUE=TEXT"},
	} {
		if _, err := parseFlags(row.args...); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q: %v, want %q in it", row.args, err, row.says)
		}
	}
	f, err := parseFlags("--value", "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.response(testRequest(question("a", ask.Single), question("b", ask.Single))); err == nil || !strings.Contains(err.Error(), "a, b") {
		t.Errorf("two questions and no --question: %v", err)
	}
}
