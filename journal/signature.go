package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// signatureBits is the size of a record's signature. Each three bytes in a row of a searchable string set one bit. The
// signatures of many records are kept bit by bit rather than record by record, so that a search reads only the bits of its
// term.
const signatureBits = 2048

type signature [signatureBits / 8]byte

func bitOf(a, b, c byte) uint16 {
	return uint16((uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * hashFactor >> (32 - 11))
}

const hashFactor = 2654435769

// appendBody appends the JSON of a stored request, without its arguments, in lower case. scratch is room to work in. One that
// does not hold together has none: whoever reads it is told.
func appendBody(b, request []byte, scratch *bytes.Buffer) []byte {
	scratch.Reset()
	if len(request) == 0 {
		return b
	}
	_, form, err := openRequest(request, scratch)
	if err != nil {
		return b
	}
	return appendLower(b, form)
}

// searchable are the members of a stored request and of a stored outcome, in lower case, whose strings go into history
// records.
var searchable = map[string]bool{"id": true, "title": true, "questions": true, "result": true, "error": true}

// add signs the strings and numbers of a stored JSON object in lower case, but for the keys that every record has.
func (s *signature) add(object []byte) {
	i := bytes.IndexByte(object, '{') + 1
	for i > 0 && i < len(object) && object[i] == '"' {
		end := stringEnd(object, i)
		key := object[i+1 : end-1]
		i = s.value(object, end+1, searchable[string(key)])
		if string(key) == "createdat" {
			s.time(object[end+1 : i])
		}
		if i < len(object) && object[i] == ',' {
			i++
		}
	}
}

// images signs the texts of the images that a stored outcome refers to, since searches look into them. A record whose images
// cannot be read has every bit, so that each search comes upon it and tells.
func (s *signature) images(outcome []byte, images *bbolt.Bucket) {
	digests, err := referred(outcome)
	for _, d := range digests {
		text, e := loweredImage(images, d)
		s.text(text)
		err = errors.Join(err, e)
	}
	if err != nil {
		for i := range s {
			s[i] = 0xff
		}
	}
}

// time signs a stored time, quoted, as records show it.
func (s *signature) time(quoted []byte) {
	if t, err := time.Parse(time.RFC3339Nano, string(bytes.ToUpper(bytes.Trim(quoted, `"`)))); err == nil {
		s.text([]byte(strings.ToLower(ask.FormatTime(t))))
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
			start := i
			for i < len(b) && b[i] >= '0' && b[i] <= '9' {
				i++
			}
			if s.text(b[start:i]); i == start {
				i++
			}
		}
	}
	return i
}

func (s *signature) text(b []byte) {
	if len(b) < 3 {
		return
	}
	gram := uint32(b[0])<<8 | uint32(b[1])
	for _, c := range b[2:] {
		gram = gram<<8&0xffffff | uint32(c)
		bit := gram * hashFactor >> (32 - 11)
		s[bit>>3&(signatureBits/8-1)] |= 1 << (bit & 7)
	}
}

func (s *signature) has(bit uint16) bool { return s[bit>>3]&(1<<(bit&7)) != 0 }

// stringEnd gives the index behind the string that starts at i.
func stringEnd(b []byte, i int) int {
	for i++; ; i++ {
		at := bytes.IndexByte(b[i:], '"')
		if at < 0 {
			return len(b)
		}
		i += at
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// appendLower appends text in lower case, as bytes.ToLower does; most text is ASCII and needs no copy of its own.
func appendLower(b, text []byte) []byte {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	start := len(b)
	b = append(b, text...)
	lower := b[start:]
	for ; len(lower) >= 8; lower = lower[8:] {
		w := binary.LittleEndian.Uint64(lower)
		if w&tops != 0 {
			return append(b[:start], bytes.ToLower(text)...)
		}
		// The top bit of a byte tells in one sum whether it is A or more, in the other whether it is more than Z.
		capital := (w + (0x80-'A')*ones) &^ (w + (0x7f-'Z')*ones) & tops
		binary.LittleEndian.PutUint64(lower, w|capital>>2)
	}
	for i, c := range lower {
		if c >= utf8.RuneSelf {
			return append(b[:start], bytes.ToLower(text)...)
		}
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return b
}
