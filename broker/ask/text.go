package ask

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Trim removes white space from both ends as JavaScript's String.prototype.trim does: besides Unicode spaces it takes line
// separators and the byte order mark. Every rule of the contract that trims or speaks of blank text means this.
func Trim(s string) string {
	if s == "" || (plainEdge(s[0]) && plainEdge(s[len(s)-1])) {
		return s
	}
	return strings.TrimFunc(s, isSpace)
}

// Blank reports whether Trim leaves nothing of s.
func Blank(s string) bool { return Trim(s) == "" }

func plainEdge(c byte) bool { return c > ' ' && c < utf8.RuneSelf }

// isSpace is the WhiteSpace and LineTerminator of ECMAScript. NEL is a space to Go and none to JavaScript.
func isSpace(r rune) bool {
	switch {
	case r == 0x85:
		return false
	case r >= '\t' && r <= '\r', r == 0xFEFF, r == 0x2028, r == 0x2029:
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// Stringify writes v as JSON.stringify would: no HTML escapes, line separators as they are.
func Stringify(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	buf.Truncate(buf.Len() - 1)
	return unescapeSeparators(buf.Bytes()), nil
}

// unescapeSeparators turns the two escapes that Go insists on back into characters.
func unescapeSeparators(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u202`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		if rest := string(b[i:min(i+6, len(b))]); rest == `\u2028` || rest == `\u2029` {
			out = utf8.AppendRune(out, 0x2020+rune(rest[5]-'0'))
			i += 5
			continue
		}
		out = append(out, b[i], b[i+1])
		i++
	}
	return out
}

// quote is Stringify for a string; it cannot fail.
func quote(s string) []byte {
	b, err := Stringify(s)
	if err != nil {
		return []byte(`""`)
	}
	return b
}
