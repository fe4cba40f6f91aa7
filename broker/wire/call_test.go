package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// FuzzCall: the parameters of tool.call are read as by the slow way, or left to it.
func FuzzCall(f *testing.F) {
	for _, s := range []string{
		`{"tool":"ask_user","requestId":"r","toolCallId":"t","parentToolCallId":"p","arguments":{"questions":[]}}`,
		`{"tool":"a","tool":"b"}`, `{"Tool":"a"}`, `{"tool":"a","TOOL":"b"}`, `{"tool":null}`, `{"tool":7}`, `{"tool":"\u0061"}`, `{"\u0074ool":"a"}`, `{"tool":"a","more":{"tool":"b"}}`,
		`{"arguments":null}`, `{"arguments":"{}"}`, `{"arguments": [1, 2] }`, `{}`, `[]`, `null`, `7`, `{"arguments":{},"arguments":{"a":1}}`, `{"toolcallid":"x"}`, `{"toolCallId":"é"}`,
		`{"arguments":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !ask.ValidJSON(raw) || !json.Valid(raw) {
			return
		}
		got, ok := quickCall(raw)
		if !ok {
			return
		}
		var want broker.CallParams
		if err := ask.UnmarshalExactly(raw, &want); err != nil {
			t.Fatalf("%q was taken: %v", raw, err)
		}
		// encoding/json makes U+FFFD of what is no UTF-8; a line with such bytes is refused before.
		if !reflect.DeepEqual(got, want) && strings.ToValidUTF8(string(raw), "") == string(raw) {
			t.Fatalf("%q: %+v, want %+v", raw, got, want)
		}
	})
}

// TestOrdinaryMessagesAreQuick: what every client sends is not left to the slow way.
func TestOrdinaryMessagesAreQuick(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tool.list"}`, ` { "method" : "tool.call", "id" : "a b", "jsonrpc" : "2.0", "params" : { } , "more": 1 }`,
	} {
		if _, ok := quickLine([]byte(line)); !ok {
			t.Errorf("%s", line)
		}
	}
	for _, raw := range []string{`{}`, `{"tool":"ask_user","arguments":{"a":"\n"},"requestId":"r","toolCallId":"t","later":true}`} {
		if _, ok := quickCall([]byte(raw)); !ok {
			t.Errorf("%s", raw)
		}
	}
}
