package wire_test

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"askd/broker"
	"askd/broker/wire"
)

// begun is a request whose line of about a mebibyte has no end yet; finish is its end.
const finish = `"}}` + "\n"

func begun(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tool.list","params":{"x":"` + strings.Repeat("x", 900<<10)
}

// ends reads up to the end of a connection and gives the last message.
func (c *raw) ends() (last message, n int) {
	c.tb.Helper()
	for {
		m, err := c.read()
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
			return last, n
		}
		must(c.tb, err)
		last, n = m, n+1
	}
}

func (m message) spent() bool {
	return m.Error != nil && m.Error.Kind() == broker.Unavailable && string(m.ID) == "null" && m.Error.Data.Hint != ""
}

// TestUnfinishedLines: what clients have begun to send takes no more than there is for all of them. Who would go beyond that
// is told and closed, alone; what others have begun is read to its end, and then there is room again.
func TestUnfinishedLines(t *testing.T) {
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{Buffered: 1 << 20}})
	first, second := h.dial().hello(), h.dial().hello()
	must(t, first.write(begun("50")))
	_ = second.write(begun("50") + finish)
	if m, n := second.ends(); !m.spent() || n != 1 {
		t.Errorf("the second of them got %d messages, the last is %v", n, m)
	}
	small := h.dial().hello()
	small.ok("tool.list", `{}`)
	must(t, first.write(finish))
	if m := first.reply("50"); m.Error != nil {
		t.Errorf("the first of them got %v", m)
	}
	fits := func() bool {
		c := h.dial().hello()
		_ = c.write(begun("50") + finish + `{"jsonrpc":"2.0","id":51,"method":"none"}` + "\n")
		m, err := c.read()
		return err == nil && m.Error == nil
	}
	until(t, "room after the first", fits)
	left := h.dial().hello()
	must(t, left.write(begun("50")))
	must(t, left.conn.Close())
	until(t, "room after one that left", fits)
}

// TestUnreadReplies: the same for what clients do not read. They still get what was queued, and why they are closed.
func TestUnreadReplies(t *testing.T) {
	const requests = 400
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{Buffered: 1 << 20}})
	var all strings.Builder
	for range requests {
		all.WriteString(`{"jsonrpc":"2.0","id":50,"method":"tool.list"}` + "\n")
	}
	deaf := h.dial().hello()
	must(t, deaf.write(all.String()))
	other := h.dial().hello()
	until(t, "the end of who does not read", func() bool {
		other.ok("tool.list", `{}`)
		return deaf.write("\n") != nil || strings.Contains(string(other.ok("daemon.status", `{}`)), `"cutOff":1`)
	})
	if m, n := deaf.ends(); !m.spent() || n < 2 || n >= requests {
		t.Errorf("it got %d messages, the last is %v", n, m)
	}
	reader := h.dial().hello()
	go func() { _ = reader.write(all.String()) }()
	for range requests {
		if m := reader.must(); m.Error != nil {
			t.Fatalf("a client that reads got %v", m)
		}
	}
}

// TestLimitsTold: a client learns what it has to keep to.
func TestLimitsTold(t *testing.T) {
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{Connections: 7, Buffered: 1 << 20}})
	got := string(h.dial().ok("initialize", hello))
	for _, want := range []string{`"maxConnections":7`, `"maxBuffered":1048576`, `"maxIncomingLine":8388608`} {
		if !strings.Contains(got, want) {
			t.Errorf("initialize gives %s, without %s", got, want)
		}
	}
}
