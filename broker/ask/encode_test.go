package ask_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
)

// plainly is how encoding/json writes a value.
func plainly(t *testing.T, v any, html bool) (string, error) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func wroteString(t *testing.T, s string) {
	t.Helper()
	for _, html := range []bool{false, true} {
		want, err := plainly(t, s, html)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(ask.AppendString([]byte("x"), s, html)); got != "x"+want {
			t.Errorf("%q, html %v: got %s, want %s", s, html, got, want)
		}
	}
}

// TestAppendString: each character at each place of a word, beside each kind of neighbour.
func TestAppendString(t *testing.T) {
	chars := []string{"\x80", "\xc3", "\xe2\x80", "\u2027", "\u2028", "\u2029", "\u202a", "\ufffd", "é", "漢", "😀", "\xed\xa0\x80"}
	for c := range byte(0x80) {
		chars = append(chars, string(rune(c)))
	}
	for _, char := range chars {
		for at := range 17 {
			for _, beside := range []string{"a", "\"", "é"} {
				wroteString(t, strings.Repeat("a", at)+char+beside+strings.Repeat("b", 17-at))
			}
		}
	}
}

func wroteRequest(t *testing.T, r *ask.Request) {
	t.Helper()
	rest := *r
	rest.Arguments = nil
	want, fault := plainly(t, &rest, false)
	got, err := ask.AppendRequest([]byte("x"), r)
	if (err == nil) != (fault == nil) || err == nil && string(got) != "x"+want {
		t.Errorf("got %s, %v\nwant %s, %v", got, err, want, fault)
	}
	for _, html := range []bool{false, true} {
		want, err := plainly(t, r.Questions, html)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(ask.AppendQuestions(nil, r.Questions, html)); got != want {
			t.Errorf("html %v: got %s, want %s", html, got, want)
		}
	}
}

// TestAppendRequest: times that are no times of JSON, or hardly, beside what the fuzz test finds.
func TestAppendRequest(t *testing.T) {
	no := false
	for _, at := range []time.Time{
		{},
		time.Unix(1<<40, 0), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 678, time.FixedZone("", 3600+61)),
		time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 24*3600)), time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", -24*3600+1)),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.FixedZone("", 23*3600)), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		wroteRequest(t, &ask.Request{CreatedAt: at, Deadline: at, Arguments: []byte("{}"), Prompt: &ask.PromptSettings{}})
		wroteRequest(t, &ask.Request{CreatedAt: at, Questions: []ask.Question{{}, {Options: []ask.Option{{Recommended: &no}, {}}}}})
	}
}

func FuzzAppendRequest(f *testing.F) {
	f.Add([]byte(`{"id":"i","session":"<s>","tool":"ask_user","toolCallId":"t","parentToolCallId":"p","background":true,"title":"T",` +
		`"questions":[{"id":"q","label":"L","prompt":"P\u2028","context":"line\nline \"x\" \u0001","type":"multi","requestedType":"single","presentedType":"multi",` +
		`"options":[{"value":"v","label":"l","description":"d","recommended":false,"preview":"p"}]},{}],"createdAt":"2026-01-02T03:04:05.6+01:00",` +
		`"asker":{"sessionName":"n","cwd":"/","host":"h","gitBranch":"b","agent":"a","ui":"tui"},"prompt":{"toggleKey":"k"},"deadline":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte("any text that is \xff no JSON"))
	f.Fuzz(func(t *testing.T, data []byte) {
		wroteString(t, string(data))
		var r ask.Request
		if json.Unmarshal(data, &r) != nil {
			r.Title, r.Questions = string(data), []ask.Question{{Context: string(data)}}
		}
		wroteRequest(t, &r)
	})
}
