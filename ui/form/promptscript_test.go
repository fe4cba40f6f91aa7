package form

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"askd/broker/ask"
)

// options are options without descriptions.
func options(labels ...string) []ask.Option {
	out := make([]ask.Option, len(labels))
	for i, l := range labels {
		out[i] = ask.Option{Value: l, Label: l}
	}
	return out
}

// alone is a prompt with one question of a type.
func alone(typ ask.Type, labels ...string) *ask.Request {
	return &ask.Request{ID: "r1", Session: "s1", Tool: ask.ToolQuestion, Questions: []ask.Question{
		{ID: "q1", Label: "Store", Prompt: "Where?", Type: typ, Options: options(labels...)},
	}}
}

// batch is a prompt with a single, a multi and a single question.
func batch() *ask.Request {
	return &ask.Request{ID: "r1", Session: "s1", Tool: ask.ToolQuestion, Questions: []ask.Question{
		{ID: "q1", Label: "Store", Prompt: "Where?", Type: ask.Single, Options: options("Redis", "Postgres", "Cookies")},
		{ID: "q2", Label: "Gates", Prompt: "Which?", Type: ask.Multi, Options: options("Unit", "Lint", "Fuzz")},
		{ID: "q3", Label: "Logs", Prompt: "What?", Type: ask.Single, Options: options("JSON", "Text")},
	}}
}

// The keys of a script as the host's default bindings have them.
var promptKeys = map[string]PromptCommand{
	"up": PromptUp, "ctrl+k": PromptUp, "down": PromptDown, "ctrl+j": PromptDown, "tab": PromptTab, "shift+tab": PromptBackTab,
	"enter": PromptConfirm, "esc": PromptEscape, "ctrl+c": PromptCancel, "backspace": PromptErase, "space": PromptSpace,
}

// pressPrompt is one key, as the view sends it.
func pressPrompt(t testing.TB, p *Prompt, key string) []Effect {
	t.Helper()
	if p.Mode() == PromptEditor && (key == "shift+enter" || key == "ctrl+j") {
		return p.Apply(PromptEdit{Text: p.Text() + "\n"})
	}
	if n, err := strconv.Atoi(key); err == nil {
		return p.Apply(PromptDigit{N: n})
	}
	c := promptKeys[key]
	if c == "" {
		t.Fatalf("no key %q", key)
	}
	return p.Apply(PromptDo{Command: c})
}

// typePrompt is text typed key by key.
func typePrompt(t testing.TB, p *Prompt, text string) {
	t.Helper()
	for _, r := range text {
		switch {
		case p.Mode() == PromptEditor:
			p.Apply(PromptEdit{Text: p.Text() + string(r)})
		case r == ' ':
			pressPrompt(t, p, "space")
		case r >= '0' && r <= '9':
			pressPrompt(t, p, string(r))
		default:
			p.Apply(PromptType{Text: string(r)})
		}
	}
}

// playPrompt applies a script: keys, clicks such as row:2 and page:1, and text to type such as =some_text (underscores are
// spaces). It returns the effects other than SaveDraft.
func playPrompt(t testing.TB, p *Prompt, script string) []Effect {
	t.Helper()
	var out []Effect
	for _, word := range strings.Fields(script) {
		for _, e := range playWord(t, p, word) {
			if _, ok := e.(SaveDraft); !ok {
				out = append(out, e)
			}
		}
	}
	return out
}

func playWord(t testing.TB, p *Prompt, word string) []Effect {
	t.Helper()
	if text, ok := strings.CutPrefix(word, "="); ok {
		typePrompt(t, p, strings.ReplaceAll(text, "_", " "))
		return nil
	}
	if kind, at, ok := strings.Cut(word, ":"); ok {
		n, err := strconv.Atoi(at)
		if err != nil {
			t.Fatalf("script word %q: %v", word, err)
		}
		if kind == "page" {
			return p.Apply(PromptClickPage{Index: n})
		}
		return p.Apply(PromptClickRow{Index: n})
	}
	return pressPrompt(t, p, word)
}

// sketch writes down what a prompt shows, without its frame.
func sketch(p *Prompt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "─ %s ─\n", strings.TrimSpace(sketchTitle(p)))
	switch p.Mode() {
	case PromptReview:
		sketchReview(&b, p)
	case PromptEditor:
		fmt.Fprintf(&b, "%s\nCustom response\n%s\n", p.Question().Prompt, p.Text())
	case PromptList:
		sketchList(&b, p)
	case PromptDone:
		b.WriteString("done\n")
	}
	return b.String()
}

func sketchTitle(p *Prompt) string {
	title := ""
	if q := p.Question(); q != nil {
		title = q.Label
	}
	if !p.Batch() {
		return title
	}
	for _, g := range p.Pages() {
		n := strconv.Itoa(g.Number)
		if g.Answered {
			n += "✓"
		}
		if g.Current {
			n = "[" + n + "]"
		}
		title += " " + n
	}
	if p.Mode() == PromptReview {
		return title + " · [review]"
	}
	return title + " · review"
}

func sketchReview(b *strings.Builder, p *Prompt) {
	b.WriteString("Review answers\n")
	for _, item := range p.Review() {
		if item.Summary == "" {
			fmt.Fprintf(b, "○ %d. %s\n   unanswered\n", item.Number, item.Question)
			continue
		}
		fmt.Fprintf(b, "✓ %d. %s\n   → %s\n", item.Number, item.Question, item.Summary)
	}
	if p.Warned() {
		fmt.Fprintf(b, "%d unanswered — press enter again to submit with skips\n", p.Unanswered())
	}
}

func sketchList(b *strings.Builder, p *Prompt) {
	b.WriteString(p.Question().Prompt + "\n")
	if !p.Multi() {
		filter := p.Filter()
		if filter == "" {
			filter = "type to filter"
		}
		b.WriteString("Filter: " + filter + "\n")
	}
	if p.NoMatch() {
		b.WriteString("No matching options\n")
	}
	for _, r := range p.Rows() {
		b.WriteString(sketchRow(p, r) + "\n")
	}
}

func sketchRow(p *Prompt, r PromptRow) string {
	mark, tick, text := "  ", "", r.Label
	if r.Focused {
		mark = "→ "
	}
	if p.Multi() {
		tick = map[bool]string{true: "[✓] ", false: "[ ] "}[r.Ticked]
	}
	if r.Option < 0 {
		if text = r.Text; text == "" {
			text = "Type something."
		}
	}
	return fmt.Sprintf("%s%d. %s%s", mark, r.Number, tick, text)
}

// standsAs writes a prompt down in one line: the title, then the focused row, the editor's text or the review page.
func standsAs(p *Prompt) string {
	title := strings.TrimSpace(sketchTitle(p))
	switch p.Mode() {
	case PromptDone:
		return "done"
	case PromptReview:
		if p.Warned() {
			return title + " | warned"
		}
		return title
	case PromptEditor:
		return fmt.Sprintf("%s | editor %q", title, p.Text())
	}
	if p.Filter() != "" {
		title += fmt.Sprintf(" | filter %q", p.Filter())
	}
	out := title + " | " + strings.TrimPrefix(sketchRow(p, p.Rows()[p.FocusedRow()]), "→ ")
	for _, r := range p.Rows() {
		if r.Ticked {
			out += fmt.Sprintf(" +%d", r.Number)
		}
	}
	return out
}

// promptRow is one line of a behaviour table. effect is what ended the prompt, if anything.
type promptRow struct {
	name, script, want, effect string
}

func runPromptRows(t *testing.T, r *ask.Request, rows []promptRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := NewPrompt(r)
			if got := answerText(r, playPrompt(t, p, row.script)); got != row.effect {
				t.Errorf("script %q gave %s, want %s", row.script, got, row.effect)
			}
			if got := standsAs(p); got != row.want {
				t.Errorf("script %q\n got %s\nwant %s", row.script, got, row.want)
			}
		})
	}
}

// answerText writes an end down: cancelled, or the answers of the questions that have one.
func answerText(r *ask.Request, effects []Effect) string {
	out := ""
	for _, e := range effects {
		s, ok := e.(Submit)
		if !ok {
			out += "cancelled"
			continue
		}
		for i, c := range s.Response.Choices {
			for _, n := range c.Selected {
				out += fmt.Sprintf("%d:%s ", i+1, r.Questions[i].Options[n].Label)
			}
			if c.CustomText != "" {
				out += fmt.Sprintf("%d:%q ", i+1, c.CustomText)
			}
		}
		out += "sent"
	}
	return out
}
