package tool

import (
	"encoding/json"

	"askd/broker/ask"
)

// askUser is the contract's ask_user.
var askUser = Tool{
	Name:       ask.ToolAskUser,
	Parse:      parseAskUser,
	Outcome:    askUserOutcome,
	Invalid:    askUserInvalid,
	NoUI:       askUserNoUI,
	Receipt:    askUserReceipt,
	Background: askUserBackground,
	FollowUp:   askUserFollowUp,
	CallRow:    CallRow,
}

// parseAskUser validates first and reads files after: a refused payload opens no file.
func parseAskUser(raw json.RawMessage, env Env) (*Parsed, error) {
	payload, err := ask.ReadPayload(raw)
	if err != nil {
		return nil, err
	}
	p := &Parsed{RawTitle: payload.RawTitle, Background: payload.Background || env.BackgroundOnly, QuestionIDs: payload.QuestionIDs()}
	p.Issues = payload.Validate()
	switch {
	case p.Issues != nil:
	case env.Saved:
		payload.KeepContexts()
	case env.Remote:
		p.Issues = payload.TakeContexts(env.Files)
	default:
		p.Issues = payload.LoadContexts()
	}
	p.Arguments = payload.Arguments()
	p.Title = ask.Trim(payload.RawTitle)
	if p.Issues == nil {
		p.Title, p.Questions = payload.Normalise(env.PresentSingleAsMulti)
	}
	return p, nil
}

func askUserOutcome(r *ask.Request, o *ask.Outcome) *Outcome {
	switch {
	case o.Kind == ask.NoUI:
		return askUserNoUI(r, o)
	case o.Kind == ask.Interrupted || o.Kind == ask.Withdrawn:
		return Failure(ask.TextInterrupted).identify(r, o)
	case o.Result == nil:
		return Failure(failureOf(o)).identify(r, o)
	}
	result := withID(o.Result, r.ID)
	out := &Outcome{
		Content:           append([]Block{ask.TextBlock(ask.RequestLine(r.ID, ask.Summary(result)))}, ask.ImageBlocks(result)...),
		Details:           result,
		StructuredContent: CompactOf(result),
		AbortOperation:    o.Kind == ask.Cancelled && !r.Background,
		Transcript:        ask.TranscriptLines(result),
	}
	return out.identify(r, o)
}

// failureOf is why an outcome has no result, never empty.
func failureOf(o *ask.Outcome) string {
	switch {
	case o.Error != "":
		return o.Error
	case o.Kind == ask.TimedOut:
		return "Question form timed out; no answer was given."
	case o.Kind == ask.Failed:
		return "The question form could not be shown."
	}
	return ask.TextInterrupted
}

// withID gives a copy of the result that carries this request id, or none.
func withID(r *ask.Result, id string) *ask.Result {
	c := *r
	c.RequestID = id
	return &c
}

func askUserInvalid(p *Parsed) *Outcome {
	result := ask.InvalidResult(p.RawTitle, p.Issues)
	return &Outcome{
		Content:           []Block{ask.TextBlock(ask.InvalidText(p.Issues))},
		Details:           result,
		StructuredContent: CompactOf(result),
		Transcript:        ask.TranscriptLines(result),
	}
}

func askUserNoUI(r *ask.Request, o *ask.Outcome) *Outcome {
	result := ask.PendingResult(r)
	out := &Outcome{
		Content:           []Block{ask.TextBlock(ask.FallbackText(r))},
		Details:           result,
		StructuredContent: CompactOf(result),
		Transcript:        ask.TranscriptLines(result),
	}
	return out.identify(r, o)
}

// Receipt is details and structured content of a queued call (contract, "Background queue").
type Receipt struct {
	Status          string   `json:"status"` // always queued
	RequestID       string   `json:"requestId"`
	QuestionIDs     []string `json:"questionIds"`
	PendingRequests int      `json:"pendingRequests"` // unfinished forms, this one included
}

func askUserReceipt(r *ask.Request, questionIDs []string, pending int, backgroundOnly bool) *Outcome {
	receipt := Receipt{Status: "queued", RequestID: r.ID, QuestionIDs: questionIDs, PendingRequests: pending}
	if receipt.QuestionIDs == nil {
		receipt.QuestionIDs = []string{}
	}
	return &Outcome{
		RequestID:         r.ID,
		Content:           []Block{ask.TextBlock(ask.ReceiptText(r.ID, pending, backgroundOnly))},
		Details:           receipt,
		StructuredContent: receipt,
		Transcript:        ask.ReceiptLines(len(questionIDs), pending),
	}
}

// Finished is a background form that ended, as messages and waits carry it. Exactly one of Result and Error is set.
type Finished struct {
	RequestID        string      `json:"requestId"`
	ParentToolCallID string      `json:"parentToolCallId,omitempty"`
	Result           *ask.Result `json:"result,omitempty"`
	Error            string      `json:"error,omitempty"`
}

// FinishedOf wraps an outcome. The request id stands in the wrapper alone.
func FinishedOf(r *ask.Request, o *ask.Outcome) Finished {
	f := Finished{RequestID: r.ID, ParentToolCallID: r.ParentToolCallID}
	if o.Result != nil {
		f.Result = withID(o.Result, "")
	} else {
		f.Error = failureOf(o)
	}
	return f
}

func (f *Finished) text() string { return ask.BackgroundText(f.RequestID, f.Result, f.Error) }

func askUserBackground(r *ask.Request, o *ask.Outcome) *Outcome {
	f := FinishedOf(r, o)
	out := &Outcome{
		Content:    append([]Block{ask.TextBlock(f.text())}, ask.ImageBlocks(f.Result)...),
		Details:    f,
		Transcript: ask.CardLines(r, f.Result, f.Error),
	}
	return out.identify(r, o)
}

func askUserFollowUp(r *ask.Request, o *ask.Outcome) *Outcome {
	out := askUserOutcome(r, o)
	if !out.IsError && o.Kind != ask.NoUI {
		out.Content[0] = ask.TextBlock(ask.Summary(o.Result))
	}
	return out
}
