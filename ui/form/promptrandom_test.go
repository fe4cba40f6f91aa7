package form

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"askd/broker/ask"
)

var everyPromptCommand = []PromptCommand{
	PromptUp, PromptDown, PromptTab, PromptBackTab, PromptConfirm, PromptConfirm, PromptEscape, PromptCancel, PromptErase,
	PromptSpace, PromptSpace, "other",
}

func randomPromptRequest(t *rapid.T) *ask.Request {
	r := &ask.Request{ID: "r", Session: "s", Tool: ask.ToolQuestion}
	words := rapid.SampledFrom([]string{"", "a", "EU", "4x", "x4", "two words", "日本", "a/b", "🙂", "İ"})
	for i := range rapid.IntRange(1, 4).Draw(t, "questions") {
		q := ask.Question{ID: fmt.Sprint("q", i+1), Label: "H", Prompt: "?", Type: ask.Single}
		if rapid.Bool().Draw(t, "multi") {
			q.Type = ask.Multi
		}
		for j := range rapid.IntRange(2, 4).Draw(t, "options") {
			label := fmt.Sprint(words.Draw(t, "label"), j)
			q.Options = append(q.Options, ask.Option{Value: label, Label: label, Description: words.Draw(t, "description")})
		}
		r.Questions = append(r.Questions, q)
	}
	return r
}

func randomPromptEvent(t *rapid.T) PromptEvent {
	n := rapid.IntRange(-2, 11)
	switch rapid.IntRange(0, 11).Draw(t, "event") {
	case 0, 1:
		return PromptDigit{N: n.Draw(t, "n")}
	case 2:
		return PromptType{Text: rapid.SampledFrom([]string{"", "a", "e", "zz", "x\ny", "\xff", "e\u0301"}).Draw(t, "text")}
	case 3, 4:
		return PromptEdit{Text: rapid.SampledFrom(typed).Draw(t, "text")}
	case 5:
		return PromptClickRow{Index: n.Draw(t, "n")}
	case 6:
		return PromptClickPage{Index: n.Draw(t, "n")}
	}
	return PromptDo{Command: rapid.SampledFrom(everyPromptCommand).Draw(t, "command")}
}

// TestPromptRandomEvents drives prompts with events of every kind, sensible or not, and checks what must hold after each.
func TestPromptRandomEvents(t *testing.T) { rapid.Check(t, anyPromptEvents) }

// FuzzPrompt is the same under the fuzzer.
func FuzzPrompt(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyPromptEvents)) }

func anyPromptEvents(t *rapid.T) {
	p := NewPrompt(randomPromptRequest(t))
	for range rapid.IntRange(1, 60).Draw(t, "events") {
		stepPrompt(t, p)
		checkPromptRows(t, p)
		checkPromptAnswers(t, p)
		q := NewPrompt(p.request)
		q.Restore(p.Draft())
		warned := p.warned
		samePrompt(t, p, q)
		p.warned = warned
	}
}

func stepPrompt(t *rapid.T, p *Prompt) {
	e := randomPromptEvent(t)
	was, draft, response, mode := sketch(p), p.Draft(), p.Response(), p.Mode()
	effects := p.Apply(e)
	if !mayAnswer(e) && !cmp.Equal(response, p.Response()) {
		t.Fatalf("%#v answered:\n%s", e, was)
	}
	if p.Mode() != PromptDone {
		if !cmp.Equal(draft, p.Draft()) && kinds(effects) != "SaveDraft" {
			t.Fatalf("%#v gave %v and changed\n%s\nto\n%s", e, effects, was, sketch(p))
		}
		return
	}
	if len(effects) != 1 {
		t.Fatalf("%#v ended with %v", e, effects)
	}
	if s, ok := effects[0].(Submit); ok {
		if !mayAnswer(e) || p.Batch() && mode != PromptReview || !cmp.Equal(s.Response, p.Response()) {
			t.Fatalf("%#v submitted %v from\n%s", e, s, was)
		}
	}
	if again := p.Apply(e); again != nil {
		t.Fatalf("%#v after the end gave %v", e, again)
	}
	p.Reopen()
	if !cmp.Equal(draft, p.Draft()) || sketch(p) != was {
		t.Fatalf("%#v: reopened as\n%s\nwas\n%s", e, sketch(p), was)
	}
}

// mayAnswer says whether an event can be one by which a person confirms.
func mayAnswer(e PromptEvent) bool {
	if _, ok := e.(PromptClickRow); ok {
		return true
	}
	return e == PromptDo{Command: PromptConfirm}
}

func checkPromptRows(t *rapid.T, p *Prompt) {
	rows := p.Rows()
	if (rows == nil) != (p.Mode() == PromptReview) || p.Page() < 0 || p.Page() > len(p.request.Questions) {
		t.Fatalf("%d rows on page %d in mode %d", len(rows), p.Page(), p.Mode())
	}
	for i, r := range rows {
		last := i == len(rows)-1
		if r.Number != i+1 || r.Focused != (i == p.FocusedRow()) || (r.Option < 0) != last || r.Ticked && !p.Multi() {
			t.Fatalf("row %d of %d: %+v, focus on %d", i, len(rows), r, p.FocusedRow())
		}
		if last && r.Ticked && r.Text == "" {
			t.Fatalf("a tick beside no text: %+v", r)
		}
	}
	if rows != nil && (p.FocusedRow() < 0 || p.FocusedRow() >= len(rows)) {
		t.Fatalf("focus on %d of %d", p.FocusedRow(), len(rows))
	}
	if p.Mode() == PromptEditor && p.FocusedRow() != len(rows)-1 {
		t.Fatalf("the editor is open away from its row")
	}
}

// checkPromptAnswers holds what the pages say against the response.
func checkPromptAnswers(t *rapid.T, p *Prompt) {
	pages, review, unanswered := p.Pages(), p.Review(), 0
	for i, c := range p.Response().Choices {
		n := len(c.Selected)
		if c.CustomText != "" {
			n++
			if ask.Trim(c.CustomText) != c.CustomText {
				t.Fatalf("untrimmed answer %q", c.CustomText)
			}
		}
		if n == 0 {
			unanswered++
		}
		if pages[i].Answered != (n > 0) || (review[i].Summary != "") != (n > 0) || c.Skipped || c.Type == ask.Single && n > 1 {
			t.Fatalf("page %+v, review %+v, choice %+v", pages[i], review[i], c)
		}
	}
	if unanswered != p.Unanswered() || p.Warned() && (unanswered == 0 || p.Mode() != PromptReview) {
		t.Fatalf("%d unanswered, says %d, warned %v", unanswered, p.Unanswered(), p.Warned())
	}
}

// TestPromptRandomDrafts restores drafts that fit no prompt.
func TestPromptRandomDrafts(t *testing.T) {
	values := rapid.SampledFrom([]string{"", "a0", "EU1", "q1", "q2", "q9", "custom", "optionNote", " ", "x\ny"})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(-3, 9)
		d := &ask.Draft{Tab: n.Draw(t, "tab"), Row: n.Draw(t, "row")}
		for range rapid.IntRange(0, 4).Draw(t, "questions") {
			q := ask.QuestionDraft{
				ID: values.Draw(t, "id"), Selected: rapid.SliceOfN(values, 0, 4).Draw(t, "selected"),
				CustomText: values.Draw(t, "text"), CustomSelected: rapid.Bool().Draw(t, "on"),
				Filter: values.Draw(t, "filter"), Row: n.Draw(t, "row"),
			}
			if rapid.Bool().Draw(t, "confirmed") {
				q.Confirmed = &ask.Confirmed{
					Selected: rapid.SliceOfN(values, 0, 3).Draw(t, "labels"), CustomText: values.Draw(t, "own"),
				}
			}
			d.Questions = append(d.Questions, q)
		}
		if rapid.Bool().Draw(t, "editing") {
			d.Editor = &ask.EditorDraft{Kind: values.Draw(t, "kind"), Question: values.Draw(t, "at"), Text: "a"}
		}
		p := NewPrompt(randomPromptRequest(t))
		p.Restore(d)
		checkPromptRows(t, p)
		checkPromptAnswers(t, p)
		q := NewPrompt(p.request)
		q.Restore(p.Draft())
		samePrompt(t, p, q)
	})
}
