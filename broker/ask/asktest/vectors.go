// Package asktest reads the checked values of the contract and plays their abstract actions, for tests.
package asktest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"askd/broker/ask"
)

// Vector is one checked value. Input and Expect differ by kind.
type Vector struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Input   json.RawMessage `json:"input"`
	Actions []Action        `json:"actions"`
	Expect  json.RawMessage `json:"expect"`
}

// Action is one abstract thing that the person does.
type Action struct {
	Do       string    `json:"do"`
	Question string    `json:"question"`
	Value    string    `json:"value"`
	Text     string    `json:"text"`
	Image    ask.Image `json:"image"`
}

// Form is the input of the vectors that show a form.
type Form struct {
	Target               string          `json:"target"`
	RequestID            string          `json:"requestId"`
	Form                 json.RawMessage `json:"form"`
	PresentSingleAsMulti bool            `json:"presentSingleAsMulti"`
	Mode                 string          `json:"mode"`
	Error                string          `json:"error"`
	Actions              []Action        `json:"actions"`
}

// Load reads the vectors of one kind.
func Load(t testing.TB, path, kind string) []Vector {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []Vector
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	rows := slices.DeleteFunc(all, func(v Vector) bool { return v.Kind != kind })
	if len(rows) == 0 {
		t.Fatalf("no vectors of kind %q", kind)
	}
	return rows
}

// Decode reads raw JSON into a T.
func Decode[T any](t testing.TB, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return v
}

// Value gives v as plain JSON values, to compare structurally.
func Value(t testing.TB, v any) any {
	t.Helper()
	raw, err := ask.Stringify(v)
	if err != nil {
		t.Fatal(err)
	}
	return Decode[any](t, raw)
}

// Request makes the request of a form, which must be valid.
func (f *Form) Request(t testing.TB) *ask.Request {
	t.Helper()
	payload, err := ask.ReadPayload(f.Form)
	if err != nil {
		t.Fatal(err)
	}
	if issues := payload.Validate(); issues != nil {
		t.Fatalf("form is refused: %v", issues)
	}
	r := &ask.Request{ID: f.RequestID, Tool: ask.ToolAskUser}
	r.Title, r.Questions = payload.Normalise(f.PresentSingleAsMulti)
	return r
}

// Result plays the actions on the request.
func Result(t testing.TB, r *ask.Request, actions []Action) *ask.Result {
	t.Helper()
	p := player{request: r, choices: make([]played, len(r.Questions))}
	for i := range r.Questions {
		p.choices[i].Type = r.Questions[i].Type
	}
	for _, a := range actions {
		do, ok := moves[a.Do]
		if !ok {
			t.Fatalf("unknown action %q", a.Do)
		}
		if err := do(&p, a); err != nil {
			t.Fatalf("%s: %v", a.Do, err)
		}
	}
	if p.result == nil {
		t.Fatal("the actions neither submit nor cancel")
	}
	return p.result
}

// played is a choice with what the form keeps beside it.
type played struct {
	ask.Choice
	saved      string // free-form text, selected or not
	deselected bool
}

type player struct {
	request *ask.Request
	choices []played
	result  *ask.Result
}

var moves = map[string]func(*player, Action) error{
	"select":        (*player).choose,
	"toggle":        (*player).toggle,
	"custom":        (*player).custom,
	"toggle_custom": (*player).toggleCustom,
	"note":          (*player).note,
	"option_note":   (*player).optionNote,
	"custom_image":  (*player).customImage,
	"note_image":    (*player).noteImage,
	"change_type":   (*player).changeType,
	"skip":          (*player).skip,
	"submit":        func(p *player, _ Action) error { return p.finish(false) },
	"cancel":        func(p *player, _ Action) error { return p.finish(true) },
}

func (p *player) at(a Action) (*played, *ask.Question, error) {
	for i := range p.request.Questions {
		if p.request.Questions[i].ID == a.Question {
			return &p.choices[i], &p.request.Questions[i], nil
		}
	}
	return nil, nil, fmt.Errorf("no question %q", a.Question)
}

func (p *player) option(a Action) (*played, int, error) {
	c, q, err := p.at(a)
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(q.Options, func(o ask.Option) bool { return o.Value == a.Value })
	if i < 0 {
		return nil, 0, fmt.Errorf("no option %q", a.Value)
	}
	return c, i, nil
}

func (p *player) choose(a Action) error {
	c, i, err := p.option(a)
	if err == nil {
		c.Selected, c.saved, c.CustomImages = []int{i}, "", nil
	}
	return err
}

func (p *player) toggle(a Action) error {
	c, i, err := p.option(a)
	if err != nil {
		return err
	}
	if at := slices.Index(c.Selected, i); at >= 0 {
		c.Selected = slices.Delete(c.Selected, at, at+1)
	} else {
		c.Selected = append(c.Selected, i)
	}
	return nil
}

func (p *player) custom(a Action) error {
	c, _, err := p.at(a)
	if err != nil {
		return err
	}
	c.saved, c.deselected = a.Text, false
	if c.Type == ask.Single {
		c.Selected = nil
	}
	return nil
}

func (p *player) toggleCustom(a Action) error {
	c, _, err := p.at(a)
	if err == nil {
		c.deselected = !c.deselected
	}
	return err
}

func (p *player) note(a Action) error {
	c, _, err := p.at(a)
	if err == nil {
		c.Note = a.Text
	}
	return err
}

func (p *player) optionNote(a Action) error {
	c, i, err := p.option(a)
	if err != nil {
		return err
	}
	if c.OptionNotes == nil {
		c.OptionNotes = map[int]string{}
	}
	c.OptionNotes[i] = a.Text
	return nil
}

func (p *player) customImage(a Action) error {
	c, _, err := p.at(a)
	if err == nil {
		c.CustomImages = append(c.CustomImages, a.Image)
	}
	return err
}

func (p *player) noteImage(a Action) error {
	c, _, err := p.at(a)
	if err == nil {
		c.NoteImages = append(c.NoteImages, a.Image)
	}
	return err
}

// changeType keeps the selection of at most one answer; a larger one is cleared, as its confirmation does.
func (p *player) changeType(a Action) error {
	c, _, err := p.at(a)
	if err != nil {
		return err
	}
	if c.Type == ask.Single {
		c.Type = ask.Multi
		return nil
	}
	c.Type = ask.Single
	if len(c.Selected) > 1 || (len(c.Selected) == 1 && c.saved != "" && !c.deselected) {
		c.Selected = nil
	}
	return nil
}

func (p *player) skip(a Action) error {
	c, _, err := p.at(a)
	if err == nil {
		c.Skipped = true
	}
	return err
}

func (p *player) finish(cancelled bool) error {
	var response ask.Response
	for _, c := range p.choices {
		if c.CustomText = c.saved; c.deselected {
			c.CustomText, c.CustomImages = "", nil
		}
		response.Choices = append(response.Choices, c.Choice)
	}
	p.result = ask.BuildResult(p.request, response, cancelled)
	return nil
}
