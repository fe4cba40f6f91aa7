package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"askd/broker/ask"

	"github.com/rivo/uniseg"
)

// callLabelColumns is the width that the labels of a call row may take.
const callLabelColumns = 50

// CallRow is the row of an ask_user call, made of its raw arguments. Arguments that cannot be read make a row without labels.
func CallRow(arguments json.RawMessage) []Line {
	var payload struct {
		Questions []json.RawMessage `json:"questions"`
	}
	_ = json.Unmarshal(arguments, &payload) // what cannot be read is refused by the call itself
	labels := make([]string, len(payload.Questions))
	for i, raw := range payload.Questions {
		labels[i] = callLabel(i, raw)
	}
	spans := []Span{{Style: "bold", Text: "ask_user "}, {Style: "muted", Text: fmt.Sprintf("%d question(s)", len(labels))}}
	if len(labels) > 0 {
		spans = append(spans, Span{Style: "dim", Text: " (" + cutColumns(strings.Join(labels, ", "), callLabelColumns) + ")"})
	}
	return ask.Paragraph(spans...)
}

// WaitRow is the row of a wait_for_answers call.
func WaitRow() []Line { return ask.Paragraph(Span{Style: "bold", Text: ask.ToolWait}) }

func callLabel(i int, raw json.RawMessage) string {
	var q struct {
		Label any `json:"label"`
	}
	_ = json.Unmarshal(raw, &q) // as above
	if label, ok := q.Label.(string); ok && !ask.Blank(label) {
		return ask.CleanLine(ask.Trim(label))
	}
	return fmt.Sprintf("Q%d", i+1)
}

// cutColumns shortens s to so many terminal columns, an ellipsis of three dots included.
func cutColumns(s string, columns int) string {
	if uniseg.StringWidth(s) <= columns {
		return s
	}
	const ellipsis = "..."
	var b strings.Builder
	room := columns - len(ellipsis)
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if room -= g.Width(); room < 0 {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + ellipsis
}
