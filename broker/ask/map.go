package ask

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// Map is a JSON object that remembers the order in which its keys were set, as the contract's answers do. The zero value
// is an empty map ready for use. It is not safe for concurrent writers. A copy shares its values: of a map and its copies
// only one may be set any more.
type Map[V any] struct {
	keys   []string
	values []V            // of the keys, in their order
	places map[string]int // of the keys, once there are many
}

// fewKeys are found sooner one after the other than by a hash, and need no table: most forms have a question or two, and
// the records of a history have a map or two each.
const fewKeys = 8

// Set puts a value under key; a new key goes last.
func (m *Map[V]) Set(key string, value V) { *m.place(key) = value }

// place gives the place of the value under key, to be filled before the next one; a new key goes last.
func (m *Map[V]) place(key string) *V {
	if i := m.find(key); i >= 0 {
		return &m.values[i]
	}
	var zero V
	m.keys, m.values = append(m.keys, key), append(m.values, zero)
	last := len(m.keys) - 1
	switch {
	case last == fewKeys:
		m.places = make(map[string]int, 2*fewKeys)
		for i, k := range m.keys {
			m.places[k] = i
		}
	case last > fewKeys:
		m.places[key] = last
	}
	return &m.values[last]
}

// find gives the place of a key, -1 when it is not there.
func (m *Map[V]) find(key string) int {
	if len(m.keys) <= fewKeys {
		return slices.Index(m.keys, key)
	}
	if i, ok := m.places[key]; ok {
		return i
	}
	return -1
}

// Get returns the value under key and whether there is one.
func (m Map[V]) Get(key string) (value V, ok bool) {
	if i := m.find(key); i >= 0 {
		return m.values[i], true
	}
	return value, false
}

// ref gives the value under key where it stands, nil when there is none.
func (m *Map[V]) ref(key string) *V {
	if i := m.find(key); i >= 0 {
		return &m.values[i]
	}
	return nil
}

// Len is the number of keys.
func (m Map[V]) Len() int { return len(m.keys) }

// IsZero reports whether the map is empty, so that omitzero leaves it out.
func (m Map[V]) IsZero() bool { return len(m.keys) == 0 }

// All yields the entries in the order that JSON.stringify would write them: keys that are array indices first, ascending,
// then the others as they were set.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		order := propertyOrder(m.keys)
		for i := range m.keys {
			if order != nil {
				i = order[i]
			}
			if !yield(m.keys[i], m.values[i]) {
				return
			}
		}
	}
}

// MarshalJSON writes the object in the order of All.
func (m Map[V]) MarshalJSON() ([]byte, error) {
	if m.Len() == 0 { // each refusal has two of them
		return []byte("{}"), nil
	}
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

// propertyOrder gives the places of keys with the array indices first, ascending, as JavaScript objects have them; nil is the
// order in which they are.
func propertyOrder(keys []string) []int {
	if !slices.ContainsFunc(keys, isArrayIndex) {
		return nil
	}
	type place struct {
		at    int
		index uint64 // 1<<32 for those that are none
	}
	places := make([]place, len(keys))
	for i, k := range keys {
		places[i] = place{i, 1 << 32}
		if n, ok := arrayIndex(k); ok {
			places[i].index = n
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.index, b.index) })
	order := make([]int, len(keys))
	for i, p := range places {
		order[i] = p.at
	}
	return order
}

func isArrayIndex(key string) bool {
	_, ok := arrayIndex(key)
	return ok
}

// arrayIndex reports whether key is a canonical array index: 0 to 2^32-2 without leading zeros.
func arrayIndex(key string) (uint64, bool) {
	if key == "" || key[0] < '0' || key[0] > '9' {
		return 0, false // most are none, and an error takes room
	}
	n, err := strconv.ParseUint(key, 10, 32)
	if err != nil || n == 1<<32-1 || strconv.FormatUint(n, 10) != key {
		return 0, false
	}
	return n, true
}
