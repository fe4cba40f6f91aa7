package daemon

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
	"askd/ui"
)

// panes are the panes that are open now: the daemon's own and those that are attached over the socket. The zero value has
// none. Any goroutine may use it.
type panes struct {
	mu       sync.Mutex
	open     []*front // the longest open first
	attached int
	closing  bool
	ended    sync.WaitGroup
	ctx      context.Context // of the attached ones
	stop     context.CancelFunc
}

// front is one open pane and where it stands.
type front struct {
	pane  *ui.Pane
	mux   *mux
	began time.Time
}

// used is when a person was last at the pane, or when it was opened.
func (f *front) used() time.Time {
	if at := f.pane.Used(); at.After(f.began) {
		return at
	}
	return f.began
}

// newPanes makes room for panes until close.
func newPanes() *panes {
	p := &panes{}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

func (p *panes) add(f *front) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, f)
}

func (p *panes) remove(f *front) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = slices.DeleteFunc(p.open, func(o *front) bool { return o == f })
}

// recent are the open panes, the last used first: that is where the person is.
func (p *panes) recent() []*front {
	p.mu.Lock()
	open := slices.Clone(p.open)
	p.mu.Unlock()
	slices.SortStableFunc(open, func(a, b *front) int { return b.used().Compare(a.used()) })
	return open
}

// enter makes sure that there is room for another attached pane; each that was let in leaves again.
func (p *panes) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closing:
		return &broker.Error{Kind: broker.ShuttingDown, Message: "askd is stopping", Hint: "start it again, then askctl attach"}
	case p.attached == config.MaxPanes:
		return &broker.Error{Kind: broker.Unavailable, Message: fmt.Sprintf("%d panes are attached already", p.attached), Hint: "detach one with its quit key"}
	}
	p.attached++
	p.ended.Add(1)
	return nil
}

func (p *panes) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attached--
	p.ended.Done()
}

// paneClose is how long the attached panes have to give their terminals back when askd stops; one whose client takes nothing
// any more is given up after half of it.
const paneClose = time.Second

// close ends the attached panes and waits until their terminals have been given back, or nobody takes that any more.
func (p *panes) close(spawn func(string, func())) {
	p.mu.Lock()
	p.closing = true
	p.mu.Unlock()
	p.stop()
	done := make(chan struct{})
	spawn("panes", func() {
		p.ended.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-time.After(3 * paneClose):
	}
}

// show runs a pane in front of a person until it ends. What is missing in o is the daemon's own.
func (d *daemon) show(ctx context.Context, o ui.Options, m *mux) error {
	seat, conf := d.broker.Seat(), d.settings.pane()
	defer conf.leave()
	o.Desk, o.Settings = d.o.Steps.desk(seat), conf
	o.History, o.ReadClipboard, o.Go, o.Log = past{d.journal}, readClipboard, d.guard.Go, d.log
	o.Socket, o.Version, o.Throwaway = d.o.Socket, d.o.Version, d.o.Throwaway
	o.Plain = o.Plain || o.Remote == nil && d.o.Plain
	if m != nil {
		o.Multiplexer = m
	}
	pane := ui.New(o)
	if o.Remote == nil {
		d.guard.OnCrash(pane.RestoreTerminal)
		defer d.guard.OnCrash(nil)
	}
	f := &front{pane: pane, mux: m, began: time.Now()}
	d.panes.add(f)
	defer d.panes.remove(f)
	return pane.Run(ctx)
}

// writeTerminal writes a sequence to the terminal of every pane; outside says that it is for the terminal outside a
// multiplexer. False when there is no pane.
func (d *daemon) writeTerminal(sequence string, outside bool) bool {
	told := false
	for _, f := range d.panes.recent() {
		s := sequence
		if outside {
			s = f.mux.outside(s)
		}
		told = f.pane.Emit(s) || told
	}
	return told
}

// openPane shows a view in the pane at which the person is; false when there is none.
func (d *daemon) openPane(view string, form ask.Key) bool {
	for _, f := range d.panes.recent() {
		return f.pane.Open(view, form)
	}
	return false
}

// focusPane moves the terminal multiplexer's focus to a pane, the last used that it has; false when there is no pane or no
// way.
func (d *daemon) focusPane(from *broker.Terminal) bool {
	if from == nil {
		from = new(broker.Terminal)
	}
	for _, f := range d.panes.recent() {
		if f.mux != nil && f.mux.comeHere(*from) {
			return true
		}
	}
	return false
}
