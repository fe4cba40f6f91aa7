package ask

import "strings"

// Arena makes strings of many short values with few allocations. A string keeps others of its arena in memory. The zero
// value is ready for use.
type Arena struct {
	b    strings.Builder
	size int // of the piece that is being filled
}

// An arena's pieces double from a small one on: who reads a single value gets a string of its own.
const (
	firstPiece = 512
	lastPiece  = 32 << 10
)

// Text is value as a string.
func (a *Arena) Text(value []byte) string {
	if a.b.Cap()-a.b.Len() < len(value) {
		if a.size = min(max(2*a.size, firstPiece), lastPiece); len(value) > a.size/4 {
			return string(value)
		}
		a.b = strings.Builder{}
		a.b.Grow(a.size)
	}
	start := a.b.Len()
	a.b.Write(value)
	return a.b.String()[start:]
}

// slab makes many short lists with few allocations. A list keeps others of its slab in memory. The zero value is ready for
// use.
type slab[T any] struct {
	items []T // what was given away, then the list that is being made
	start int // of that list
}

// lastRoom is how many items a slab makes room for at a time. It begins with one and doubles, for who reads a single value.
const lastRoom = 256

// takeBack makes the room of items that were given away free again. Nobody may have them any more.
func (s *slab[T]) takeBack() {
	clear(s.items) // zero again, and nothing large stays in memory for what was small
	s.items = s.items[:0]
}

// begin begins a list; one that was given up is forgotten.
func (s *slab[T]) begin() { s.start = len(s.items) }

// next puts a zero item behind the list, for the caller to fill before the next one.
func (s *slab[T]) next() *T {
	if len(s.items) == cap(s.items) {
		made := s.items[s.start:]
		room := max(1, min(2*cap(s.items), lastRoom), 2*len(made))
		s.items, s.start = append(make([]T, 0, room), made...), 0
	}
	s.items = s.items[:len(s.items)+1]
	return &s.items[len(s.items)-1]
}

// list gives the list away. Who appends to it gets another one.
func (s *slab[T]) list() []T { return s.items[s.start:len(s.items):len(s.items)] }

// room gives an empty list away that has room for n items.
func (s *slab[T]) room(n int) []T {
	s.begin()
	if cap(s.items)-len(s.items) < n {
		s.items, s.start = make([]T, 0, max(min(2*cap(s.items), lastRoom), n)), 0
	}
	s.items = s.items[:s.start+n]
	return s.items[s.start:s.start:len(s.items)]
}

// one gives a single zero item away.
func (s *slab[T]) one() *T {
	s.begin()
	return s.next()
}
