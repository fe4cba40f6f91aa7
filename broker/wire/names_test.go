package wire_test

import (
	"testing"

	"askd/broker"
	"askd/broker/wire"
)

// TestNamesAreExact: a field of another case is an unknown one, and unknown ones are ignored. Of repeated ones the last counts.
func TestNamesAreExact(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial().hello().open("s")
	for _, tt := range []struct {
		line, id string
		code     int // 0 is a result
	}{
		{`{"jsonrpc":"2.0","id":50,"METHOD":"nope","method":"tool.list"}`, "50", 0},
		{`{"jsonrpc":"2.0","id":51,"method":"tool.list","Method":"nope","Params":5,"ID":6}`, "51", 0},
		{`{"jsonrpc":"2.0","id":52,"Method":"tool.list"}`, "52", -32600},
		{`{"JSONRPC":"2.0","id":53,"method":"tool.list"}`, "53", -32600},
		{`{"jsonrpc":"2.0","id":0,"id":54,"method":"nope","method":"tool.list"}`, "54", 0},
		{`{"jsonrpc":"2.0","id":55,"method":"queue.list","params":{"Session":5,"ALL":{}}}`, "55", 0},
		{`{"jsonrpc":"2.0","id":56,"method":"queue.list","params":{"session":5,"session":"s"}}`, "56", 0},
		{`{"jsonrpc":"2.0","id":57,"method":"queue.list","params":{"Session":"s","session":5}}`, "57", -32602},
		{`{"jsonrpc":"2.0","id":58,"method":"session.open","params":{"id":"s","ID":7,"branch":[{"type":"asked","RequestId":7,"requestId":"r"}],"agent":{"Name":7}}}`, "58", 0},
		{`{"jsonrpc":"2.0","id":59,"method":"tool.call","params":{"Tool":5,"tool":"wait_for_answers","Arguments":5}}`, "59", 0},
	} {
		c.line(tt.line)
		m := c.reply(tt.id)
		code := 0
		if m.Error != nil {
			code = m.Error.Code
		}
		if code != tt.code {
			t.Errorf("%s: %s", tt.line, m)
		}
	}
}

// TestParamsAreObjects: also of methods that take nothing.
func TestParamsAreObjects(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial().hello().open("s")
	for _, method := range []string{"tool.list", "queue.watch", "session.userMessage", "dnd.get", "pane.focus", "daemon.status", "session.close"} {
		for _, params := range []string{`5`, `[]`, `"x"`, `true`} {
			if m := c.call(method, params); m.Error == nil || m.Error.Kind() != broker.InvalidParams {
				t.Errorf("%s with %s: %s", method, params, m)
			}
		}
		c.ok(method, `{"unknown":[]}`)
	}
	if m := c.call("session.close", `{"reason":5}`); m.Error == nil || m.Error.Data.Path != "reason" {
		t.Errorf("session.close: %s", m)
	}
}
