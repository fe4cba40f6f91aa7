package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/wire"
	"askd/config"
)

func TestLineLengths(t *testing.T) {
	h := newHouse(t, wire.Options{})
	for name, connect := range map[string]func() *raw{"socket": h.dial, "pipe": h.pipe} {
		t.Run(name, func(t *testing.T) {
			c := connect().hello()
			for _, n := range []int{16<<10 - 1, 16 << 10, 16<<10 + 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1<<20 + 1, config.MaxLineIn - 1, config.MaxLineIn} {
				c.line(padded(n, n))
				if m := c.reply(fmt.Sprint(n)); m.Error != nil {
					t.Errorf("a line of %d bytes: %+v", n, *m.Error)
				}
			}
			c.ok("daemon.status", `{}`)
		})
	}
}

func TestLineTooLong(t *testing.T) {
	h := newHouse(t, wire.Options{})
	other := h.dial().hello().open("other")
	call := other.ask(1)
	for name, text := range map[string]string{
		"by one byte":       padded(9, config.MaxLineIn+1) + "\n",
		"without an end":    strings.Repeat("x", config.MaxLineIn+64<<10),
		"twice the allowed": strings.Repeat("[", 2*config.MaxLineIn),
	} {
		t.Run(name, func(t *testing.T) {
			c := h.dial().hello()
			_ = c.write(text) // the other end may hang up before it has everything
			m := c.must()
			want := wire.Error{Code: -32600, Message: "message too large (limit 8 MiB)"}
			if m.Error == nil || m.Error.Code != want.Code || m.Error.Message != want.Message || m.Error.Kind() != broker.TooLarge {
				t.Errorf("told %s", m)
			}
			c.hungUp()
		})
	}
	other.ok("form.respond", choose(1))
	_ = call
	h.dial().hello()
}

func TestOddLines(t *testing.T) {
	h := newHouse(t, wire.Options{})
	for name, connect := range map[string]func() *raw{"socket": h.dial, "pipe": h.pipe} {
		t.Run(name, func(t *testing.T) {
			c := connect().hello()
			for _, tt := range []struct {
				name, line string
				id         string // of the reply
				code       int    // 0 is a result
			}{
				{"CRLF", `{"jsonrpc":"2.0","id":50,"method":"tool.list"}` + "\r", "50", 0},
				{"white space around", " \t" + `{"jsonrpc":"2.0","id":51,"method":"tool.list"}` + " ", "51", 0},
				{"a string id", `{"jsonrpc":"2.0","id":"é\u0000","method":"tool.list"}`, `"é\u0000"`, 0},
				{"a negative id", `{"jsonrpc":"2.0","id":-1.5e3,"method":"tool.list"}`, `-1.5e3`, 0},
				{"unknown fields", `{"jsonrpc":"2.0","id":52,"method":"tool.list","more":[1],"params":{"x":{}}}`, "52", 0},
				{"null params", `{"jsonrpc":"2.0","id":53,"method":"tool.list","params":null}`, "53", 0},
				{"no JSON", `hello`, "null", -32700},
				{"half a message", `{"jsonrpc":"2.0","id":54,`, "null", -32700},
				{"two messages", `{"jsonrpc":"2.0","id":1,"method":"tool.list"}{"jsonrpc":"2.0","id":2,"method":"tool.list"}`, "null", -32700},
				{"a NUL", `{"jsonrpc":"2.0","id":55,"method":"tool.list"}` + "\x00", "null", -32700},
				{"not UTF-8", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"tool.list"}`, "null", -32700},
				{"not UTF-8 in params", `{"jsonrpc":"2.0","id":55,"method":"tool.list","params":{"x":"` + "\xc3\x28" + `"}}`, "null", -32700},
				{"a string", `"tool.list"`, "null", -32600},
				{"null", `null`, "null", -32600},
				{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"tool.list"}]`, "null", -32600},
				{"an empty batch", ` []`, "null", -32600},
				{"no version", `{"id":56,"method":"tool.list"}`, "56", -32600},
				{"another version", `{"jsonrpc":"1.0","id":57,"method":"tool.list"}`, "57", -32600},
				{"no method", `{"jsonrpc":"2.0","id":58}`, "58", -32600},
				{"a number for a method", `{"jsonrpc":"2.0","id":59,"method":7}`, "59", -32600},
				{"a reply", `{"jsonrpc":"2.0","id":60,"result":{}}`, "60", -32600},
				{"a null id", `{"jsonrpc":"2.0","id":null,"method":"tool.list"}`, "null", -32600},
				{"an object id", `{"jsonrpc":"2.0","id":{"a":1},"method":"tool.list"}`, "null", -32600},
				{"a boolean id", `{"jsonrpc":"2.0","id":true,"method":"tool.list"}`, "null", -32600},
				{"an unknown method", `{"jsonrpc":"2.0","id":61,"method":"form.forge"}`, "61", -32601},
				{"another case", `{"jsonrpc":"2.0","id":62,"method":"Tool.List"}`, "62", -32601},
				{"params of the wrong type", `{"jsonrpc":"2.0","id":63,"method":"tool.call","params":[]}`, "63", -32602},
				{"params of no type", `{"jsonrpc":"2.0","id":64,"method":"tool.abort","params":"t1"}`, "64", -32602},
			} {
				c.line(tt.line)
				m := c.must()
				code := 0
				if m.Error != nil {
					code = m.Error.Code
				}
				if string(m.ID) != tt.id || code != tt.code || m.Error != nil && m.Error.Kind() == "" {
					t.Errorf("%s: %s, want id %s and code %d", tt.name, m, tt.id, tt.code)
				}
			}
			for _, silent := range []string{"", "\r", "   ", `{"jsonrpc":"2.0","method":"tool.list"}`, `{"jsonrpc":"2.0","method":"no.such.method"}`, `{"jsonrpc":"2.0","method":"tool.call","params":7}`} {
				c.line(silent)
			}
			if got := c.start("tool.list", `{}`); string(c.must().ID) != got {
				t.Error("a line that asks for nothing was answered")
			}
		})
	}
}

// TestTypeErrorsSpeakJSON names the field and both types as the client knows them.
func TestTypeErrorsSpeakJSON(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial()
	for _, tt := range []struct{ method, params, path, message string }{
		{"initialize", `{"protocol":"1"}`, "protocol", "protocol: expected a whole number, found string"},
		{"initialize", `[]`, "", "params: expected object, found array"},
		{"initialize", `{"protocol":1,"client":"me"}`, "client", "client: expected object, found string"},
		{"initialize", `{"protocol":1,"client":{"name":5}}`, "client.name", "client.name: expected string, found number"},
		{"initialize", `{"protocol":2}`, "protocol", "this askd speaks protocol 1"},
	} {
		m := c.call(tt.method, tt.params)
		if m.Error == nil || m.Error.Data == nil || m.Error.Data.Path != tt.path || m.Error.Message != tt.message || m.Error.Data.Hint == "" {
			t.Errorf("%s %s: %s", tt.method, tt.params, m)
		}
	}
	c.hello()
	if m := c.call("session.open", `{"id":"s","branch":{}}`); m.Error == nil || m.Error.Message != "branch: expected array, found object" {
		t.Errorf("%s", m)
	}
}

func TestInitializeFirst(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial()
	for _, method := range []string{"session.open", "tool.list", "no.such.method", "daemon.status"} {
		if m := c.call(method, `{}`); m.Error == nil || m.Error.Code != -32600 || m.Error.Data.Hint == "" {
			t.Errorf("%s: %s", method, m)
		}
	}
	var got wire.Initialized
	must(t, json.Unmarshal(c.ok("initialize", hello), &got))
	if got.Protocol != 1 || got.Server.Name != "askd" || got.Limits.MaxIncoming != 8<<20 || got.Limits.MaxOutgoing != 64<<20 {
		t.Errorf("initialize gave %+v", got)
	}
	if m := c.call("initialize", hello); m.Error == nil || m.Error.Kind() != broker.Conflict {
		t.Errorf("a second initialize: %s", m)
	}
	c.ok("daemon.status", `{}`)
}

// TestLastLineWithoutEnd: half a message is none, even when it could be read as one.
func TestLastLineWithoutEnd(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial().hello().open("s")
	must(t, c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tool.call","params":%s}`, askParams(1))))
	must(t, c.conn.(*net.UnixConn).CloseWrite())
	for {
		m, err := c.read()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if m.Method == "ask.accepted" || string(m.ID) == "9" {
			t.Errorf("half a message was taken: %s", m)
		}
	}
	if got := string(h.dial().hello().ok("queue.list", `{}`)); got != `{"requests":[]}` {
		t.Errorf("the queue holds %s", got)
	}
}

// TestHalfClosedClient still gets its answer, and the connection then ends.
func TestHalfClosedClient(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial().hello().open("s")
	call := c.ask(1)
	must(t, c.conn.(*net.UnixConn).CloseWrite())
	h.dial().hello().ok("form.respond", choose(1))
	if m := c.reply(call); m.Error != nil || !strings.Contains(string(m.Result), "Postgres") {
		t.Errorf("answered %s", m)
	}
	c.hungUp()
}

// TestVanishedClient: a half-closed client that goes altogether is noticed, though nothing is sent to it.
func TestVanishedClient(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial().hello().open("s")
	c.ask(1)
	must(t, c.conn.(*net.UnixConn).CloseWrite())
	must(t, c.conn.Close())
	other := h.dial().hello()
	until(t, "an asker that has gone", func() bool {
		return strings.Contains(string(other.ok("queue.list", `{}`)), `"askerOnline":false`)
	})
}

// TestOrderOfEffects: what a client sends at once takes effect in that order, an open call apart.
func TestOrderOfEffects(t *testing.T) {
	h := newHouse(t, wire.Options{})
	for name, connect := range map[string]func() *raw{"socket": h.dial, "pipe": h.pipe} {
		t.Run(name, func(t *testing.T) {
			c := connect()
			request := func(id int, method, params string) string {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
			}
			text := request(1, "initialize", hello) + request(2, "session.open", `{"id":"`+name+`","branch":null}`) +
				request(3, "tool.call", askParams(1)) + request(4, "tool.abort", `{"toolCallId":"t1","reason":"user"}`) +
				request(5, "tool.call", askParams(1)) + request(6, "session.close", `{}`) + request(7, "tool.await", `{"requestId":"x"}`)
			sent := make(chan error, 1)
			go func() { sent <- c.write(text) }()
			got := map[string]message{}
			for len(got) < 7 {
				if m := c.must(); m.Method == "" {
					got[string(m.ID)] = m
				}
			}
			must(t, <-sent)
			for id, want := range map[string]string{"1": "protocol", "2": `"primary"`, "6": "{}"} {
				if m := got[id]; m.Error != nil || !strings.Contains(string(m.Result), want) {
					t.Errorf("reply %s: %s", id, m)
				}
			}
			if m := got["7"]; m.Error == nil || m.Error.Kind() != broker.InvalidParams {
				t.Errorf("after session.close: %s", m)
			}
		})
	}
}
