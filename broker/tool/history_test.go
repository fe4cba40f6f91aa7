package tool

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
	"askd/broker/ask/asktest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files under testdata anew")

// journalEntry is a request as the vectors store it.
type journalEntry struct {
	asktest.Form
	CreatedAt  time.Time
	Background bool
	Completion *struct {
		Result *ask.Result
		Error  string
	}
}

func (e *journalEntry) record(t *testing.T) ask.Record {
	t.Helper()
	r := e.Request(t)
	r.CreatedAt, r.Background = e.CreatedAt, e.Background
	rec := ask.Record{Request: r}
	if c := e.Completion; c != nil {
		rec.Outcome = &ask.Outcome{ID: "o", RequestID: r.ID, Kind: ask.Failed, Result: c.Result, Error: c.Error}
		if c.Result != nil {
			rec.Outcome.Kind = c.Result.Kind()
		}
	}
	return rec
}

// historyCall is the input of the vectors that call a history tool.
type historyCall struct {
	Journal []journalEntry
	Call    string
	Params  json.RawMessage
	Cwd     string
}

func (c *historyCall) history(t *testing.T) []ask.HistoryRecord {
	var records []ask.Record
	for i := range c.Journal {
		records = append(records, c.Journal[i].record(t))
	}
	return BranchHistory(records)
}

// calls are the tools as a session would call them, short of the file.
var calls = map[string]func(records []ask.HistoryRecord, c *historyCall) (*Outcome, error){
	ToolListHistory: func(records []ask.HistoryRecord, c *historyCall) (*Outcome, error) {
		p, err := ParseList(c.Params)
		return ListHistory(records, p), err
	},
	ToolReadHistory: func(records []ask.HistoryRecord, c *historyCall) (*Outcome, error) {
		k, err := ParseRead(c.Params)
		return ReadHistory(records, k), err
	},
	ToolExportHistory: func(records []ask.HistoryRecord, c *historyCall) (*Outcome, error) {
		p, err := ParseExport(c.Params)
		if err != nil {
			return nil, err
		}
		selected, err := SelectHistory(records, p.Keys)
		if err != nil {
			return HistoryFailure(err), nil
		}
		path, err := ExportPath(p.Path, c.Cwd)
		if err != nil {
			return HistoryFailure(err), nil
		}
		return ExportHistory(path, selected), nil
	},
}

func TestVectorsHistory(t *testing.T) {
	for _, v := range append(asktest.Load(t, vectorsFile, "history"), asktest.Load(t, vectorsFile, "export")...) {
		input := asktest.Decode[historyCall](t, v.Input)
		if input.Call == "" {
			continue // literal blocks are the export's
		}
		t.Run(v.Name, func(t *testing.T) {
			out, err := calls[input.Call](input.history(t), &input)
			if err != nil {
				t.Fatal(err)
			}
			want := asktest.Decode[map[string]any](t, v.Expect)
			delete(want, "file_created") // nothing here makes files
			if message, fails := want["error"]; fails {
				if !out.IsError || out.Content[0].Text != message || len(out.Transcript) != 0 {
					t.Errorf("outcome = %+v, want %q", out, message)
				}
				return
			}
			for name, got := range map[string]any{
				"details": out.Details, "structured content": out.StructuredContent, "text": json.RawMessage(out.Content[0].Text),
			} {
				if diff := cmp.Diff(any(want), asktest.Value(t, got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// answeredHistory is a branch of one question with an answer that has images everywhere.
func answeredHistory(t *testing.T, cancelled bool) []ask.HistoryRecord {
	t.Helper()
	image := func(id string) []ask.Image { return []ask.Image{{ID: id, MimeType: "image/png", Data: "b64" + id}} }
	r := request(t)
	r.CreatedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	result := ask.BuildResult(r, ask.Response{Choices: []ask.Choice{{
		Selected: []int{0}, Note: "say \"data\":\"x\"", CustomText: "own", CustomImages: image("c"),
		OptionNotes: map[int]string{1: "why"}, OptionNoteImages: map[int][]ask.Image{0: image("o")},
	}}}, false)
	result.Cancelled = cancelled
	return BranchHistory([]ask.Record{{Request: r, Outcome: &ask.Outcome{Kind: result.Kind(), Result: result}}})
}

func TestReadHistoryBytes(t *testing.T) {
	out := ReadHistory(answeredHistory(t, false), ask.HistoryKey{RequestID: "r1", QuestionID: "a"})
	const want = `{"record":{"requestId":"r1","questionId":"a","title":"Cache","createdAt":"2026-03-01T11:00:00.000Z","background":false,` +
		`"question":{"id":"a","label":"Q1","prompt":"Which?","type":"single","options":[{"value":"mem-ory","label":"Mem ory"},{"value":"disk","label":"Disk"}]},` +
		`"status":"answered","answer":{"values":["mem-ory","own"],"labels":["Mem ory","own"],"indices":[1],"customText":"own",` +
		`"note":"say \"data\":\"x\"","optionNotes":{"disk":"why"},"customImages":[{"id":"c","mimeType":"image/png","data":DATAc}],` +
		`"optionNoteImages":{"mem-ory":[{"id":"o","mimeType":"image/png","data":DATAo}]}}}}`
	fill := func(c, o string) string { return strings.NewReplacer("DATAc", c, "DATAo", o).Replace(want) }
	if diff := cmp.Diff(fill(redacted, redacted), out.Content[0].Text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	raw, err := ask.Stringify(out.StructuredContent)
	if diff := cmp.Diff(fill(`"b64c"`, `"b64o"`), string(raw)); diff != "" || err != nil {
		t.Errorf("structured content (-want +got):\n%s", diff)
	}
	wantBlocks := []Block{
		ask.TextBlock("Image for [a] Which? — custom answer:"),
		{Type: "image", Data: "b64c", MimeType: "image/png"},
		ask.TextBlock("Image for [a] Which? — option note for Mem ory:"),
		{Type: "image", Data: "b64o", MimeType: "image/png"},
	}
	if diff := cmp.Diff(wantBlocks, out.Content[1:]); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if out = ReadHistory(answeredHistory(t, true), ask.HistoryKey{RequestID: "r1", QuestionID: "a"}); len(out.Content) != 1 {
		t.Errorf("a cancelled record sends images: %+v", out.Content)
	}
}

func TestHistoryStatuses(t *testing.T) {
	r := request(t)
	answer := ask.Choice{Selected: []int{0}}
	cancelled := answered(r, answer)
	cancelled.Result.Cancelled, cancelled.Kind = true, ask.Cancelled
	for _, c := range []struct {
		name      string
		o         *ask.Outcome
		status    ask.Status
		hasAnswer bool
		err       string
	}{
		{"nothing yet", nil, ask.StatusWaiting, false, ""},
		{"an answer", answered(r, answer), ask.StatusAnswered, true, ""},
		{"an image alone", answered(r, ask.Choice{CustomImages: []ask.Image{{ID: "i"}}}), ask.StatusAnswered, true, ""},
		{"a note alone", answered(r, ask.Choice{Note: "n"}), ask.StatusSkipped, false, ""},
		{"a skip", answered(r, ask.Choice{Skipped: true}), ask.StatusSkipped, false, ""},
		{"no word", answered(r, ask.Choice{}), ask.StatusSkipped, false, ""},
		{"a cancellation that kept its answer", cancelled, ask.StatusCancelled, true, ""},
		{"nobody to ask", &ask.Outcome{Kind: ask.NoUI}, ask.StatusCancelled, false, ""},
		{"a surface that broke", &ask.Outcome{Kind: ask.Failed, Error: "UI gone"}, ask.StatusError, false, "UI gone"},
		{"an interruption", &ask.Outcome{Kind: ask.Interrupted, Result: ask.PendingResult(r)}, ask.StatusError, false, ask.TextInterrupted},
	} {
		h := BranchHistory([]ask.Record{{Request: r, Outcome: c.o}})[0]
		if h.Status != c.status || h.HasAnswer() != c.hasAnswer || h.Error != c.err {
			t.Errorf("%s: %+v", c.name, h)
		}
	}
}

func TestHistoryTakesTypesFromTheResult(t *testing.T) {
	p := parse(t, oneQuestion, Env{PresentSingleAsMulti: true})
	r := &ask.Request{ID: "r", Tool: ask.ToolAskUser, Questions: p.Questions}
	result := ask.BuildResult(r, ask.Response{Choices: []ask.Choice{{Type: ask.Single, Selected: []int{0}}}}, false)
	q := BranchHistory([]ask.Record{{Request: r, Outcome: &ask.Outcome{Kind: ask.Answered, Result: result}}})[0].Question
	if q.Type != ask.Single || q.PresentedType != "" {
		t.Errorf("question = %+v", q)
	}
}

func TestHistoryIsOfOneTool(t *testing.T) {
	r := request(t)
	r.Tool = "another"
	if got := BranchHistory([]ask.Record{{Request: r}}); len(got) != 0 {
		t.Errorf("history = %+v", got)
	}
}

// A question may be called as the properties that every JavaScript object has.
func TestHistoryOfInheritedNames(t *testing.T) {
	r := request(t)
	r.Questions[0].ID = "constructor"
	if h := BranchHistory([]ask.Record{{Request: r, Outcome: answered(r, ask.Choice{})}})[0]; h.Answer != nil || h.Status != ask.StatusSkipped {
		t.Errorf("record = %+v", h)
	}
}

func TestListQueries(t *testing.T) {
	records := answeredHistory(t, false)
	for query, want := range map[string]int{
		"": 1, "MEM ORY": 1, `"VALUES":["mem-ory"`: 1, "B64C": 1, "2026-03-01t11:00:00.000z": 1, `say \"data\"`: 1,
		`say "data"`: 0, "nothing of it": 0, "\n": 1,
	} {
		if got := ListHistory(records, ListParams{Query: query, Limit: 1}).Details.(HistoryList).Total; got != want {
			t.Errorf("%q: %d", query, got)
		}
	}
	l := ListHistory(records, ListParams{Offset: 7, Limit: 1}).Details.(HistoryList)
	if l.Total != 1 || l.Offset != 7 || l.NextOffset != 0 || l.Records == nil || len(l.Records) != 0 {
		t.Errorf("past the end: %+v", l)
	}
}

func TestSelection(t *testing.T) {
	records := answeredHistory(t, false)
	missing := []ask.HistoryKey{records[0].HistoryKey, {RequestID: "r2", QuestionID: "a"}}
	if _, err := SelectHistory(records, missing); err == nil || err.Error() != "Question not found on the current branch: r2 / a" {
		t.Errorf("err = %v", err)
	}
	if got, err := SelectHistory(records, nil); err != nil || len(got) != 1 {
		t.Errorf("all = %v, %v", got, err)
	}
}

func TestExportPaths(t *testing.T) {
	for path, want := range map[string]string{"out.md": "/src/out.md", "../out.md": "/out.md", "/a/../b.md": "/b.md", " x": "/src/ x"} {
		if got, err := ExportPath(path, "/src"); got != want || err != nil {
			t.Errorf("%q = %q, %v", path, got, err)
		}
	}
}

func TestHistoryParams(t *testing.T) {
	if p, err := ParseList(json.RawMessage(`{}`)); err != nil || p != (ListParams{Limit: 50}) {
		t.Errorf("%+v, %v", p, err)
	}
	list := func(raw json.RawMessage) error { _, err := ParseList(raw); return err }
	read := func(raw json.RawMessage) error { _, err := ParseRead(raw); return err }
	export := func(raw json.RawMessage) error { _, err := ParseExport(raw); return err }
	for _, c := range []struct {
		parse     func(json.RawMessage) error
		raw, want string
	}{
		{list, `{"limit":0}`, "limit: expected 1 to 200"},
		{list, `{"limit":201}`, "limit: expected 1 to 200"},
		{list, `{"offset":-1}`, "offset: expected 0 or more"},
		{list, `{"offset":1.5}`, "offset: expected a whole number, found number 1.5"},
		{list, `{"query":1}`, "query: expected a string, found number"},
		{list, `[]`, "arguments: expected an object, found array"},
		{list, `{`, "arguments: not valid JSON; send one JSON object"},
		{list, `{"limit":"5"}`, "limit: expected a whole number, found string"},
		{list, `{"offset":1e30}`, "offset: expected a whole number, found number 1e30"},
		{list, `{"limit":[]}`, "limit: expected a whole number, found array"},
		{read, `{"requestId":5}`, "requestId: expected a string, found number"},
		{ParseWait, `[]`, "arguments: expected an object, found array"},
		{ParseWait, `"{}"`, "arguments: expected an object, found string"},
		{export, `{"path":true}`, "path: expected a string, found bool"},
		{export, `{"keys":{}}`, "keys: expected a list, found object"},
	} {
		var refused *ParamError
		if err := c.parse(json.RawMessage(c.raw)); !errors.As(err, &refused) || err.Error() != c.want {
			t.Errorf("%s: %v", c.raw, err)
		}
	}
}

// A number is what it is worth, however it is written, and a key that is missing is one that no question has.
func TestHistoryParamsAreTaken(t *testing.T) {
	for raw, want := range map[string]ListParams{
		`{"limit":2.0,"offset":1e1}`:             {Limit: 2, Offset: 10},
		`{"limit":null,"offset":-0.0}`:           {Limit: 50},
		`{"limit":5,"limit":7,"Limit":"x"}`:      {Limit: 7},
		`{"Query":5,"query":"a","more":{"x":1}}`: {Limit: 50, Query: "a"},
	} {
		if p, err := ParseList(json.RawMessage(raw)); err != nil || p != want {
			t.Errorf("%s: %+v, %v", raw, p, err)
		}
	}
	for _, raw := range []string{`{}`, `null`, ``, `{"requestId":"r"}`} {
		k, err := ParseRead(json.RawMessage(raw))
		if out := ReadHistory(nil, k); err != nil || out.Content[0].Text != "Question not found on the current branch: "+k.RequestID+" / " {
			t.Errorf("%s: %+v, %v", raw, out, err)
		}
	}
	for _, raw := range []string{``, `null`, `{}`, `{"timeout":5}`} {
		if err := ParseWait(json.RawMessage(raw)); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestHistoryDefinitions(t *testing.T) {
	for _, d := range Definitions(Interface{}) {
		if strings.HasSuffix(d.Name, "_history") {
			t.Errorf("%s is there unasked", d.Name)
		}
	}
	golden := filepath.Join("testdata", "history_tools.json")
	var got []Definition
	for _, d := range Definitions(Interface{HistoryTools: true}) {
		if strings.HasSuffix(d.Name, "_history") {
			got = append(got, d)
		}
	}
	raw, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, append(raw, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), string(raw)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
