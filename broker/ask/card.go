package ask

import (
	"fmt"
	"strings"
)

// CardLines is the card of an answer that came later than its call, in the questionnaire's Review style. A nil result is a
// failure and failure says why. The accent rules above and below are not part of it: whoever draws knows the width.
func CardLines(r *Request, result *Result, failure string) []Line {
	lines := cardHead(r.Title, result)
	switch {
	case result == nil || result.Error != nil:
		if failure == "" {
			failure = "No form result available."
		}
		return append(lines, Paragraph(Span{"error", failure})...)
	case result.Cancelled:
		return append(lines, Paragraph(Span{"muted", "No approval given."})...)
	}
	for i := range result.Questions {
		lines = append(lines, Line{Spans: []Span{}})
		lines = append(lines, cardQuestion(r, result, &result.Questions[i])...)
	}
	if result.presentedDifferently() {
		lines = append(lines, Line{Spans: []Span{}})
		lines = append(lines, Paragraph(Span{"dim", TextPresented})...)
	}
	return lines
}

func cardHead(title string, result *Result) []Line {
	status := Span{"success", "✓ Answers received"}
	switch {
	case result == nil || result.Error != nil:
		status = Span{"error", "! Question form failed"}
	case result.Cancelled:
		status = Span{"warning", "? Questions cancelled"}
	}
	if title == "" {
		return Paragraph(status)
	}
	return Paragraph(Span{"bold", title}, Span{"text", " · "}, status)
}

func cardQuestion(r *Request, result *Result, q *ResultQuestion) []Line {
	lines := indented(" ", Span{"text", q.Prompt})
	if result.Skips(q.ID) {
		return append(lines, indented("   ", Span{"dim", "→ skipped"})...)
	}
	a, _ := result.Answers.Get(q.ID)
	lines = append(lines, cardAnswer(&a)...)
	if note := withMarker(a.Note, len(a.NoteImages)); note != "" {
		lines = append(lines, cardNote("Note: ", note)...)
	}
	for _, n := range a.optionNotes() {
		if !n.selected {
			lines = append(lines, cardNote(optionName(r, q.ID, n.value)+" Note: ", n.text)...)
		}
	}
	return lines
}

// cardAnswer gives one arrow line for all labels, or one a selection when there are several or any has a note.
func cardAnswer(a *Answer) []Line {
	if !a.Committed() {
		return indented("   ", Span{"dim", "→ unanswered"})
	}
	style := "success"
	if len(a.Indices) == 0 {
		style = "text"
	}
	notes := a.optionNotes()
	if len(a.Labels) < 2 && len(notes) == 0 {
		return indented("   ", Span{style, "→ " + a.text()})
	}
	return cardSelections(a, notes)
}

func cardSelections(a *Answer, notes []optionNote) []Line {
	var lines []Line
	for i, label := range a.Labels {
		if i >= len(a.Indices) {
			lines = append(lines, indented("   ", Span{"text", "→ " + withMarker(label, len(a.CustomImages))})...)
			continue
		}
		lines = append(lines, indented("   ", Span{"success", "→ " + label})...)
		for _, n := range notes {
			if n.selected && n.value == a.Values[i] {
				lines = append(lines, cardNote("Note: ", n.text)...)
			}
		}
	}
	if len(a.CustomImages) > 0 && a.CustomText == "" {
		lines = append(lines, indented("   ", Span{"text", "→ " + imageMarker(len(a.CustomImages))})...)
	}
	return lines
}

func cardNote(name, text string) []Line {
	return indented("     ", Span{"muted", name}, Span{"text", text})
}

// indented puts an indent before every line of the text.
func indented(indent string, spans ...Span) []Line {
	lines := Paragraph(spans...)
	for i := range lines {
		lines[i].Spans = append([]Span{{"text", indent}}, lines[i].Spans...)
	}
	return lines
}

// optionName is the label of an option, its value when the request does not know it.
func optionName(r *Request, question, value string) string {
	for i := range r.Questions {
		if r.Questions[i].ID != question {
			continue
		}
		for _, o := range r.Questions[i].Options {
			if o.Value == value {
				return o.Label
			}
		}
	}
	return value
}

func sprint(parts ...any) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprint(&b, p)
	}
	return b.String()
}
