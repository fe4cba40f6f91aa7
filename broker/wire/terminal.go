package wire

import (
	"encoding/json"
	"io"
	"sync/atomic"

	"askd/broker"
	"askd/config"
)

// AttachParams are the parameters of pane.attach: a client's terminal, which is in raw mode already.
type AttachParams struct {
	Columns  int              `json:"columns"`
	Rows     int              `json:"rows"`
	Term     string           `json:"term"`    // its kind, as in TERM
	NoColour bool             `json:"noColor"` // NO_COLOR is set there
	ASCII    bool             `json:"ascii"`   // its locale is not UTF-8
	Plain    bool             `json:"plain"`   // words in one column, for a screen reader
	Host     string           `json:"host"`    // empty: this machine
	Terminal *broker.Terminal `json:"terminal"`
}

// AttachEnd is the result of pane.attach, which comes when the pane has ended.
type AttachEnd struct {
	Reason string `json:"reason"` // AttachDetached or AttachClosing
}

// Why an attached pane has ended.
const (
	AttachDetached = "detached" // the person left it; askd goes on
	AttachClosing  = "closing"  // askd is stopping
)

// Terminal is a terminal that a client carries over its connection (PROTOCOL, "A pane over the socket"; ui.Terminal). All but
// Read may be called from any goroutine.
type Terminal struct {
	conn    *Conn
	params  AttachParams
	input   chan typing
	rest    typing        // what has not been read of the last input; the reader's alone
	slots   chan struct{} // one value for each pane.output that the client has not taken yet
	size    atomic.Uint64 // columns and rows, 32 bits each
	changed atomic.Pointer[func()]
	retake  atomic.Pointer[func()]
	drained chan struct{}
	gone    chan struct{}
	drain   atomic.Bool
	end     atomic.Bool
}

// typing is one pane.input. It is answered once it has been read, so that a client knows when there is room for more.
type typing struct {
	data  []byte
	reply broker.Reply
}

func newTerminal(c *Conn, p AttachParams) *Terminal {
	t := &Terminal{
		conn: c, params: p, input: make(chan typing, config.PaneInputs), slots: make(chan struct{}, config.PaneOutputs),
		drained: make(chan struct{}), gone: make(chan struct{}),
	}
	t.resize(p.Columns, p.Rows)
	return t
}

// Params are what the client said of its terminal.
func (t *Terminal) Params() AttachParams { return t.params }

// Opened tells the client that a pane is about to draw, and what to write to its terminal should it lose the connection.
func (t *Terminal) Opened(restore string) {
	t.conn.Notify("pane.opened", struct {
		Restore []byte `json:"restore"`
	}{[]byte(restore)})
}

// Read gives what was typed. It blocks; the error is io.EOF once Drain was called or the client has gone. One goroutine reads.
func (t *Terminal) Read(p []byte) (int, error) {
	for len(t.rest.data) == 0 {
		select {
		case <-t.gone:
			return 0, io.EOF
		case <-t.drained:
			return 0, io.EOF
		case t.rest = <-t.input:
			t.answered()
		}
	}
	n := copy(p, t.rest.data)
	t.rest.data = t.rest.data[n:]
	t.answered()
	return n, nil
}

// answered replies to an input that has been read to its end.
func (t *Terminal) answered() {
	if len(t.rest.data) == 0 && t.rest.reply != nil {
		t.rest.reply(struct{}{}, nil)
		t.rest.reply = nil
	}
}

// Write sends what is drawn. It blocks while the client has not taken what was sent before; io.ErrClosedPipe when it has gone.
func (t *Terminal) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		part := p[:min(len(p), config.PaneOutput)]
		select {
		case <-t.gone:
			return written, io.ErrClosedPipe
		case t.slots <- struct{}{}:
		}
		t.conn.Notify("pane.output", paneData{part})
		written += len(part)
		p = p[len(part):]
	}
	return written, nil
}

// Drain ends a Read that waits, and all later ones. It does not block.
func (t *Terminal) Drain() {
	if t.drain.CompareAndSwap(false, true) {
		close(t.drained)
	}
}

// Size is in columns and rows. It does not block.
func (t *Terminal) Size() (columns, rows int) {
	size := t.size.Load()
	return int(size >> 32), int(size & 0xffffffff)
}

// OnResize has changed called after every change of the size, on the connection's reader, which it must not block; nil ends
// that.
func (t *Terminal) OnResize(changed func()) { t.changed.Store(&changed) }

// OnRetake has retake called on the connection's reader, which it must not block, whenever the client says that something else
// has used its terminal; nil ends that.
func (t *Terminal) OnRetake(retake func()) { t.retake.Store(&retake) }

// HangUp ends the terminal: whoever reads or writes gets an error, now and later.
func (t *Terminal) HangUp() {
	if !t.end.CompareAndSwap(false, true) {
		return
	}
	close(t.gone)
	t.forget()
}

// forget answers what was typed and will not be read any more.
func (t *Terminal) forget() {
	for {
		select {
		case in := <-t.input:
			in.reply(struct{}{}, nil)
		default:
			return
		}
	}
}

// Gone is closed when the terminal has ended.
func (t *Terminal) Gone() <-chan struct{} { return t.gone }

// resize notes a size as far as a pane can be drawn in it.
func (t *Terminal) resize(columns, rows int) {
	columns, rows = max(1, min(columns, config.PaneColumns)), max(1, min(rows, config.PaneRows))
	t.size.Store(uint64(columns)<<32 | uint64(rows))
	if changed := t.changed.Load(); changed != nil && *changed != nil {
		(*changed)()
	}
}

type paneData struct {
	Data []byte `json:"data"`
}

// paneAttach shows a pane on the client's terminal until one of both ends.
func paneAttach(c *Conn, raw json.RawMessage, reply broker.Reply) {
	var p AttachParams
	err := decodeParams(raw, &p)
	if err == nil {
		err = c.mayAttach(p)
	}
	if err != nil {
		reply(nil, err)
		return
	}
	t := newTerminal(c, p)
	c.terminal.Store(t)
	c.server.o.Go("attached pane", func() {
		end, err := c.server.o.Attach(t)
		t.HangUp()
		c.terminal.CompareAndSwap(t, nil)
		reply(end, err)
	})
}

// mayAttach says why a pane cannot be shown, nil when it can be tried.
func (c *Conn) mayAttach(p AttachParams) error {
	switch {
	case c.server.o.Attach == nil:
		return &broker.Error{Kind: broker.Unavailable, Message: "this daemon shows no panes"}
	case c.origin.Foreign(): // a pane writes exports, changes the commands of notifications and answers
		return &broker.Error{
			Kind: broker.Unavailable, Message: "a pane is for the user who runs askd, on its machine",
			Hint: "log in there, for instance by ssh, and run askctl attach",
		}
	case p.Columns < 1 || p.Rows < 1:
		return &broker.Error{Kind: broker.InvalidParams, Path: "columns", Message: "columns and rows: the terminal's size is missing", Hint: "send both, at least 1"}
	case c.terminal.Load() != nil:
		return &broker.Error{Kind: broker.Conflict, Message: "a pane is attached on this connection already", Hint: "use another connection"}
	}
	return nil
}

// onTerminal makes a method of what is done with the terminal that the connection carries.
func onTerminal[P any](f func(*Terminal, P, broker.Reply)) method {
	return func(c *Conn, raw json.RawMessage, reply broker.Reply) {
		var p P
		if err := decodeParams(raw, &p); err != nil {
			reply(nil, err)
			return
		}
		t := c.terminal.Load()
		if t == nil {
			reply(nil, &broker.Error{Kind: broker.NotFound, Message: "no pane is attached on this connection", Hint: "send pane.attach first"})
			return
		}
		f(t, p, reply)
	}
}

var paneInput = onTerminal(func(t *Terminal, p paneData, reply broker.Reply) {
	if len(p.Data) > config.PaneInput {
		reply(nil, &broker.Error{Kind: broker.TooLarge, Path: "data", Message: "data: more than " + size(config.PaneInput) + " at once", Hint: "send it in parts"})
		return
	}
	select {
	case t.input <- typing{p.Data, reply}:
	default:
		reply(nil, &broker.Error{Kind: broker.TooLarge, Message: "more input than the pane takes", Hint: "wait for the replies to what was sent before"})
		return
	}
	if t.end.Load() { // it may have come too late for HangUp's own look
		t.forget()
	}
})

var paneResize = onTerminal(func(t *Terminal, p struct {
	Columns int `json:"columns"`
	Rows    int `json:"rows"`
}, reply broker.Reply,
) {
	t.resize(p.Columns, p.Rows)
	reply(struct{}{}, nil)
})

var paneRetake = onTerminal(func(t *Terminal, _ struct{}, reply broker.Reply) {
	if retake := t.retake.Load(); retake != nil && *retake != nil {
		(*retake)()
	}
	reply(struct{}{}, nil)
})

var paneTaken = onTerminal(func(t *Terminal, _ struct{}, reply broker.Reply) {
	select {
	case <-t.slots:
	default:
	}
	reply(struct{}{}, nil)
})
