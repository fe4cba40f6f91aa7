package tool

import (
	"askd/broker/ask"
)

// WaitResult is details and structured content of wait_for_answers (contract, "Background queue").
type WaitResult struct {
	Status            string          `json:"status"` // complete or deferred
	Reason            ask.DeferReason `json:"reason,omitempty"`
	RequestIDs        []string        `json:"requestIds"` // all awaited, in queue order
	PendingRequestIDs []string        `json:"pendingRequestIds,omitzero"`
	Results           []Finished      `json:"results"`
}

// WaitComplete is the result of a wait all of whose forms have ended.
func WaitComplete(requestIDs []string, results []Finished) *Outcome {
	w := WaitResult{Status: "complete", RequestIDs: notNil(requestIDs), Results: notNil(results)}
	return waitOutcome(w, ask.WaitText(texts(results)), ask.WaitLines(len(results)))
}

// WaitDeferred is the result of a wait that was released while forms were pending. results are the outcomes that had come
// and were not delivered before.
func WaitDeferred(reason ask.DeferReason, requestIDs, pending []string, results []Finished) *Outcome {
	w := WaitResult{
		Status: "deferred", Reason: reason, RequestIDs: notNil(requestIDs),
		PendingRequestIDs: notNil(pending), Results: notNil(results),
	}
	return waitOutcome(w, ask.DeferredText(reason, pending, texts(results)), ask.DeferredLines(len(pending)))
}

func waitOutcome(w WaitResult, text string, transcript []Line) *Outcome {
	results := make([]*ask.Result, len(w.Results))
	for i, f := range w.Results {
		results[i] = f.Result
	}
	return &Outcome{
		Content:           append([]Block{ask.TextBlock(text)}, ask.ImageBlocks(results...)...),
		Details:           w,
		StructuredContent: w,
		Transcript:        transcript,
	}
}

func texts(results []Finished) []string {
	out := make([]string, len(results))
	for i := range results {
		out[i] = results[i].text()
	}
	return out
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
