package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"askd/broker"
	"askd/broker/ask"
)

// Most of a message is the arguments of a call, which the tool reads by rules of its own. So the two objects around them are
// taken apart by hand, in one pass that leaves the values where they are. What is not written as every client writes it, and
// whatever is at fault, is left to ask.UnmarshalExactly: it is slow, and says what is wrong.

// members takes what is named out of an object in valid JSON. It gives up on anything but plain keys that come once.
func members(object []byte, names []string, values [][]byte) (ok bool) {
	ok = true
	isObject := ask.EachMember(object, func(key, value []byte) bool {
		if bytes.IndexByte(key, '\\') >= 0 {
			ok = false
			return false
		}
		key = key[1 : len(key)-1]
		for i, name := range names {
			if string(key) == name {
				ok = values[i] == nil
				values[i] = value
				return ok
			}
		}
		return true
	})
	return ok && isObject
}

// plainText is a JSON string without escapes; an absent one is empty.
func plainText(value []byte) (s string, ok bool) {
	if len(value) == 0 {
		return "", true
	}
	if value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

var envelopeNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// quickLine reads an ordinary request or notification. The message is a part of the line.
func quickLine(line []byte) (m Incoming, ok bool) {
	if !utf8.Valid(line) || !ask.ValidJSON(line) {
		return m, false
	}
	var v [6][]byte
	if !members(line, envelopeNames, v[:]) || v[4] != nil || v[5] != nil || len(v[1]) > 0 && !validID(v[1]) {
		return m, false
	}
	version, plain := plainText(v[0])
	if !plain || version != "2.0" {
		return m, false
	}
	m.Version, m.ID, m.Params = version, v[1], v[3]
	m.Method, ok = plainText(v[2])
	return m, ok && m.Method != ""
}

var callNames = []string{"tool", "arguments", "requestId", "toolCallId", "parentToolCallId", "initial", "files"}

// quickCall reads the parameters of an ordinary tool.call. The arguments are a copy.
func quickCall(raw []byte) (p broker.CallParams, ok bool) {
	var v [7][]byte
	if !members(raw, callNames, v[:]) || v[5] != nil {
		return p, false
	}
	ok = true
	for i, into := range []*string{0: &p.Tool, 2: &p.RequestID, 3: &p.ToolCallID, 4: &p.ParentToolCallID} {
		if into == nil {
			continue
		}
		plain := false
		*into, plain = plainText(v[i])
		ok = ok && plain
	}
	p.Arguments = bytes.Clone(v[1])
	if v[6] != nil {
		ok = ok && ask.UnmarshalExactly(v[6], &p.Files) == nil
	}
	return p, ok
}

// toolCall is withParams for the one method whose parameters are large.
func toolCall(c *Conn, raw json.RawMessage, reply broker.Reply) {
	p, ok := quickCall(raw)
	if !ok {
		p = broker.CallParams{}
		if err := decodeParams(raw, &p); err != nil {
			reply(nil, err)
			return
		}
	}
	c.client.Call(p, reply)
}
