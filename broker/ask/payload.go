package ask

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxEntries bounds the questions and options of one payload together. No form is that long; without a bound a few
// megabytes of empty objects would cost gigabytes of issues.
const maxEntries = 10_000

// ParamError says that an argument has the wrong JSON type (PROTOCOL, invalid_params). Message ends with what to do.
type ParamError struct{ Path, Message string }

// Error names the argument first.
func (e *ParamError) Error() string { return e.Path + ": " + e.Message }

// Payload is the arguments of an ask_user call, prepared and of the right JSON types, but neither validated nor
// normalised. Make one with ReadPayload. It is not safe for concurrent use.
type Payload struct {
	RawTitle   string // as given, untrimmed; empty when there was none
	Background bool
	root       object
	questions  []rawQuestion
}

type rawQuestion struct {
	fields            object
	id, label, prompt string
	kind              string // as given; meaningful when hasKind
	hasKind           bool
	context           []part // joined into one text once files are loaded
	contextGiven      bool   // the context is the plain field: its bytes stay unless a file replaces them
	options           []rawOption
	input             bool
	placeholder       string
}

type rawOption struct {
	fields                    object
	value, label, description string
	recommended               *bool
}

// ReadPayload takes the arguments of a call apart. It derives labels and converts what older versions sent (preview
// fields) on the way. Missing fields are blank, optional fields that are null are missing, unknown ones are kept. A value of
// the wrong JSON type is a *ParamError. It touches no file.
func ReadPayload(arguments json.RawMessage) (*Payload, error) {
	arguments, ok := validArguments(arguments)
	if !ok {
		return nil, &ParamError{Path: "arguments", Message: "not valid JSON; send one JSON object with a questions list"}
	}
	root, ok := splitObject(arguments)
	if !ok {
		return nil, (&reader{question: -1, option: -1}).wrong("", "an object", arguments)
	}
	r := &reader{question: -1, option: -1}
	p := &Payload{root: root}
	p.RawTitle = r.text(&root, "title", false)
	background := r.flag(&root, "background")
	p.Background = background != nil && *background
	if list := root.get("questions"); list != nil {
		r.list("questions", list, func(i int, raw []byte) { p.questions = append(p.questions, r.readQuestion(i, raw)) })
	}
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// QuestionIDs are the ids as they were sent, untrimmed, in form order.
func (p *Payload) QuestionIDs() []string {
	ids := make([]string, len(p.questions))
	for i := range p.questions {
		ids[i] = p.questions[i].id
	}
	return ids
}

// Arguments writes the arguments back: labels derived, previews converted, files loaded (after LoadContexts), the rest
// byte for byte, in the order it came.
func (p *Payload) Arguments() json.RawMessage {
	items := make([][]byte, len(p.questions))
	changed := false
	for i := range p.questions {
		items[i] = p.questions[i].bytes()
		changed = changed || p.questions[i].fields.dirty
	}
	root := p.root
	if changed {
		root.members = append([]member(nil), root.members...)
		root.set("questions", joinArray(items))
	}
	return root.bytes()
}

func (q *rawQuestion) bytes() []byte {
	changed := false
	items := make([][]byte, len(q.options))
	for i := range q.options {
		items[i] = q.options[i].fields.bytes()
		changed = changed || q.options[i].fields.dirty
	}
	if changed {
		q.fields.set("options", joinArray(items))
	}
	return q.fields.bytes()
}

// reader collects the first wrong type. Its two counters are the place it reads at, so that paths cost nothing until one is
// needed.
type reader struct {
	question, option int // -1 outside
	entries          int
	err              error
}

func (r *reader) readQuestion(i int, raw []byte) rawQuestion {
	r.question, r.option = i, -1
	fields, ok := splitObject(raw)
	if !ok {
		r.fail("", "an object", raw)
		return rawQuestion{}
	}
	q := rawQuestion{fields: fields}
	q.id = r.text(&fields, "id", true)
	q.label = r.text(&fields, "label", false)
	q.prompt = r.text(&fields, "prompt", true)
	q.kind = r.text(&fields, "type", false)
	q.hasKind = isString(fields.get("type"))
	context := r.text(&fields, "context", false)
	input := r.flag(&fields, "input")
	q.input = input != nil && *input
	q.placeholder = r.text(&fields, "placeholder", false)
	if list := fields.get("options"); list != nil {
		r.list("options", list, func(j int, raw []byte) { q.options = append(q.options, r.readOption(j, raw)) })
	}
	q.convertLegacy(context)
	r.question, r.option = -1, -1
	return q
}

func (r *reader) readOption(j int, raw []byte) rawOption {
	r.option = j
	fields, ok := splitObject(raw)
	if !ok {
		r.fail("", "an object", raw)
		return rawOption{}
	}
	deriveLabel(&fields)
	o := rawOption{fields: fields}
	o.value = r.text(&fields, "value", true)
	o.label = r.text(&fields, "label", true)
	o.description = r.text(&fields, "description", false)
	o.recommended = r.flag(&fields, "recommended")
	r.option = -1
	return o
}

// list reads an array, refusing anything else and more entries than a form can have.
func (r *reader) list(field string, raw []byte, read func(int, []byte)) {
	ok := eachItem(raw, func(i int, item []byte) bool {
		if r.entries++; r.entries > maxEntries {
			r.fail(field, fmt.Sprintf("at most %d questions and options in one form", maxEntries), nil)
		}
		if r.err == nil {
			read(i, item)
		}
		return r.err == nil
	})
	if !ok {
		r.fail(field, "a list", raw)
	}
}

func (r *reader) text(o *object, field string, required bool) string {
	raw := o.get(field)
	switch {
	case isString(raw):
		return decodeString(raw)
	case raw != nil && (required || !isNull(raw)):
		r.fail(field, "a string", raw)
	}
	return ""
}

func (r *reader) flag(o *object, field string) *bool {
	raw := o.get(field)
	switch string(raw) {
	case "true", "false":
		v := raw[0] == 't'
		return &v
	case "", "null":
	default:
		r.fail(field, "true or false", raw)
	}
	return nil
}

func (r *reader) fail(field, want string, raw []byte) {
	if r.err == nil {
		r.err = r.wrong(field, want, raw)
	}
}

func (r *reader) wrong(field, want string, raw []byte) error {
	path := r.path(field)
	if raw == nil {
		return &ParamError{Path: path, Message: "too many entries: " + want + "; split the form"}
	}
	got := Describe(raw)
	if stringified(want, raw) {
		return &ParamError{Path: path, Message: "expected " + want + ", found " + got + " that holds JSON; send the value itself, not its text"}
	}
	return &ParamError{Path: path, Message: "expected " + want + ", found " + got + "; send " + want + " there"}
}

func (r *reader) path(field string) string {
	var b strings.Builder
	if r.question >= 0 {
		fmt.Fprintf(&b, "questions[%d]", r.question)
	}
	if r.option >= 0 {
		fmt.Fprintf(&b, ".options[%d]", r.option)
	}
	if b.Len() > 0 && field != "" {
		b.WriteByte('.')
	}
	b.WriteString(field)
	if b.Len() == 0 {
		return "arguments"
	}
	return b.String()
}

// stringified recognises the common slip of sending a list or an object as its JSON text.
func stringified(want string, raw []byte) bool {
	if !isString(raw) {
		return false
	}
	inner := Trim(decodeString(raw))
	opening := map[string]string{"a list": "[", "an object": "{"}[want]
	return opening != "" && strings.HasPrefix(inner, opening)
}

// Describe words the kind of a JSON value, which has no space before it.
func Describe(raw []byte) string {
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}
