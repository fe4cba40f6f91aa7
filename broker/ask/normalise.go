package ask

import "strconv"

// Normalise gives the title and the questions as a form shows them (contract, "Input rules"). Call it on a payload without
// issues, after LoadContexts or KeepContexts. presentSingleAsMulti is the setting of that name: single questions open as
// multi and remember what was asked for.
func (p *Payload) Normalise(presentSingleAsMulti bool) (title string, questions []Question) {
	questions = make([]Question, len(p.questions))
	for i := range p.questions {
		questions[i] = p.questions[i].normalise(i, presentSingleAsMulti)
	}
	return Trim(p.RawTitle), questions
}

func (q *rawQuestion) normalise(i int, presentSingleAsMulti bool) Question {
	out := Question{ID: Trim(q.id), Label: Trim(q.label), Prompt: Trim(q.prompt), Context: Trim(joinContext(q.context)), Type: Single, Input: q.input, Placeholder: Trim(q.placeholder)}
	if out.Label == "" {
		out.Label = "Q" + strconv.Itoa(i+1)
	}
	if q.kind == string(Multi) {
		out.Type = Multi
	} else if presentSingleAsMulti && !q.input {
		out.Type, out.RequestedType, out.PresentedType = Multi, Single, Multi
	}
	out.Options = make([]Option, len(q.options))
	for j, o := range q.options {
		out.Options[j] = Option{Value: Trim(o.value), Label: Trim(o.label), Description: Trim(o.description), Recommended: o.recommended}
	}
	return out
}
