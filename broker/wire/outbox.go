package wire

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// batchBytes is how much is gathered into one write.
const batchBytes = 64 << 10

// outbox is the bounded queue in front of a connection's writer. Putting never waits.
type outbox struct {
	nc      net.Conn
	bounds  Bounds
	lines   chan []byte // nil stands for the newest of latest
	latest  atomic.Pointer[notification]
	encode  func(any) ([]byte, error)
	waiting atomic.Int64  // bytes in lines
	held    *share        // counts them until they are written
	unsent  atomic.Int64  // lines put and not yet written
	turn    chan struct{} // one slot, taken by whoever writes
	rest    []byte        // of a line that did not fit into the socket at once; belongs to the turn
	raw     syscall.RawConn
	moved   chan struct{} // one slot: something was written
	ending  chan struct{} // closed when no more lines come
	ended   atomic.Bool
	slow    func() // its client did not read and is cut off; nil when nobody counts
}

// inFlight is how many replies may come at once of requests that the reader has passed on: what fits in the broker's mailbox.
const inFlight = 1024

func newOutbox(nc net.Conn, b Bounds, memory *budget, encode func(any) ([]byte, error)) *outbox {
	return &outbox{held: &share{of: memory}, raw: rawSocket(nc), nc: nc, bounds: b, encode: encode, lines: make(chan []byte, b.Queue+inFlight), turn: make(chan struct{}, 1), moved: make(chan struct{}, 1), ending: make(chan struct{})}
}

// put queues a line. Over the bounds the client does not read and is cut off; what was queued is delivered on its next
// connection.
func (o *outbox) put(line []byte) {
	if o.ended.Load() {
		return
	}
	// An outgoing line of any size fits behind another.
	if o.waiting.Add(int64(len(line))) > int64(2*o.bounds.LineOut) {
		o.cutSlow()
		return
	}
	if !o.held.add(len(line)) {
		o.giveUp()
		return
	}
	o.push(line)
}

func (o *outbox) push(line []byte) {
	o.unsent.Add(1)
	select {
	case o.lines <- line:
	default:
		o.cutSlow()
	}
}

// giveUp ends the connection of a client that has not read so much that there is no memory left for more: it can still read
// what is queued, and why it is closed.
func (o *outbox) giveUp() {
	if line, err := o.encode(failed(nil, o.held.of.spent())); err == nil {
		o.push(line)
	}
	if o.finish() && o.slow != nil {
		o.slow()
	}
}

// refresh queues a message that makes every older one of its kind worthless. It is encoded when it is its turn, by the
// writer: many changes of a long queue cost a slow watcher one message, and nobody else anything.
func (o *outbox) refresh(n notification) {
	if o.latest.Swap(&n) == nil {
		o.put(nil)
	}
}

// newest is the line of the last refresh, nil when it cannot be sent.
func (o *outbox) newest() []byte {
	n := o.latest.Swap(nil)
	if n == nil {
		return nil
	}
	line, err := o.encode(*n)
	if err != nil {
		return nil
	}
	return line
}

// room waits until little is queued. Only the connection's own reader waits here, so that a client which sends many
// requests at once gets all its replies and is not taken for one that does not read.
func (o *outbox) room() {
	for len(o.lines) > o.bounds.Queue/2 || o.waiting.Load() > int64(o.bounds.LineOut) {
		select {
		case <-o.moved:
		case <-o.ending:
			return
		}
	}
}

// finish lets the writer close the connection once everything queued is written. It reports whether it still was open.
func (o *outbox) finish() bool {
	open := o.ended.CompareAndSwap(false, true)
	if open {
		close(o.ending)
	}
	return open
}

// cutSlow ends the connection of a client that does not read.
func (o *outbox) cutSlow() {
	if o.finish() && o.slow != nil {
		o.slow()
	}
	_ = o.nc.Close()
}

// cut ends the connection at once.
func (o *outbox) cut() {
	o.finish()
	_ = o.nc.Close()
}

// write runs until the outbox has ended or stop is closed, then closes the connection.
func (o *outbox) write(stop <-chan struct{}) {
	defer o.held.end()
	defer o.cut()
	for {
		select {
		case line := <-o.lines:
			if o.send(line) != nil {
				return
			}
		case <-o.ending:
			o.flush()
			return
		case <-stop:
			o.flush()
			return
		}
	}
}

// flush writes what is queued and waits for no more.
func (o *outbox) flush() {
	for {
		select {
		case line := <-o.lines:
			if o.send(line) != nil {
				return
			}
		default:
			return
		}
	}
}

// send writes a line and what waits behind it, in as few calls as their size allows.
func (o *outbox) send(line []byte) error {
	o.turn <- struct{}{}
	defer func() { <-o.turn }()
	var batch net.Buffers
	if len(o.rest) > 0 {
		batch, o.rest = append(batch, o.rest), nil
	}
	batch, size, lines := o.gather(batch, line), len(line), 1
	for size < batchBytes && len(o.lines) > 0 {
		next := <-o.lines
		batch, size, lines = o.gather(batch, next), size+len(next), lines+1
	}
	o.waiting.Add(-int64(size))
	err := o.writeAll(batch)
	o.held.add(-size)
	o.unsent.Add(-int64(lines))
	select {
	case o.moved <- struct{}{}:
	default:
	}
	return err
}

func (o *outbox) gather(batch net.Buffers, line []byte) net.Buffers {
	if line == nil {
		line = o.newest()
	}
	if len(line) == 0 { // nothing that can be sent, or what now leaves behind a line that it has begun
		return batch
	}
	return append(batch, line)
}

// writeAll writes everything. A slow reader that keeps moving is waited for.
func (o *outbox) writeAll(bufs net.Buffers) error {
	for len(bufs) > 0 {
		if err := o.nc.SetWriteDeadline(time.Now().Add(o.bounds.WriteStall)); err != nil {
			return err
		}
		n, err := bufs.WriteTo(o.nc)
		late := errors.Is(err, os.ErrDeadlineExceeded)
		if late && n == 0 {
			o.cutSlow()
		}
		if err != nil && (n == 0 || !late) {
			return err
		}
	}
	return nil
}
