package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// loadFor makes TestLoad go on for so long; without it each client makes a few rounds.
var loadFor = flag.Duration("load", 0, "how long TestLoad goes on, for instance 10m")

const (
	loadSessions = 200
	loadPending  = 2000
	loadClients  = 64
	loadBlocks   = 6 // of equal work, after which the memory is compared
	shortRounds  = 4 // of each client in a block, when the load is short
)

// loader is a client that does nothing but ask, answer and check.
type loader struct {
	conn net.Conn
	r    *bufio.Reader
	id   int
	took []time.Duration // from an ask to its acceptance
	seen map[string]int  // requests whose outcome came, and how often
}

func newLoader(socket, session string) (*loader, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	l := &loader{conn: conn, r: bufio.NewReaderSize(conn, 64<<10), seen: map[string]int{}}
	if _, err := l.call("initialize", `{"protocol":1,"client":{"name":"load","version":"0"}}`); err != nil {
		return nil, err
	}
	_, err = l.call("session.open", fmt.Sprintf(`{"id":%q,"cwd":"/src/%s","ui":"cli","reason":"startup","branch":null}`, session, session))
	return l, err
}

func (l *loader) send(method, params string) (string, error) {
	l.id++
	_, err := fmt.Fprintf(l.conn, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", l.id, method, params)
	return strconv.Itoa(l.id), err
}

// until reads until a message fits.
func (l *loader) until(fits func(m *message) bool) error {
	for {
		_ = l.conn.SetReadDeadline(time.Now().Add(2 * patience))
		line, err := l.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if m.Error != nil {
			return fmt.Errorf("refused: %+v", *m.Error)
		}
		if fits(&m) {
			return nil
		}
	}
}

func (l *loader) call(method, params string) (result json.RawMessage, err error) {
	id, err := l.send(method, params)
	if err != nil {
		return nil, err
	}
	return result, l.until(func(m *message) bool {
		result = bytes.Clone(m.Result)
		return m.Method == "" && string(m.ID) == id
	})
}

// round asks one form and answers it. A foreground form's outcome is the reply of its call, a background one's is delivered.
func (l *loader) round(n int, inBackground bool) error {
	form := dbQuestion
	if inBackground {
		form = background(form)
	}
	id := requestID(n)
	began := time.Now()
	call, err := l.send("tool.call", askParams(n, form))
	if err != nil {
		return err
	}
	if err := l.until(func(m *message) bool { return m.Method == "ask.accepted" && bytes.Contains(m.Params, []byte(id)) }); err != nil {
		return err
	}
	l.took = append(l.took, time.Since(began))
	answer, err := l.send("form.respond", fmt.Sprintf(`{"requestId":%q,"response":%s}`, id, choosePostgres))
	if err != nil {
		return err
	}
	left := map[string]bool{"call": true, "answer": true, "deliver": inBackground}
	err = l.until(func(m *message) bool {
		switch {
		case m.Method == "" && string(m.ID) == answer:
			left["answer"] = false
			if !bytes.Contains(m.Result, []byte(`"ok":true`)) {
				l.seen[id] = -1
			}
		case m.Method == "" && string(m.ID) == call:
			left["call"] = false
			if !inBackground {
				l.seen[id]++
			}
		case m.Method == "ask.deliver":
			left["deliver"] = !bytes.Contains(m.Params, []byte(id))
			l.seen[id]++
			err = l.acknowledge(m.Params)
		}
		return err != nil || !left["call"] && !left["answer"] && !left["deliver"]
	})
	if err == nil && l.seen[id] != 1 {
		err = fmt.Errorf("request %d was answered %d times", n, l.seen[id])
	}
	delete(l.seen, id)
	return err
}

func (l *loader) acknowledge(params json.RawMessage) error {
	var d struct{ RequestID, OutcomeID string }
	if err := json.Unmarshal(params, &d); err != nil {
		return err
	}
	_, err := l.send("delivery.ack", fmt.Sprintf(`{"requestId":%q,"outcomeId":%q}`, d.RequestID, d.OutcomeID))
	return err
}

// fillQueue opens the sessions and has each ask its background forms, in turns. It gives the ids in the order of asking.
func fillQueue(t *testing.T, p place) []string {
	t.Helper()
	var ids []string
	sessions := make([]*loader, loadSessions)
	for i := range sessions {
		l, err := newLoader(p.socket, fmt.Sprintf("session-%d", i))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.conn.Close() })
		sessions[i] = l
	}
	for n := range loadPending {
		if _, err := sessions[n%loadSessions].call("tool.call", askParams(n, background(dbQuestion))); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, requestID(n))
	}
	for _, l := range sessions {
		go func() { _ = l.until(func(*message) bool { return false }) }() // what it is told later is of no interest
	}
	return ids
}

// keyboard is a pane on a terminal whose frames are looked at and not kept.
type keyboard struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File
	mu     sync.Mutex
	wanted string
	tail   []byte
	seen   chan time.Time
	took   []time.Duration // from a key to its frame
}

func paneUnderLoad(t *testing.T, p place) *keyboard {
	t.Helper()
	k := &keyboard{t: t, cmd: exec.Command(program(t, "askd")), seen: make(chan time.Time, 1)}
	k.cmd.Env = p.env("TERM=xterm-256color")
	var err error
	if k.tty, err = pty.StartWithSize(k.cmd, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() { defer close(read); k.read() }()
	t.Cleanup(func() {
		_ = k.cmd.Process.Kill()
		<-read
		_ = k.cmd.Wait()
		k.tty.Close()
	})
	within(t, "askd's socket", func() bool { return answers(p.socket) })
	return k
}

func (k *keyboard) read() {
	part := make([]byte, 64<<10)
	for {
		n, err := k.tty.Read(part)
		now := time.Now()
		k.mu.Lock()
		k.tail = append(k.tail, part[:n]...)
		if k.wanted != "" && bytes.Contains(k.tail, []byte(k.wanted)) {
			k.wanted = ""
			k.seen <- now
		}
		k.tail = append(k.tail[:0], k.tail[max(0, len(k.tail)-64):]...)
		k.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// press types keys and waits until the terminal is sent a text; false after a while without it.
func (k *keyboard) press(keys, shown string, most time.Duration) bool {
	k.mu.Lock()
	k.wanted, k.tail = shown, nil
	k.mu.Unlock()
	began := time.Now()
	if _, err := k.tty.WriteString(keys); err != nil {
		k.t.Error(err)
		return false
	}
	select {
	case at := <-k.seen:
		k.took = append(k.took, at.Sub(began))
		return true
	case <-time.After(most):
		k.mu.Lock()
		k.wanted = ""
		k.mu.Unlock()
		select { // it may have come in between
		case <-k.seen:
			return true
		default:
			return false
		}
	}
}

// edit opens the answer in own words of the form on screen.
func (k *keyboard) edit() {
	k.t.Helper()
	for range 30 {
		if k.press("3", "Type answer", time.Second) {
			k.took = nil
			return
		}
	}
	k.t.Fatal("the editor does not open")
}

// typing types a letter that is nowhere else on the screen, sees it, and takes it back, until stop is closed.
func (k *keyboard) typing(stop <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		letter := string(rune('α' + i%16))
		if !k.press(letter, letter, patience) {
			k.t.Error("the pane does not answer a key any more")
			return
		}
		if _, err := k.tty.WriteString("\x7f"); err != nil {
			k.t.Error(err)
			return
		}
	}
}

// anonymous is the memory of a process that is no file's, in KiB; 0 where the system does not tell.
func anonymous(pid int) int {
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

// TestLoad: 200 sessions with 2,000 forms that wait, and 64 clients that ask and answer without pause beside a pane in whose
// editor somebody types. Every request is answered once, the queue keeps its order, memory does not grow with the work
// done, and each key gets its frame.
func TestLoad(t *testing.T) {
	p := newPlace(t)
	pane := paneUnderLoad(t, p)
	ids := fillQueue(t, p)
	pane.edit()
	stop, typed := make(chan struct{}), make(chan struct{})
	go func() { defer close(typed); pane.typing(stop) }()
	clients := make([]*loader, loadClients)
	for i := range clients {
		var err error
		if clients[i], err = newLoader(p.socket, fmt.Sprintf("load-%d", i)); err != nil {
			t.Fatal(err)
		}
		defer clients[i].conn.Close()
	}
	var next atomic.Int64
	next.Store(loadPending)
	var memory []int
	for range loadBlocks {
		work(t, clients, &next)
		memory = append(memory, anonymous(pane.cmd.Process.Pid))
		inOrder(t, p, ids)
	}
	close(stop)
	<-typed
	before, after := slices.Max(memory[:loadBlocks/2]), slices.Max(memory[loadBlocks/2:])
	if after > before+before/4+16<<10 {
		t.Errorf("memory grows with the work done: KiB after each block are %v", memory)
	}
	nothingLeft(t, p)
	var asks []time.Duration
	for _, c := range clients {
		asks = append(asks, c.took...)
	}
	t.Logf("%d requests; KiB after each block %v", next.Load()-loadPending, memory)
	t.Logf("ask to accepted: %s", spread(asks))
	t.Logf("key to frame:    %s", spread(pane.took))
	_ = pane.cmd.Process.Signal(syscall.SIGTERM)
}

// work has every client make its rounds of one block.
func work(t *testing.T, clients []*loader, next *atomic.Int64) {
	t.Helper()
	end := time.Now().Add(*loadFor / loadBlocks)
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() {
			for i := 0; *loadFor > 0 && time.Now().Before(end) || i < shortRounds; i++ {
				if err := c.round(int(next.Add(1)), i%2 == 1); err != nil {
					t.Errorf("a client: %v", err)
					return
				}
			}
		})
	}
	all.Wait()
}

// inOrder: what waits stands in the order of asking.
func inOrder(t *testing.T, p place, ids []string) {
	t.Helper()
	var got []string
	for i, r := range dialRaw(t, p.socket).hello().queue(`{}`) {
		if r.Position != i+1 {
			t.Fatalf("place %d says %d", i+1, r.Position)
		}
		got = append(got, r.RequestID)
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("the queue (-want +got):\n%.2000s", diff)
	}
}

// nothingLeft: all but the forms that wait has been delivered.
func nothingLeft(t *testing.T, p place) {
	t.Helper()
	c := dialRaw(t, p.socket).hello()
	within(t, "the last acknowledgement", func() bool {
		var status struct {
			Counts struct{ Pending, Undelivered int }
		}
		c.must("daemon.status", `{}`, &status)
		return status.Counts.Pending == loadPending && status.Counts.Undelivered == 0
	})
}

func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "none"
	}
	slices.Sort(all)
	at := func(percent int) time.Duration { return all[(len(all)-1)*percent/100].Round(10 * time.Microsecond) }
	return fmt.Sprintf("p50 %s, p99 %s, max %s (%d)", at(50), at(99), at(100), len(all))
}
