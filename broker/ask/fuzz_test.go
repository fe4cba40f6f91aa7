package ask_test

import (
	"encoding/json"
	"errors"
	"testing"

	"askd/broker/ask"
)

// FuzzParseRemote: a response from outside is refused in the contract's words or makes choices that a result can be built
// of and that fit the form.
func FuzzParseRemote(f *testing.F) {
	for _, s := range []string{
		`{"kind":"cancel"}`, `{"kind":"answer","answers":{}}`, `{"kind":"answer","answers":{"engine":{"values":["mem"],"note":"n"}},"skippedQuestionIds":[]}`,
		`{"kind":"answer","answers":{"engine":{"customText":"own\u0000"},"engine":{"values":["disk"]}}}`, `{"kind":"answer","answers":{"engine":{"optionNotes":{"mem":"n","0":"x"}}}}`,
		`{"kind":"answer","answers":{},"skippedQuestionIds":["engine","engine"]}`, `{"kind":"answer","answers":{"__proto__":{}}}`, `[`, "{\"kind\":\"answer\",\"answers\":{\"engine\":{\"note\":\"\xff\"}}}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := release(t)
		kind, response, err := ask.ParseRemote(r, data)
		first, fault := ask.ParseRemoteKind(data)
		if fault == nil && err == nil && first != kind {
			t.Fatalf("%q is %q first and %q then", data, first, kind)
		}
		if err != nil {
			var refused *ask.RemoteError
			if !errors.As(err, &refused) || refused.Message == "" || refused.Code == ask.RemoteFlowNotFound {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is no JSON and was taken as %s", data, kind)
		}
		if kind == ask.RemoteCancel {
			return
		}
		for i, c := range response.Choices {
			q := &r.Questions[i]
			n := len(c.Selected)
			if c.CustomText != "" {
				n++
			}
			if c.Type != q.Type || q.Type == ask.Single && n > 1 || c.Skipped && n > 0 {
				t.Fatalf("%q: question %d is %+v", data, i, c)
			}
			for _, s := range c.Selected {
				if s < 0 || s >= len(q.Options) {
					t.Fatalf("%q: question %d selects %d", data, i, s)
				}
			}
		}
		result := ask.BuildResult(r, response, false)
		ask.TranscriptLines(result)
		ask.CardLines(r, result, "")
		if _, err := ask.Stringify(result); err != nil {
			t.Fatal(err)
		}
	})
}
