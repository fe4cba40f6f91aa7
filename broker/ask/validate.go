package ask

import (
	"fmt"
)

// Validate checks a payload and gives every fault, in form order; nil means the form can be shown once its files are
// loaded. Paths count from 0, messages from 1.
func (p *Payload) Validate() []Issue {
	if len(p.questions) == 0 {
		return []Issue{{Path: "questions", Message: "At least one question is required"}}
	}
	var issues []Issue
	seen := make(map[string]bool, len(p.questions))
	for i := range p.questions {
		issues = p.questions[i].validate(i, seen, issues)
	}
	return issues
}

func (q *rawQuestion) validate(i int, seen map[string]bool, issues []Issue) []Issue {
	report := func(field, message string) {
		issues = append(issues, Issue{Path: fmt.Sprintf("questions[%d].%s", i, field), Message: fmt.Sprintf("Question %d: %s", i+1, message)})
	}
	if q.hasKind && q.kind != string(Single) && q.kind != string(Multi) {
		report("type", `invalid type `+string(quote(q.kind))+`; expected "single" or "multi"`)
	}
	switch id := Trim(q.id); {
	case id == "":
		report("id", "id is required")
	case seen[id]:
		report("id", `duplicate question id "`+id+`"`)
	default:
		seen[id] = true
	}
	if Blank(q.prompt) {
		report("prompt", "prompt is required")
	}
	if len(q.options) == 0 && !q.input {
		report("options", "at least one option is required")
	}
	return q.validateOptions(i, issues)
}

func (q *rawQuestion) validateOptions(i int, issues []Issue) []Issue {
	seen := make(map[string]bool, len(q.options))
	for j := range q.options {
		report := func(field, message string) {
			issues = append(issues, Issue{
				Path:    fmt.Sprintf("questions[%d].options[%d].%s", i, j, field),
				Message: fmt.Sprintf("Question %d, option %d: %s", i+1, j+1, message),
			})
		}
		switch value := Trim(q.options[j].value); {
		case value == "":
			report("value", "value is required")
		case seen[value]:
			report("value", `duplicate option value "`+value+`"`)
		default:
			seen[value] = true
		}
		if Blank(q.options[j].label) {
			report("label", "label is required")
		}
	}
	return issues
}
