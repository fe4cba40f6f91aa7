package ask

import (
	"fmt"
	"strings"
)

// The fixed sentences of results.
const (
	TextCancelled       = "User cancelled the ask flow"
	TextSubmitted       = "User submitted the ask flow"
	TextPresented       = "Note: Some questions were presented as multi-select by user preference."
	TextInterrupted     = "Question form interrupted"
	TextWaitInterrupted = "Question wait interrupted"
	TextNoWait          = "No outstanding background answers. Previously delivered answers are already in context."
	TextNoQueue         = "Background question queue is unavailable."
	TextInvalid         = "Invalid tool payload"
)

// RequestLine puts the line that names tool and request in front of a body.
func RequestLine(requestID, body string) string {
	return ToolAskUser + " [" + requestID + "]\n" + body
}

// Summary is the text of a submitted or cancelled result for the agent, one line or more a question, without the request's
// line.
func Summary(r *Result) string {
	return summary(r, func(q *ResultQuestion) string { return q.Label })
}

func summary(r *Result, name func(*ResultQuestion) string) string {
	if r.Cancelled {
		return TextCancelled
	}
	var lines []string
	for i := range r.Questions {
		q := &r.Questions[i]
		lines = appendSummary(lines, r, q, name(q))
	}
	if r.presentedDifferently() {
		lines = append(lines, TextPresented)
	}
	if len(lines) == 0 {
		return TextSubmitted
	}
	return strings.Join(lines, "\n")
}

func appendSummary(lines []string, r *Result, q *ResultQuestion, name string) []string {
	if r.Skips(q.ID) {
		return append(lines, name+": (skipped)")
	}
	a, _ := r.Answers.Get(q.ID)
	if !a.Committed() {
		lines = append(lines, name+": (no answer)")
	} else {
		lines = append(lines, name+": "+a.text())
	}
	if note := withMarker(a.Note, len(a.NoteImages)); note != "" {
		lines = append(lines, name+" note: "+note)
	}
	for _, n := range a.optionNotes() {
		lines = append(lines, name+" / "+n.name()+" note: "+n.text)
	}
	return lines
}

// text is the answer itself: labels, then the marker of its images.
func (a *Answer) text() string {
	return withMarker(strings.Join(a.Labels, ", "), len(a.CustomImages))
}

// optionNote is one option's note as texts show it.
type optionNote struct {
	value, label, text string
	selected           bool
}

func (n *optionNote) name() string {
	if n.selected {
		return n.label
	}
	return n.value + " (not selected)"
}

// optionNotes gives the notes of selected options in their order, then those of the others.
func (a *Answer) optionNotes() []optionNote {
	var selected, others []optionNote
	for i := range a.Indices {
		if n, ok := a.optionNote(a.Values[i]); ok {
			selected = append(selected, n)
		}
	}
	for _, value := range a.notedValues() {
		if n, ok := a.optionNote(value); ok && !n.selected {
			others = append(others, n)
		}
	}
	return append(selected, others...)
}

func (a *Answer) optionNote(value string) (optionNote, bool) {
	note, _ := a.OptionNotes.Get(value)
	images, _ := a.OptionNoteImages.Get(value)
	n := optionNote{value: value, text: withMarker(note, len(images))}
	n.label, n.selected = a.optionLabel(value)
	return n, n.text != ""
}

func (a *Answer) notedValues() []string {
	var values []string
	for v := range a.OptionNotes.All() {
		values = append(values, v)
	}
	for v := range a.OptionNoteImages.All() {
		if _, ok := a.OptionNotes.Get(v); !ok {
			values = append(values, v)
		}
	}
	return values
}

// presentedDifferently reports whether the result needs the presented-as-multi note.
func (r *Result) presentedDifferently() bool {
	for _, q := range r.Questions {
		if _, ok := r.Answers.Get(q.ID); ok && q.PresentedType != "" && q.PresentedType != q.Type {
			return true
		}
	}
	return false
}

// InvalidText is what the agent reads when its payload was refused.
func InvalidText(issues []Issue) string {
	var b strings.Builder
	b.WriteString("Invalid ask_user payload:")
	for _, issue := range issues {
		b.WriteString("\n- " + issue.Path + ": " + issue.Message)
	}
	return b.String()
}

// FallbackText is what the agent reads when nobody could be asked, with the request's line.
func FallbackText(r *Request) string {
	lines := []string{
		"Needs user input: ask_user requires interactive TUI mode.",
		"Run same tool call in interactive TUI mode, or ask user these questions manually:",
	}
	for i, q := range r.Questions {
		lines = append(lines, fmt.Sprintf("%d. %s: %s", i+1, q.Label, q.Prompt))
		for _, o := range q.Options {
			lines = append(lines, "   - "+o.Label+" ["+o.Value+"]")
		}
		lines = append(lines, "   - "+CustomLabel+" [custom]")
	}
	lines = append(lines, "details.questions contains normalized pending questions. details.answers stays empty until user responds.")
	return RequestLine(r.ID, strings.Join(lines, "\n"))
}

// BackgroundText is a background answer as it enters the agent's context, as a message or through a wait. A nil result is a
// form that failed; failure says why.
func BackgroundText(requestID string, r *Result, failure string) string {
	head := "Background answer [" + requestID + "]"
	if r == nil {
		return head + ":\nQuestion form failed: " + failure
	}
	if r.Title != "" {
		head += " — " + r.Title
	}
	lines := []string{head + ":", "Questions:"}
	for _, q := range r.Questions {
		lines = append(lines, "- ["+q.ID+"] "+q.Label+": "+q.Prompt)
	}
	lines = append(lines, "Response:", summary(r, func(q *ResultQuestion) string { return q.Label + " [" + q.ID + "]" }))
	return strings.Join(lines, "\n")
}

// ReceiptText tells the agent that its form is queued. pending counts the unfinished forms with this one.
func ReceiptText(requestID string, pending int, backgroundOnly bool) string {
	rest := "Continue independent work; call wait_for_answers when answers are needed."
	if backgroundOnly {
		rest = "Continue independent work; the answer will arrive as a message."
	}
	return fmt.Sprintf("Queued ask_user [%s]. %d form(s) pending. This is not an answer. %s", requestID, pending, rest)
}

// WaitText is the text of a finished wait: its background answers, parted by blank lines.
func WaitText(answers []string) string {
	if len(answers) == 0 {
		return TextNoWait
	}
	return strings.Join(answers, "\n\n")
}

// DeferReason says why a wait ended before its forms did.
type DeferReason string

// The reasons of a deferred wait (contract, "Background queue").
const (
	DeferHidden  DeferReason = "hidden"
	DeferMessage DeferReason = "user_message"
)

// DeferredText is the text of a deferred wait: what did finish, then what that means.
func DeferredText(reason DeferReason, pending, answers []string) string {
	why := "hidden by the user"
	if reason == DeferMessage {
		why = "the user sent a message"
	}
	text := fmt.Sprintf("Question wait deferred (%s). %d form(s) still pending: %s. This is not an answer. "+
		"Do not call wait_for_answers again until the user or an answer prompts you.", why, len(pending), strings.Join(pending, ", "))
	return strings.Join(append(append([]string(nil), answers...), text), "\n\n")
}
