package ask

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// object is a JSON object taken apart one level deep. Members that nobody touches keep their bytes, their order and their
// repetitions, so that stored arguments are what came apart from what was prepared.
type object struct {
	members []member
	source  []byte
	dirty   bool
}

type member struct{ key, raw []byte } // both as in the source, the key with its quotes

// splitObject takes valid JSON apart; ok is false when it is no object.
func splitObject(raw []byte) (o object, ok bool) {
	o.source = bytes.TrimSpace(raw)
	ok = EachMember(o.source, func(key, value []byte) bool {
		o.members = append(o.members, member{key: key, raw: value})
		return true
	})
	if !ok {
		return object{}, false
	}
	return o, true
}

// EachMember calls f with every member of an object until f refuses, keys with their quotes and values as they are written,
// repeated ones too; ok is false when raw is no object. raw must be valid JSON; keys and values are parts of it.
func EachMember(raw []byte, f func(key, value []byte) bool) (ok bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return false
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != '}'; i = skipSpace(raw, i) {
		if raw[i] == ',' {
			i++
			continue
		}
		end := skipValue(raw, i)
		start := skipSpace(raw, skipSpace(raw, end)+1)
		stop := skipValue(raw, start)
		if !f(raw[i:end], raw[start:stop]) {
			return true
		}
		i = stop
	}
	return true
}

// eachItem calls f with every item of a valid JSON array until f refuses; ok is false when raw is no array.
func eachItem(raw []byte, f func(i int, item []byte) bool) (ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return false
	}
	n := 0
	for i := skipSpace(raw, 1); i < len(raw) && raw[i] != ']'; i = skipSpace(raw, i) {
		if raw[i] == ',' {
			i++
			continue
		}
		end := skipValue(raw, i)
		if !f(n, raw[i:end]) {
			return true
		}
		n++
		i = end
	}
	return true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipValue gives the index after the value that starts at i. It does not recurse: nesting costs a counter.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\r', '\t':
			i++
			continue
		default:
			i = skipScalar(b, i)
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// skipString looks for the closing quote with the fast searches of bytes: contexts are long. A quote is looked for again
// only once the last one turned out to be escaped, or a long text of many lines would be searched once a line.
func skipString(b []byte, i int) int {
	quote := i
	for i++; i < len(b); {
		if quote < i {
			next := bytes.IndexByte(b[i:], '"')
			if next < 0 {
				return len(b)
			}
			quote = i + next
		}
		escape := bytes.IndexByte(b[i:quote], '\\')
		if escape < 0 {
			return quote + 1
		}
		i += escape + 2
	}
	return len(b)
}

func skipScalar(b []byte, i int) int {
	for i < len(b) && !endsScalar(b[i]) {
		i++
	}
	return i
}

func endsScalar(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':'
}

// find gives the index of the member that counts: of repeated keys the last, as JSON.parse has it.
func (o *object) find(key string) int {
	for i := len(o.members) - 1; i >= 0; i-- {
		if keyIs(o.members[i].key, key) {
			return i
		}
	}
	return -1
}

func keyIs(quoted []byte, key string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == key
	}
	return decodeString(quoted) == key
}

// get gives the raw value under key, nil when there is none.
func (o *object) get(key string) []byte {
	if i := o.find(key); i >= 0 {
		return o.members[i].raw
	}
	return nil
}

// set replaces the value under key or appends it.
func (o *object) set(key string, raw []byte) {
	o.dirty = true
	if i := o.find(key); i >= 0 {
		o.members[i].raw = raw
		return
	}
	o.members = append(o.members, member{key: quote(key), raw: raw})
}

// drop removes every member under key.
func (o *object) drop(key string) {
	if o.find(key) < 0 {
		return
	}
	o.dirty = true
	kept := o.members[:0:0]
	for _, m := range o.members {
		if !keyIs(m.key, key) {
			kept = append(kept, m)
		}
	}
	o.members = kept
}

// bytes writes the object: the source itself when nothing changed.
func (o *object) bytes() []byte {
	if !o.dirty {
		return o.source
	}
	out := []byte{'{'}
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.key...), ':'), m.raw...)
	}
	return append(out, '}')
}

func joinArray(items [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']')
}

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

func isNull(raw []byte) bool { return string(raw) == "null" }

// decodeString reads a valid JSON string. Bytes that are no UTF-8 and lone surrogates become U+FFFD.
func decodeString(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return ""
	}
	return s
}
