package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// Map is a JSON object that remembers the order in which its keys were set, as the contract's answers do. The zero value
// is an empty map ready for use. It is not safe for concurrent writers.
type Map[V any] struct {
	keys   []string
	values map[string]V
}

// Set puts a value under key; a new key goes last.
func (m *Map[V]) Set(key string, value V) {
	if m.values == nil {
		m.values = map[string]V{}
	}
	if _, ok := m.values[key]; !ok {
		m.keys = append(m.keys, key)
	}
	m.values[key] = value
}

// Get returns the value under key and whether there is one.
func (m Map[V]) Get(key string) (V, bool) {
	v, ok := m.values[key]
	return v, ok
}

// Len is the number of keys.
func (m Map[V]) Len() int { return len(m.keys) }

// IsZero reports whether the map is empty, so that omitzero leaves it out.
func (m Map[V]) IsZero() bool { return len(m.keys) == 0 }

// All yields the entries in the order that JSON.stringify would write them: keys that are array indices first, ascending,
// then the others as they were set.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range propertyOrder(m.keys) {
			if !yield(k, m.values[k]) {
				return
			}
		}
	}
}

// MarshalJSON writes the object in the order of All.
func (m Map[V]) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	sep := byte('{')
	for k, v := range m.All() {
		buf.WriteByte(sep)
		sep = ','
		if err := enc.Encode(k); err != nil {
			return nil, err
		}
		buf.Truncate(buf.Len() - 1)
		buf.WriteByte(':')
		if err := enc.Encode(v); err != nil {
			return nil, fmt.Errorf("key %q: %w", k, err)
		}
		buf.Truncate(buf.Len() - 1)
	}
	if sep == '{' {
		buf.WriteByte('{')
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// UnmarshalJSON reads an object, keeping its order. A repeated key keeps its first place and its last value.
func (m *Map[V]) UnmarshalJSON(data []byte) error {
	*m = Map[V]{}
	dec := json.NewDecoder(bytes.NewReader(data))
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	if tok == nil {
		return nil
	}
	if tok != json.Delim('{') {
		return fmt.Errorf("expected an object, found %v", tok)
	}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return err
		}
		var v V
		if err := dec.Decode(&v); err != nil {
			return err
		}
		m.Set(tok.(string), v)
	}
	return nil
}

// propertyOrder puts array indices first, ascending, as JavaScript objects do.
func propertyOrder(keys []string) []string {
	var indices []uint64
	for _, k := range keys {
		if n, ok := arrayIndex(k); ok {
			indices = append(indices, n)
		}
	}
	if len(indices) == 0 {
		return keys
	}
	return mergeIndices(keys, indices)
}

func mergeIndices(keys []string, indices []uint64) []string {
	slices.Sort(indices)
	out := make([]string, 0, len(keys))
	for _, n := range indices {
		out = append(out, strconv.FormatUint(n, 10))
	}
	for _, k := range keys {
		if _, ok := arrayIndex(k); !ok {
			out = append(out, k)
		}
	}
	return out
}

// arrayIndex reports whether key is a canonical array index: 0 to 2^32-2 without leading zeros.
func arrayIndex(key string) (uint64, bool) {
	n, err := strconv.ParseUint(key, 10, 32)
	if err != nil || n == 1<<32-1 || strconv.FormatUint(n, 10) != key {
		return 0, false
	}
	return n, true
}
