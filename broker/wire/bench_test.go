package wire_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"askd/broker/wire"
)

func timeLimit() time.Time { return time.Now().Add(patience) }

// acceptAll sends n calls, each after the one before was accepted.
func (c *raw) acceptAll(n int) error {
	form := strings.ReplaceAll(dbForm, "Which", strings.Repeat("context ", 128))
	for i := range n {
		if i%1000 == 0 {
			if err := c.conn.SetDeadline(timeLimit()); err != nil {
				return err
			}
		}
		if err := c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tool.call","params":{"tool":"ask_user","arguments":%s}}`+"\n", 1000+i, form)); err != nil {
			return err
		}
		for {
			m, err := c.read()
			if err != nil {
				return err
			}
			if m.Method == "ask.accepted" {
				break
			}
		}
	}
	return nil
}

// BenchmarkAccept is from tool.call to ask.accepted for one asker, through a real socket on to a real disk.
func BenchmarkAccept(b *testing.B) {
	h := newHouse(b, wire.Options{})
	c := h.dial().hello().open("s")
	b.ResetTimer()
	must(b, c.acceptAll(b.N))
	b.StopTimer()
}

// BenchmarkAccept64 is the same for 64 askers at once.
func BenchmarkAccept64(b *testing.B) {
	const askers = 64
	h := newHouse(b, wire.Options{})
	all := make([]*raw, askers)
	for i := range all {
		all[i] = h.dial().hello().open(fmt.Sprint("s", i))
	}
	b.ResetTimer()
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() {
			if err := c.acceptAll((b.N + i) / askers); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
}

// BenchmarkFloor is what no durable acceptance can go below: one write and one sync.
func BenchmarkFloor(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	must(b, err)
	defer f.Close()
	buf := make([]byte, 4096)
	for b.Loop() {
		if _, err := f.WriteAt(buf, 0); err != nil {
			b.Fatal(err)
		}
		must(b, f.Sync())
	}
}

// BenchmarkStatus is a request that touches no disk.
func BenchmarkStatus(b *testing.B) {
	h := newHouse(b, wire.Options{})
	c := h.dial().hello()
	for b.Loop() {
		must(b, c.conn.SetDeadline(timeLimit()))
		c.ok("daemon.status", `{}`)
	}
}

// BenchmarkRefused is an ask of 4 KiB that is at fault: it touches no disk.
func BenchmarkRefused(b *testing.B) {
	h := newHouse(b, wire.Options{})
	c := h.dial().hello().open("s")
	form := strings.ReplaceAll(dbForm, "Which", strings.Repeat("context ", 512))
	form = strings.Replace(form, `"options":[`, `"x":[`, 1)
	for i := 0; b.Loop(); i++ {
		if i%1000 == 0 {
			must(b, c.conn.SetDeadline(timeLimit()))
		}
		must(b, c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tool.call","params":{"tool":"ask_user","requestId":"r%d","arguments":%s}}`+"\n", 1000+i, i, form)))
		if _, err := c.in.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
}
