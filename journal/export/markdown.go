package export

import (
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"askd/broker/ask"
)

// Markdown writes the contract's export: every text a literal block, so that nothing in it is markup. It stops at the first
// error of records or of w and gives it.
func Markdown(w io.Writer, records iter.Seq2[*ask.HistoryRecord, error]) error {
	p := page("# Ask history\n")
	n := 0
	own, _ := os.Hostname() // what was asked here names no machine
	for h, err := range records {
		if err != nil {
			return err
		}
		n++
		if h.Host == own {
			h.Host = ""
		}
		p.record(n, h)
		if len(p) < bufferBytes {
			continue
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
		p = p[:0]
	}
	_, err := w.Write(p)
	return err
}

// page is Markdown in the making. Every block but the first has a blank line before it. What it takes is appended piece by
// piece: a history has some hundred pieces a question, and joining them first takes longer than all else.
type page []byte

func (p *page) add(pieces ...string) {
	b := *p
	for _, s := range pieces {
		b = append(b, s...)
	}
	*p = b
}

func (p *page) number(n int) { *p = strconv.AppendInt(*p, int64(n), 10) }

// line is a block of one line.
func (p *page) line(name, text string) { p.add("\n", name, text, "\n") }

func (p *page) heading(name string) { p.add("\n### ", name, "\n") }

// numbered is a heading that ends with a number.
func (p *page) numbered(name string, n int) {
	p.add("\n### ", name)
	p.number(n)
	p.add("\n")
}

// field is a heading and a literal block.
func (p *page) field(name, text string) {
	p.heading(name)
	p.literal(text)
}

// optional is a field that is left out when it is empty.
func (p *page) optional(name, text string) {
	if text != "" {
		p.field(name, text)
	}
}

// fields are texts of a kind, counted in their headings.
func (p *page) fields(name string, texts []string) {
	for i, text := range texts {
		p.numbered(name, i+1)
		p.literal(text)
	}
}

// literal fences text with more backticks than it has anywhere in a row.
func (p *page) literal(text string) {
	fence := "```"
	if n := longestRun(text); n >= len(fence) {
		fence = strings.Repeat("`", n+1)
	}
	p.add("\n", fence, "text\n", text, "\n", fence, "\n")
}

func longestRun(text string) int {
	longest := 0
	for {
		at := strings.IndexByte(text, '`')
		if at < 0 {
			return longest
		}
		text = text[at:]
		rest := strings.TrimLeft(text, "`")
		longest = max(longest, len(text)-len(rest))
		text = rest
	}
}

func (p *page) record(n int, h *ask.HistoryRecord) {
	p.add("\n## Question ")
	p.number(n)
	p.add("\n")
	p.line("Status: ", string(h.Status))
	p.line("Created: ", h.CreatedAt)
	p.line("Background: ", strconv.FormatBool(h.Background))
	p.field("Request key", h.RequestID)
	p.field("Question key", h.QuestionID)
	if h.Tool != ask.ToolAskUser { // the contract's file names no tool
		p.optional("Tool", h.Tool)
	}
	p.optional("Machine", h.Host)
	p.optional("Form title", h.Title)
	p.question(&h.Question)
	p.answer(h.Answer)
	p.optional("Error", h.Error)
}

func (p *page) question(q *ask.Question) {
	p.field("Label", q.Label)
	p.field("Question", q.Prompt)
	p.optional("Context", q.Context)
	presented := q.PresentedType
	if presented == "" {
		presented = q.Type
	}
	p.line("Type: ", string(q.Requested()))
	p.line("Presented type: ", string(presented))
	for i := range q.Options {
		p.option(i+1, &q.Options[i])
	}
}

func (p *page) option(n int, o *ask.Option) {
	p.numbered("Option ", n)
	p.field("Value", o.Value)
	p.field("Label", o.Label)
	p.optional("Description", o.Description)
	p.optional("Preview", o.Preview)
	if o.Recommended != nil {
		p.line("Recommended: ", strconv.FormatBool(*o.Recommended))
	}
}

func (p *page) answer(a *ask.Answer) {
	if a == nil {
		p.line("No committed answer.", "")
		return
	}
	p.heading("Answer")
	p.positions(a.Indices)
	p.fields("Selected value ", a.Values)
	p.fields("Selected label ", a.Labels)
	p.optional("Custom answer", a.CustomText)
	p.images("Custom answer", a.CustomImages)
	p.optional("Question note", a.Note)
	p.images("Question note", a.NoteImages)
	for value, images := range a.OptionNoteImages.All() {
		p.field("Image note option value", value)
		p.images("Option note", images)
	}
	for value, note := range a.OptionNotes.All() {
		p.field("Noted option value", value)
		p.field("Option note", note)
	}
}

func (p *page) positions(indices []int) {
	p.add("\nSelected positions: [")
	for i, n := range indices {
		if i > 0 {
			p.add(",")
		}
		p.number(n)
	}
	p.add("]\n")
}

func (p *page) images(owner string, images []ask.Image) {
	for i, image := range images {
		name := owner + " image " + strconv.Itoa(i+1)
		p.heading(name)
		p.add("\n![", name, "](data:", image.MimeType, ";base64,", image.Data, ")\n")
	}
}
