package wire

import (
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestNow: what is written past the queue keeps its place behind what waits in it, also when a line went out by half.
func TestNow(t *testing.T) {
	client, server := socketPair(t)
	o := newOutbox(server, Bounds{}.withDefaults(), newBudget(1<<20), nil)
	o.rest = []byte("lf\n")
	o.put([]byte{})
	if o.now([]byte("early\n")) {
		t.Error("written into the middle of a line")
	}
	o.put([]byte("queued\n"))
	written := make(chan struct{})
	go func() {
		defer close(written)
		o.write(nil)
	}()
	expect := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(client, got); err != nil || string(got) != want {
			t.Fatalf("read %q, %v, want %q", got, err, want)
		}
	}
	expect("lf\nqueued\n")
	tick, limit := time.NewTicker(time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !o.now([]byte("now\n")) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("an idle connection is not written to at once")
		}
	}
	o.put([]byte("last\n"))
	expect("now\nlast\n")
	o.finish()
	<-written
	if o.now([]byte("late\n")) {
		t.Error("written to a connection that has ended")
	}
}

// TestNowNeverWaits: a client that does not read holds nobody up, and what did not fit is still to be put.
func TestNowNeverWaits(t *testing.T) {
	client, server := socketPair(t)
	o := newOutbox(server, Bounds{}.withDefaults(), newBudget(1<<20), nil)
	line, n := make([]byte, mostNow), 0
	line[len(line)-1] = '\n'
	for o.now(line) {
		n++
	}
	got, err := io.CopyN(io.Discard, client, int64(n*len(line)))
	if err != nil || n == 0 {
		t.Errorf("%d lines were taken, %d bytes came: %v", n, got, err)
	}
}

func socketPair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if client, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	if err := client.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return client, server
}
