package ask

import (
	"math/bits"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendString appends a JSON string as encoding/json writes it, html with its escapes of <, > and &, several times faster:
// texts are long, and hardly anything in them needs an escape.
func AppendString(b []byte, s string, html bool) []byte {
	b = append(b, '"')
	start := 0
	for i := plainText(s, 0, html); i < len(s); i = plainText(s, i, html) {
		c := s[i]
		if c < utf8.RuneSelf && !escaped(c, html) {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		b = appendEscape(append(b, s[start:i]...), s[i:i+size])
		i += size
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// escaped reports whether a character of ASCII needs an escape.
func escaped(c byte, html bool) bool {
	return c < ' ' || c == '"' || c == '\\' || html && (c == '<' || c == '>' || c == '&')
}

// plainText is skipPlain for text. It stops at what is no ASCII as well, which escapes need not be told from by borrows, and
// at what HTML escapes if asked to.
func plainText(s string, i int, html bool) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		w := word(s, i)
		quote, slash := w^('"'*ones), w^('\\'*ones)
		found := (quote - ones) | (slash - ones) | (w - ' '*ones) | w
		if html {
			// < and > differ in one bit.
			angle, and := (w|'\x02'*ones)^('>'*ones), w^('&'*ones)
			found |= (angle - ones) | (and - ones)
		}
		if found &= tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8 // a borrow spoils bytes behind the first one only
		}
	}
	return i
}

// word is eight bytes of a text, the first one lowest.
func word(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const hexDigits = "0123456789abcdef"

// shortEscapes are the characters whose escape is a letter.
var shortEscapes = map[byte]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendEscape appends the escape of one character, or of one byte that is no part of any.
func appendEscape(b []byte, char string) []byte {
	c := char[0]
	switch {
	case len(char) == 3:
		return append(b, `\u202`+string(hexDigits[char[2]&0xf])...)
	case c >= utf8.RuneSelf:
		return append(b, `\ufffd`...)
	}
	if letter, ok := shortEscapes[c]; ok {
		return append(b, '\\', letter)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// Appender builds JSON objects after encoding/json's rules for structs: members in the order in which they are declared, each
// by the method for its type. The zero value appends to nothing, without HTML escapes. B may be read and appended to.
type Appender struct {
	B     []byte
	HTML  bool // <, > and & are escaped, as json.Marshal does
	Wrong bool // something has no form in JSON; encoding/json says what
}

// Member starts a member, whose value follows; name is written as it stands in the object, with quotes and colon.
func (a *Appender) Member(name string) {
	if a.B[len(a.B)-1] != '{' {
		a.B = append(a.B, ',')
	}
	a.B = append(a.B, name...)
}

// Text is a member that is a string.
func (a *Appender) Text(name, s string) {
	a.Member(name)
	a.B = AppendString(a.B, s, a.HTML)
}

// Texts is a list of strings, the value of the member that was started last; nil is null.
func (a *Appender) Texts(list []string) {
	if list == nil {
		a.B = append(a.B, "null"...)
		return
	}
	a.B = append(a.B, '[')
	for i, s := range list {
		if i > 0 {
			a.B = append(a.B, ',')
		}
		a.B = AppendString(a.B, s, a.HTML)
	}
	a.B = append(a.B, ']')
}

// Some is text that is left out when it is empty.
func (a *Appender) Some(name, s string) {
	if s != "" {
		a.Text(name, s)
	}
}

// Flag is a member that is true or false.
func (a *Appender) Flag(name string, v bool) {
	a.Member(name)
	a.B = strconv.AppendBool(a.B, v)
}

// Number is a member that is a whole number.
func (a *Appender) Number(name string, n int64) {
	a.Member(name)
	a.B = strconv.AppendInt(a.B, n, 10)
}

// Time is a member that is a time.
func (a *Appender) Time(name string, t time.Time) {
	a.Member(name)
	// What time.Time refuses to write, and an offset of which it might, are left to it.
	if _, offset := t.Zone(); t.Year() < 0 || t.Year() > 9999 || offset <= -23*3600 || offset >= 23*3600 {
		a.Wrong = true
		return
	}
	a.B = append(a.B, '"')
	a.B = t.AppendFormat(a.B, time.RFC3339Nano)
	a.B = append(a.B, '"')
}
