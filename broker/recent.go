package broker

// mostRecent is how many calls a connection remembers: more than any client has open at once, and a few tens of KiB. It matters
// for replies that a client has not read yet, when it says which of its calls are open or aborts them.
const mostRecent = 1024

// recent is what is known of the newest ids. The zero value is ready; it belongs to the broker's goroutine.
type recent[V any] struct {
	kept   map[string]V
	ids    []string // of kept, a ring once it is full
	oldest int      // in ids
}

// note remembers the newest word on an id.
func (r *recent[V]) note(id string, what V) {
	if r.kept == nil {
		r.kept = map[string]V{}
	}
	if _, known := r.kept[id]; !known {
		r.enter(id)
	}
	r.kept[id] = what
}

func (r *recent[V]) enter(id string) {
	if len(r.ids) < mostRecent {
		r.ids = append(r.ids, id)
		return
	}
	delete(r.kept, r.ids[r.oldest])
	r.ids[r.oldest] = id
	r.oldest = (r.oldest + 1) % mostRecent
}

// of is the newest word on an id, the zero value also when that was long ago.
func (r *recent[V]) of(id string) V { return r.kept[id] }
