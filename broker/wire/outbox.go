package wire

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"askd/config"
)

// outboxBytes bounds what waits for one client: an outgoing line of any size fits behind another.
const outboxBytes = 2 * config.MaxLineOut

// batchBytes is how much is gathered into one write.
const batchBytes = 64 << 10

// outbox is the bounded queue in front of a connection's writer. Putting never waits.
type outbox struct {
	nc      net.Conn
	lines   chan []byte
	waiting atomic.Int64  // bytes in lines
	ending  chan struct{} // closed when no more lines come
	ended   atomic.Bool
}

func newOutbox(nc net.Conn) *outbox {
	return &outbox{nc: nc, lines: make(chan []byte, config.OutgoingQueue), ending: make(chan struct{})}
}

// put queues a line. Over the bounds it cuts the connection off instead; what was queued is delivered on the next one.
func (o *outbox) put(line []byte) {
	if o.ended.Load() {
		return
	}
	if o.waiting.Add(int64(len(line))) > outboxBytes {
		o.cut()
		return
	}
	select {
	case o.lines <- line:
	default:
		o.cut()
	}
}

// finish lets the writer close the connection once everything queued is written.
func (o *outbox) finish() {
	if o.ended.CompareAndSwap(false, true) {
		close(o.ending)
	}
}

// cut ends the connection at once.
func (o *outbox) cut() {
	o.finish()
	_ = o.nc.Close()
}

// write runs until the outbox has ended or stop is closed, then closes the connection.
func (o *outbox) write(stop <-chan struct{}) {
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
	batch, size := net.Buffers{line}, len(line)
	for size < batchBytes && len(o.lines) > 0 {
		next := <-o.lines
		batch, size = append(batch, next), size+len(next)
	}
	o.waiting.Add(-int64(size))
	return writeAll(o.nc, batch)
}

// writeAll writes everything. A slow reader that keeps moving is waited for.
func writeAll(nc net.Conn, bufs net.Buffers) error {
	for len(bufs) > 0 {
		if err := nc.SetWriteDeadline(time.Now().Add(config.WriteStall)); err != nil {
			return err
		}
		n, err := bufs.WriteTo(nc)
		if err != nil && (n == 0 || !errors.Is(err, os.ErrDeadlineExceeded)) {
			return err
		}
	}
	return nil
}
