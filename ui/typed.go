package ui

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

const (
	escByte    = 0x1b
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	// longestSequence is the longest that an escape sequence within a paste may be; what is longer is text.
	longestSequence = 32
	// escAlone is after what time a terminal's Esc is a key and not the beginning of another one.
	escAlone = 100 * time.Millisecond
	// pasteStalled is for how long nothing may come of a paste before a key ends it: its own end has been lost.
	pasteStalled = time.Second
	// loneKey is the longest that the bytes of one key are.
	loneKey = 16
)

// stringStarts are what follows an Esc at the beginning of a string of a terminal: DCS, OSC, SOS, PM and APC. They are also
// what Alt with that key sends, after which tcell would wait without end for the end of a string; of a DCS, such as a late
// answer to another program, it would press the keys.
const stringStarts = "P]X^_"

// typed is what a terminal sends, made such that tcell can lose no key over it: what is pasted holds no sequence but the one
// that ends it, so that no paste can press keys or the mouse, and no string is begun that does not end. The zero value is
// ready. One goroutine owns it.
type typed struct {
	pasting bool
	seq     []byte // an escape sequence that has begun within the paste
	marker  int    // how much of pasteStart the bytes before were
	last    time.Time
}

// take gives what tcell is to read of the bytes that were read at a time.
func (t *typed) take(in []byte, now time.Time) []byte {
	gap := now.Sub(t.last)
	t.last = now
	if t.pasting && gap >= pasteStalled && lone(in) {
		*t = typed{last: now}
		return []byte(pasteEnd)
	}
	if t.marker == 1 && gap >= escAlone {
		t.marker = 0
	}
	out := make([]byte, 0, len(in)+loneKey)
	for len(in) > 0 {
		n := 1
		if t.pasting {
			out = t.pasted(out, in[0])
		} else {
			out, n = t.pressed(out, in)
		}
		in = in[n:]
	}
	return out
}

// lone reports whether bytes are one key that is no text.
func lone(in []byte) bool {
	if len(in) == 1 {
		return in[0] < ' ' && !strings.ContainsRune("\t\r\n", rune(in[0]))
	}
	return len(in) > 0 && len(in) <= loneKey && in[0] == escByte && !strings.HasPrefix(pasteEnd, string(in[:min(len(in), len(pasteEnd))]))
}

// pressed takes one key off the bytes outside a paste, and says how many of them it was.
func (t *typed) pressed(out, in []byte) ([]byte, int) {
	if len(in) > 1 && in[0] == escByte && begins(in[1]) {
		t.marker = 0
		if n := stringLength(in[1:]); n > 0 {
			return out, n + 1 // nothing was asked of the terminal that it would answer like this
		}
		return append(out, altKey(in[1])...), 2
	}
	if key := keypad(in); key != 0 {
		t.marker = 0
		return append(out, key), len(keypadStart) + 1
	}
	if escapes(in) {
		t.marker = 0
		return append(out, escKey...), 1
	}
	if t.marker == 1 && begins(in[0]) {
		t.marker = 0
		if n := stringLength(in); n > 0 {
			return append(append(out, '_'), in[1:n]...), n // its Esc is there already, and this kind is passed over
		}
		return append(out, altKey(in[0])...), 1
	}
	switch {
	case in[0] == pasteStart[t.marker]:
		t.marker++
	case in[0] == escByte:
		t.marker = 1
	default:
		t.marker = 0
	}
	if t.marker == len(pasteStart) {
		*t = typed{pasting: true, last: t.last}
	}
	return append(out, in[0]), 1
}

// Terminals that are in the mode for cursor keys may name the keys of the keypad; tcell passes over those names.
const (
	keypadStart = "\x1bO"
	keypadNames = "MXjklmnopqrstuvwxy"
	keypadKeys  = "\r=*+,-./0123456789"
)

// keypad is the key of the keypad that bytes begin with, else 0.
func keypad(in []byte) byte {
	if len(in) <= len(keypadStart) || string(in[:len(keypadStart)]) != keypadStart {
		return 0
	}
	i := strings.IndexByte(keypadNames, in[len(keypadStart)])
	if i < 0 {
		return 0
	}
	return keypadKeys[i]
}

// escKey is Esc as no other key begins.
const escKey = "\x1b[27u"

// escapes reports whether bytes begin with an Esc that was pressed before another one: tcell would wait with both for a third
// key, and take that for one with Alt. Two before a sequence are a key with Alt indeed.
func escapes(in []byte) bool {
	return len(in) > 1 && in[0] == escByte && in[1] == escByte && (len(in) == 2 || in[2] == escByte)
}

func begins(b byte) bool { return strings.IndexByte(stringStarts, b) >= 0 }

// stringLength is the length of a terminal's string with its end, 0 when it has none.
func stringLength(in []byte) int {
	end := bytes.IndexAny(in, "\a\x1b")
	switch {
	case end < 0:
		return 0
	case in[end] == '\a':
		return end + 1
	case end+1 < len(in) && in[end+1] == '\\':
		return end + 2
	}
	return 0
}

// altKey is Alt with a key as no terminal's string begins.
func altKey(key byte) string { return fmt.Sprintf("\x1b[%d;3u", key) }

// pasted takes one byte of a paste.
func (t *typed) pasted(out []byte, b byte) []byte {
	switch n := len(t.seq); {
	case b == escByte:
		t.seq = append(t.seq[:0], b)
		return out
	case n == 0:
		return append(out, b)
	case n == 1 && b != '[', n > longestSequence, b < ' ', b > '~':
		t.seq = t.seq[:0] // no sequence after all
		return append(out, b)
	}
	t.seq = append(t.seq, b)
	if len(t.seq) == 2 || b < '@' {
		return out
	}
	if string(t.seq) == pasteEnd {
		out, t.pasting = append(out, pasteEnd...), false
	}
	t.seq = t.seq[:0]
	return out
}
