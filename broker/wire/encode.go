package wire

import (
	"encoding/json"
	"sync"
)

// quickPayload is a payload that writes itself as json.Marshal would; ok is false when it must be left to that.
type quickPayload interface {
	AppendJSON(b []byte) (out []byte, ok bool)
}

// keptScratch is the largest piece of scratch that is kept: one huge message must not hold memory for days.
const keptScratch = 256 << 10

// scratch is where lines are written before it is known how long they are.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// marshal is json.Marshal, quicker for what is sent with every ask. There is room for one byte more.
func marshal(message any) ([]byte, error) {
	if n, ok := message.(notification); ok {
		if p, ok := n.Params.(quickPayload); ok {
			if line, ok := quickNotification(n.Method, p); ok {
				return line, nil
			}
		}
	}
	return json.Marshal(message)
}

// quickNotification writes a notification; method is one of the protocol's and needs no escapes.
func quickNotification(method string, p quickPayload) (line []byte, ok bool) {
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	b := append((*buf)[:0], `{"jsonrpc":"2.0","method":"`...)
	b = append(append(b, method...), `","params":`...)
	if b, ok = p.AppendJSON(b); !ok {
		return nil, false
	}
	b = append(b, '}')
	if cap(b) <= keptScratch {
		*buf = b
	}
	return append(make([]byte, 0, len(b)+1), b...), true
}
