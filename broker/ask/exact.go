package ask

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// UnmarshalExactly is json.Unmarshal for what clients send: a member's name is what is written, as every other reader of JSON
// has it, and of repeated members the last counts. encoding/json takes "Session" for "session" and merges repeated objects.
// into is a pointer; types with an UnmarshalJSON of their own read their value as it came.
func UnmarshalExactly(raw []byte, into any) error {
	if validJSON(raw) {
		raw = exact(raw, reflect.TypeOf(into))
	}
	return json.Unmarshal(raw, into)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// exact gives valid JSON without the members that a value of type t has not, as far as encoding/json would take them for
// others; mostly that is raw itself.
func exact(raw []byte, t reflect.Type) []byte {
	s := sieve{}
	return s.value(raw, t)
}

// sieve knows the members of the structs that it has met. A list of thousands of them asks for each a thousand times.
type sieve map[reflect.Type][]field

type field struct {
	name string
	is   reflect.Type
}

// fields are the members of a struct as encoding/json names them.
func (s sieve) fields(t reflect.Type) []field {
	known, ok := s[t]
	if !ok {
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				known = append(known, s.fields(f.Type)...)
			case f.IsExported() && name != "-":
				known = append(known, field{orName(name, f.Name), f.Type})
			}
		}
		s[t] = known
	}
	return known
}

func orName(tag, name string) string {
	if tag == "" {
		return name
	}
	return tag
}

func (s sieve) value(raw []byte, t reflect.Type) []byte {
	for t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	switch {
	case t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler):
		return raw
	case t.Kind() == reflect.Struct:
		return s.object(raw, s.fields(t))
	case t.Kind() == reflect.Map:
		return s.entries(raw, t.Elem())
	case t.Kind() == reflect.Slice:
		return s.items(raw, t.Elem())
	}
	return raw
}

// object looks at every member of a struct. The last of those that have one name stands in the place of the first.
func (s sieve) object(raw []byte, known []field) []byte {
	var kept object
	first := make([]int, len(known)) // where each stands in kept, counted from 1
	EachMember(raw, func(key, value []byte) bool {
		i, ok := find(known, memberName(key))
		if !ok {
			kept.dirty = true
			return true
		}
		if i >= 0 {
			was := value
			value = s.value(value, known[i].is)
			kept.dirty = kept.dirty || !sameSlice(was, value)
			if at := first[i]; at > 0 {
				kept.members[at-1].raw, kept.dirty = value, true
				return true
			}
			first[i] = len(kept.members) + 1
		}
		kept.members = append(kept.members, member{key: key, raw: value})
		return true
	})
	if !kept.dirty {
		return raw
	}
	return kept.bytes()
}

// find gives the index of a member. Of one that is none of the struct's, whose index is -1, ok says whether it may stay.
func find(known []field, key string) (i int, ok bool) {
	ok = true
	for i := range known {
		if known[i].name == key {
			return i, true
		}
		ok = ok && !strings.EqualFold(known[i].name, key)
	}
	return -1, ok
}

// entries looks at every value of a map, whose keys encoding/json takes as they are.
func (s sieve) entries(raw []byte, t reflect.Type) []byte {
	var kept object
	EachMember(raw, func(key, value []byte) bool {
		was := value
		value = s.value(value, t)
		kept.dirty = kept.dirty || !sameSlice(was, value)
		kept.members = append(kept.members, member{key: key, raw: value})
		return true
	})
	if !kept.dirty {
		return raw
	}
	return kept.bytes()
}

func memberName(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	return decodeString(quoted)
}

// items looks at every item of a list.
func (s sieve) items(raw []byte, t reflect.Type) []byte {
	var items [][]byte
	changed := false
	eachItem(raw, func(_ int, item []byte) bool {
		kept := s.value(item, t)
		changed = changed || !sameSlice(item, kept)
		items = append(items, kept)
		return true
	})
	if !changed {
		return raw
	}
	return joinArray(items)
}

// sameSlice reports whether a value was left as it is.
func sameSlice(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
