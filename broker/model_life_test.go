package broker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/journal"
)

// truth is what the journal has taken, written down beside it: the model's own record of what people decided.
type truth struct {
	broker.Store
	mu       sync.Mutex
	outcomes map[ask.Key][]*ask.Outcome // committed, oldest first
	requests map[ask.Key]*ask.Request   // committed
	order    []ask.Key                  // of requests
	appends  int
	flying   int           // appends whose done has not been called
	idle     chan struct{} // closed when nothing flies
	faults   []string
}

func newTruth() *truth {
	t := &truth{outcomes: map[ask.Key][]*ask.Outcome{}, requests: map[ask.Key]*ask.Request{}, idle: make(chan struct{})}
	close(t.idle)
	return t
}

// fly counts an append until its done has run; keep is called first when it was committed.
func (t *truth) fly(done func(error), keep func()) func(error) {
	t.mu.Lock()
	t.appends++
	if t.flying++; t.flying == 1 {
		t.idle = make(chan struct{})
	}
	t.mu.Unlock()
	return func(err error) {
		t.mu.Lock()
		if err == nil && keep != nil {
			keep()
		}
		t.mu.Unlock()
		done(err)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.flying--
		if t.flying == 0 {
			close(t.idle)
		}
	}
}

func (t *truth) AppendRequest(r *ask.Request, done func(error)) {
	t.Store.AppendRequest(r, t.fly(done, func() {
		t.requests[r.Key()] = r
		t.order = append(t.order, r.Key())
	}))
}

func (t *truth) AppendOutcome(o *ask.Outcome, done func(error)) {
	t.Store.AppendOutcome(o, t.fly(done, func() { t.outcomes[o.Key()] = append(t.outcomes[o.Key()], o) }))
}

// refused notes an append that the journal did not accept as it stands: the broker has lost track of what is on disk.
func (t *truth) refused(what string, k ask.Key, done func(error)) func(error) {
	return func(err error) {
		if err != nil && !errors.Is(err, journal.ErrClosed) && !strings.Contains(err.Error(), "killed") {
			t.mu.Lock()
			t.faults = append(t.faults, fmt.Sprintf("%s %s/%s: %v", what, k.Session, tail(k.Request), err))
			t.mu.Unlock()
		}
		done(err)
	}
}

func (t *truth) AppendDelivered(k ask.Key, outcome string, done func(error)) {
	t.Store.AppendDelivered(k, outcome, t.fly(t.refused("delivered", k, done), nil))
}

func (t *truth) AppendReopened(k ask.Key, done func(error)) {
	t.Store.AppendReopened(k, t.fly(t.refused("reopened", k, done), nil))
}

func (t *truth) SaveDraft(k ask.Key, d *ask.Draft, done func(error)) {
	t.Store.SaveDraft(k, d, t.fly(done, nil))
}

// wait returns when the store has nothing to do, or met is closed.
func (t *truth) wait(tb testing.TB, met <-chan struct{}) {
	t.mu.Lock()
	idle := t.idle
	t.mu.Unlock()
	select {
	case <-idle:
	case <-met:
	case <-time.After(patience):
		tb.Fatal("the store does not come to rest")
	}
}

// begun is the number of appends so far; still reports whether all of them are done with.
func (t *truth) begun() (n int, still bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.appends, t.flying == 0
}

// of gives what is committed for a request, oldest first.
func (t *truth) of(k ask.Key) []*ask.Outcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*ask.Outcome(nil), t.outcomes[k]...)
}

// keys gives the committed requests in the order asked.
func (t *truth) keys() []ask.Key {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]ask.Key(nil), t.order...)
}

// lives is askd over one data file, through as many starts as it takes.
type lives struct {
	tb        testing.TB
	path      string
	truth     *truth
	disk      platter
	behaviour broker.Behaviour
	ids       int
	journal   *journal.Journal
	broker    *broker.Broker // nil while askd is down
	control   *broker.Client // asks for the state, answers as askctl does
	stop      func()
}

// memoryDir is a folder where a sync costs nothing: these tests are about what is written, not about the disk.
func memoryDir(tb testing.TB) string {
	tb.Helper()
	const shm = "/dev/shm"
	if info, err := os.Stat(shm); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp(shm, "askd-model-"); err == nil {
			tb.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	return tb.TempDir()
}

// heldFor is long enough for a cancel to be taken back now and then, and for it to be told by itself as well.
const heldFor = 2 * time.Millisecond

func newLives(tb testing.TB, dir, name string) *lives {
	l := &lives{tb: tb, path: filepath.Join(dir, name+".db"), truth: newTruth(), behaviour: broker.Behaviour{UndoCancel: heldFor}}
	l.start()
	return l
}

func (l *lives) start() {
	l.tb.Helper()
	j, err := journal.Open(journal.Options{Path: l.path, Failpoint: l.disk.at, DraftDelay: time.Millisecond})
	must(l.tb, err)
	l.truth.Store, l.journal = j, j
	b, err := broker.New(broker.Options{Store: l.truth, Settings: func() broker.Behaviour { return l.behaviour }, NewID: l.newID})
	must(l.tb, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Run(ctx)
	}()
	l.broker, l.stop = b, func() {
		cancel()
		<-done
	}
	l.control = b.Connect(&peer{}, "askctl")
	b.Seat().PaneSize(100, 40)
}

// newID is only ever called on the running broker's goroutine.
func (l *lives) newID() string {
	l.ids++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", l.ids)
}

// kill ends askd as a crash does: nobody is told, and what was on its way to the disk is kept or not.
func (l *lives) kill(kept bool) {
	l.stop()
	l.disk.lose(!kept)
	l.disk.release()
	must(l.tb, l.journal.Close())
	l.truth.wait(l.tb, nil)
	l.disk.lose(false)
	l.broker = nil
}

var commitSteps = []string{"request-committed", "outcome-committed", "ack-committed", "reopen-committed"}

// platter is where commits wait, and are lost when askd is killed.
type platter struct {
	mu   sync.Mutex
	step string        // commits of this kind wait
	gate chan struct{} // nil while none is held
	met  chan struct{} // closed when a commit waits at the gate
	lost bool          // nothing is committed any more
}

func (p *platter) at(step string) {
	p.mu.Lock()
	gate := p.gate
	if step != p.step {
		gate = nil
	}
	if gate != nil {
		close(p.met)
		p.met = nil
	}
	p.mu.Unlock()
	if gate != nil {
		<-gate
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost && strings.HasPrefix(step, "before-") {
		panic("killed")
	}
}

func (p *platter) hold(step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step, p.gate, p.met = step, make(chan struct{}), make(chan struct{})
}

func (p *platter) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate != nil {
		close(p.gate)
	}
	p.gate, p.met = nil, nil
}

// holds reports whether commits are held. met is closed when one waits; nil when one does already, or none is to.
func (p *platter) holds() (met <-chan struct{}, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.met, p.gate != nil
}

func (p *platter) lose(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = on
}

// flush waits until the broker has run what was posted before.
func (l *lives) flush() broker.Report {
	a := newAnswer(l.tb, "daemon.status")
	l.control.Report(a.reply)
	v, err := a.wait()
	must(l.tb, err)
	return v.(broker.Report)
}

// settle waits until broker and store are at rest, the store perhaps at a commit that is held. What is done after it does
// not depend on who was faster.
func (l *lives) settle() broker.Report {
	for {
		met, held := l.disk.holds()
		before, still := l.truth.begun()
		r := l.flush()
		after, _ := l.truth.begun()
		resting := still || held && met == nil
		if resting && before == after {
			return r
		}
		if !resting {
			l.truth.wait(l.tb, met)
		}
	}
}

// settleCancels is settle once no cancel is held any more, each stored or taken back.
func (l *lives) settleCancels() {
	until(l.tb, "the held cancels", func() bool {
		l.settle()
		return len(l.broker.Snapshot().Cancelling) == 0
	})
	l.settle()
}
