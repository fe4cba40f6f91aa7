package wire

import (
	"fmt"
	"time"

	"askd/config"
)

// Bounds are the limits that a server keeps to. A zero field takes the one of config.
type Bounds struct {
	LineIn      int           // bytes of one incoming line
	LineOut     int           // bytes of one outgoing line
	Queue       int           // messages that may wait for one client, besides the replies to what it has just sent
	WriteStall  time.Duration // how long a write may make no progress
	Drain       time.Duration // how long the end of the server waits for clients to read what is theirs
	Connections int           // connections at once
	Buffered    int           // bytes that all connections together may hold beyond what each has for itself
}

// drainTime lets a client read a last reply and does not keep a person waiting who quits.
const drainTime = 500 * time.Millisecond

// maxSentence is the most bytes of a text in an error: it names what was wrong, and does not send back 8 MiB of it.
const maxSentence = 4 << 10

func (b Bounds) withDefaults() Bounds {
	orElse(&b.LineIn, config.MaxLineIn)
	orElse(&b.LineOut, config.MaxLineOut)
	orElse(&b.Queue, config.OutgoingQueue)
	orElse(&b.WriteStall, config.WriteStall)
	orElse(&b.Drain, drainTime)
	orElse(&b.Connections, config.MaxConnections)
	orElse(&b.Buffered, config.MaxBuffered)
	return b
}

func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// size words a number of bytes.
func size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
