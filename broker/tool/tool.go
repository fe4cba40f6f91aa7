// Package tool knows what each agent tool is: its definition for agents, how its raw arguments become a request, and how
// an outcome becomes the tool's result. It touches neither socket nor store.
package tool

import (
	"encoding/json"

	"askd/broker/ask"
)

// Block is one piece of a tool result's content.
type Block = ask.Block

// Span is a run of text in one style.
type Span = ask.Span

// Line is one line of a transcript row or card.
type Line = ask.Line

// ParamError says that an argument has the wrong JSON type: invalid_params, and nothing is stored.
type ParamError = ask.ParamError

// Env is what the meaning of arguments depends on besides themselves. The zero value is an ordinary call.
type Env struct {
	PresentSingleAsMulti bool // the setting of that name
	BackgroundOnly       bool // the session's question mode: every call is queued
	Saved                bool // the arguments are a saved form's: contexts are text and no file is read
	// Remote: the asker's files are on another machine. Files are those that it has sent, and no other is read.
	Remote bool
	Files  []ask.File
}

// Parsed is what came of raw arguments. When Issues is set the payload was refused and Questions is nil.
type Parsed struct {
	Title       string
	Background  bool
	Questions   []ask.Question
	Arguments   json.RawMessage // prepared, context files loaded, otherwise as they came
	Issues      []ask.Issue
	RawTitle    string   // as given, for the details of a refused payload
	QuestionIDs []string // as given, untrimmed, for receipts
}

// Tool is one agent tool that asks. All its functions but Parse are pure; Parse may read context files and so blocks.
type Tool struct {
	Name string
	// Parse reads arguments. Errors are *ParamError.
	Parse func(raw json.RawMessage, env Env) (*Parsed, error)
	// Outcome is the result of a foreground call.
	Outcome func(r *ask.Request, o *ask.Outcome) *Outcome
	// Invalid is the result of a refused payload.
	Invalid func(p *Parsed) *Outcome
	// NoUI is the result of a call that nobody could be asked; o may be nil.
	NoUI func(r *ask.Request, o *ask.Outcome) *Outcome
	// Receipt is the result of a queued call; nil when the tool knows no background and its agent always waits.
	Receipt func(r *ask.Request, questionIDs []string, pending int, backgroundOnly bool) *Outcome
	// Background is a background answer as it is delivered; Transcript is its card. nil without a Receipt.
	Background func(r *ask.Request, o *ask.Outcome) *Outcome
	// FollowUp is a recovered foreground answer as it is delivered: a user message.
	FollowUp func(r *ask.Request, o *ask.Outcome) *Outcome
	// Prompted tools have prompts of their own kind: each opens with the person's settings for it and perhaps a deadline, and
	// other extensions hear nothing of them.
	Prompted bool
	// CallRow is the row that stands for a call with these arguments, which may be malformed.
	CallRow func(arguments json.RawMessage) []Line
}

// tools is every tool that takes questions, by name.
var tools = map[string]Tool{
	ask.ToolAskUser:  askUser,
	ask.ToolQuestion: question,
}

// Lookup gives the tool of that name. wait_for_answers is none of them: it asks nothing.
func Lookup(name string) (Tool, bool) {
	t, ok := tools[name]
	return t, ok
}
