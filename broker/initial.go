package broker

import (
	"slices"

	"askd/broker/ask"
)

// Initial is what one question of a form opens with (PROTOCOL, tool.call). The person may change all of it; only a submit
// makes an answer of it. The zero value is an untouched question.
type Initial struct {
	// Values are the options that are selected; those that the question does not have are left out.
	Values []string `json:"values"`
	// CustomText opens the editor of the answer in own words with this text in it; nil leaves it closed. Of several
	// questions the first with a text has its editor open.
	CustomText *string `json:"customText"`
}

// initialDraft is the draft that a request starts with, nil for none. ask_user_question has rules of its own for what a
// page holds and takes none.
func initialDraft(r *ask.Request, initial map[string]Initial) *ask.Draft {
	if len(initial) == 0 || r.Tool != ask.ToolAskUser {
		return nil
	}
	d := &ask.Draft{SavedAt: r.CreatedAt}
	for i := range r.Questions {
		q := &r.Questions[i]
		in, ok := initial[q.ID]
		if !ok {
			continue
		}
		if in.CustomText != nil && d.Editor == nil {
			d.Editor = &ask.EditorDraft{Kind: ask.EditCustom, Question: q.ID, Text: *in.CustomText}
		}
		selected := make([]string, 0, len(in.Values))
		for j := range q.Options {
			if slices.Contains(in.Values, q.Options[j].Value) {
				d.Row = firstRow(d.Row, i, len(selected), j)
				selected = append(selected, q.Options[j].Value)
			}
		}
		if len(selected) > 0 {
			d.Questions = append(d.Questions, ask.QuestionDraft{ID: q.ID, Selected: selected})
		}
	}
	if d.Editor == nil && len(d.Questions) == 0 {
		return nil
	}
	return d
}

// firstRow puts the focus of the first question on the first option that is selected there.
func firstRow(row, question, before, option int) int {
	if question == 0 && before == 0 {
		return option
	}
	return row
}
