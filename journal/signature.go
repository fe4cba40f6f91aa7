package journal

import (
	"bytes"
	"encoding/binary"
)

// signatureBits is the size of a record's signature. Each three bytes in a row of a searchable string set one bit. The
// signatures of many records are kept bit by bit rather than record by record, so that a search reads only the bits of its
// term.
const signatureBits = 2048

type signature [signatureBits / 8]byte

func bitOf(a, b, c byte) uint16 {
	h := (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 2654435769
	return uint16(h >> (32 - 11))
}

// body is a stored request without its version and its arguments.
func body(request []byte) []byte {
	if len(request) == 0 {
		return nil
	}
	n, used := binary.Uvarint(request[1:])
	if used <= 0 || n > uint64(len(request)-1-used) {
		return nil
	}
	return request[1+used+int(n):]
}

// searchable are the members of a stored request and of a stored outcome, in lower case, whose strings go into history
// records.
var searchable = map[string]bool{"id": true, "title": true, "questions": true, "result": true, "error": true}

// add signs the strings of a stored JSON object, but for the keys that every record has.
func (s *signature) add(object []byte) {
	object = bytes.ToLower(object)
	i := bytes.IndexByte(object, '{') + 1
	for i > 0 && i < len(object) && object[i] == '"' {
		end := stringEnd(object, i)
		wanted := searchable[string(object[i+1:end-1])]
		if i = s.value(object, end+1, wanted); i < len(object) && object[i] == ',' {
			i++
		}
	}
}

// value signs the strings of the value that starts at i, if they are wanted, and gives where it ends.
func (s *signature) value(b []byte, i int, wanted bool) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end := stringEnd(b, i)
			if wanted && (end >= len(b) || b[end] != ':' || !frameWords[string(b[i+1:end-1])]) {
				s.text(b[i+1 : end-1])
			}
			i = end
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',':
			if depth == 0 {
				return i
			}
			i++
		default:
			i++
		}
	}
	return i
}

func (s *signature) text(b []byte) {
	for i := 0; i+3 <= len(b); i++ {
		bit := bitOf(b[i], b[i+1], b[i+2])
		s[bit>>3] |= 1 << (bit & 7)
	}
}

func (s *signature) has(bit uint16) bool { return s[bit>>3]&(1<<(bit&7)) != 0 }

// stringEnd gives the index behind the string that starts at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
