package wire_test

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"askd/broker/wire"
	"askd/config"
)

// FuzzInput gives a connection any bytes: it answers in whole messages and goes on, and so does everyone else's.
func FuzzInput(f *testing.F) {
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + "}\n"
	}
	for _, seed := range []string{
		"", "\n", "\r\n", "\x00\n", "[]\n", "{}\n", "null\n", "7", `{"jsonrpc":"2.0"`, "\xff\xfe\n",
		request("session.open", `{"id":"s","ui":"cli","branch":null}`),
		request("session.open", `{"id":"s","ui":"tui","branch":[{"type":"asked","requestId":"r"},{"type":"delivered","requestId":"r"}],"openCalls":[{"requestId":"r"}]}`),
		request("session.open", `{"id":"s","branch":null}`) + request("tool.call", askParams(1)) + request("form.respond", choose(1)),
		request("session.open", `{"id":"s","branch":null}`) + request("tool.call", askParams(2)) + request("tool.abort", `{"toolCallId":"t2"}`) + request("session.close", `{}`),
		request("tool.call", `{"tool":"wait_for_answers"}`), request("queue.watch", `{}`), request("request.get", `{"requestId":"r"}`),
		request("delivery.ack", `{"requestId":"r","outcomeId":"o"}`), request("settings.set", `{"key":"x","value":1}`), request("pane.open", `{"view":"form"}`),
		request("tool.call", strings.Repeat("[", 20000)+strings.Repeat("]", 20000)),
	} {
		f.Add([]byte(seed))
	}
	h := newHouse(f, wire.Options{})
	other := h.dial().hello()
	f.Fuzz(func(t *testing.T, input []byte) {
		client, server := net.Pipe()
		h.server.Handle(server)
		c := newRaw(t, client)
		go func() {
			_ = c.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + hello + "}\n")
			_, _ = c.conn.Write(input)
			_ = c.write("\n" + `{"jsonrpc":"2.0","id":"the last","method":"daemon.status"}` + "\n")
		}()
		// A line over the limit ends the connection.
		tooLong := bytes.IndexByte(input, '\n') < 0 && len(input) > config.MaxLineIn
		for {
			m, err := c.read()
			if err != nil {
				if !tooLong {
					t.Errorf("the connection ended: %v", err)
				}
				break
			}
			if string(m.ID) == `"the last"` {
				break
			}
		}
		c.conn.Close()
		other.tb = t
		must(t, other.conn.SetDeadline(timeLimit()))
		other.ok("queue.list", `{"session":"nobody's"}`)
	})
}
