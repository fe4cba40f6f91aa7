package ask

import (
	"encoding/json"
	"fmt"
)

// The error codes of a refused response (contract, "Remote inter-extension events").
const (
	RemoteInvalidRequest = "invalid_request"
	RemoteInvalidAnswer  = "invalid_answer"
	RemoteFlowNotFound   = "flow_not_found"
)

// RemoteError is a refused response. Message is the contract's sentence.
type RemoteError struct{ Code, Message string }

// Error is the message.
func (e *RemoteError) Error() string { return e.Message }

// ErrFlowNotFound refuses a response to a form that is not open.
var ErrFlowNotFound = &RemoteError{RemoteFlowNotFound, "Ask flow is not active."}

// ErrNoFlow refuses a response that names no form.
var ErrNoFlow = &RemoteError{RemoteInvalidRequest, "Submit event flowId is required."}

// RemoteKind is what a response from outside wants.
type RemoteKind string

// The kinds of response.
const (
	RemoteAnswer RemoteKind = "answer"
	RemoteCancel RemoteKind = "cancel"
)

// ParseRemoteKind checks the outside of a response, as is done before the form is looked up. Errors are *RemoteError.
func ParseRemoteKind(response json.RawMessage) (RemoteKind, error) {
	_, kind, err := splitResponse(response)
	return kind, err
}

// ParseRemote checks a response against the form and makes choices of it. Values are options' values, the type that counts
// is the one that the form opened with. For a cancel the Response is empty: what the person had done stays theirs. Faults
// are found in the order of the answers' keys. Errors are *RemoteError.
func ParseRemote(r *Request, response json.RawMessage) (RemoteKind, Response, error) {
	o, kind, err := splitResponse(response)
	if err != nil || kind == RemoteCancel {
		return kind, Response{}, err
	}
	n := len(r.Questions)
	p := remoteParser{request: r, index: make(map[string]int, n), choices: make([]Choice, n), answered: make([]bool, n)}
	for i := range r.Questions {
		p.choices[i].Type = r.Questions[i].Type
		p.index[r.Questions[i].ID] = i
	}
	if err := p.answers(o.get("answers")); err != nil {
		return kind, Response{}, err
	}
	if err := p.skips(o.get("skippedQuestionIds")); err != nil {
		return kind, Response{}, err
	}
	return kind, Response{Choices: p.choices}, nil
}

func splitResponse(response json.RawMessage) (object, RemoteKind, error) {
	var o object
	ok := validJSON(response)
	if ok {
		o, ok = splitObject(response)
	}
	if !ok {
		return o, "", &RemoteError{RemoteInvalidRequest, "Submit response must be an object."}
	}
	if raw := o.get("kind"); isString(raw) {
		if kind := RemoteKind(decodeString(raw)); kind == RemoteAnswer || kind == RemoteCancel {
			return o, kind, nil
		}
	}
	return o, "", &RemoteError{RemoteInvalidRequest, `Submit response kind must be "answer" or "cancel".`}
}

type remoteParser struct {
	request  *Request
	index    map[string]int // of questions, by id
	choices  []Choice
	answered []bool
}

func invalidAnswer(format string, args ...any) error {
	return &RemoteError{RemoteInvalidAnswer, fmt.Sprintf(format, args...)}
}

func (p *remoteParser) answers(raw []byte) error {
	entries, ok := orderedMembers(raw)
	if !ok {
		return invalidAnswer("Answer response must include an answers object.")
	}
	for id, raw := range entries.All() {
		i, ok := p.index[id]
		if !ok {
			return invalidAnswer(`Unknown question id "%s".`, id)
		}
		choice, err := parseChoice(&p.request.Questions[i], raw)
		if err != nil {
			return err
		}
		p.choices[i], p.answered[i] = choice, choice.touched()
	}
	return nil
}

func (p *remoteParser) skips(raw []byte) error {
	if raw == nil || isNull(raw) {
		return nil
	}
	ids, ok := stringList(raw)
	if !ok {
		return invalidAnswer("Skipped question ids must be an array of strings.")
	}
	for _, id := range ids {
		i, ok := p.index[id]
		switch {
		case !ok:
			return invalidAnswer(`Unknown skipped question id "%s".`, id)
		case p.answered[i]:
			return invalidAnswer(`Question "%s" cannot be both answered and skipped.`, id)
		}
		p.choices[i].Skipped = true
	}
	return nil
}

// touched reports whether the choice says anything; an empty entry does not stand against a skip.
func (c *Choice) touched() bool {
	return len(c.Selected) > 0 || c.CustomText != "" || c.Note != "" || len(c.OptionNotes) > 0
}

// choiceParser reads one answer; its steps run in the order in which the contract's messages come.
type choiceParser struct {
	question *Question
	fields   object
	index    map[string]int // of options, by value
	values   []string
	notes    Map[string]
	choice   Choice
}

var choiceSteps = []func(*choiceParser) error{
	(*choiceParser).readValues, (*choiceParser).readCustom, (*choiceParser).readNote, (*choiceParser).readOptionNotes,
	(*choiceParser).resolveValues, (*choiceParser).resolveNotes,
}

func parseChoice(q *Question, raw []byte) (Choice, error) {
	fields, ok := splitObject(raw)
	if !ok {
		return Choice{}, invalidAnswer(`Answer for question "%s" must be an object.`, q.ID)
	}
	c := choiceParser{question: q, fields: fields, index: make(map[string]int, len(q.Options)), choice: Choice{Type: q.Type}}
	for i := range q.Options {
		c.index[q.Options[i].Value] = i
	}
	for _, step := range choiceSteps {
		if err := step(&c); err != nil {
			return Choice{}, err
		}
	}
	return c.choice, nil
}

func (c *choiceParser) readValues() error {
	raw := c.fields.get("values")
	if raw == nil || isNull(raw) {
		return nil
	}
	values, ok := stringList(raw)
	if !ok {
		return invalidAnswer(`Answer values for question "%s" must be strings.`, c.question.ID)
	}
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		if seen[v] {
			return invalidAnswer(`Answer values for question "%s" must be unique.`, c.question.ID)
		}
		seen[v] = true
	}
	if c.question.Type != Multi && len(values) > 1 {
		return invalidAnswer(`Question "%s" accepts only one selected value.`, c.question.ID)
	}
	c.values = values
	return nil
}

func (c *choiceParser) readCustom() error {
	text, ok := optionalString(c.fields.get("customText"))
	if !ok {
		return invalidAnswer(`Custom text for question "%s" must be a string.`, c.question.ID)
	}
	if Blank(text) {
		return nil
	}
	if c.question.Type != Multi && len(c.values) > 0 {
		return invalidAnswer(`Question "%s" cannot combine a selected value and custom text.`, c.question.ID)
	}
	c.choice.CustomText = text
	return nil
}

func (c *choiceParser) readNote() error {
	note, ok := optionalString(c.fields.get("note"))
	if !ok {
		return invalidAnswer(`Note for question "%s" must be a string.`, c.question.ID)
	}
	if !Blank(note) {
		c.choice.Note = note
	}
	return nil
}

func (c *choiceParser) readOptionNotes() error {
	raw := c.fields.get("optionNotes")
	if raw == nil || isNull(raw) {
		return nil
	}
	entries, ok := orderedMembers(raw)
	for value, raw := range entries.All() {
		if !isString(raw) {
			ok = false
			break
		}
		c.notes.Set(value, decodeString(raw))
	}
	if !ok {
		return invalidAnswer(`Option notes for question "%s" must be string values.`, c.question.ID)
	}
	return nil
}

func (c *choiceParser) resolveValues() error {
	for _, v := range c.values {
		i, ok := c.index[v]
		if !ok {
			return invalidAnswer(`Unknown option value "%s" for question "%s".`, v, c.question.ID)
		}
		c.choice.Selected = append(c.choice.Selected, i)
	}
	return nil
}

func (c *choiceParser) resolveNotes() error {
	for value, note := range c.notes.All() {
		if Blank(note) {
			continue
		}
		i, ok := c.index[value]
		if !ok {
			return invalidAnswer(`Unknown option note value "%s" for question "%s".`, value, c.question.ID)
		}
		if c.choice.OptionNotes == nil {
			c.choice.OptionNotes = map[int]string{}
		}
		c.choice.OptionNotes[i] = note
	}
	return nil
}

// orderedMembers gives an object's members in the order that JavaScript would visit them.
func orderedMembers(raw []byte) (Map[[]byte], bool) {
	var out Map[[]byte]
	o, ok := splitObject(raw)
	for _, m := range o.members {
		out.Set(decodeString(m.key), m.raw)
	}
	return out, ok
}

func stringList(raw []byte) ([]string, bool) {
	var out []string
	all := true
	ok := eachItem(raw, func(_ int, item []byte) bool {
		if all = isString(item); all {
			out = append(out, decodeString(item))
		}
		return all
	})
	return out, ok && all
}

// optionalString takes missing and null as empty.
func optionalString(raw []byte) (string, bool) {
	if raw == nil || isNull(raw) {
		return "", true
	}
	if !isString(raw) {
		return "", false
	}
	return decodeString(raw), true
}
