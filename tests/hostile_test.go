package tests

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// foe is a client that means no good. It gives up whenever askd hangs up on it or has no place for it.
type foe struct {
	socket string
	over   <-chan struct{} // closed when the foes are to leave
}

func (f foe) dial() net.Conn {
	nc, err := net.Dial("unix", f.socket)
	if err != nil {
		return nil
	}
	_ = nc.SetDeadline(time.Now().Add(patience)) // a foe may hang, the test may not
	return nc
}

// sends writes text as one client and reads what comes back until nothing does.
func (f foe) sends(text string) {
	nc := f.dial()
	if nc == nil {
		return
	}
	defer nc.Close()
	go func() { _, _ = io.Copy(io.Discard, nc) }()
	_, _ = io.WriteString(nc, text)
}

const helloLine = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"foe","version":"0"}}}` + "\n"

// after introduces the client and opens its session before the text.
func after(text string) string {
	return helloLine + `{"jsonrpc":"2.0","id":2,"method":"session.open","params":{"id":"foe","branch":null}}` + "\n" + text
}

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`+"\n", id, method, params)
}

func padded(n int) string {
	const line = `{"jsonrpc":"2.0","id":5,"method":"daemon.status","params":{"x":""}}`
	return line[:len(line)-3] + strings.Repeat("x", n-len(line)) + line[len(line)-3:] + "\n"
}

// foes are what a broken or malicious program may do with the socket.
var foes = map[string]func(f foe){
	"stops reading": func(f foe) {
		nc := f.dial()
		if nc == nil {
			return
		}
		defer nc.Close()
		_, _ = io.WriteString(nc, after(request("3", "queue.watch", `{}`)))
		for range 20_000 {
			if _, err := io.WriteString(nc, request("4", "tool.list", `{}`)); err != nil {
				return
			}
			select {
			case <-f.over:
				return
			default:
				_ = nc.SetWriteDeadline(time.Now().Add(time.Second))
			}
		}
	},
	"garbage": func(f foe) {
		noise := make([]byte, 1<<20)
		for i := range noise {
			noise[i] = byte(rand.Uint32())
		}
		f.sends(string(noise))
		f.sends(helloLine + string(noise))
	},
	"a byte at a time": func(f foe) {
		nc := f.dial()
		if nc == nil {
			return
		}
		defer nc.Close()
		for _, b := range []byte(after(request("3", "tool.list", `{}`))) {
			if _, err := nc.Write([]byte{b}); err != nil {
				return
			}
		}
	},
	"lines about the limit": func(f foe) {
		for _, n := range []int{8<<20 - 1, 8 << 20, 8<<20 + 1, 9 << 20} {
			f.sends(after(padded(n)))
		}
	},
	"half a line": func(f foe) {
		for _, text := range []string{`{"jsonrpc":"2.0","id":1,"meth`, after(`{"jsonrpc":"2.0","id":3,"method":"tool.call","params":{"tool":"` + strings.Repeat("x", 4<<20))} {
			nc := f.dial()
			if nc == nil {
				return
			}
			defer nc.Close()
			_, _ = io.WriteString(nc, text)
		}
		<-f.over
	},
	"5,000 connections": func(f foe) {
		for range 10 {
			var open []net.Conn
			for range 500 {
				if nc := f.dial(); nc != nil {
					open = append(open, nc)
				}
			}
			for _, nc := range open {
				nc.Close()
			}
		}
	},
	"comes and goes": func(f foe) {
		for i := range 1000 {
			if nc := f.dial(); nc != nil {
				if i%2 == 0 {
					_, _ = io.WriteString(nc, after(request("3", "tool.call", askParams(9000+i%7, background(dbQuestion)))))
				}
				nc.Close()
			}
		}
	},
	"deep nesting": func(f foe) {
		for _, deep := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<20), strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)} {
			f.sends(after(request("3", "tool.call", `{"tool":"ask_user","arguments":`+deep+`}`) + request("4", "tool.call", `{"tool":"ask_user","arguments":{"questions":[`+deep+`]}}`)))
		}
	},
	"keys twice": func(f foe) {
		twice := strings.Repeat(`"questions":[],`, 100_000)
		f.sends(after(request("3", "tool.call", `{"tool":"a","tool":"ask_user","arguments":{`+twice+`"questions":[]}}`) +
			`{"jsonrpc":"2.0","id":4,"id":5,"method":"tool.list","method":"daemon.status"}` + "\n"))
	},
	"bytes that are no UTF-8": func(f foe) {
		f.sends(after(request("3", "tool.call", `{"tool":"ask_user","arguments":{"title":"`+"\xff\xc0\x80\xed\xa0\x80"+`"}}`)))
	},
	"huge numbers": func(f foe) {
		digits := strings.Repeat("9", 1<<20)
		f.sends(`{"jsonrpc":"2.0","id":` + digits + `,"method":"tool.list"}` + "\n" + after(request("1e999999", "history.list", `{"all":true,"limit":`+digits+`,"offset":-1e400}`)+request("3", "history.list", `{"all":true,"limit":9223372036854775807,"offset":9223372036854775807}`)))
	},
	"unknown methods": func(f foe) {
		f.sends(after(strings.Repeat(request("3", "no.such."+strings.Repeat("m", 500), `{}`), 5000)))
	},
	"initialize twice or never": func(f foe) {
		f.sends(strings.Repeat(helloLine, 500))
		f.sends(strings.Repeat(request("1", "tool.call", `{"tool":"ask_user"}`), 500))
	},
	"ids again": func(f foe) {
		f.sends(after(strings.Repeat(request("7", "tool.call", askParams(9100, background(dbQuestion))), 500)))
	},
	"notifications": func(f foe) {
		f.sends(after(strings.Repeat(`{"jsonrpc":"2.0","method":"queue.watch"}`+"\n"+`{"jsonrpc":"2.0","method":"tool.call","params":{}}`+"\n", 5000)))
	},
	"NUL bytes": func(f foe) {
		f.sends(strings.Repeat("\x00", 1<<20) + "\n" + after("\x00\n"+request("3", "tool.list", `{"x":"`+"\x00"+`"}`)))
	},
	"huge forms": func(f foe) {
		option := `{"value":"%d","label":"x"},`
		var options strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&options, option, i)
		}
		f.sends(after(request("3", "tool.call", `{"tool":"ask_user","arguments":{"background":true,"questions":[{"id":"a","prompt":"?","options":[`+strings.TrimSuffix(options.String(), ",")+`]}]}}`)))
	},
}

// TestHostileClients lets all of them loose at once. A client that behaves, and that was there before, gets every reply, in
// order; when they have gone, there is room for as many clients as there was.
func TestHostileClients(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	ordinary := connect(t, p, "ordinary")
	over := make(chan struct{})
	var all sync.WaitGroup
	for name, f := range foes {
		if name == "half a line" {
			all.Go(func() { f(foe{p.socket, over}) })
		}
	}
	var leaving sync.WaitGroup
	for name, f := range foes {
		if name != "half a line" {
			leaving.Go(func() { f(foe{p.socket, over}) })
		}
	}
	gone := make(chan struct{})
	go func() { leaving.Wait(); close(gone) }()
	rounds := 0
	for busy := true; busy || rounds < 40; rounds++ {
		select {
		case <-gone:
			busy = false
		default:
		}
		n := rounds + 1
		call := ordinary.begin(n, dbQuestion)
		if r := ordinary.respond(n, choosePostgres); !r.OK {
			t.Fatalf("round %d: %+v", n, r)
		}
		if o := ordinary.ended(call); o.RequestID != requestID(n) || !strings.HasSuffix(o.text(), "Q1: Postgres") {
			t.Fatalf("round %d: %+v", n, o)
		}
	}
	close(over)
	all.Wait()
	t.Logf("%d rounds beside them", rounds)
	if askd.pid() != statusPID(ordinary) {
		t.Error("another askd answers")
	}
	const places = 500 // of 512; ordinary has one
	fresh := make([]*raw, 0, places)
	for range places {
		var c *raw
		within(t, "a place", func() bool {
			nc, err := net.Dial("unix", p.socket)
			if err != nil {
				t.Fatal(err)
			}
			c = rawOn(t, nc)
			c.line(strings.TrimSpace(helloLine))
			m := c.find("an answer", func(message) bool { return true })
			if m.Error != nil {
				nc.Close()
			}
			return m.Error == nil
		})
		fresh = append(fresh, c)
	}
	for _, c := range fresh {
		c.conn.Close()
	}
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestManyUnfinishedLines: clients that all send and never finish are kept to the memory there is for them together. Those that
// would go beyond it are told and closed, alone; whoever behaves is served, and when the others have gone there is room again.
func TestManyUnfinishedLines(t *testing.T) {
	const foes, line = 60, 7 << 20 // of 256 MiB
	p := newPlace(t)
	askd := serve(t, p)
	ordinary := connect(t, p, "ordinary")
	half := padded(line)[:line-10]
	var told, open atomic.Int64
	var all sync.WaitGroup
	over := make(chan struct{})
	for range foes {
		all.Go(func() {
			nc := foe{p.socket, over}.dial()
			if nc == nil {
				return
			}
			defer nc.Close()
			heard := make(chan string, 1)
			go func() {
				b, _ := io.ReadAll(nc)
				heard <- string(b)
			}()
			_, err := io.WriteString(nc, half)
			if err == nil {
				open.Add(1)
				<-over
				return
			}
			if strings.Contains(<-heard, `"kind":"unavailable"`) {
				told.Add(1)
			}
		})
	}
	within(t, "all of them", func() bool { return told.Load()+open.Load() == foes })
	if n := open.Load(); n < 10 || n > foes-15 {
		t.Errorf("%d of %d unfinished lines of 7 MiB are kept", n, foes)
	}
	call := ordinary.begin(1, dbQuestion)
	ordinary.respond(1, choosePostgres)
	ordinary.ended(call)
	close(over)
	all.Wait()
	within(t, "room", func() bool {
		nc, err := net.Dial("unix", p.socket)
		if err != nil {
			t.Fatal(err)
		}
		c := rawOn(t, nc)
		defer nc.Close()
		c.line(strings.TrimSpace(helloLine))
		c.find("an answer", func(message) bool { return true })
		c.line(strings.TrimSpace(padded(line)))
		return c.find("an answer", func(message) bool { return true }).Error == nil
	})
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func statusPID(c *raw) int {
	var status struct{ PID int }
	c.must("daemon.status", `{}`, &status)
	return status.PID
}

// TestOutOfDescriptors: an askd that may open no more files serves whoever is connected, and the others once it may.
func TestOutOfDescriptors(t *testing.T) {
	p := newPlace(t)
	cmd := exec.Command("sh", "-c", `ulimit -n 40; exec "$0" --headless`, program(t, "askd"))
	cmd.Env = p.env()
	proc := started(t, cmd)
	within(t, "askd's socket", func() bool { return answers(p.socket) })
	c := connect(t, p, "s")
	var crowd []net.Conn
	for range 80 {
		nc, err := net.Dial("unix", p.socket)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		crowd = append(crowd, nc)
	}
	lacking := func() int {
		logged, err := os.ReadFile(filepath.Join(filepath.Dir(p.data), "askd.log"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(logged), "too many open files")
	}
	within(t, "a lack of descriptors", func() bool { return lacking() > 0 })
	for n := range 20 {
		call := c.begin(n, dbQuestion)
		c.respond(n, choosePostgres)
		c.ended(call)
	}
	for _, nc := range crowd {
		nc.Close()
	}
	connect(t, p, "later").begin(100, dbQuestion)
	if n := lacking(); n > 3 {
		t.Errorf("the log says it %d times", n)
	}
	if code := proc.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
