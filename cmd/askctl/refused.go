package main

import (
	"encoding/json"

	"askd/broker/ask"
)

// refusedNext says what to do about questions that askd has refused.
func (s *asking) refusedNext() string {
	if other := otherTool(s.call.Tool, s.call.Arguments); other != "" {
		return "\nThese look like questions of " + other + ": add --tool " + other + "."
	}
	return "\nSet this right in the questions, `askctl ask --help` shows what they look like; nobody has been asked."
}

// otherTool is the tool whose questions these arguments look like, empty when they look like those of the one that was named:
// each tool has its own name for what is asked.
func otherTool(named string, arguments any) string {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return ""
	}
	var a struct {
		Questions []struct{ Prompt, Question *json.RawMessage }
	}
	if json.Unmarshal(raw, &a) != nil || len(a.Questions) == 0 {
		return ""
	}
	switch q := a.Questions[0]; {
	case named == ask.ToolAskUser && q.Prompt == nil && q.Question != nil:
		return ask.ToolQuestion
	case named == ask.ToolQuestion && q.Prompt != nil && q.Question == nil:
		return ask.ToolAskUser
	}
	return ""
}
