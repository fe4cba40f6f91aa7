package wire

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"askd/config"
)

// outboxBytes bounds what waits for one client: an outgoing line of any size fits behind another.
const outboxBytes = 2 * config.MaxLineOut

// outbox is the bounded queue in front of a connection's writer. Its lock is held for moments only: putting never waits.
type outbox struct {
	nc    net.Conn
	mu    sync.Mutex
	lines [][]byte
	bytes int
	ended bool // no more lines come: write what is there, then close
	kick  chan struct{}
}

func newOutbox(nc net.Conn) *outbox { return &outbox{nc: nc, kick: make(chan struct{}, 1)} }

// put queues a line. Over the bounds it cuts the connection off instead.
func (o *outbox) put(line []byte) {
	o.mu.Lock()
	full := len(o.lines) >= config.OutgoingQueue || o.bytes+len(line) > outboxBytes
	if !full && !o.ended {
		o.lines = append(o.lines, line)
		o.bytes += len(line)
	}
	o.mu.Unlock()
	if full {
		o.cut()
		return
	}
	o.wake()
}

func (o *outbox) wake() {
	select {
	case o.kick <- struct{}{}:
	default:
	}
}

// finish lets the writer close the connection once everything queued is written.
func (o *outbox) finish() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.wake()
}

// cut ends the connection at once; what was queued is lost to this connection and delivered on the next.
func (o *outbox) cut() {
	o.mu.Lock()
	o.ended, o.lines, o.bytes = true, nil, 0
	o.mu.Unlock()
	_ = o.nc.Close()
	o.wake()
}

// take gives all that waits; ok is false when nothing ever comes again.
func (o *outbox) take() (lines [][]byte, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines, o.lines, o.bytes = o.lines, nil, 0
	return lines, len(lines) > 0 || !o.ended
}

// write runs until the outbox has ended, then closes the connection.
func (o *outbox) write() {
	defer func() { _ = o.nc.Close() }()
	for {
		lines, ok := o.take()
		if !ok {
			return
		}
		if len(lines) == 0 {
			<-o.kick
			continue
		}
		if err := writeAll(o.nc, lines); err != nil {
			o.cut()
			return
		}
	}
}

// writeAll writes lines in as few calls as their size allows. A slow reader that keeps moving is waited for.
func writeAll(nc net.Conn, lines [][]byte) error {
	bufs := net.Buffers(lines)
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
