package wire_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/wire"
)

func until(tb testing.TB, what string, fits func() bool) {
	tb.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !fits() {
		select {
		case <-tick.C:
		case <-deadline.C:
			tb.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// TestPipeliningClient sends far more at once than may wait for it, reads all the while, and gets every reply.
func TestPipeliningClient(t *testing.T) {
	const requests = 1500
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{Queue: 64}})
	for _, method := range []string{"tool.list", "queue.list"} {
		c := h.dial().hello()
		sent := make(chan error, 1)
		go func() {
			for i := range requests {
				if err := c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", 1000+i, method)); err != nil {
					sent <- err
					return
				}
			}
			sent <- nil
		}()
		for i := range requests {
			m, err := c.read()
			if err != nil {
				t.Fatalf("%s: %v after %d replies", method, err, i)
			}
			if want := fmt.Sprint(1000 + i); string(m.ID) != want {
				t.Fatalf("%s: reply to %s, want %s", method, m.ID, want)
			}
		}
		must(t, <-sent)
	}
}

// TestDeafClient: a client that never reads is cut off, and nobody else waits for it.
func TestDeafClient(t *testing.T) {
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{Queue: 8}})
	deaf := h.dial()
	must(t, deaf.conn.(*net.UnixConn).SetReadBuffer(1))
	deaf.line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + hello + `}`)
	deaf.line(`{"jsonrpc":"2.0","id":2,"method":"session.open","params":{"id":"s","branch":null}}`)
	until(t, "its session", func() bool { return strings.Contains(string(h.dial().hello().ok("daemon.status", `{}`)), `"id":"s"`) })
	other := h.dial().hello().open("s") // it hears of every form of the session
	cut := func() bool {
		must(t, deaf.conn.SetWriteDeadline(time.Now().Add(patience)))
		return deaf.write("\n") != nil
	}
	n := 0
	for ; n < 3000 && !cut(); n++ {
		call := other.ask(n)
		other.ok("form.respond", choose(n))
		_ = call
	}
	if !cut() {
		t.Errorf("still connected after %d changes of the queue", n)
	}
	var s struct{ Clients wire.Clients }
	must(t, json.Unmarshal(other.ok("daemon.status", `{}`), &s))
	if s.Clients.CutOff != 1 {
		t.Errorf("%d clients count as cut off, want 1", s.Clients.CutOff)
	}
	until(t, "only those that live to be counted", func() bool {
		must(t, json.Unmarshal(other.ok("daemon.status", `{}`), &s))
		return s.Clients.Connected == 2 // this one, and the one that looked for the session
	})
}

// TestSlowWatcher: one that follows the queue and falls behind gets the newest state, not every one that was.
func TestSlowWatcher(t *testing.T) {
	const changes = 300
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{Queue: 8}})
	watcher := h.dial().hello()
	must(t, watcher.conn.(*net.UnixConn).SetReadBuffer(1))
	if first := string(watcher.ok("queue.watch", `{}`)); first != `{"requests":[]}` {
		t.Errorf("the first state is %s", first)
	}
	other := h.dial().hello().open("s")
	for n := range changes {
		id := other.ask(n)
		if n == changes-1 {
			break
		}
		other.ok("form.respond", choose(n))
		_ = id
	}
	last := fmt.Sprintf("%012d", changes-1)
	for got := 1; ; got++ {
		if m := watcher.notice("queue.changed"); strings.Contains(string(m.Params), last) {
			if got > changes {
				t.Errorf("%d messages for %d changes", got, changes)
			}
			break
		}
	}
}

// TestDeafClientAtTheEnd: stopping does not wait for a client that does not read.
func TestDeafClientAtTheEnd(t *testing.T) {
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{WriteStall: time.Hour, Drain: 20 * time.Millisecond}})
	deaf := h.dial()
	for i := range 200 { // more than the socket takes
		must(t, deaf.conn.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		if deaf.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d%s","method":"x"}`+"\n", i, strings.Repeat("x", 64<<10))) != nil {
			break
		}
	}
	h.end()
}

// TestSlowReader moves a little at a time, slower than any write could take, and gets everything.
func TestSlowReader(t *testing.T) {
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{WriteStall: time.Second}})
	c := h.dial()
	must(t, c.conn.(*net.UnixConn).SetReadBuffer(1))
	const size = 4 << 20 // takes longer than the stall that ends a connection
	go c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"x"}`+"\n", strings.Repeat("x", size)))
	got, buf := 0, make([]byte, 16<<10)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for got < size {
		<-tick.C
		n, err := c.conn.Read(buf)
		if err != nil {
			t.Fatalf("cut off after %d bytes: %v", got, err)
		}
		got += n
	}
}

// TestStuckReader: one that does not move for long enough is cut off.
func TestStuckReader(t *testing.T) {
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{WriteStall: 20 * time.Millisecond}})
	c := h.dial()
	c.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"x"}`, strings.Repeat("x", 4<<20)))
	until(t, "the connection to end", func() bool {
		must(t, c.conn.SetWriteDeadline(time.Now().Add(10*time.Millisecond)))
		err := c.write("\n")
		return err != nil && !strings.Contains(err.Error(), "timeout")
	})
}

// TestReplyTooLarge: the client is told, and keeps its connection.
func TestReplyTooLarge(t *testing.T) {
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{LineOut: 600}})
	c := h.dial().hello()
	m := c.call("tool.list", `{}`)
	if m.Error == nil || m.Error.Kind() != broker.TooLarge || m.Error.Code != -32600 {
		t.Errorf("told %s", m)
	}
	c.ok("queue.list", `{}`)
}

// TestTooManyConnections: those over the limit are told why, those within it notice nothing, and places come back.
func TestTooManyConnections(t *testing.T) {
	const limit, crowd = 8, 2000
	h := newHouse(t, wire.Options{Bounds: wire.Bounds{Connections: limit}})
	inside := make([]*raw, limit)
	for i := range inside {
		inside[i] = h.dial().hello()
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range crowd / 8 {
				nc, err := net.Dial("unix", h.socket)
				if err != nil {
					t.Error(err)
					return
				}
				c := newRaw(t, nc)
				m, err := c.read()
				if err != nil || m.Error == nil || m.Error.Kind() != broker.Unavailable || string(m.ID) != "null" {
					t.Errorf("told %s, %v", m, err)
				}
				nc.Close()
			}
		})
	}
	for range 50 {
		inside[0].ok("daemon.status", `{}`)
	}
	wg.Wait()
	for _, c := range inside {
		c.ok("daemon.status", `{}`)
	}
	inside[0].conn.Close()
	until(t, "a place", func() bool {
		c := h.dial()
		c.line(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + hello + `}`)
		m, err := c.read()
		c.conn.Close()
		return err == nil && m.Error == nil
	})
}

func TestNotAdmitted(t *testing.T) {
	h := newHouse(t, wire.Options{Admit: func(net.Conn) error { return fmt.Errorf("user id 4711 is not allowed") }})
	c := h.dial()
	m := c.must()
	if m.Error == nil || !strings.Contains(m.Error.Message, "user id 4711") || m.Error.Kind() != broker.Unavailable {
		t.Errorf("told %s", m)
	}
	c.hungUp()
}

// TestConnectionsComeAndGo: each of many clients asks and leaves in its own way; the desk keeps every question and no
// connection.
func TestConnectionsComeAndGo(t *testing.T) {
	const clients = 60
	h := newHouse(t, wire.Options{})
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			c := h.dial().hello().open(fmt.Sprint("s", i))
			c.ask(1)
			if i%3 == 0 {
				_ = c.write(`{"jsonrpc":"2.0","id":9,"meth`)
			}
			c.conn.Close()
		})
	}
	wg.Wait()
	c := h.dial().hello()
	until(t, "only this connection", func() bool {
		status := string(c.ok("daemon.status", `{}`))
		return strings.Contains(status, `"sessions":[]`) && strings.Contains(status, fmt.Sprintf(`"pending":%d`, clients))
	})
}

// TestServerEnds: replies that are due are written before the connections close.
func TestServerEnds(t *testing.T) {
	h := newHouse(t, wire.Options{})
	c := h.dial().hello()
	id := c.start("daemon.status", `{}`)
	c.reply(id)
	h.end()
	c.hungUp()
	if _, err := net.Dial("unix", h.socket); err == nil {
		t.Error("the socket still accepts")
	}
}
