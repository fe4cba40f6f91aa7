package export

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"askd/broker/ask"
	"askd/broker/ask/asktest"
)

var update = flag.Bool("update", false, "write the golden files under testdata anew")

func TestVectorsLiteral(t *testing.T) {
	for _, v := range asktest.Load(t, "../../broker/ask/testdata/ask_user.json", "export") {
		input := asktest.Decode[struct{ Literal *string }](t, v.Input)
		if input.Literal == nil {
			continue // calls are the tool's
		}
		t.Run(v.Name, func(t *testing.T) {
			want := asktest.Decode[struct{ Block string }](t, v.Expect).Block
			var p page
			p.literal(*input.Literal)
			if got := string(p); got != "\n"+want+"\n" {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func png(id string) []ask.Image { return []ask.Image{{ID: id, MimeType: "image/png", Data: "QUJD"}} }

// everything is a record in which nothing optional is missing, with text that looks like markup.
func everything() ask.Record {
	yes, no := true, false
	r := &ask.Request{
		ID: "0b7c1a52-6f0e-4d5e-8f1e-2a9f6d0c4b11", Session: "s1", Tool: ask.ToolAskUser, ToolCallID: "call-1", Title: "Storage # 1",
		CreatedAt: time.Date(2026, 11, 2, 8, 15, 30, 0, time.UTC), Background: true, Asker: ask.Asker{Cwd: "/srv"},
		Questions: []ask.Question{
			{
				ID: "store", Label: "*Store*", Prompt: "Which store? Use ``` if unsure\n\n```text\nnot a fence\n```", Context: "# Plan\n\n````\ncode\n````\n", Type: ask.Single,
				Options: []ask.Option{
					{Value: "pg", Label: "Postgres", Description: "known <well>", Recommended: &yes},
					{Value: "lite", Label: "SQLite", Recommended: &no},
				},
			},
			{ID: "when", Label: "Q2", Prompt: "When?", Type: ask.Multi, Options: []ask.Option{{Value: "now", Label: "Now"}}},
			{ID: "who", Label: "Q3", Prompt: "Who?", Type: ask.Multi, Options: []ask.Option{{Value: "me", Label: "Me"}}},
		},
	}
	result := ask.BuildResult(r, ask.Response{Choices: []ask.Choice{
		{
			Type: ask.Multi, Selected: []int{0, 1}, CustomText: "own\r\n`", CustomImages: png("a"), Note: "managed only", NoteImages: append(png("b"), png("c")...),
			OptionNotes: map[int]string{1: "small"}, OptionNoteImages: map[int][]ask.Image{0: png("d")},
		},
		{Type: ask.Multi, Note: "no idea"},
		{Type: ask.Multi, Skipped: true},
	}}, false)
	answeredAt := r.CreatedAt.Add(time.Minute)
	return ask.Record{
		Request: r,
		Outcome: &ask.Outcome{
			ID: "o2", RequestID: r.ID, Session: "s1", Kind: ask.Answered, Result: result, Via: ask.ViaAskctl, Client: "askctl",
			StoredAt: answeredAt, AnsweredAt: &answeredAt,
		},
		Earlier: []*ask.Outcome{{ID: "o1", Kind: ask.Interrupted, Via: ask.ViaAskd, StoredAt: r.CreatedAt}},
	}
}

// prompted is a record of ask_user_question.
func prompted() ask.Record {
	r := &ask.Request{
		ID: "7d1f0a52-6f0e-4d5e-8f1e-2a9f6d0c4b11", Session: "s1", Tool: ask.ToolQuestion, ToolCallID: "call-2",
		CreatedAt: time.Date(2026, 11, 3, 8, 15, 30, 0, time.UTC), Prompt: &ask.PromptSettings{DisplayMode: "inline", Layout: "auto"},
		Questions: []ask.Question{
			{ID: "q1", Label: "Retries", Prompt: "Which retry policy?", Type: ask.Single, Options: []ask.Option{
				{Value: "Backoff", Label: "Backoff", Description: "With jitter", Preview: "\n## Backoff\n\n```go\nwait *= 2\n```\n"},
				{Value: "Fixed", Label: "Fixed"},
			}},
			{ID: "q2", Label: "Gates", Prompt: "Which checks?", Type: ask.Multi, Options: []ask.Option{
				{Value: "Unit tests", Label: "Unit tests"}, {Value: "Linters", Label: "Linters"},
			}},
			{ID: "q3", Label: "Logs", Prompt: "Which format?", Type: ask.Single, Options: []ask.Option{
				{Value: "JSON", Label: "JSON"}, {Value: "Text", Label: "Text"},
			}},
		},
	}
	result := ask.BuildResult(r, ask.Response{Choices: []ask.Choice{
		{Type: ask.Single, Selected: []int{0}},
		{Type: ask.Multi, Selected: []int{1}, CustomText: "licence scan"},
	}}, false)
	return ask.Record{
		Request: r,
		Outcome: &ask.Outcome{ID: "o4", RequestID: r.ID, Session: "s1", Kind: ask.Answered, Result: result, Via: ask.ViaPane, StoredAt: r.CreatedAt},
	}
}

func failed() ask.Record {
	rec := everything()
	rec.Request.Questions, rec.Request.Title = rec.Request.Questions[1:2], ""
	rec.Outcome, rec.Earlier = &ask.Outcome{ID: "o3", Kind: ask.Failed, Error: "UI gone", Via: ask.ViaExternal}, nil
	return rec
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestGoldens(t *testing.T) {
	waiting := failed()
	waiting.Outcome = nil
	for name, format := range map[string]Format{"history.md": FormatMarkdown, "history.jsonl": FormatJSONLines} {
		path := filepath.Join(t.TempDir(), name)
		must(t, Write(path, seq(nil, everything(), failed(), waiting, prompted()), format))
		got, err := os.ReadFile(path)
		must(t, err)
		golden(t, name, got)
	}
}

func TestNoRecords(t *testing.T) {
	for format, want := range map[Format]string{FormatMarkdown: "# Ask history\n", FormatJSONLines: ""} {
		path := filepath.Join(t.TempDir(), "out")
		must(t, Write(path, seq(nil), format))
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", format, got, err)
		}
	}
}

// Chosen questions are numbered as they are written.
func TestWriteQuestions(t *testing.T) {
	rec := everything()
	path := filepath.Join(t.TempDir(), "out.md")
	must(t, WriteQuestions(path, rec.History()[1:2]))
	got, err := os.ReadFile(path)
	must(t, err)
	text := string(got)
	if !strings.HasPrefix(text, "# Ask history\n\n## Question 1\n\nStatus: skipped\n\n") || strings.Count(text, "\n## Question ") != 1 {
		t.Errorf("got %s", text)
	}
	if !strings.Contains(text, "\n### Answer\n\nSelected positions: []\n\n### Question note\n") {
		t.Error("a note without an answer is not written as an answer entry")
	}
}

// field is a heading of the file with the literal block behind it.
type field struct{ name, text string }

// fields reads a file back as any Markdown reader would.
func fields(t tb, source []byte) (out []field, headings int) {
	t.Helper()
	name := ""
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			name = string(n.Lines().Value(source))
			headings++
		case *ast.FencedCodeBlock:
			out = append(out, field{name, strings.TrimSuffix(string(n.Lines().Value(source)), "\n")})
		}
	}
	return out, headings
}

type tb interface {
	Helper()
	Fatalf(string, ...any)
}

func TestMarkdownReadsBack(t *testing.T) {
	var buf bytes.Buffer
	rec := everything()
	must(t, Markdown(&buf, Questions(seq(nil, rec))))
	got, headings := fields(t, buf.Bytes())
	q, a := rec.Request.Questions[0], rec.History()[0].Answer
	want := []field{
		{"Request key", rec.Request.ID},
		{"Question key", "store"},
		{"Form title", rec.Request.Title},
		{"Label", q.Label},
		{"Question", q.Prompt},
		{"Context", q.Context},
		{"Value", "pg"},
		{"Label", "Postgres"},
		{"Description", "known <well>"},
		{"Value", "lite"},
		{"Label", "SQLite"},
		{"Selected value 1", "pg"},
		{"Selected value 2", "lite"},
		{"Selected value 3", a.CustomText},
		{"Selected label 1", "Postgres"},
		{"Selected label 2", "SQLite"},
		{"Selected label 3", a.CustomText},
		{"Custom answer", a.CustomText},
		{"Question note", "managed only"},
		{"Image note option value", "pg"},
		{"Noted option value", "lite"},
		{"Option note", "small"},
	}
	if diff := cmp.Diff(want, got[:len(want)], cmp.AllowUnexported(field{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := strings.Count(buf.String(), "\n### ") + strings.Count(buf.String(), "\n## ") + 1; headings != want {
		t.Errorf("%d headings, wrote %d", headings, want)
	}
}

// Whatever a text holds, it comes back byte for byte.
func TestAnyTextReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.StringOf(rapid.SampledFrom([]rune("`~ab \t\n\r#>-_<&\\\u2028é1.|"))).Draw(rt, "text")
		var p page
		p.field("Question", want)
		p.field("End", "end")
		got, _ := fields(rt, p)
		if len(got) != 2 || got[0].text != want || got[1].text != "end" {
			rt.Fatalf("%q came back as %q", want, got)
		}
	})
}

func TestJSONLines(t *testing.T) {
	var buf bytes.Buffer
	must(t, JSONLines(&buf, seq(nil, everything(), failed())))
	lines := strings.Split(strings.TrimSuffix(buf.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, l := range lines {
		var v struct {
			Session, Tool, Status string
			Provenance            struct{ Outcome, Via string }
		}
		must(t, json.Unmarshal([]byte(l), &v))
		if v.Session != "s1" || v.Tool != "ask_user" || v.Status == "" || v.Provenance.Outcome == "" || v.Provenance.Via == "" {
			t.Errorf("line %s", l)
		}
	}
}
