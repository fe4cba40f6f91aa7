package config

import (
	"bytes"
	"encoding/json"
)

// orderedObject is object with the order of the text, for files that are changed in one place and otherwise kept.
func orderedObject(raw json.RawMessage) (members, bool) {
	if _, ok := object(raw); !ok {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	m := members{}
	for d.More() {
		key, err := d.Token()
		name, isText := key.(string)
		var value json.RawMessage
		if err != nil || !isText || d.Decode(&value) != nil {
			return nil, false
		}
		m = m.with(name, value)
	}
	return m, true
}

// with sets a member, in its place or at the end; a nil value removes it.
func (m members) with(key string, value json.RawMessage) members {
	out := make(members, 0, len(m)+1)
	placed := value == nil
	for _, item := range m {
		if item.key != key {
			out = append(out, item)
		} else if !placed {
			out, placed = append(out, member{key, value}), true
		}
	}
	if !placed {
		out = append(out, member{key, value})
	}
	return out
}

func (m members) get(key string) json.RawMessage {
	for _, item := range m {
		if item.key == key {
			raw, _ := item.value.(json.RawMessage)
			return raw
		}
	}
	return nil
}
