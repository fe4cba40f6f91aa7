package wire

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzEnvelope: a line is taken apart as JSON has it, or refused with a code of JSON-RPC; an id that goes back is
// one that came.
func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tool.list"}`, `{"jsonrpc":"2.0","id":"a\u0000","method":"x","params":{"a":[1,{"b":"c"}]}}`, ` {"jsonrpc" : "2.0" , "method":"m" } `,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}`, `{"JSONRPC":"2.0","ID":1,"Method":"a"}`, `{"jsonrpc":"2.0","id":-1.5e300,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1e99999,"method":"\ud800"}`, `{"jsonrpc":"2.0","id":{},"method":"m"}`, `{"jsonrpc":"2.0","id":null,"method":"m","params":null}`, "{\"a\":\"\xff\"}", `[]`, `{`, `""`, "\x00",
		`{"jsonrpc":"2.0","method":"m","params":"}\\\""}`, `{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1}}`, `{"method":"m"}{}`, `{"jsonrpc":"2.0","id":01,"method":"m"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 || len(bytes.TrimSpace(line)) == 0 {
			return
		}
		m, fault := decodeLine(bytes.Clone(line))
		if len(m.ID) > 0 && (!json.Valid(m.ID) || !validID(m.ID)) {
			t.Fatalf("%q: id %q", line, m.ID)
		}
		if fault != nil {
			if parse := !utf8.Valid(line) || !json.Valid(line); parse != (fault.Code == codeParse) || !parse && fault.Code != codeInvalidRequest {
				t.Fatalf("%q: %+v", line, fault)
			}
			return
		}
		var want map[string]json.RawMessage // a map has members as they are written, of repeated ones the last
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("%q was taken: %v", line, err)
		}
		if m.Method != text(want["method"]) || m.Method == "" || text(want["jsonrpc"]) != "2.0" || !utf8.Valid(line) || !bytes.Equal(bytes.TrimSpace(m.Params), bytes.TrimSpace(want["params"])) || !bytes.Equal(m.ID, want["id"]) {
			t.Fatalf("%q: %+v, want %q", line, m, want)
		}
	})
}

// text is the string that raw holds, empty for anything else.
func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}
