package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"askd/broker/ask"
)

// question is the published ask_user_question: always answered while its agent waits, never queued.
var question = Tool{
	Name:     ask.ToolQuestion,
	Parse:    parseQuestion,
	Outcome:  questionOutcome,
	Invalid:  func(p *Parsed) *Outcome { return questionFailure(p.Issues[0].Message) },
	NoUI:     questionNoUI,
	FollowUp: questionOutcome,
	CallRow:  questionRow,
	Prompted: true,
}

// The limits of one call.
const (
	maxQuestions       = 4
	minQuestionOptions = 2
	maxQuestionOptions = 4
)

// The members that belong elsewhere, in the order in which they are named.
var (
	settingMembers = []string{"displayMode", "singleSelectLayout", "overlayToggleKey", "timeout"}
	entryMembers   = []string{"question", "header", "options", "multiSelect"}
)

// reservedLabels are rows that a prompt has, or once had, by itself.
var reservedLabels = []string{"Other", "Type something.", "Next"}

// parseQuestion finds the first problem only: the published tool fails with its message.
func parseQuestion(raw json.RawMessage, _ Env) (*Parsed, error) {
	if err := readParams(raw, &struct{}{}); err != nil {
		return nil, err
	}
	p := &Parsed{Arguments: raw}
	questions, issue := readQuestions(raw)
	if issue != nil {
		p.Issues = []ask.Issue{*issue}
		return p, nil
	}
	if err := plainFlags(raw); err != nil {
		return nil, err
	}
	p.Questions = questions
	for i := range questions {
		p.QuestionIDs = append(p.QuestionIDs, questions[i].ID)
	}
	return p, nil
}

// plainFlags refuses a multiSelect that is neither true nor false, for which the published tool has no message of its own: its
// schema stands before it. Everything else of the questions has been looked at.
func plainFlags(raw json.RawMessage) error {
	entries, _ := elements(members(raw)["questions"])
	for i, entry := range entries {
		switch flag := members(entry)["multiSelect"]; string(flag) {
		case "", "null", "true", "false":
		default:
			path := fmt.Sprintf("questions[%d].multiSelect", i)
			return &ParamError{Path: path, Message: "expected true or false, found " + ask.Describe(flag)}
		}
	}
	return nil
}

// members are those of a JSON object; nil when raw is none.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// elements are those of a JSON array.
func elements(raw json.RawMessage) (out []json.RawMessage, ok bool) {
	return out, json.Unmarshal(raw, &out) == nil && out != nil
}

// str is the string that raw holds.
func str(raw json.RawMessage) (string, bool) {
	var out *string
	if json.Unmarshal(raw, &out) != nil || out == nil {
		return "", false
	}
	return *out, true
}

// filled is the trimmed string that raw holds, when there is something in it.
func filled(raw json.RawMessage) (string, bool) {
	text, _ := str(raw)
	text = ask.Trim(text)
	return text, text != ""
}

func issuef(path, format string, args ...any) *ask.Issue {
	return &ask.Issue{Path: path, Message: fmt.Sprintf(format, args...)}
}

// misplaced names the members of an object that are among names.
func misplaced(object map[string]json.RawMessage, names []string) string {
	var found []string
	for _, name := range names {
		if _, there := object[name]; there {
			found = append(found, name)
		}
	}
	return strings.Join(found, ", ")
}

func readQuestions(raw json.RawMessage) ([]ask.Question, *ask.Issue) {
	object := members(raw)
	if found := misplaced(object, settingMembers); found != "" {
		return nil, issuef("", "%s are configuration settings, not ask_user_question parameters. Use /ask-user-question-settings to configure them.", found)
	}
	if found := misplaced(object, entryMembers); found != "" {
		return nil, issuef("", "%s cannot be set at the top level. Set them on each questions entry instead, even when asking only one question.", found)
	}
	entries, ok := elements(object["questions"])
	switch {
	case !ok:
		return nil, issuef("questions", "questions must be an array of 1-4 question objects.")
	case len(entries) == 0:
		return nil, issuef("questions", "questions needs 1-4 entries but got 0. To ask one question, use a questions array with one entry.")
	case len(entries) > maxQuestions:
		return nil, issuef("questions", "questions accepts at most 4 entries but got %d. Ask the rest in a later ask_user_question call.", len(entries))
	}
	var out []ask.Question
	for i, entry := range entries {
		q, issue := readQuestion(fmt.Sprintf("questions[%d]", i), members(entry), out)
		if issue != nil {
			return nil, issue
		}
		q.ID = "q" + strconv.Itoa(i+1)
		out = append(out, q)
	}
	return out, nil
}

// readQuestion reads one entry; earlier are those before it.
func readQuestion(path string, entry map[string]json.RawMessage, earlier []ask.Question) (ask.Question, *ask.Issue) {
	q := ask.Question{Type: ask.Single}
	var ok bool
	if q.Prompt, ok = filled(entry["question"]); !ok {
		return q, issuef(path+".question", "%s.question must be a non-empty string.", path)
	}
	if slices.ContainsFunc(earlier, func(e ask.Question) bool { return e.Prompt == q.Prompt }) {
		return q, issuef(path, "%s repeats the question \"%s\". Each question in a batch must be distinct.", path, q.Prompt)
	}
	if q.Label, ok = filled(entry["header"]); !ok {
		return q, issuef(path+".header", "%s.header must be a non-empty string.", path)
	}
	var multi bool
	if json.Unmarshal(entry["multiSelect"], &multi) == nil && multi {
		q.Type = ask.Multi
	}
	options, ok := elements(entry["options"])
	if !ok {
		return q, issuef(path+".options", "%s.options must be an array of 2-4 options.", path)
	}
	var issue *ask.Issue
	q.Options, issue = readOptions(path+".options", options)
	return q, issue
}

// readOptions looks at the shape of all options before it compares their labels.
func readOptions(path string, raw []json.RawMessage) ([]ask.Option, *ask.Issue) {
	if n := len(raw); n < minQuestionOptions || n > maxQuestionOptions {
		return nil, issuef(path, "%s needs 2-4 entries but got %d.", path, n)
	}
	out := make([]ask.Option, len(raw))
	for j := range raw {
		var ok bool
		if out[j], ok = readOption(raw[j]); !ok {
			at := fmt.Sprintf("%s[%d]", path, j)
			return nil, issuef(at, "%s must be an object like { \"label\": \"Short label\", \"description\": \"Why a user would pick it\" }. "+
				"Call ask_user_question again with corrected options.", at)
		}
	}
	for j := range out {
		at, label := fmt.Sprintf("%s[%d]", path, j), out[j].Label
		if slices.ContainsFunc(out[:j], func(o ask.Option) bool { return o.Label == label }) {
			return nil, issuef(at, "%s repeats the label \"%s\". Labels must be distinct within a question.", at, label)
		}
		if slices.Contains(reservedLabels, label) {
			return nil, issuef(at, "%s uses the reserved label \"%s\". The prompt shows that row itself; pick a different label.", at, label)
		}
	}
	return out, nil
}

// readOption takes a description as it is and a preview that says something; other kinds of preview count as none.
func readOption(raw json.RawMessage) (ask.Option, bool) {
	object := members(raw)
	label, labelled := filled(object["label"])
	description, described := str(object["description"])
	preview, _ := str(object["preview"])
	if ask.Blank(preview) {
		preview = ""
	}
	return ask.Option{Value: label, Label: label, Description: description, Preview: preview}, labelled && described
}
