package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"askd/broker/ask"
	"askd/broker/tool"
)

// tools are the agent tools whose questions askctl ask can put.
var tools = []string{ask.ToolAskUser, ask.ToolQuestion}

// printPrompt prints the answers plain. Details name a question by its text, plain lines by its id.
func (s *asking) printPrompt(details json.RawMessage) error {
	var d tool.QuestionDetails
	if err := json.Unmarshal(details, &d); err != nil {
		return fmt.Errorf("read the answer: %w", tooOld(err))
	}
	for _, a := range d.Answers {
		values := a.Selected
		if a.Answer != nil {
			values = []string{*a.Answer}
		}
		for _, value := range values {
			s.a.out.printf("%s%s\n", s.prefix(s.promptID(a.Question)), s.a.out.text(value))
		}
	}
	return nil
}

// promptID is the id of a question of the call: q1 for the first.
func (s *asking) promptID(question string) string {
	var arguments struct {
		Questions []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	if json.Unmarshal(s.call.Arguments, &arguments) != nil {
		return question
	}
	for i, q := range arguments.Questions {
		if ask.Trim(q.Question) == question {
			return "q" + strconv.Itoa(i+1)
		}
	}
	return question
}
