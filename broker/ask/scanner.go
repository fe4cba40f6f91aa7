package ask

import (
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// scanner reads what an Appender has written. Once it has met something else it is lost and reads nothing any more. Texts
// without escapes are parts of all.
type scanner struct {
	all  string
	at   int
	lost bool

	unescaped []byte // room to work in
	texts     Arena  // of texts with escapes
}

// start begins with another text, JSON with at most a line feed behind it.
func (s *scanner) start(text string) {
	s.all, s.at, s.lost = strings.TrimSuffix(text, "\n"), 0, !utf8.ValidString(text)
}

// done reports whether everything was read.
func (s *scanner) done() bool { return !s.lost && s.at == len(s.all) }

// has passes a word if it is there.
func (s *scanner) has(word string) bool {
	if s.lost || !strings.HasPrefix(s.all[s.at:], word) {
		return false
	}
	s.at += len(word)
	return true
}

func (s *scanner) must(word string) {
	if !s.has(word) {
		s.lost = true
	}
}

// text reads a string.
func (s *scanner) text() string {
	s.must(`"`)
	start := s.at
	for !s.lost {
		s.at = plainRun(s.all, s.at)
		if s.at == len(s.all) {
			break
		}
		switch c := s.all[s.at]; {
		case c == '"':
			s.at++
			return s.all[start : s.at-1]
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			s.lost = true
		default:
			s.at++
		}
	}
	s.lost = true
	return ""
}

// letters are the characters that the short escapes stand for.
var letters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped reads the rest of a string from its first escape on.
func (s *scanner) escaped(start int) string {
	b := append(s.unescaped[:0], s.all[start:s.at]...)
	for !s.lost && s.at+1 < len(s.all) {
		switch c := s.all[s.at]; {
		case c == '"':
			s.at++
			s.unescaped = b
			return s.texts.Text(b)
		case c == '\\':
			b = s.escape(b)
			continue
		case c < ' ':
			s.lost = true
			continue
		}
		next := max(plainRun(s.all, s.at), s.at+1)
		b = append(b, s.all[s.at:next]...)
		s.at = next
	}
	if !s.lost && s.has(`"`) {
		s.unescaped = b
		return s.texts.Text(b)
	}
	s.lost = true
	return ""
}

func (s *scanner) escape(b []byte) []byte {
	c := s.all[s.at+1]
	if letter := letters[c]; letter != 0 {
		s.at += 2
		return append(b, letter)
	}
	if c == 'u' && s.at+6 <= len(s.all) {
		r, err := strconv.ParseUint(s.all[s.at+2:s.at+6], 16, 32)
		if err == nil && (r < 0xd800 || r > 0xdfff) { // pairs are not written by us
			s.at += 6
			return utf8.AppendRune(b, rune(r))
		}
	}
	s.lost = true
	return b
}

// plainRun is skipPlain for text; near the end of it too it stops at any byte.
func plainRun(s string, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		w := word(s, i)
		quote, slash := w^('"'*ones), w^('\\'*ones)
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-' '*ones)&^w) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	return i
}

func (s *scanner) flag() bool {
	if s.has("true") {
		return true
	}
	s.must("false")
	return false
}

// some reads a text that may be left out; name has its quotes, its colon and the comma before.
func (s *scanner) some(name string) string {
	if !s.has(name) {
		return ""
	}
	return s.text()
}

func (s *scanner) time() (t time.Time) {
	start := s.at
	s.text()
	if s.lost || t.UnmarshalJSON([]byte(s.all[start:s.at])) != nil {
		s.lost = true
	}
	return t
}

func (s *scanner) number() int {
	start := s.at
	for s.at < len(s.all) && s.all[s.at] >= '0' && s.all[s.at] <= '9' {
		s.at++
	}
	n, err := strconv.Atoi(s.all[start:s.at])
	if s.lost || err != nil || s.at > start+1 && s.all[start] == '0' {
		s.lost = true
	}
	return n
}
