package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"askd/broker/ask"
)

// textQuestionCancelled is the published text of every end without a submit: dismissed, timed out, aborted.
const textQuestionCancelled = "User cancelled the questions"

// The kinds of a QuestionAnswer.
const (
	kindOption = "option"
	kindMulti  = "multi"
	kindCustom = "custom"
)

// QuestionAnswer is one answered question in the details of ask_user_question.
type QuestionAnswer struct {
	Question string   `json:"question"`
	Kind     string   `json:"kind"`   // option, multi or custom
	Answer   *string  `json:"answer"` // nil for multi
	Selected []string `json:"selected,omitempty"`
}

// QuestionDetails are the details of ask_user_question. Questions left unanswered have no entry.
type QuestionDetails struct {
	Answers   []QuestionAnswer `json:"answers"`
	Cancelled bool             `json:"cancelled"`
	Error     string           `json:"error,omitempty"`
}

// summary is the answer in one line, but for line breaks of the person's own.
func (a *QuestionAnswer) summary() string {
	if a.Answer != nil {
		return *a.Answer
	}
	return strings.Join(a.Selected, ", ")
}

// questionOutcome never looks like an answer without a submit. A prompt that broke or could not be shown fails the call.
func questionOutcome(r *ask.Request, o *ask.Outcome) *Outcome {
	switch {
	case o.Kind == ask.NoUI:
		return questionNoUI(r, o)
	case o.Kind == ask.Failed:
		return questionFailure(failureOf(o)).identify(r, o)
	case !o.Kind.Submitted() || o.Result == nil:
		return questionResult(textQuestionCancelled, QuestionDetails{Answers: []QuestionAnswer{}, Cancelled: true}).identify(r, o)
	}
	d := QuestionDetails{Answers: questionAnswers(r, o.Result)}
	return questionResult(answeredText(d.Answers), d).identify(r, o)
}

func questionResult(text string, d QuestionDetails) *Outcome {
	return &Outcome{Content: []Block{ask.TextBlock(text)}, Details: d, Transcript: questionLines(&d)}
}

// questionFailure is a failed call as this tool draws it.
func questionFailure(message string) *Outcome {
	out := Failure(message)
	out.Transcript = questionLines(&QuestionDetails{Error: message})
	return out
}

// questionAnswers are the answers in question order.
func questionAnswers(r *ask.Request, result *ask.Result) []QuestionAnswer {
	out := []QuestionAnswer{}
	for i := range r.Questions {
		q := &r.Questions[i]
		if a, ok := result.Answers.Get(q.ID); ok && a.Committed() {
			out = append(out, questionAnswer(q, &a))
		}
	}
	return out
}

// questionAnswer says custom only of a free text that stands alone. Labels hold the free text last.
func questionAnswer(q *ask.Question, a *ask.Answer) QuestionAnswer {
	out := QuestionAnswer{Question: q.Prompt}
	custom := ask.Trim(a.CustomText)
	labels := a.Labels
	if custom != "" && len(labels) > 0 {
		labels = append(slices.Clone(labels[:len(labels)-1]), custom)
	}
	switch {
	case custom != "" && (q.Type != ask.Multi || len(labels) == 1):
		out.Kind, out.Answer = kindCustom, &custom
	case q.Type == ask.Multi:
		out.Kind, out.Selected = kindMulti, labels
	default:
		out.Kind, out.Answer = kindOption, &labels[0]
	}
	return out
}

// answeredText counts the answers, not the questions, and never says "1 question".
func answeredText(answers []QuestionAnswer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "User answered %d questions:", len(answers))
	for i := range answers {
		fmt.Fprintf(&b, "\n%d. %s → %s", i+1, answers[i].Question, answers[i].summary())
	}
	return b.String()
}

func questionNoUI(r *ask.Request, o *ask.Outcome) *Outcome {
	blocks := []string{"ask_user_question requires interactive mode. Please answer these questions:"}
	for i := range r.Questions {
		blocks = append(blocks, listedQuestion(i, &r.Questions[i]))
	}
	return questionFailure(strings.Join(blocks, "\n\n")).identify(r, o)
}

// listedQuestion is a question as an agent puts it to its user in its own words.
func listedQuestion(i int, q *ask.Question) string {
	head := "   Options:"
	if q.Type == ask.Multi {
		head = "   Options (choose one or more):"
	}
	lines := []string{fmt.Sprintf("%d. %s", i+1, q.Prompt), head}
	for j := range q.Options {
		lines = append(lines, "   "+ListedOption(j, &q.Options[j]))
	}
	return strings.Join(append(lines, "   You can also answer freely."), "\n")
}

// ListedOption is an option of ask_user_question in a plain list; j is its 0-based place.
func ListedOption(j int, o *ask.Option) string {
	line := fmt.Sprintf("%d. %s", j+1, o.Label)
	if o.Description != "" {
		line += " — " + o.Description
	}
	return line
}

// questionLines is the tool row of a finished call.
func questionLines(d *QuestionDetails) []Line {
	switch {
	case d.Error != "":
		return ask.Paragraph(Span{Style: "error", Text: "✗ " + d.Error})
	case d.Cancelled:
		return ask.Paragraph(Span{Style: "warning", Text: "Cancelled"})
	}
	lines := ask.Paragraph(Span{Style: "success", Text: fmt.Sprintf("✓ %d answered", len(d.Answers))})
	for i := range d.Answers {
		a := &d.Answers[i]
		spans := []Span{{Style: "muted", Text: fmt.Sprintf("%d. ", i+1)}, {Style: "accent", Text: a.Question}, {Style: "muted", Text: " → "}}
		if a.Kind == kindCustom {
			spans = append(spans, Span{Style: "muted", Text: "(wrote) "})
		}
		lines = append(lines, ask.Paragraph(append(spans, Span{Style: "text", Text: a.summary()})...)...)
	}
	return lines
}

// questionRow is the row of a call, whose arguments may be half there.
func questionRow(arguments json.RawMessage) []Line {
	entries, _ := elements(members(arguments)["questions"])
	lines := ask.Paragraph(Span{Style: "bold", Text: ask.ToolQuestion + " "}, Span{Style: "muted", Text: fmt.Sprintf("%d questions", len(entries))})
	for i, raw := range entries {
		entry := members(raw)
		header, _ := filled(entry["header"])
		prompt, _ := filled(entry["question"])
		spans := []Span{{Style: "muted", Text: fmt.Sprintf("  %d. ", i+1)}}
		if header != "" {
			spans = append(spans, Span{Style: "accent", Text: "[" + header + "] "})
		}
		spans = append(spans, Span{Style: "text", Text: prompt})
		if notes := entryNotes(entry); notes != "" {
			spans = append(spans, Span{Style: "dim", Text: " (" + notes + ")"})
		}
		lines = append(lines, ask.Paragraph(spans...)...)
	}
	return lines
}

func entryNotes(entry map[string]json.RawMessage) string {
	var notes []string
	if options, _ := elements(entry["options"]); len(options) > 0 {
		notes = append(notes, fmt.Sprintf("%d option(s)", len(options)))
	}
	var multi bool
	if json.Unmarshal(entry["multiSelect"], &multi) == nil && multi {
		notes = append(notes, "multi-select")
	}
	return strings.Join(notes, ", ")
}
