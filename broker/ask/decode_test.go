package ask_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
)

var (
	readRequest = (*ask.Reader).Request
	readOutcome = (*ask.Reader).Outcome
)

// readAlike holds a quick reader against encoding/json, and gives whether it read at all.
func readAlike[T any](t *testing.T, data []byte, read func(*ask.Reader, string) (*T, bool)) bool {
	t.Helper()
	var r ask.Reader
	got, ok := read(&r, string(data))
	if !ok {
		return false
	}
	_, _ = read(&r, string(data[:len(data)/2])) // neither this nor what comes next changes what was read
	_, _ = read(&r, string(data))
	var want T
	if err := json.Unmarshal(data, &want); err != nil {
		t.Errorf("%q was read as %+v: %v", data, got, err)
	} else if !reflect.DeepEqual(*got, want) {
		t.Errorf("%q:\ngot  %+v\nwant %+v", data, got, want)
	}
	return true
}

// wholeOutcome has everything that is read by hand.
func wholeOutcome() *ask.Outcome {
	at := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	o := &ask.Outcome{
		ID: "o", RequestID: "r", Session: "s <&>", Kind: ask.Answered, Error: "e", Via: ask.ViaPane, Client: "c", StoredAt: at, ShownAt: &at, AnsweredAt: &at,
		Result: &ask.Result{
			Title: "T", Cancelled: true, RequestID: "r", SkippedQuestionIDs: []string{"b"},
			Questions: []ask.ResultQuestion{{ID: "a", Label: "L", Prompt: "P\n\u2028", Type: ask.Single, PresentedType: ask.Multi}, {}},
		},
	}
	notes := ask.Map[string]{}
	notes.Set("v", "a note\twith \"all\" \\ of it / \b\f\r \x01 é 漢")
	notes.Set("", "")
	o.Result.Answers.Set("a", ask.Answer{Values: []string{"v", "w"}, Labels: []string{"V"}, Indices: []int{1, 20}, CustomText: "own", Note: "n", OptionNotes: notes})
	o.Result.Answers.Set("b", ask.Answer{Values: []string{}, Indices: []int{}})
	return o
}

// otherFields are those with which an outcome is left to encoding/json, and the table that only a Map of many keys has.
var otherFields = []string{"CustomImages", "NoteImages", "OptionNoteImages", "places"}

// TestReadsWhatWasWritten: what a store writes is read by hand and not left to encoding/json.
func TestReadsWhatWasWritten(t *testing.T) {
	whole := wholeOutcome()
	unanswered, failed := *whole, *whole
	unanswered.Result = &ask.Result{Questions: []ask.ResultQuestion{}}
	failed.Result, failed.Error, failed.Client, failed.ShownAt, failed.AnsweredAt = nil, "", "", nil, nil
	for _, o := range []*ask.Outcome{whole, &unanswered, &failed} {
		raw, err := plainly(t, o, false)
		if err != nil || !readAlike(t, []byte(raw+"\n"), readOutcome) {
			t.Errorf("%v, %s", err, raw)
		}
	}
	yes, no := true, false
	odd := "<a> \"b\" \\ /\n\r\t\b\f\x01\x7f\u2028é漢😀"
	full := ask.Request{
		ID: odd, Session: odd, Tool: odd, ToolCallID: odd, ParentToolCallID: odd, Background: true, Title: odd,
		Questions: []ask.Question{{
			ID: odd, Label: odd, Prompt: odd, Context: odd, Type: ask.Multi, RequestedType: ask.Single, PresentedType: ask.Multi,
			Options: []ask.Option{{Value: odd, Label: odd, Description: odd, Recommended: &yes, Preview: odd}, {Recommended: &no}},
			Input:   true, Placeholder: odd,
		}, {Options: []ask.Option{}}},
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)), Deadline: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Asker:  ask.Asker{SessionName: odd, Cwd: odd, Host: odd, GitBranch: odd, Agent: odd, UI: odd},
		Prompt: &ask.PromptSettings{DisplayMode: odd, Layout: odd, ToggleKey: odd},
	}
	if name := blankField(reflect.ValueOf(full), "Arguments"); name != "" {
		t.Errorf("%s is not set: is it written and read?", name)
	}
	answer, _ := whole.Result.Answers.Get("a")
	if name := blankField(reflect.ValueOf(answer), otherFields...); name != "" {
		t.Errorf("%s is not set: is it read?", name)
	}
	if name := blankField(reflect.ValueOf(*whole), "Error", "places"); name != "" {
		t.Errorf("%s is not set: is it read?", name)
	}
	for _, r := range []*ask.Request{&full, {}, {Asker: ask.Asker{Cwd: "c", UI: "u"}, Prompt: &ask.PromptSettings{}}} {
		raw, err := ask.AppendRequest(nil, r)
		if err != nil || !readAlike(t, raw, readRequest) {
			t.Errorf("%v, %s", err, raw)
		}
	}
}

// TestReaderReadsMany: what a reader has read stays as it was read, whatever comes then, damage included.
func TestReaderReadsMany(t *testing.T) {
	var r ask.Reader
	var requests []*ask.Request
	var outcomes []*ask.Outcome
	var raw [][2]string
	for n := range 300 {
		request, outcome := release(t), wholeOutcome()
		request.Title, outcome.Client = strings.Repeat("line\n", n), strings.Repeat("\t", n)
		for i := range n % 20 {
			request.Questions[0].Options = append(request.Questions[0].Options, ask.Option{Value: fmt.Sprint(i)})
			outcome.Result.Answers.Set(fmt.Sprint("id", i), ask.Answer{Values: []string{fmt.Sprint(n)}, Indices: []int{n, i}})
		}
		first, err := ask.AppendRequest(nil, request)
		if err != nil {
			t.Fatal(err)
		}
		second, err := plainly(t, outcome, false)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, [2]string{string(first), second})
		_, damaged := r.Request(string(first[:len(first)*n/300]))
		read, ok := r.Request(string(first))
		ended, fine := r.Outcome(second)
		if damaged || !ok || !fine {
			t.Fatalf("%d: %v, %v, %v", n, damaged, ok, fine)
		}
		requests, outcomes = append(requests, read), append(outcomes, ended)
	}
	for n := range raw {
		if got, err := ask.AppendRequest(nil, requests[n]); err != nil || string(got) != raw[n][0] {
			t.Errorf("%d: %v\ngot  %s\nwant %s", n, err, got, raw[n][0])
		}
		if got, err := plainly(t, outcomes[n], false); err != nil || got != raw[n][1] {
			t.Errorf("%d: %v\ngot  %s\nwant %s", n, err, got, raw[n][1])
		}
	}
}

// blankField names a field that is not set in a struct, the first one of each list in it, or what it points to.
func blankField(v reflect.Value, but ...string) string {
	switch v.Kind() {
	case reflect.Pointer:
		return blankField(v.Elem(), but...)
	case reflect.Slice:
		return blankField(v.Index(0), but...)
	case reflect.Struct:
	default:
		return ""
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		return ""
	}
	for field, value := range v.Fields() {
		switch {
		case slices.Contains(but, field.Name):
		case value.IsZero():
			return v.Type().Name() + "." + field.Name
		case field.IsExported():
			if name := blankField(value, but...); name != "" {
				return name
			}
		}
	}
	return ""
}

// TestReadsNoDamage: a value that is cut off anywhere, or goes on, is not read.
func TestReadsNoDamage(t *testing.T) {
	r := release(t)
	request, err := ask.AppendRequest(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := plainly(t, wholeOutcome(), false)
	if err != nil {
		t.Fatal(err)
	}
	for n := range request {
		if readAlike(t, request[:n], readRequest) {
			t.Errorf("read %s", request[:n])
		}
	}
	for n := range outcome {
		if readAlike(t, []byte(outcome[:n]), readOutcome) {
			t.Errorf("read %s", outcome[:n])
		}
	}
	for _, more := range []string{"}", ",", " ", "\n\n", "\x00"} {
		if readAlike(t, append(bytes.Clone(request), more...), readRequest) {
			t.Errorf("read with %q behind it", more)
		}
	}
}

func FuzzRead(f *testing.F) {
	outcome, err := json.Marshal(wholeOutcome())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(outcome)
	f.Add([]byte(`{"id":"i","session":"s","tool":"ask_user","questions":[{"id":"q","label":"L","prompt":"P\u2028\n","type":"multi","options":[{"value":"v","label":"l","recommended":false}]}],` +
		`"createdAt":"2026-01-02T03:04:05.6+01:00","asker":{"cwd":"/","ui":"tui"},"deadline":"2026-01-02T03:04:05Z"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		readAlike(t, data, readRequest)
		readAlike(t, data, readOutcome)
		var r ask.Request
		if json.Unmarshal(data, &r) != nil {
			r.Title, r.Questions = string(data), []ask.Question{{Context: string(data)}}
		}
		raw, err := ask.AppendRequest(nil, &r)
		if err == nil && !readAlike(t, raw, readRequest) {
			t.Errorf("what was written was not read: %s", raw)
		}
	})
}
