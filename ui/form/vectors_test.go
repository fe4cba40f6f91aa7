package form

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

// vector is one checked value: a form, what a person does with it, and the result.
type vector struct {
	Name  string
	Kind  string
	Input struct {
		RequestID            string
		Form                 json.RawMessage
		PresentSingleAsMulti bool
		Mode, Target         string
	}
	Actions []vectorAction
	Expect  struct {
		ContentText *string `json:"content_text"`
		Details     json.RawMessage
	}
}

type vectorAction struct {
	Question, Do, Value, Text string
	Image                     ask.Image
}

// formVectors are the vectors that a person's actions make: without those of other modes and other rows.
func formVectors(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/ask_user.json")
	if err != nil {
		t.Fatal(err)
	}
	var all, out []vector
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Kind == "result_text" && v.Input.Mode == "" && v.Input.Target == "" {
			out = append(out, v)
		}
	}
	return out
}

func (v *vector) request(t *testing.T) *ask.Request {
	t.Helper()
	p, err := ask.ReadPayload(v.Input.Form)
	if err != nil {
		t.Fatal(err)
	}
	if issues := append(p.Validate(), p.LoadContexts()...); issues != nil {
		t.Fatalf("refused: %v", issues)
	}
	r := &ask.Request{ID: v.Input.RequestID, Tool: ask.ToolAskUser}
	r.Title, r.Questions = p.Normalise(v.Input.PresentSingleAsMulti)
	return r
}

func TestVectors(t *testing.T) {
	vectors := formVectors(t)
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			w := &person{t: t, form: New(v.request(t), defaults())}
			for _, a := range v.Actions {
				w.act(a)
			}
			v.compare(t, w.result())
		})
	}
}

func (v *vector) compare(t *testing.T, got *ask.Result) {
	t.Helper()
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var is, want any
	if err := json.Unmarshal(data, &is); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(v.Expect.Details, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, is); diff != "" {
		t.Errorf("details differ:\n%s", diff)
	}
	if v.Expect.ContentText == nil {
		return
	}
	if diff := cmp.Diff(*v.Expect.ContentText, ask.RequestLine(got.RequestID, ask.Summary(got))); diff != "" {
		t.Errorf("text differs:\n%s", diff)
	}
}

// person does with a form what a vector says, by the events that keys and clicks make.
type person struct {
	t    *testing.T
	form *Form
	end  []Effect
}

var vectorActions = map[string]func(*person, vectorAction){
	"select":        func(p *person, a vectorAction) { p.apply(Digit{N: p.option(a.Value) + 1}) },
	"toggle":        func(p *person, a vectorAction) { p.apply(Digit{N: p.option(a.Value) + 1}) },
	"toggle_custom": func(p *person, _ vectorAction) { p.apply(Digit{N: len(p.form.Rows())}) },
	"custom":        func(p *person, a vectorAction) { p.write(EditCustom, a.Text) },
	"custom_image":  func(p *person, a vectorAction) { p.attach(EditCustom, a.Image) },
	"note":          func(p *person, a vectorAction) { p.write(QuestionNote, a.Text) },
	"note_image":    func(p *person, a vectorAction) { p.attach(QuestionNote, a.Image) },
	"option_note":   (*person).optionNote,
	"change_type":   (*person).changeType,
	"skip":          func(p *person, _ vectorAction) { p.apply(Do{Command: Skip}) },
	"submit":        func(p *person, _ vectorAction) { p.review(Digit{N: 1}) },
	"cancel":        func(p *person, _ vectorAction) { p.review(Digit{N: 2}) },
}

func (p *person) act(a vectorAction) {
	p.t.Helper()
	run := vectorActions[a.Do]
	if run == nil {
		p.t.Fatalf("unknown action %q", a.Do)
	}
	if a.Question != "" {
		p.apply(ClickTab{Index: p.form.find(a.Question)})
	}
	run(p, a)
}

func (p *person) apply(e Event) { p.end = p.form.Apply(e) }

func (p *person) option(value string) int {
	i := p.form.active().option(value)
	if i < 0 {
		p.t.Fatalf("no option %q", value)
	}
	return i
}

func (p *person) write(open Command, text string) {
	p.apply(Do{Command: open})
	p.apply(EditText{Text: text})
	p.apply(Do{Command: EditorClose})
}

func (p *person) attach(open Command, img ask.Image) {
	p.apply(Do{Command: open})
	p.form.AddImage(img)
	p.apply(Do{Command: EditorClose})
}

func (p *person) optionNote(a vectorAction) {
	for p.form.FocusRow() > p.option(a.Value) {
		p.apply(Do{Command: PreviousOption})
	}
	for p.form.FocusRow() < p.option(a.Value) {
		p.apply(Do{Command: NextOption})
	}
	p.write(OptionNote, a.Text)
}

func (p *person) changeType(vectorAction) {
	p.apply(Do{Command: ChangeType})
	if p.form.Notice().Kind == NoticeType {
		p.apply(Do{Command: ChangeType})
	}
}

// review presses an action twice, as the safeguard wants.
func (p *person) review(e Event) {
	p.apply(ClickTab{Index: len(p.form.request.Questions)})
	p.apply(e)
	p.apply(e)
}

func (p *person) result() *ask.Result {
	p.t.Helper()
	if len(p.end) != 1 {
		p.t.Fatalf("the form gave %v at the end", p.end)
	}
	switch e := p.end[0].(type) {
	case Submit:
		return ask.BuildResult(p.form.request, e.Response, false)
	case Dismissed:
		return ask.BuildResult(p.form.request, e.Response, true)
	}
	p.t.Fatalf("the form did not end: %v", p.end)
	return nil
}
