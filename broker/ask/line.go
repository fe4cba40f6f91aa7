package ask

import (
	"strings"
)

// Span is a run of text in one style (PROTOCOL, Line): text, muted, dim, accent, success, warning, error or bold.
type Span struct {
	Style string `json:"style"`
	Text  string `json:"text"`
}

// Line is one line of a transcript row or a card. Its text is cleaned for terminals and holds no line break.
type Line struct {
	Spans []Span `json:"spans"`
}

// Plain is the line without its styles.
func (l Line) Plain() string {
	var b strings.Builder
	for _, s := range l.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// PlainLines is the text of lines, newline-joined.
func PlainLines(lines []Line) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Plain()
	}
	return strings.Join(out, "\n")
}

// Paragraph breaks styled text into lines at its line breaks.
func Paragraph(spans ...Span) []Line {
	lines := []Line{{Spans: []Span{}}}
	for _, s := range spans {
		for i, text := range strings.Split(clean(s.Text, "\t", "\n"), "\n") {
			if i > 0 {
				lines = append(lines, Line{Spans: []Span{}})
			}
			if text != "" {
				last := &lines[len(lines)-1]
				last.Spans = append(last.Spans, Span{Style: s.Style, Text: text})
			}
		}
	}
	return lines
}

// TranscriptLines is the tool row of a finished form.
func TranscriptLines(r *Result) []Line {
	switch {
	case r.Error != nil:
		return Paragraph(Span{"warning", TextInvalid})
	case r.Cancelled:
		return Paragraph(Span{"warning", "Cancelled"})
	}
	var lines []Line
	for i := range r.Questions {
		lines = append(lines, transcriptQuestion(r, &r.Questions[i])...)
	}
	if r.presentedDifferently() {
		lines = append(lines, Paragraph(Span{"dim", "  " + TextPresented})...)
	}
	if len(lines) == 0 {
		return Paragraph(Span{"success", "Submitted"})
	}
	return lines
}

func transcriptQuestion(r *Result, q *ResultQuestion) []Line {
	if r.Skips(q.ID) {
		return Paragraph(Span{"dim", "- "}, Span{"accent", q.Label + ": "}, Span{"dim", "(skipped)"})
	}
	a, _ := r.Answers.Get(q.ID)
	lines := transcriptAnswer(q, &a)
	if note := withMarker(a.Note, len(a.NoteImages)); note != "" {
		lines = append(lines, Paragraph(Span{"muted", "  note: "}, Span{"text", note})...)
	}
	for _, n := range a.optionNotes() {
		lines = append(lines, Paragraph(Span{"muted", "  " + n.name() + " note: "}, Span{"text", n.text})...)
	}
	return lines
}

func transcriptAnswer(q *ResultQuestion, a *Answer) []Line {
	if !a.Committed() {
		return Paragraph(Span{"warning", "? "}, Span{"accent", q.Label + ": "}, Span{"dim", "(no answer)"})
	}
	spans := []Span{{"success", "✓ "}, {"accent", q.Label + ": "}}
	if len(a.Indices) == 0 && a.CustomText != "" {
		spans = append(spans, Span{"muted", "(wrote) "})
	}
	return Paragraph(append(spans, Span{"text", a.text()})...)
}

// ReceiptLines is the tool row of a queued form.
func ReceiptLines(questions, pending int) []Line {
	return Paragraph(Span{"muted", sprint(questions, " question(s) queued · ", pending, " form(s) pending")})
}

// WaitLines is the tool row of a finished wait.
func WaitLines(answers int) []Line {
	return Paragraph(Span{"success", sprint("Received ", answers, " answer(s).")})
}

// DeferredLines is the tool row of a deferred wait.
func DeferredLines(pending int) []Line {
	return Paragraph(Span{"warning", sprint("Deferred, ", pending, " pending.")})
}

// ErrorLines is the tool row of a call that failed.
func ErrorLines(message string) []Line { return Paragraph(Span{"error", message}) }
