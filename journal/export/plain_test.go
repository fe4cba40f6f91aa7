package export

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"askd/broker/ask"
)

// plainMarkdown is the export as it is specified, written down without a thought of how long it takes: the quick one must
// give the same bytes for whatever is stored.
func plainMarkdown(records []ask.Record, own string) string {
	var b strings.Builder
	b.WriteString("# Ask history\n")
	n := 0
	for i := range records {
		for _, h := range records[i].History() {
			n++
			plainRecord(&b, n, &h, own)
		}
	}
	return b.String()
}

func plainRecord(b *strings.Builder, n int, h *ask.HistoryRecord, own string) {
	fmt.Fprintf(b, "\n## Question %d\n\nStatus: %s\n\nCreated: %s\n\nBackground: %v\n", n, h.Status, h.CreatedAt, h.Background)
	plainField(b, "Request key", h.RequestID)
	plainField(b, "Question key", h.QuestionID)
	if h.Tool != ask.ToolAskUser {
		plainSome(b, "Tool", h.Tool)
	}
	if h.Host != own {
		plainSome(b, "Machine", h.Host)
	}
	plainSome(b, "Form title", h.Title)
	plainQuestion(b, &h.Question)
	if h.Answer == nil {
		b.WriteString("\nNo committed answer.\n")
	} else {
		plainAnswer(b, h.Answer)
	}
	plainSome(b, "Error", h.Error)
}

func plainField(b *strings.Builder, name, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n### %s\n\n%stext\n%s\n%s\n", name, fence, text, fence)
}

func plainSome(b *strings.Builder, name, text string) {
	if text != "" {
		plainField(b, name, text)
	}
}

func plainQuestion(b *strings.Builder, q *ask.Question) {
	plainField(b, "Label", q.Label)
	plainField(b, "Question", q.Prompt)
	plainSome(b, "Context", q.Context)
	requested, presented := q.Type, q.Type
	if q.RequestedType != "" {
		requested = q.RequestedType
	}
	if q.PresentedType != "" {
		presented = q.PresentedType
	}
	fmt.Fprintf(b, "\nType: %s\n\nPresented type: %s\n", requested, presented)
	for i, o := range q.Options {
		fmt.Fprintf(b, "\n### Option %d\n", i+1)
		plainField(b, "Value", o.Value)
		plainField(b, "Label", o.Label)
		plainSome(b, "Description", o.Description)
		plainSome(b, "Preview", o.Preview)
		if o.Recommended != nil {
			fmt.Fprintf(b, "\nRecommended: %v\n", *o.Recommended)
		}
	}
}

func plainAnswer(b *strings.Builder, a *ask.Answer) {
	fmt.Fprintf(b, "\n### Answer\n\nSelected positions: %s\n", strings.ReplaceAll(fmt.Sprint(append([]int{}, a.Indices...)), " ", ","))
	for i, v := range a.Values {
		plainField(b, fmt.Sprintf("Selected value %d", i+1), v)
	}
	for i, l := range a.Labels {
		plainField(b, fmt.Sprintf("Selected label %d", i+1), l)
	}
	plainSome(b, "Custom answer", a.CustomText)
	plainImages(b, "Custom answer", a.CustomImages)
	plainSome(b, "Question note", a.Note)
	plainImages(b, "Question note", a.NoteImages)
	for value, images := range a.OptionNoteImages.All() {
		plainField(b, "Image note option value", value)
		plainImages(b, "Option note", images)
	}
	for value, note := range a.OptionNotes.All() {
		plainField(b, "Noted option value", value)
		plainField(b, "Option note", note)
	}
}

func plainImages(b *strings.Builder, owner string, images []ask.Image) {
	for i, image := range images {
		fmt.Fprintf(b, "\n### %s image %d\n\n![%s image %d](data:%s;base64,%s)\n", owner, i+1, owner, i+1, image.MimeType, image.Data)
	}
}

// drawn are hostile records: texts of what Markdown and terminals make something of, and of bytes that are no text.
type drawn struct{ t *rapid.T }

var pieces = []string{
	"", "a", "word ", "`", "``", "```", "`````````", "~~~", "\n", "\r\n", "\r", "\t", "\x00", "\x1b[31m", "#", "### Answer\n", "\u2028", "é", "漢", "😀", "\xff", "\xed\xa0\x80",
	"</pre>", "![x](y)", strings.Repeat("long ", 400), strings.Repeat("`", 300),
}

func (d drawn) text() string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(d.t, "text"), "")
}

func (d drawn) texts() []string {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawn{t}.text() }), 0, 12).Draw(d.t, "texts")
}

func (d drawn) flag() bool { return rapid.Bool().Draw(d.t, "flag") }

func (d drawn) seldom() bool { return rapid.IntRange(0, 3).Draw(d.t, "seldom") == 3 }

func (d drawn) kind() ask.Type {
	return rapid.SampledFrom([]ask.Type{"", ask.Single, ask.Multi, "other"}).Draw(d.t, "type")
}

func (d drawn) options() (out []ask.Option) {
	for range rapid.IntRange(0, 12).Draw(d.t, "options") {
		o := ask.Option{Value: d.text(), Label: d.text(), Description: d.text(), Preview: d.text()}
		if d.flag() {
			recommended := d.flag()
			o.Recommended = &recommended
		}
		out = append(out, o)
	}
	return out
}

func (d drawn) images() (out []ask.Image) {
	for range rapid.IntRange(0, 3).Draw(d.t, "images") {
		out = append(out, ask.Image{ID: d.text(), MimeType: d.text(), Data: d.text()})
	}
	return out
}

func (d drawn) answer() ask.Answer {
	a := ask.Answer{
		Values: d.texts(), Labels: d.texts(), Indices: rapid.SliceOfN(rapid.Int(), 0, 12).Draw(d.t, "indices"), CustomText: d.text(), Note: d.text(),
		CustomImages: d.images(), NoteImages: d.images(),
	}
	for range rapid.IntRange(0, 20).Draw(d.t, "notes") {
		a.OptionNotes.Set(d.text(), d.text())
		a.OptionNoteImages.Set(d.text(), d.images())
	}
	return a
}

func (d drawn) outcome(r *ask.Request) *ask.Outcome {
	if d.seldom() {
		return nil
	}
	o := &ask.Outcome{Kind: rapid.SampledFrom([]ask.OutcomeKind{
		ask.Answered, ask.Skipped, ask.Empty, ask.Cancelled, ask.TimedOut, ask.Interrupted, ask.Withdrawn, ask.Failed, ask.NoUI,
	}).Draw(d.t, "kind")}
	if d.seldom() {
		o.Error = d.text()
	}
	if d.seldom() {
		return o
	}
	o.Result = &ask.Result{Cancelled: d.seldom()}
	for i := range r.Questions {
		q := &r.Questions[i]
		o.Result.Questions = append(o.Result.Questions, ask.ResultQuestion{ID: q.ID, Type: d.kind(), PresentedType: d.kind()})
		if d.flag() {
			o.Result.Answers.Set(q.ID, d.answer())
		}
	}
	return o
}

func (d drawn) record(own string) ask.Record {
	r := &ask.Request{
		ID: d.text(), Title: d.text(), Background: d.flag(), Tool: rapid.SampledFrom([]string{ask.ToolAskUser, ask.ToolQuestion, "", "other"}).Draw(d.t, "tool"),
		Asker:     ask.Asker{Host: rapid.SampledFrom([]string{"", own, "elsewhere`"}).Draw(d.t, "host")},
		CreatedAt: time.Unix(rapid.Int64Range(-1<<36, 1<<38).Draw(d.t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(d.t, "nanoseconds")),
	}
	for range rapid.IntRange(0, 4).Draw(d.t, "questions") {
		r.Questions = append(r.Questions, ask.Question{
			ID: d.text(), Label: d.text(), Prompt: d.text(), Context: d.text(), Type: d.kind(), RequestedType: d.kind(), PresentedType: d.kind(), Options: d.options(),
		})
	}
	return ask.Record{Request: r, Outcome: d.outcome(r)}
}

// TestAnyRecordAsSpecified: whatever is stored comes out as it is specified, byte for byte.
func TestAnyRecordAsSpecified(t *testing.T) {
	own, _ := os.Hostname()
	rapid.Check(t, func(rt *rapid.T) {
		records := make([]ask.Record, rapid.IntRange(0, 3).Draw(rt, "records"))
		for i := range records {
			records[i] = drawn{rt}.record(own)
		}
		want := plainMarkdown(records, own)
		var got bytes.Buffer
		must(t, Markdown(&got, Questions(seq(nil, records...))))
		if got.String() != want {
			rt.Fatalf("got  %q\nwant %q", got.String(), want)
		}
	})
}
