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
		if _, err := w.Write(p); err != nil {
			return err
		}
		p = p[:0]
	}
	_, err := w.Write(p) // without any record the heading is still to be written
	return err
}

// page is Markdown in the making. Every block but the first has a blank line before it.
type page []byte

func (p *page) block(parts ...string) {
	*p = append(*p, '\n')
	for _, s := range parts {
		*p = append(*p, s...)
	}
	*p = append(*p, '\n')
}

func (p *page) heading(parts ...string) { p.block(append([]string{"### "}, parts...)...) }

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

// literal fences text with more backticks than it has anywhere in a row.
func (p *page) literal(text string) {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	p.block(fence, "text\n", text, "\n", fence)
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
	p.block("## Question ", strconv.Itoa(n))
	p.block("Status: ", string(h.Status))
	p.block("Created: ", h.CreatedAt)
	p.block("Background: ", strconv.FormatBool(h.Background))
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
	p.block("Type: ", string(q.Requested()))
	p.block("Presented type: ", string(presented))
	for i := range q.Options {
		p.option(i+1, &q.Options[i])
	}
}

func (p *page) option(n int, o *ask.Option) {
	p.heading("Option ", strconv.Itoa(n))
	p.field("Value", o.Value)
	p.field("Label", o.Label)
	p.optional("Description", o.Description)
	p.optional("Preview", o.Preview)
	if o.Recommended != nil {
		p.block("Recommended: ", strconv.FormatBool(*o.Recommended))
	}
}

func (p *page) answer(a *ask.Answer) {
	if a == nil {
		p.block("No committed answer.")
		return
	}
	p.heading("Answer")
	p.block("Selected positions: ", positions(a.Indices))
	for i, v := range a.Values {
		p.field("Selected value "+strconv.Itoa(i+1), v)
	}
	for i, l := range a.Labels {
		p.field("Selected label "+strconv.Itoa(i+1), l)
	}
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

func positions(indices []int) string {
	b := []byte{'['}
	for i, n := range indices {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(append(b, ']'))
}

func (p *page) images(owner string, images []ask.Image) {
	for i, image := range images {
		name := owner + " image " + strconv.Itoa(i+1)
		p.heading(name)
		p.block("![", name, "](data:", image.MimeType, ";base64,", image.Data, ")")
	}
}
