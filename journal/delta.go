package journal

import (
	"bytes"
	"encoding/binary"
)

// A form repeats the arguments that it was made of, nearly word for word: the texts are the same, what stands around them is
// not. So it is stored as what differs: pieces of its own in turn with pieces of the arguments. Nothing but bytes is compared,
// so that the form comes back as it was whatever later releases make of such arguments, and texts that came from elsewhere,
// for instance from files, are simply pieces of its own.
//
// A piece of its own is its length and its bytes, a piece of the source its length and its place. Lengths and places are
// varints. The first piece is one of its own, perhaps empty, and the last may be either.

const (
	probeBytes = 24 // as much of a string is looked for; shorter ones stay as they are
	// scanShare bounds what looking may cost: the source is read that many times over at most.
	scanShare = 8
)

// matcher looks for pieces of a source.
type matcher struct {
	source []byte
	at     int // behind the last piece that was found: the next one is mostly there
	budget int // bytes to be looked at yet
}

// find gives a place of a probe in the source, -1 when there is none or it would take too long.
func (m *matcher) find(probe []byte) int {
	for _, from := range [...]int{m.at, 0} {
		if m.budget <= 0 {
			return -1
		}
		if n := bytes.Index(m.source[from:], probe); n >= 0 {
			m.budget -= n
			return from + n
		}
		m.budget -= len(m.source) - from
		if from == 0 {
			break
		}
	}
	return -1
}

// appendDelta appends what makes text of source. text is JSON.
func appendDelta(b, text, source []byte) []byte {
	m := matcher{source: source, budget: scanShare * len(source)}
	done := 0
	for i := bytes.IndexByte(text, '"'); i >= 0 && i < len(text) && m.budget > 0; {
		end := stringEnd(text, i)
		for i = max(i+1, done); end-i > probeBytes; {
			place := m.find(text[i : i+probeBytes])
			if place < 0 {
				i += probeBytes
				continue
			}
			start, n := extend(text, source, i, place, done)
			b = binary.AppendUvarint(b, uint64(start-done))
			b = append(b, text[done:start]...)
			b = binary.AppendUvarint(b, uint64(n))
			b = binary.AppendUvarint(b, uint64(place-(i-start)))
			m.at, done = place-(i-start)+n, start+n
			i = done + 1 // what ended the piece is written in another way
		}
		next := bytes.IndexByte(text[end:], '"')
		if next < 0 {
			break
		}
		i = end + next
	}
	if done < len(text) {
		b = binary.AppendUvarint(b, uint64(len(text)-done))
		b = append(b, text[done:]...)
	}
	return b
}

// extend gives the longest piece around a probe at i of text and at place of source that begins no earlier than done.
func extend(text, source []byte, i, place, done int) (start, n int) {
	end := i + probeBytes
	for at := place + probeBytes; end < len(text) && at < len(source); {
		if end+8 <= len(text) && at+8 <= len(source) && binary.NativeEndian.Uint64(text[end:]) == binary.NativeEndian.Uint64(source[at:]) {
			end, at = end+8, at+8
			continue
		}
		if text[end] != source[at] {
			break
		}
		end, at = end+1, at+1
	}
	start = i
	for at := place; start > done && at > 0 && text[start-1] == source[at-1]; {
		start, at = start-1, at-1
	}
	return start, end - start
}

// piece is one piece of a delta: bytes of its own, or of the source.
type piece struct {
	own       []byte
	at, bytes int
}

// pieces takes a delta apart; ok is false when it does not hold together or would make more than the largest value.
func pieces(delta []byte, source int, visit func(piece)) (ok bool) {
	total := uint64(0)
	for own := true; len(delta) > 0; own = !own {
		n, used := binary.Uvarint(delta)
		if used <= 0 || n > maxValue {
			return false
		}
		if delta, total = delta[used:], total+n; total > maxValue {
			return false
		}
		if own {
			if n > uint64(len(delta)) {
				return false
			}
			visit(piece{own: delta[:n]})
			delta = delta[n:]
			continue
		}
		at, used := binary.Uvarint(delta)
		if used <= 0 || at > uint64(source) || n > uint64(source)-at {
			return false
		}
		visit(piece{at: int(at), bytes: int(n)})
		delta = delta[used:]
	}
	return true
}

// applyDelta writes the text that a delta makes of a source; ok is false when it does not hold together, and then nothing is
// written.
func applyDelta(text *bytes.Buffer, delta, source []byte) (ok bool) {
	size := 0
	if !pieces(delta, len(source), func(p piece) { size += len(p.own) + p.bytes }) {
		return false
	}
	text.Grow(size)
	return pieces(delta, len(source), func(p piece) {
		text.Write(p.own)
		text.Write(source[p.at : p.at+p.bytes])
	})
}
